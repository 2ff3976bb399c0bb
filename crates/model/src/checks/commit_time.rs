//! Commit time of the engine compared with that of the storage probe on the same device.
//!
//! With one job there is no group commit: a durable transaction takes at least about as long as a write and a sync of
//! the probe. A faster one did not wait for them, unless the counters show a log sync or a device flush for each
//! commit: then probe and engine disagree, and the run does not show which is right.

use record::evidence::Flush;
use record::{Evidence, Finding, Run, Verdict, name};

use super::{Context, finding};
use crate::delta::delta;
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let probe_ns = context.flush_probe.filter(|probe| probe.0 > 0)?;
    let waits = context.engine.is_some_and(|engine| engine.durable != Some(false));
    if run.storage.is_some()
        || !waits
        || !run.changes
        || run.reads_too
        || run.dop.jobs != 1
        || run.totals.transactions == 0
    {
        return None;
    }
    let transaction_ns = run.service.p50_ns;
    let commits = run.commits_expected.unwrap_or(run.totals.transactions);
    // Tolerates the gap of the commit count check: the last commit may be counted after the last reading.
    let enough = |count: &u64| *count as f64 >= commits as f64 * (1.0 - RULES.commit_gap);
    let counted = |counter: &str| delta(run, counter).filter(enough);
    let (log_syncs, flushes) = (counted(name::REDO_SYNC_COUNT), counted(name::DEVICE_FLUSH_COUNT));
    let verdict = match transaction_ns.0 as f64 >= probe_ns.0 as f64 * RULES.commit_over_probe_min {
        true => Verdict::Pass,
        false if log_syncs.is_some() || flushes.is_some() => Verdict::Unknown,
        false => Verdict::Warn,
    };
    finding(verdict, Evidence::Flush(Flush::CommitTime { transaction_ns, probe_ns, commits, log_syncs, flushes }))
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{self, counted, engine, instrument, run};

    fn says(commit_ns: u64, probe_ns: Option<u64>, jobs: u32, durable: Option<bool>) -> Option<Verdict> {
        let mut run = run("T311", jobs);
        run.service.p50_ns = Nanos(commit_ns);
        judged(&run, probe_ns, durable).map(|(verdict, _)| verdict)
    }

    fn judged(run: &Run, probe_ns: Option<u64>, durable: Option<bool>) -> Option<(Verdict, [Option<u64>; 2])> {
        let (mut engine, instrument) = (engine(), instrument());
        engine.durable = durable;
        let context = Context {
            engine: Some(&engine),
            write_cache: Some("write back"),
            flush_probe: probe_ns.map(Nanos),
            ..fixture::context(&instrument)
        };
        check(run, &context).map(|finding| match finding.evidence {
            Evidence::Flush(Flush::CommitTime { log_syncs, flushes, .. }) => (finding.verdict, [log_syncs, flushes]),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_commit_that_is_faster_than_a_flush_did_not_wait_for_it() {
        assert_eq!(says(30_000, Some(500_000), 1, Some(true)), Some(Verdict::Warn));
        assert_eq!(says(450_000, Some(500_000), 1, Some(true)), Some(Verdict::Pass));
        assert_eq!(says(450_000, Some(500_000), 1, None), Some(Verdict::Pass));
    }

    /// 10 000 commits of 371 µs beside a probe that took 2163 µs.
    fn counting(counters: &[(&str, u64)]) -> (Verdict, [Option<u64>; 2]) {
        let mut run = counted(run("T311", 1), counters);
        run.service.p50_ns = Nanos(371_000);
        judged(&run, Some(2_163_000), Some(true)).unwrap()
    }

    #[test]
    fn an_engine_whose_syncs_are_counted_is_not_warned_of() {
        assert_eq!(
            counting(&[(name::REDO_SYNC_COUNT, 10_000), (name::DEVICE_FLUSH_COUNT, 10_012)]),
            (Verdict::Unknown, [Some(10_000), Some(10_012)])
        );
        assert_eq!(
            counting(&[(name::REDO_SYNC_COUNT, 3), (name::DEVICE_FLUSH_COUNT, 9_999)]),
            (Verdict::Unknown, [None, Some(9_999)])
        );
    }

    #[test]
    fn fewer_syncs_than_commits_explain_nothing() {
        for counters in [&[(name::REDO_SYNC_COUNT, 9_000), (name::DEVICE_FLUSH_COUNT, 9_000)][..], &[]] {
            assert_eq!(counting(counters), (Verdict::Warn, [None, None]));
        }
    }

    #[test]
    fn group_commit_and_non_durable_commits_are_not_checked() {
        assert_eq!(says(30_000, Some(500_000), 4, Some(true)), None, "group commit");
        assert_eq!(says(30_000, Some(500_000), 1, Some(false)), None, "the settings say so already");
        assert_eq!(says(30_000, None, 1, Some(true)), None);
    }
}
