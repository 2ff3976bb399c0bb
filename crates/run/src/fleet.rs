//! Runs whose jobs are carried out by agents: what the coordinator asks of them, and how their results become one run.

use std::cell::OnceCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Scope, ScopedJoinHandle};

use engine::Target;
use measure::clock;
use model::fleet::{AgentPart, device_readings, on_one_machine, replace_devices};
use model::{FoundByAgent, findings_of_agents};
use record::{AgentHost, Check, JobShare, Nanos, NodeRun, Part, PartKind, Plan, PlannedRun, Reading, Run, Sweep, name};

use crate::bench::Bench;
use crate::companion::Companion;
use crate::hands::{AgentProgress, Delivered, Fleet, FleetWatch, NotKept};
use crate::loss::Losses;
use crate::nodes::Nodes;
use crate::observation::Observation;
use crate::recorder::timestamp;
use crate::run::{Overdue, window_and_drain};
use crate::{Error, Event, Result};

/// Has `fleet` carry out `run`, which is `kind`, on the nodes at `node_indexes`, and fills in what its agents counted;
/// `companions` go on beside. Returns how many commits they expect the engine to have counted.
pub(crate) fn drive_fleet<'a>(
    bench: &'a Bench<'_>,
    run: &mut Run,
    fleet: &dyn Fleet,
    node_indexes: &[usize],
    kind: &PartKind,
    companions: Vec<Box<dyn Companion + 'a>>,
) -> Result<Option<u64>> {
    let left = fleet.agents();
    let agents = match bench.plan.jobs_per_agent {
        Some(jobs_each) => run.dop.jobs.div_ceil(jobs_each.max(1)),
        None if bench.plan.database_per_agent && !node_indexes.is_empty() => run.dop.nodes,
        None => left,
    };
    if agents > left {
        return Err(Error::environment(format!("it needs {agents} agents, and {left} are left")));
    }
    run.sweep = sweep(bench.plan.jobs_per_agent, run.sweep);
    let parts = parts(bench, run, agents, node_indexes, kind)?;
    let (window, drain) = window_and_drain(bench, run);
    let overdue = Overdue::new(window + drain, bench.listener);
    carry_out(bench, run, fleet, (&parts, node_indexes), companions, &|| overdue.check())
}

/// Has the agents of `fleet` carry out `parts` of `run`, one each, and fills in what they counted; `check` is called once
/// a second.
pub(crate) fn carry_out<'a>(
    bench: &'a Bench<'_>,
    run: &mut Run,
    fleet: &dyn Fleet,
    (parts, node_indexes): (&[Part], &[usize]),
    companions: Vec<Box<dyn Companion + 'a>>,
    check: &(dyn Fn() + Sync),
) -> Result<Option<u64>> {
    bench.write_back();
    let observation = Observation::new(bench, run, node_indexes.to_vec(), &[], companions);
    let (operations, started_at) = (AtomicU64::new(0), OnceLock::new());
    let begun = OnceLock::new();
    let losses = bench.subject.map(|subject| Losses::new(subject.nodes, Vec::new(), true));
    let check = || {
        losses.iter().for_each(Losses::check_servers);
        check();
    };
    let (carried_out, delivered) = observation.during(bench, &|| operations.load(Ordering::Relaxed), &check, || {
        let carried_out = std::thread::scope(|scope| {
            let (observation, operations, preparing) = (&observation, &operations, OnceCell::new());
            let (started_at, begun) = (&started_at, &begun);
            let hooks = Hooks { bench, observation, scope, preparing, operations, started_at, begun };
            fleet.carry_out(parts, &hooks)
        });
        let mut delivered = Ok(Vec::new());
        observation.end_after(|| {
            if carried_out.is_ok() {
                delivered = fleet.deliver(&|| bench.interrupt.is_raised());
                let delivered = delivered.as_deref().unwrap_or_default();
                let start = begun.get().copied().unwrap_or_default();
                let events = delivered.iter().map(|one| one.result.run.events.as_slice());
                losses.iter().for_each(|losses| events.clone().for_each(|events| losses.add(events, start)));
                publish(bench, node_indexes, delivered);
            }
        });
        (carried_out, delivered)
    });
    run.started_at = started_at.into_inner().unwrap_or_else(timestamp);
    observation.add_to(bench, run, &[], JobShare::whole(run.dop.jobs));
    begin_count(&mut run.readings);
    let of_nodes = std::mem::take(&mut run.nodes);
    carried_out?;
    let commits = adopt(run, &delivered?, &fleet.agent_hosts())?;
    // What the engine counted of a node is known here only.
    let with_readings = |mut node: NodeRun| {
        let read = of_nodes.iter().find(|read| read.node == node.node);
        node.readings = read.map_or(Vec::new(), |read| read.readings.clone());
        begin_count(&mut node.readings);
        node
    };
    run.nodes = std::mem::take(&mut run.nodes).into_iter().map(with_readings).collect();
    run.events = losses.map_or(Vec::new(), |losses| losses.into_events(begun.into_inner().unwrap_or_default()));
    let is_lost = |node_index: &usize| bench.subject.is_some_and(|subject| subject.nodes.is_lost(*node_index));
    match !node_indexes.is_empty() && run.dop.nodes > 1 && node_indexes.iter().all(is_lost) {
        true => Err(Error::environment("all nodes of the run are lost")),
        false => Ok(commits),
    }
}

