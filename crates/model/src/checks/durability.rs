//! Whether commits were forced to stable storage.
//!
//! Applied to tests with changes. Settings decide whether a commit waits for the log; if so, and the device has a
//! volatile write cache, the number of flushes must agree: above 0, with at most as many commits per flush as group
//! commit of the jobs explains. Missing flushes are a warning, not a failure, since a stacked device may pass them on
//! uncounted.

use record::evidence::{Durable, FlushCounter};
use record::{Evidence, Finding, Location, Run, Verdict, name};

use super::{Context, finding, is_probe};
use crate::delta::delta;
use crate::observed_side::server_side;
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let engine = context.engine.filter(|_| !is_probe(run))?;
    let commits = run.commits_expected.unwrap_or(run.totals.transactions);
    if commits == 0 || !run.changes {
        return None;
    }
    let settings = engine.durability.clone();
    let (verdict, durable) = match engine.durable {
        None => (Verdict::Unknown, Durable::NotKnown { settings }),
        Some(false) => (Verdict::Warn, Durable::DoesNotWait { settings }),
        Some(true) => match server_side(run) {
            Some(side) => flushed(&side, commits, context.write_cache),
            None if engine.location == Location::Remote => (Verdict::Unknown, Durable::Remote),
            None => flushed(run, commits, context.write_cache),
        },
    };
    finding(verdict, Evidence::Durability(durable))
}

fn flushed(run: &Run, commits: u64, write_cache: Option<&str>) -> (Verdict, Durable) {
    if write_cache == Some("write through") {
        return (Verdict::Pass, Durable::WriteThrough);
    }
    let (flushes, counted_by) = match (delta(run, name::DEVICE_FLUSH_COUNT), delta(run, name::REDO_SYNC_COUNT)) {
        (Some(flushes), _) => (flushes, FlushCounter::Device),
        (None, Some(syncs)) => (syncs, FlushCounter::Engine),
        (None, None) => return (Verdict::Unknown, Durable::NotCounted),
    };
    let jobs = run.dop.jobs;
    let limit = RULES.commits_per_flush_and_job * f64::from(jobs.max(1));
    let verdict = match flushes {
        0 if write_cache.is_none() => Verdict::Unknown,
        0 => Verdict::Warn,
        // Of commits that changed nothing no flush is due.
        flushes if !run.reads_too && commits as f64 / flushes as f64 > limit => Verdict::Warn,
        _ => Verdict::Pass,
    };
    (verdict, Durable::Counted { flushes, counted_by, commits, jobs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, counted, engine, instrument, run};

    fn says(deltas: &[(&str, u64)], durable: Option<bool>, write_cache: Option<&str>) -> Option<(Verdict, Durable)> {
        says_at(Location::LocalTcp, deltas, durable, write_cache)
    }

    fn says_at(
        location: Location,
        deltas: &[(&str, u64)],
        durable: Option<bool>,
        write_cache: Option<&str>,
    ) -> Option<(Verdict, Durable)> {
        let (mut engine, instrument) = (engine(), instrument());
        (engine.location, engine.durable) = (location, durable);
        let context = Context { engine: Some(&engine), write_cache, ..fixture::context(&instrument) };
        let run = Run { commits_expected: Some(10_000), ..counted(run("T716", 2), deltas) };
        check(&run, &context).map(|finding| match finding.evidence {
            Evidence::Durability(durable) => (finding.verdict, durable),
            other => panic!("{other:?}"),
        })
    }

    fn counted_by(counted_by: FlushCounter, flushes: u64) -> Durable {
        Durable::Counted { flushes, counted_by, commits: 10_000, jobs: 2 }
    }

    const REDO: (&str, u64) = (name::REDO_WRITE_BYTES, 5_000_000);
    const BACK: Option<&str> = Some("write back");

    #[test]
    fn commits_are_compared_with_flushes() {
        let verdict = |flushes: u64| says(&[REDO, (name::DEVICE_FLUSH_COUNT, flushes)], Some(true), BACK).unwrap();
        assert_eq!(verdict(9_000), (Verdict::Pass, counted_by(FlushCounter::Device, 9_000)));
        assert_eq!(verdict(2_500).0, Verdict::Pass, "4 per flush, 2 jobs");
        assert_eq!(verdict(1_000).0, Verdict::Warn, "10 per flush, 2 jobs");
        assert_eq!(verdict(0), (Verdict::Warn, counted_by(FlushCounter::Device, 0)));
    }

    #[test]
    fn settings_that_do_not_wait_are_a_warning() {
        let (verdict, durable) = says(&[REDO, (name::DEVICE_FLUSH_COUNT, 9_000)], Some(false), BACK).unwrap();
        assert!(verdict == Verdict::Warn && matches!(durable, Durable::DoesNotWait { .. }), "{durable:?}");
        assert_eq!(says(&[REDO], None, BACK).unwrap().0, Verdict::Unknown);
    }

    #[test]
    fn flushes_of_another_host_are_unknown() {
        let here = says(&[REDO, (name::DEVICE_FLUSH_COUNT, 0)], Some(true), BACK).unwrap();
        let there = says_at(Location::Remote, &[REDO, (name::DEVICE_FLUSH_COUNT, 0)], Some(true), BACK).unwrap();
        assert_eq!((here.0, there.0), (Verdict::Warn, Verdict::Unknown));
    }

    #[test]
    fn a_read_only_test_is_not_checked() {
        let (engine, instrument) = (engine(), instrument());
        let context = Context { engine: Some(&engine), write_cache: BACK, ..fixture::context(&instrument) };
        let mixed = Run { reads_too: true, ..counted(run("T616", 2), &[(name::DEVICE_FLUSH_COUNT, 1)]) };
        assert_eq!(check(&mixed, &context).map(|finding| finding.verdict), Some(Verdict::Pass));
        let reading = Run { changes: false, ..counted(run("T616", 2), &[(name::DEVICE_FLUSH_COUNT, 0)]) };
        assert_eq!(check(&reading, &context), None);
        assert!(check(&Run { changes: true, ..reading }, &context).is_some());
    }

    #[test]
    fn syncs_of_the_engine_replace_missing_flush_counts() {
        assert_eq!(says(&[REDO], Some(true), BACK).unwrap().0, Verdict::Unknown);
        assert_eq!(says(&[REDO], Some(true), Some("write through")).unwrap().0, Verdict::Pass);
        let by_engine = says(&[REDO, (name::REDO_SYNC_COUNT, 8_000)], Some(true), BACK);
        assert_eq!(by_engine, Some((Verdict::Pass, counted_by(FlushCounter::Engine, 8_000))));
        assert_eq!(says(&[REDO, (name::DEVICE_FLUSH_COUNT, 0)], Some(true), None).unwrap().0, Verdict::Unknown);
    }
}
