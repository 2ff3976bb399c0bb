//! The self-checks of a run, one file each. Each is a pure function that gives a verdict with the figures that it rests
//! on, or nothing where it has nothing to ask.

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
mod other_sessions;
mod page_cache;
mod rate_levels;
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
use record::{EngineInventory, Evidence, Finding, Instrument, Nanos, Outcome, Pace, Run, Storage, Verdict};

/// What the checks need to know beside the run.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The engine; absent where only probes are run.
    pub engine: Option<&'a EngineInventory>,
    /// Hardware threads that the jobs may use.
    pub host_threads: u32,
    /// Whether the figures are to mean something: those of preset `smoke`, which proves that everything works, are not
    /// spoilt by what others do meanwhile.
    pub makes_claims: bool,
    /// What dbdyno itself costs.
    pub instrument: &'a Instrument,
    /// `write back` or `write through`, as the device below the measured directory says.
    pub write_cache: Option<&'a str>,
    /// The median of a commit (a write and its sync) as the probe of storage found it with one job, where the engine's
    /// data lie on the same device.
    pub flush_probe: Option<Nanos>,
}

/// What every check says of `run`, in the order of [`record::Check`]. Nothing for a run that broke off: it is invalid whatever
/// its counts are.
pub fn findings(run: &Run, context: &Context<'_>) -> Vec<Finding> {
    if matches!(run.outcome, Outcome::Failed { .. }) {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = [
        littles_law::check(run),
        commit_count::check(run),
        client_share::check(run, context),
        steal::check(run, context),
        foreign_cpu::check(run, context),
        foreign_io::check(run, context),
        throttling::check(run),
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
    ]
    .into_iter()
    .flatten()
    .collect();
    findings.sort_by_key(Finding::check);
    findings
}

fn finding(verdict: Verdict, evidence: Evidence) -> Option<Finding> {
    Some(Finding::new(verdict, evidence))
}

/// The worst of what the parts of a run show, with the number of others that show the same; nothing where no part shows
/// anything.
fn worst(parts: impl IntoIterator<Item = (Verdict, Evidence)>) -> Option<Finding> {
    let parts: Vec<(Verdict, Evidence)> = parts.into_iter().collect();
    let verdict = parts.iter().map(|(verdict, _)| *verdict).max()?;
    let mut alike = parts.into_iter().filter(|(other, _)| *other == verdict).map(|(_, evidence)| evidence);
    let evidence = alike.next()?;
    let others = if verdict > Verdict::Pass { u32::try_from(alike.count()).unwrap_or(u32::MAX) } else { 0 };
    Some(Finding { verdict, evidence, others })
}

/// Whether the files of a run lie on more than one device, as far as can be told: a device beside files, or several
/// devices.
fn uses_several_devices(storage: &Storage) -> bool {
    let devices = storage.files.iter().filter(|file| file.is_device).count();
    devices > 0 && storage.files.len() > 1
}

/// `62 %`, `3.4 %`, `0.05 %`: two significant digits.
pub(crate) fn percent(ratio: f64) -> String {
    let value = ratio * 100.0;
    match value.abs() {
        0.0 => "0 %".to_owned(),
        size if size < 0.095 => format!("{value:.2} %"),
        size if size < 9.95 => format!("{value:.1} %"),
        _ => format!("{value:.0} %"),
    }
}

/// `1 commit`, `2 commits`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Whether `run` needs no engine, as probes and runs of storage do, so that nothing that an engine does is about it.
fn is_probe(run: &Run) -> bool {
    run.storage.is_some() || run.kind.is_probe()
}

/// Whether due times do not depend on when steps end; of storage, those of any of its streams.
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
    use record::{Check, Nanos, name};

    use super::*;
    use crate::fixture::{alone, counted, engine, instrument, run};

    fn context<'a>(engine: &'a EngineInventory, instrument: &'a Instrument) -> Context<'a> {
        Context {
            engine: Some(engine),
            host_threads: 2,
            makes_claims: true,
            instrument,
            write_cache: Some("write back"),
            flush_probe: None,
        }
    }

    #[test]
    fn an_undisturbed_run_passes_and_says_only_that_it_was_short() {
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
        let said: Vec<_> = findings.iter().filter(|finding| finding.verdict != Verdict::Pass).collect();
        assert_eq!(said.len(), 1, "{findings:#?}");
        assert_eq!((said[0].check(), said[0].verdict), (Check::WindowLength, Verdict::Unknown));
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
    fn a_probe_is_not_asked_about_the_engine() {
        let (engine, instrument) = (engine(), instrument());
        let probe = counted(run("P111", 2), &[(name::CLIENT_CPU_NS, 20_000_000_000)]);
        let asked: Vec<Check> = findings(&probe, &context(&engine, &instrument)).iter().map(Finding::check).collect();
        assert!(!asked.contains(&Check::Durability) && !asked.contains(&Check::CommitCount));
        assert!(findings(&probe, &context(&engine, &instrument)).iter().all(|finding| finding.verdict < Verdict::Warn));
    }

    #[test]
    fn a_probe_is_a_p_and_digits() {
        let codes = ["P111", "T111", "P", "Pxy", "payments"];
        assert_eq!(codes.map(|code| is_probe(&run(code, 1))), [true, false, false, false, false]);
    }

    #[test]
    fn percents_have_two_digits() {
        let shown: Vec<String> = [0.0, 0.0005, 0.0312, 0.624, 1.5].into_iter().map(percent).collect();
        assert_eq!(shown, ["0 %", "0.05 %", "3.1 %", "62 %", "150 %"]);
    }

    proptest! {
        #[test]
        fn whatever_was_counted_no_check_panics_and_each_speaks_once(
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