/// What is varied in a run that varies `sweep` in one process; `jobs_each` are the jobs of each agent, where agents are
/// added with their jobs.
pub(crate) fn sweep(jobs_each: Option<u32>, sweep: Sweep) -> Sweep {
    match (jobs_each, sweep) {
        (Some(jobs_each), Sweep::Jobs) => Sweep::Agents { jobs_each },
        _ => sweep,
    }
}

/// Round trips are counted from the first run on in which an agent told of some: before it there were none.
fn begin_count(readings: &mut [Reading]) {
    if let [first, .., last] = readings
        && last.values.contains_key(name::CLIENT_ROUND_TRIP_COUNT)
    {
        first.values.entry(name::CLIENT_ROUND_TRIP_COUNT.to_owned()).or_insert(0);
    }
}

/// One run of what the agents counted, with what only they found out; `hosts` are those of agents that are elsewhere.
pub(crate) fn merged(delivered: &[Delivered], hosts: &[AgentHost]) -> Result<Run> {
    fn part(one: &Delivered) -> AgentPart<'_> {
        let Delivered { agent, start, result } = one;
        AgentPart { agent, host_threads: result.host_threads, start: *start, run: &result.run }
    }
    let parts: Vec<AgentPart<'_>> = delivered.iter().map(part).collect();
    let mut run = model::fleet::merged(&parts).map_err(|error| Error::environment(error.to_string()))?;
    // Each agent has checked the answers of one of its jobs.
    let findings = delivered.first().map_or(&[][..], |one| &one.result.run.findings);
    run.findings = findings.iter().filter(|finding| finding.check() == Check::Answers).cloned().collect();
    let shared = on_one_machine(hosts.iter().map(|host| (host.agent.as_str(), host.boot_id.as_deref())));
    let found = delivered.iter().map(|Delivered { agent, result, .. }| FoundByAgent {
        agent,
        findings: &result.run.findings,
        is_elsewhere: hosts.iter().any(|host| host.agent == *agent),
        is_alone: !shared.iter().flatten().any(|name| name == agent),
    });
    run.findings.extend(findings_of_agents(found, run.storage.is_some()));
    if run.storage.is_some() && !hosts.is_empty() {
        let counted_by_others: Vec<&str> = shared.iter().flat_map(|names| &names[1..]).copied().collect();
        run.readings = device_readings(&run, &counted_by_others);
    }
    check_possible(&run, delivered)?;
    Ok(run)
}

/// Refuses `run`, which is merged of `delivered`, where no record can hold it: with it, all runs of the record would be
/// unreadable.
fn check_possible(run: &Run, delivered: &[Delivered]) -> Result<()> {
    let Err(why) = store::check_figures(run) else { return Ok(()) };
    let of_agent = |one: &Delivered| store::check_figures(&one.result.run).err().map(|why| (one.agent.clone(), why));
    Err(Error::environment(match delivered.iter().find_map(of_agent) {
        Some((agent, why)) => format!("agent {agent}: its results are impossible: {why}"),
        None => format!("the results of the agents are impossible: {why}"),
    }))
}

/// Takes over what the agents counted; returns how many commits they expect.
fn adopt(run: &mut Run, delivered: &[Delivered], hosts: &[AgentHost]) -> Result<Option<u64>> {
    let merged = merged(delivered, hosts)?;
    if merged.storage.is_some() {
        run.storage = merged.storage;
        if !hosts.is_empty() {
            replace_devices(&mut run.readings, merged.readings);
        }
    }
    run.window_ns = merged.window_ns;
    run.jobs_ended_separately = merged.jobs_ended_separately;
    run.totals = merged.totals;
    (run.blocks, run.load) = (merged.blocks, merged.load);
    run.transaction_types = merged.transaction_types;
    run.service = merged.service;
    run.response = merged.response;
    run.seconds = merged.seconds;
    run.slices = merged.slices;
    run.agents = merged.agents;
    run.client_threads = merged.client_threads;
    run.nodes = merged.nodes;
    run.outcome = merged.outcome;
    run.findings.extend(merged.findings);
    Ok(merged.commits_expected)
}

