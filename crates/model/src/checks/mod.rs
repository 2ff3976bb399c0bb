//! The self-checks of a run, one file each: pure functions that return a verdict with its evidence, or None where they
//! do not apply.

mod agent_hosts;
mod agent_rates;
mod agent_starts;
mod backlog;
mod bound;
mod cache_fit;
mod cache_misses;
mod checkpoints;
mod client_share;
mod commit_count;
mod commit_time;
mod compressible;
mod content;
mod device_io;
mod durability;
mod failures;
mod flush;
mod foreign_cpu;
mod foreign_io;
mod generator_bound;
mod in_flight;
mod littles_law;
mod load_beside;
mod node_loss;
mod observed_hosts;
mod other_sessions;
mod page_cache;
mod rate_levels;
mod slow_agent;
mod stall;
mod steady;
mod steal;
mod step_down;
#[cfg(test)]
mod storage_runs;
mod swapping;
mod throttling;
mod unseen_answers;
mod unwritten;
mod warehouses;
mod window_length;

use std::collections::BTreeMap;

pub use bound::level_finding;
pub use node_loss::lost_node;
use record::{
    Check, EngineInventory, Evidence, Finding, Instrument, IoFile, Nanos, ObservedHost, Outcome, Pace, Run, Storage,
    Verdict,
};
pub use warehouses::warehouses_finding;

/// The context of a run for its checks.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The engine; absent where only probes are run.
    pub engine: Option<&'a EngineInventory>,
    /// The host of the engine, where an agent observes it.
    pub server_hosts: &'a [ObservedHost],
    /// The hosts of storage that agents observe.
    pub storage_hosts: &'a [ObservedHost],
    /// Hardware threads that the jobs may use.
    pub host_threads: u32,
    /// Whether the figures make claims. Preset `smoke` only tests operation and cannot be invalidated by disturbances.
    pub makes_claims: bool,
    /// The overhead of dbdyno.
    pub instrument: &'a Instrument,
    /// `write back` or `write through`, as reported by the device of the measured directory, or of the data on the
    /// observed host of a server.
    pub write_cache: Option<&'a str>,
    /// Median commit time (a write and its sync) of the storage probe with one job, where the engine's data are on the
    /// same device.
    pub flush_probe: Option<Nanos>,
}

/// What is found out about files and the generator, which only the agent that has them sees.
const OF_FILES: [Check; 8] = [
    Check::LittlesLaw,
    Check::PageCache,
    Check::Unwritten,
    Check::Compressible,
    Check::Flush,
    Check::Stall,
    Check::GeneratorBound,
    Check::Content,
];

/// What is found out about the host of an agent and its devices.
const OF_HOSTS: [Check; 2] = [Check::Swapping, Check::DeviceIo];

/// What is found out about other programs there: several agents on one host are such to each other.
const OF_OTHERS: [Check; 2] = [Check::ForeignCpu, Check::ForeignIo];

/// What an agent found out in its part of a run.
#[derive(Clone, Copy, Debug)]
pub struct FoundByAgent<'a> {
    /// Its name.
    pub agent: &'a str,
    /// Its findings.
    pub findings: &'a [Finding],
    /// Whether it is on another host than the coordinator, which sees its own.
    pub is_elsewhere: bool,
    /// Whether no other agent is on that host.
    pub is_alone: bool,
}

impl FoundByAgent<'_> {
    /// Whether it is asked for `check`, in a run of storage or not.
    fn is_asked(&self, check: Check, is_storage: bool) -> bool {
        is_storage && OF_FILES.contains(&check)
            || self.is_elsewhere && OF_HOSTS.contains(&check)
            || self.is_elsewhere && self.is_alone && OF_OTHERS.contains(&check)
    }
}

/// The findings that agents of a fleet made about what only they see, in a run that each of them carried out a part of: the
/// worst of each check, with its agent.
pub fn findings_of_agents<'a>(agents: impl IntoIterator<Item = FoundByAgent<'a>>, is_storage: bool) -> Vec<Finding> {
    let mut worst: BTreeMap<Check, Finding> = BTreeMap::new();
    for of in agents {
        for finding in of.findings.iter().filter(|finding| of.is_asked(finding.check(), is_storage)) {
            let of_agent = || Finding { agent: Some(of.agent.to_owned()), ..finding.clone() };
            match worst.get_mut(&finding.check()) {
                None => drop(worst.insert(finding.check(), of_agent())),
                Some(known) if finding.verdict > known.verdict => *known = of_agent(),
                Some(known) if finding.verdict == known.verdict && known.verdict > Verdict::Pass => known.others += 1,
                Some(_) => {}
            }
        }
    }
    worst.into_values().collect()
}

