//! Whether commits of the engine took as long as a commit takes on the same device without it.
//!
//! One job cannot share a flush with others: a transaction that reached stable storage took at least about as long as a
//! write and a sync of the probe. One that was faster did not wait for them, unless the counters of the run show a sync
//! of the log or a flush of the device for each commit: then the probe and the engine disagree, and the run alone does
//! not tell which of the two is right.

use record::{Check, Finding, Run, Verdict, name};

use super::{Context, finding, flushes, plural};
use crate::delta::delta;
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let probe = context.flush_probe.filter(|probe| probe.0 > 0)?;
    let waits = context.engine.is_some_and(|engine| engine.durable != Some(false));
    if run.storage.is_some() || !waits || !run.changes || run.dop.jobs != 1 || run.totals.transactions == 0 {
        return None;
    }
    let commit = run.service.p50_ns;
    let microseconds = |nanos: u64| nanos as f64 / 1e3;
    let gist = format!(
        "a transaction took {:.0} µs, a write and its sync on the same device {:.0} µs",
        microseconds(commit.0),
        microseconds(probe.0)
    );
    if commit.0 as f64 >= probe.0 as f64 * RULES.commit_over_probe_min {
        return finding(Check::Flush, Verdict::Pass, gist);
    }
    match synced(run) {
        Some(synced) => finding(
            Check::Flush,
            Verdict::Unknown,
            format!("{gist}: the probe and the engine disagree, and the counters show {synced}; repeat both"),
        ),
        None => finding(Check::Flush, Verdict::Warn, format!("{gist}: the engine did not wait for the flush")),
    }
}

/// What was counted, where it is a sync of the log or a flush of the device for each commit. The last commit may be
/// counted after the last reading, so that a gap as between two counts of commits is none.
fn synced(run: &Run) -> Option<String> {
    let commits = run.commits_expected.unwrap_or(run.totals.transactions);
    let enough = |count: &u64| *count as f64 >= commits as f64 * (1.0 - RULES.commit_gap);
    let counted = |counter: &str| delta(run, counter).filter(enough);
    let syncs = counted(name::REDO_SYNC_COUNT).map(|count| plural(count, "sync") + " of the log");
    let flushes = counted(name::DEVICE_FLUSH_COUNT).map(|count| flushes(count) + " of the device");
    let shown: Vec<String> = [syncs, flushes].into_iter().flatten().collect();
    (!shown.is_empty()).then(|| format!("{} for {}", shown.join(" and "), plural(commits, "commit")))
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{counted, engine, instrument, run};

    fn says(commit_ns: u64, probe_ns: Option<u64>, jobs: u32, durable: Option<bool>) -> Option<Verdict> {
        let mut run = run("T311", jobs);
        run.service.p50_ns = Nanos(commit_ns);
        told(&run, probe_ns, durable).map(|(verdict, _)| verdict)
    }

    fn told(run: &Run, probe_ns: Option<u64>, durable: Option<bool>) -> Option<(Verdict, String)> {
        let (mut engine, instrument) = (engine(), instrument());
        engine.durable = durable;
        let context = Context {
            engine: Some(&engine),
            host_threads: 2,
            makes_claims: true,
            instrument: &instrument,
            write_cache: Some("write back"),
            flush_probe: probe_ns.map(Nanos),
        };
        check(run, &context).map(|finding| (finding.verdict, finding.detail))
    }

    #[test]
    fn a_commit_that_is_faster_than_a_flush_did_not_wait_for_it() {
        assert_eq!(says(30_000, Some(500_000), 1, Some(true)), Some(Verdict::Warn));
        assert_eq!(says(450_000, Some(500_000), 1, Some(true)), Some(Verdict::Pass));
        assert_eq!(says(450_000, Some(500_000), 1, None), Some(Verdict::Pass));
    }

    /// 10 000 commits of 371 µs beside a probe that took 2163 µs.
    fn counting(counters: &[(&str, u64)]) -> (Verdict, String) {
        let mut run = counted(run("T311", 1), counters);
        run.service.p50_ns = Nanos(371_000);
        told(&run, Some(2_163_000), Some(true)).unwrap()
    }

    #[test]
    fn an_engine_whose_syncs_are_counted_is_not_said_to_skip_them() {
        let (verdict, detail) = counting(&[(name::REDO_SYNC_COUNT, 10_000), (name::DEVICE_FLUSH_COUNT, 10_012)]);
        assert_eq!(verdict, Verdict::Unknown);
        assert_eq!(
            detail,
            "a transaction took 371 µs, a write and its sync on the same device 2163 µs: the probe and the engine \
             disagree, and the counters show 10000 syncs of the log and 10012 flushes of the device for 10000 \
             commits; repeat both"
        );
        let (verdict, detail) = counting(&[(name::REDO_SYNC_COUNT, 3), (name::DEVICE_FLUSH_COUNT, 9_999)]);
        assert_eq!((verdict, detail.contains("of the log")), (Verdict::Unknown, false), "{detail}");
    }

    #[test]
    fn fewer_syncs_than_commits_explain_nothing() {
        for counters in [&[(name::REDO_SYNC_COUNT, 9_000), (name::DEVICE_FLUSH_COUNT, 9_000)][..], &[]] {
            let (verdict, detail) = counting(counters);
            assert_eq!(verdict, Verdict::Warn);
            assert!(detail.ends_with("2163 µs: the engine did not wait for the flush"), "{detail}");
        }
    }

    #[test]
    fn nothing_is_said_where_a_flush_may_be_shared_or_is_not_asked_for() {
        assert_eq!(says(30_000, Some(500_000), 4, Some(true)), None, "group commit");
        assert_eq!(says(30_000, Some(500_000), 1, Some(false)), None, "the settings say so already");
        assert_eq!(says(30_000, None, 1, Some(true)), None);
    }
}