/// Adds the agents of `fleet`, if there is one, to `plan`.
pub(crate) fn add_agents(plan: &mut Plan, fleet: Option<&dyn Fleet>) {
    plan.agents = fleet.map(Fleet::agents);
    plan.agent_hosts = fleet.into_iter().flat_map(Fleet::agent_hosts).map(|host| host.agent).collect();
}

/// Refuses a target that the agents of `fleet` cannot reach; `nodes` are open.
pub(crate) fn check_target(fleet: Option<&dyn Fleet>, target: &Target, nodes: Option<&Nodes>) -> Result<()> {
    let Some(nodes) = nodes.filter(|_| fleet.is_some()) else { return Ok(()) };
    nodes.for_agents(&nodes.left().collect::<Vec<usize>>(), target).map(drop)
}

/// Adds what the sessions of the agents did to the counters of their nodes.
fn publish(bench: &Bench<'_>, node_indexes: &[usize], delivered: &[Delivered]) {
    let of_number = |number: u32| bench.subject.and_then(|subject| subject.nodes.index_of(number));
    for Delivered { result, .. } in delivered {
        let run = &result.run;
        let read: Vec<(Option<usize>, &[Reading])> = match run.nodes.as_slice() {
            [] => vec![(node_indexes.first().copied(), &run.readings)],
            nodes => nodes.iter().map(|node| (of_number(node.node), node.readings.as_slice())).collect(),
        };
        for (node_index, readings) in read {
            let Some(node) = node_index.and_then(|index| bench.sources.nodes.get(index)) else { continue };
            let counted = |name: &str| {
                let at = |reading: Option<&Reading>| reading?.values.get(name).copied();
                Some(at(readings.last())?.saturating_sub(at(readings.first()).unwrap_or(0)))
            };
            node.add_own_commits(counted(name::BOOKKEEPING_COMMIT_COUNT).unwrap_or(0));
            counted(name::CLIENT_ROUND_TRIP_COUNT).into_iter().for_each(|count| node.add_round_trips(count));
        }
    }
}

/// The parts of `run`: of as many agents as have jobs.
fn parts(bench: &Bench<'_>, run: &Run, agents: u32, node_indexes: &[usize], kind: &PartKind) -> Result<Vec<Part>> {
    let nodes = bench.subject.map(|subject| subject.nodes.for_agents(node_indexes, bench.target));
    let nodes = nodes.transpose()?.unwrap_or_default();
    let plan = plan_of_agents(bench.plan, run);
    let is_apart = plan.database_per_agent && run.dop.nodes > 1;
    let part = |(index, share): (usize, JobShare)| {
        let dop = record::Dop { jobs: share.count, ..run.dop };
        let planned = PlannedRun {
            number: run.number,
            variation: run.variation,
            ..PlannedRun::new(&run.test, run.kind.clone(), dop)
        };
        let nodes = if is_apart { vec![nodes[index].clone()] } else { nodes.clone() };
        Part { record: bench.record.to_owned(), nodes, plan: plan.clone(), planned, share, kind: kind.clone() }
    };
    let shares = JobShare::spread(run.dop.jobs, agents).into_iter().filter(|share| share.count > 0);
    Ok(shares.enumerate().map(part).collect())
}

/// What of `plan` agents need for `run`.
pub(crate) fn plan_of_agents(plan: &Plan, run: &Run) -> Plan {
    Plan { runs: Vec::new(), skipped: Vec::new(), network: None, io: None, pace: run.pace, ..plan.clone() }
}

/// What the coordinator does while its agents work.
struct Hooks<'scope, 'a, 'b, 'c> {
    bench: &'a Bench<'b>,
    observation: &'a Observation<'c>,
    scope: &'scope Scope<'scope, 'a>,
    /// Reads the engine before the start.
    preparing: OnceCell<ScopedJoinHandle<'scope, ()>>,
    operations: &'a AtomicU64,
    started_at: &'a OnceLock<record::Timestamp>,
    /// The same on the monotonic clock.
    begun: &'a OnceLock<Nanos>,
}

impl FleetWatch for Hooks<'_, '_, '_, '_> {
    fn prepare(&self) -> bool {
        let (observation, interrupt) = (self.observation, self.bench.interrupt);
        let begin = || self.scope.spawn(move || observation.prepare(interrupt));
        self.preparing.get_or_init(begin).is_finished()
    }

    fn begin(&self) {
        self.observation.begin();
        self.started_at.get_or_init(timestamp);
        self.begun.get_or_init(clock::now);
    }