/// Whether agents answer `check` of `run`.
fn is_answered(check: Check, run: &Run) -> bool {
    let has_finding = || run.findings.iter().any(|finding| finding.check() == check);
    !run.agents.is_empty()
        && (run.storage.is_some() && OF_FILES.contains(&check)
            || (OF_HOSTS.contains(&check) || OF_OTHERS.contains(&check)) && has_finding())
}

/// The findings of `run`, in the order of [`record::Check`], without those that its agents made. Empty for an aborted run, which is invalid anyway.
pub fn findings(run: &Run, context: &Context<'_>) -> Vec<Finding> {
    // Crashes are counted and not timed: what is found in them is the verdict of their proof.
    if matches!(run.outcome, Outcome::Failed { .. }) || !run.crashes.is_empty() {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = [
        match &run.storage {
            // Agents end at different times: each has a window of its own.
            None => agent_hosts::check(run, context, |run, _| littles_law::check(run)),
            Some(storage) => in_flight::check(run, storage),
        },
        commit_count::check(run),
        agent_hosts::check(run, context, client_share::check),
        agent_hosts::check(run, context, steal::check),
        foreign_cpu::check(run, context),
        foreign_io::check(run, context),
        agent_hosts::check(run, context, |run, _| throttling::check(run)),
        swapping::check(run),
        page_cache::check(run),
        cache_fit::check(run, context),
        cache_misses::check(run, context),
        durability::check(run, context),
        rate_levels::check(run),
        failures::check(run),
        backlog::check(run),
        window_length::check(run),
        other_sessions::check(run, context),
        device_io::check(run),
        unwritten::check(run),
        compressible::check(run),
        flush::check(run, context),
        commit_time::check(run, context),
        step_down::check(run),
        steady::check(run),
        stall::check(run),
        generator_bound::check(run),
        content::check(run),
        bound::check(run),
        node_loss::check(run),
        agent_starts::check(run),
        agent_rates::check(run),
        slow_agent::check(run),
        unseen_answers::check(run),
        checkpoints::check(run, context),
        load_beside::check(run),
    ]
    .into_iter()
    .flatten()
    .chain(observed_hosts::findings(run, context))
    .collect();
    findings.retain(|finding| !is_answered(finding.check(), run));
    findings.sort_by_key(Finding::check);
    findings
}

fn finding(verdict: Verdict, evidence: Evidence) -> Option<Finding> {
    Some(Finding::new(verdict, evidence))
}

/// The worst finding of the parts of a run, with the number of other parts with the same verdict; None without parts.
fn worst(parts: impl IntoIterator<Item = (Verdict, Evidence)>) -> Option<Finding> {
    let parts: Vec<(Verdict, Evidence)> = parts.into_iter().collect();
    let verdict = parts.iter().map(|(verdict, _)| *verdict).max()?;
    let mut alike = parts.into_iter().filter(|(other, _)| *other == verdict).map(|(_, evidence)| evidence);
    let evidence = alike.next()?;
    let others = if verdict > Verdict::Pass { u32::try_from(alike.count()).unwrap_or(u32::MAX) } else { 0 };
    Some(Finding { others, ..Finding::new(verdict, evidence) })
}

/// Whether the files of a run are known to be on more than one device: a device and files, or several devices.
fn uses_several_devices(storage: &Storage) -> bool {
    let other = |file: &IoFile| storage.files.iter().any(|other| other.agent == file.agent && other.path != file.path);
    storage.files.iter().any(|file| file.is_device && other(file))
}

/// Whether `run` is without an engine: a probe or a storage run.
fn is_probe(run: &Run) -> bool {
    run.storage.is_some() || run.kind.is_probe()
}

/// Whether `run` is an open loop; for storage, any of its streams.
fn is_open(run: &Run) -> bool {
    let streams = run.storage.iter().flat_map(|storage| &storage.streams);
    let mut roles = run.transaction_types.iter().filter_map(|of| of.role.as_ref());
    is_open_pace(run.pace)
        || streams.into_iter().any(|stream| is_open_pace(stream.pace))
        || roles.any(|role| role.rate.is_some())
}

fn is_open_pace(pace: Pace) -> bool {
    matches!(pace, Pace::Rate { .. } | Pace::Poisson { .. })
}

/// Steps that failed.
pub(crate) fn failed_steps(run: &Run) -> u64 {
    run.totals.failures.values().fold(0, |sum, count| sum.saturating_add(*count))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use record::evidence::CommitCount;
    use record::{Check, IoKind, Nanos, name};

    use super::*;
    use crate::fixture::{self, alone, counted, engine, instrument, io_run, run};
    use crate::fleet::{AgentPart, merged};

    fn context<'a>(engine: &'a EngineInventory, instrument: &'a Instrument) -> Context<'a> {
        Context { engine: Some(engine), write_cache: Some("write back"), ..fixture::context(instrument) }
    }

    #[test]
    fn an_undisturbed_run_passes_except_for_its_length() {
        let (engine, instrument) = (engine(), instrument());
        let mut calm = counted(
            alone(run("T716", 2)),
            &[
                (name::HOST_CPU_USER_NS, 12_000_000_000),
                (name::HOST_CPU_SYSTEM_NS, 4_000_000_000),
                (name::HOST_CPU_IDLE_NS, 4_000_000_000),
                (name::HOST_CPU_STEAL_NS, 0),
                (name::HOST_SWAP_IN_COUNT, 0),
                (name::CLIENT_CPU_NS, 4_000_000_000),
                (name::SERVER_CPU_NS, 12_000_000_000),
                (name::COMMIT_COUNT, 20_002),
                (name::BOOKKEEPING_COMMIT_COUNT, 2),
                (name::REDO_WRITE_BYTES, 20_000_000),
                (name::DEVICE_FLUSH_COUNT, 15_000),
            ],
        );
        calm.commits_expected = Some(20_000);
        let findings = findings(&calm, &context(&engine, &instrument));
        let others: Vec<_> = findings.iter().filter(|finding| finding.verdict != Verdict::Pass).collect();
        assert_eq!(others.len(), 1, "{findings:#?}");
        assert_eq!((others[0].check(), others[0].verdict), (Check::WindowLength, Verdict::Unknown));
        let passed: BTreeSet<Check> = findings.iter().map(Finding::check).collect();
        for check in [Check::LittlesLaw, Check::CommitCount, Check::ClientShare, Check::Steal, Check::Durability] {
            assert!(passed.contains(&check), "{check:?}");
        }
        assert!(findings.is_sorted_by_key(Finding::check));
    }

    #[test]
    fn a_run_that_aborted_is_not_checked() {
        let (engine, instrument) = (engine(), instrument());
        let broken = Run { outcome: Outcome::Failed { message: "gone".to_owned() }, ..run("T611", 1) };
        assert_eq!(findings(&broken, &context(&engine, &instrument)), Vec::new());
    }

    #[test]
    fn checks_of_engines_do_not_apply_to_a_probe() {
        let (engine, instrument) = (engine(), instrument());
        let probe = counted(run("C11", 2), &[(name::CLIENT_CPU_NS, 20_000_000_000)]);
        let checks: Vec<Check> = findings(&probe, &context(&engine, &instrument)).iter().map(Finding::check).collect();
        assert!(!checks.contains(&Check::Durability) && !checks.contains(&Check::CommitCount));
        assert!(findings(&probe, &context(&engine, &instrument)).iter().all(|finding| finding.verdict < Verdict::Warn));
    }

    #[test]
    fn probes_and_storage_runs_need_no_engine() {
        assert_eq!([run("C11", 1), run("T111", 1)].map(|run| is_probe(&run)), [true, false]);
        assert!(is_probe(&io_run("F1", IoKind::Read, 1)));
    }

    /// The findings of a run of storage of whose agents `a` and `b` found this out: verdict, agent, others.
    fn of_agents(evidence: &Evidence, found: [Option<Verdict>; 2], is_elsewhere: bool) -> Vec<(Verdict, String, u32)> {
        of_hosts(evidence, found, is_elsewhere, true)
    }

    /// The same of agents that are alone on their hosts, or not.
    fn of_hosts(
        evidence: &Evidence,
        found: [Option<Verdict>; 2],
        is_elsewhere: bool,
        is_alone: bool,
    ) -> Vec<(Verdict, String, u32)> {
        let made = found.map(|verdict| verdict.map(|verdict| Finding::new(verdict, evidence.clone())));
        let agents = ["a", "b"].into_iter().zip(made.iter().map(Option::as_slice));
        let of = |(agent, findings)| FoundByAgent { agent, findings, is_elsewhere, is_alone };
        let found = findings_of_agents(agents.map(of), true);
        found.into_iter().map(|one| (one.verdict, one.agent.unwrap_or_default(), one.others)).collect()
    }

    #[test]
    fn the_worst_of_what_agents_found_is_that_of_the_run_with_its_agent() {
        use Verdict::{Fail, Pass, Warn};
        let said = |verdict, agent: &str, others| [(verdict, agent.to_owned(), others)];
        let ceiling = Evidence::GeneratorBound(None);
        assert_eq!(of_agents(&ceiling, [Some(Pass), Some(Warn)], false), said(Warn, "b", 0));
        assert_eq!(of_agents(&ceiling, [Some(Warn), Some(Warn)], false), said(Warn, "a", 1));
        assert_eq!(of_agents(&ceiling, [Some(Pass), Some(Pass)], false), said(Pass, "a", 0));
        // The coordinator sees other programs on its own host by itself, and says what is of the whole run.
        let foreign = Evidence::ForeignCpu(None);
        assert_eq!(of_agents(&foreign, [Some(Fail), None], false), []);
        assert_eq!(of_agents(&foreign, [None, Some(Fail)], true), said(Fail, "b", 0));
        assert_eq!(of_hosts(&foreign, [None, Some(Fail)], true, false), [], "they are other programs to each other");
        let commits = CommitCount::NotRead { message: String::new() };
        assert_eq!(of_agents(&Evidence::CommitCount(commits), [Some(Fail), None], true), []);
    }

    #[test]
    fn what_agents_found_is_not_asked_again() {
        let instrument = instrument();
        let context = fixture::context(&instrument);
        let mut run = io_run("F1", IoKind::Read, 1);
        let asked = |run: &Run| {
            findings(run, &context).iter().map(Finding::check).filter(|check| OF_FILES.contains(check)).count()
        };
        assert!(asked(&run) > 2, "by this process");
        let (service, response) = (record::Latency::default(), record::Latency::default());
        let counted = Run { service, response, slices: None, ..fixture::run("F1", 1) };
        let part = AgentPart { agent: "a", host_threads: 1, start: record::AgentStart::default(), run: &counted };
        run.agents = merged(&[part]).unwrap().agents;
        assert_eq!(asked(&run), 0, "by an agent");
        let is_asked = |run: &Run| findings(run, &context).iter().any(|found| found.check() == Check::ForeignCpu);
        let run = alone(run);
        assert!(is_asked(&run), "by the coordinator, of its own host");
        let of_agent = Finding::new(Verdict::Pass, Evidence::ForeignCpu(None));
        assert!(!is_asked(&Run { findings: vec![of_agent], ..run }));
    }

    proptest! {
        #[test]
        fn no_counts_make_a_check_panic_or_report_twice(
            counts in prop::array::uniform6(any::<u64>()),
            window in any::<u64>(),
            jobs in 0u32..5,
            deltas in prop::array::uniform4(0u64..u64::MAX - 1_000),
        ) {
            let (engine, instrument) = (engine(), instrument());
            let mut wild = counted(run("T611", 1), &[
                (name::COMMIT_COUNT, deltas[0]),
                (name::REDO_WRITE_BYTES, deltas[1]),
                (name::CLIENT_CPU_NS, deltas[2]),
                (name::DEVICE_FLUSH_COUNT, deltas[3]),
            ]);
            (wild.window_ns, wild.dop.jobs) = (Nanos(window), jobs);
            (wild.totals.steps, wild.totals.operations, wild.totals.transactions) = (counts[0], counts[1], counts[2]);
            (wild.service.count, wild.service.mean_ns.0, wild.totals.unfinished) = (counts[3], counts[4], counts[5]);
            wild.commits_expected = Some(counts[2]);
            let findings = findings(&wild, &context(&engine, &instrument));
            let checks: BTreeSet<Check> = findings.iter().map(Finding::check).collect();
            prop_assert_eq!(checks.len(), findings.len());
        }
    }
}
