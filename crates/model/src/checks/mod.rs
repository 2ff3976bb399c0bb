//! The self-checks of a run, one file each: pure functions that return a verdict with its evidence, or None where they
//! do not apply.

mod agent_hosts;
mod agent_rates;
mod agent_starts;
mod backlog;
mod bound;
mod cache_fit;
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
mod unwritten;
mod window_length;

pub use bound::level_finding;
pub use node_loss::lost_node;
use record::{
    EngineInventory, Evidence, Finding, Instrument, Nanos, ObservedHost, Outcome, Pace, Run, Storage, Verdict,
};

/// The context of a run for its checks.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The engine; absent where only probes are run.
    pub engine: Option<&'a EngineInventory>,
    /// The host of the engine, where an agent observes it.
    pub server_host: Option<&'a ObservedHost>,
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

/// The findings of `run`, in the order of [`record::Check`]. Empty for an aborted run, which is invalid anyway.
pub fn findings(run: &Run, context: &Context<'_>) -> Vec<Finding> {
    if matches!(run.outcome, Outcome::Failed { .. }) {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = [
        run.storage.as_ref().map_or_else(|| littles_law::check(run), |storage| in_flight::check(run, storage)),
        commit_count::check(run),
        agent_hosts::check(run, context, client_share::check),
        agent_hosts::check(run, context, steal::check),
        foreign_cpu::check(run, context),
        foreign_io::check(run, context),
        agent_hosts::check(run, context, |run, _| throttling::check(run)),
        swapping::check(run),
        page_cache::check(run),
        cache_fit::check(run, context),
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
    ]
    .into_iter()
    .flatten()
    .chain(observed_hosts::findings(run, context))
    .collect();
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
    let devices = storage.files.iter().filter(|file| file.is_device).count();
    devices > 0 && storage.files.len() > 1
}

/// Whether `run` is without an engine: a probe or a storage run.
fn is_probe(run: &Run) -> bool {
    run.storage.is_some() || run.kind.is_probe()
}

/// Whether `run` is an open loop; for storage, any of its streams.
fn is_open(run: &Run) -> bool {
    let streams = run.storage.iter().flat_map(|storage| &storage.streams);
    is_open_pace(run.pace) || streams.into_iter().any(|stream| is_open_pace(stream.pace))
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
    use record::{Check, IoKind, Nanos, name};

    use super::*;
    use crate::fixture::{self, alone, counted, engine, instrument, io_run, run};

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