    fn progress(&self, agents: &[AgentProgress<'_>]) {
        // What agents say may be any number.
        let operations = agents.iter().fold(0, |all: u64, agent| all.saturating_add(agent.operations));
        self.operations.store(operations, Ordering::Relaxed);
        self.bench.listener.on_event(&Event::Agents(agents));
    }

    fn lost(&self, agent: &str, operations: u64) {
        let note = format!("agent {agent} is lost, after {operations} operations of all; the others end this run");
        self.bench.listener.on_event(&Event::Note(&note));
    }

    fn late(&self, by: Nanos) {
        let note = format!(
            "the counters at the start were read {:.1} s after it: this host or an observed one is slow",
            by.seconds()
        );
        self.bench.listener.on_event(&Event::Note(&note));
    }

    fn paused(&self, by: Nanos) {
        let note = format!(
            "this process did not go on for {:.1} s while the agents worked: counters of the engine and of this host may be of \
             a longer time than the run",
            by.seconds()
        );
        self.bench.listener.on_event(&Event::Note(&note));
    }

    fn not_kept(&self, agents: &[NotKept]) {
        self.bench.listener.on_event(&Event::Note(&not_kept(agents)));
    }

    fn is_interrupted(&self) -> bool {
        self.bench.interrupt.is_raised()
    }
}

/// How many agents a note names.
const NAMED_MAX: usize = 5;

/// That `agents` do not keep their results, as one line.
fn not_kept(agents: &[NotKept]) -> String {
    match agents {
        [NotKept { agent, reason }] => {
            format!("agent {agent} does not keep its result until it is in the record: {reason}")
        }
        _ => {
            let named: Vec<&str> = agents.iter().take(NAMED_MAX).map(|one| one.agent.as_str()).collect();
            let others = match agents.len() - named.len() {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            let first = agents.first().map_or(String::new(), |one| format!("; agent {}: {}", one.agent, one.reason));
            let (count, names) = (agents.len(), named.join(", "));
            format!("{count} agents do not keep their results until they are in the record: {names}{others}{first}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use record::{AgentStart, PartResult, Totals};

    use super::*;

    /// One of the counts of a run.
    type CountOf = fn(&mut Totals) -> &mut u64;

    #[test]
    fn agents_that_do_not_keep_their_results_are_one_line() {
        let agents: Vec<NotKept> = (1..=300)
            .map(|number| NotKept { agent: format!("a{number}"), reason: format!("{number} is full") })
            .collect();
        let words = "keep their results until they are in the record: ";
        assert_eq!(not_kept(&agents[..1]), "agent a1 does not keep its result until it is in the record: 1 is full");
        let five = not_kept(&agents[..5]);
        assert_eq!(five, format!("5 agents do not {words}a1, a2, a3, a4, a5; agent a1: 1 is full"));
        let all = not_kept(&agents);
        assert_eq!(all, format!("300 agents do not {words}a1, a2, a3, a4, a5 and 295 more; agent a1: 1 is full"));
    }

    #[test]
    fn results_that_no_record_can_hold_are_refused_and_their_agent_is_named() {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/records/run.jsonl");
        let runs = store::read(&fixture).expect("a record").runs;
        let run = runs.into_iter().find(|run| run.test == "T311" && run.dop.jobs == 1).expect("T311");
        let delivered = |agent: &str, steps: u64| {
            let mut run = run.clone();
            run.totals.steps = steps;
            let result = PartResult { run, host_threads: 1 };
            Delivered { agent: agent.to_owned(), start: AgentStart::default(), result }
        };
        let steps = run.totals.steps;
        let two = |of_other: u64| merged(&[delivered("a", steps), delivered("b", of_other)], &[]);
        assert_eq!(two(steps).expect("a run").totals.steps, 2 * steps);
        let error = two(u64::MAX).expect_err("no run").message;
        assert!(error.starts_with("agent b: its results are impossible: "), "{error}");
        let counts: [(&str, CountOf); 5] = [
            ("steps", |totals| &mut totals.steps),
            ("operations", |totals| &mut totals.operations),
            ("rows", |totals| &mut totals.rows),
            ("transactions", |totals| &mut totals.transactions),
            ("unfinished", |totals| &mut totals.unfinished),
        ];
        for (name, of) in counts {
            let both = ["a", "b"].map(|agent| {
                let mut one = delivered(agent, steps);
                *of(&mut one.result.run.totals) = u64::MAX - 1;
                one
            });
            let error = merged(&both, &[]).expect_err(name).message;
            assert!(error.contains("impossible: ") && error.contains(name), "{error}");
        }
    }
}
