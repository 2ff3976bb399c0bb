//! Runs whose jobs are carried out by agents: what the coordinator asks of them, and how their results become one run.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::Target;
use model::fleet::{AgentPart, device_readings, on_one_machine, replace_devices};
use model::{FoundByAgent, findings_of_agents};
use record::{AgentHost, Check, JobShare, Part, PartKind, Plan, PlannedRun, Reading, Run, Sweep, name};

use crate::bench::Bench;
use crate::hands::{AgentProgress, Delivered, Fleet, FleetWatch};
use crate::nodes::Nodes;
use crate::observation::Observation;
use crate::recorder::timestamp;
use crate::run::{Overdue, window_and_drain};
use crate::session_sampler::SessionSampler;
use crate::{Error, Event, Result};

/// Has `fleet` carry out `run`, which is `kind`, on the nodes at `node_indexes`, and fills in what its agents counted.
/// Returns how many commits they expect the engine to have counted.
///
/// # Errors
/// Where the agents do not carry it out, or where their results cannot be merged.
pub(crate) fn drive_fleet(
    bench: &Bench<'_>,
    run: &mut Run,
    fleet: &dyn Fleet,
    node_indexes: &[usize],
    kind: &PartKind,
) -> Result<Option<u64>> {
    let left = fleet.agents();
    let agents = match bench.plan.jobs_per_agent {
        Some(jobs_each) => run.dop.jobs.div_ceil(jobs_each.max(1)),
        None => left,
    };
    if agents > left {
        return Err(Error::environment(format!("it needs {agents} agents, and {left} are left")));
    }
    run.sweep = sweep(bench.plan.jobs_per_agent, run.sweep);
    let parts = parts(bench, run, agents, node_indexes, kind)?;
    let (window, drain) = window_and_drain(bench, run);
    let overdue = Overdue::new(window + drain, bench.listener);
    carry_out(bench, run, fleet, &parts, node_indexes, &|| overdue.check())
}

/// Has the agents of `fleet` carry out `parts` of `run`, one each, and fills in what they counted; `check` is called once
/// a second.
///
/// # Errors
/// As [`drive_fleet`].
pub(crate) fn carry_out(
    bench: &Bench<'_>,
    run: &mut Run,
    fleet: &dyn Fleet,
    parts: &[Part],
    node_indexes: &[usize],
    check: &(dyn Fn() + Sync),
) -> Result<Option<u64>> {
    bench.write_back();
    let observation =
        Observation::new(bench, node_indexes.to_vec(), &[], SessionSampler::for_nodes(bench, node_indexes));
    let (operations, started_at) = (AtomicU64::new(0), OnceLock::new());
    let hooks = Hooks { bench, observation: &observation, operations: &operations, started_at: &started_at };
    let (carried_out, delivered) = observation.during(bench, &|| operations.load(Ordering::Relaxed), check, || {
        let carried_out = fleet.carry_out(parts, &hooks);
        let mut delivered = Ok(Vec::new());
        observation.end_after(|| {
            if carried_out.is_ok() {
                delivered = fleet.deliver();
                publish(bench, node_indexes, delivered.as_deref().unwrap_or_default());
            }
        });
        (carried_out, delivered)
    });
    run.started_at = started_at.into_inner().unwrap_or_else(timestamp);
    observation.add_to(bench, run, &[], 0);
    begin_count(&mut run.readings);
    carried_out?;
    adopt(run, &delivered?, &fleet.agent_hosts())
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
    Ok(run)
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
    run.service = merged.service;
    run.response = merged.response;
    run.seconds = merged.seconds;
    run.slices = merged.slices;
    run.agents = merged.agents;
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
///
/// # Errors
/// As [`target_of_agents`].
pub(crate) fn check_target(fleet: Option<&dyn Fleet>, target: &Target, nodes: Option<&Nodes>) -> Result<()> {
    let nodes = nodes.filter(|_| fleet.is_some());
    nodes.map_or(Ok(()), |nodes| target_of_agents(target, nodes).map(drop))
}

/// Adds what the sessions of the agents did to the counters of their node.
fn publish(bench: &Bench<'_>, node_indexes: &[usize], delivered: &[Delivered]) {
    let Some(node) = node_indexes.first().and_then(|index| bench.sources.nodes.get(*index)) else { return };
    for Delivered { result, .. } in delivered {
        let readings = &result.run.readings;
        let counted = |name: &str| {
            let at = |reading: Option<&Reading>| reading?.values.get(name).copied();
            Some(at(readings.last())?.saturating_sub(at(readings.first()).unwrap_or(0)))
        };
        node.add_own_commits(counted(name::BOOKKEEPING_COMMIT_COUNT).unwrap_or(0));
        counted(name::CLIENT_ROUND_TRIP_COUNT).into_iter().for_each(|count| node.add_round_trips(count));
    }
}

/// The parts of `run`: of as many agents as have jobs.
fn parts(bench: &Bench<'_>, run: &Run, agents: u32, node_indexes: &[usize], kind: &PartKind) -> Result<Vec<Part>> {
    let nodes = bench.subject.filter(|_| !node_indexes.is_empty()).map(|subject| subject.nodes);
    let target = nodes.map(|nodes| target_of_agents(bench.target, nodes)).transpose()?;
    let plan = plan_of_agents(bench.plan, run);
    let part = |share: JobShare| {
        let dop = record::Dop { jobs: share.count, ..run.dop };
        let planned = PlannedRun {
            number: run.number,
            variation: run.variation,
            ..PlannedRun::new(&run.test, run.kind.clone(), dop)
        };
        let (target, plan, kind) = (target.clone(), plan.clone(), kind.clone());
        Part { record: bench.record.to_owned(), target, plan, planned, share, kind }
    };
    Ok(JobShare::spread(run.dop.jobs, agents).into_iter().filter(|share| share.count > 0).map(part).collect())
}

/// What of `plan` agents need for `run`.
pub(crate) fn plan_of_agents(plan: &Plan, run: &Run) -> Plan {
    Plan { runs: Vec::new(), skipped: Vec::new(), network: None, io: None, pace: run.pace, ..plan.clone() }
}

/// `target`, whose nodes are open, as agents reach it: without a password.
///
/// # Errors
/// Where only this process reaches it.
fn target_of_agents(target: &Target, nodes: &Nodes) -> Result<String> {
    if target.is_external() {
        return Ok(target.to_string());
    }
    nodes.first().joined_by().ok_or_else(|| {
        Error::user(format!("agents cannot use {target}: it is open in one process"))
            .hint("give the target of a server, or null")
    })
}

/// What the coordinator does while its agents work.
struct Hooks<'a, 'b, 'c> {
    bench: &'a Bench<'b>,
    observation: &'a Observation<'c>,
    operations: &'a AtomicU64,
    started_at: &'a OnceLock<record::Timestamp>,
}

impl FleetWatch for Hooks<'_, '_, '_> {
    fn begin(&self) {
        self.observation.begin();
        self.started_at.get_or_init(timestamp);
    }

    fn progress(&self, agents: &[AgentProgress<'_>]) {
        self.operations.store(agents.iter().map(|agent| agent.operations).sum(), Ordering::Relaxed);
        self.bench.listener.on_event(&Event::Agents(agents));
    }

    fn lost(&self, agent: &str, operations: u64) {
        let note = format!("agent {agent} is lost, after {operations} operations of all; the others end this run");
        self.bench.listener.on_event(&Event::Note(&note));
    }

    fn is_interrupted(&self) -> bool {
        self.bench.interrupt.is_raised()
    }
}
