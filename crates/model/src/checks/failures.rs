//! Failed steps. A few are expected in some tests (serialization, deadlocks) and are a warning; many invalidate the
//! run.

use record::evidence::{Failures, FirstFailure};
use record::{Evidence, Finding, Ratio, Run, Verdict};

use super::{failed_steps, finding};
use crate::delta::share;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let failed = failed_steps(run);
    let share = Ratio(share(failed as f64, run.totals.steps as f64)?);
    let limit = Ratio(RULES.failure_share_fail);
    let verdict = match failed {
        0 => return finding(Verdict::Pass, Evidence::Failures(None)),
        _ if share > limit => Verdict::Fail,
        _ => Verdict::Warn,
    };
    let kinds = run.totals.failures.iter().filter(|(_, count)| **count > 0).map(|(kind, count)| (*kind, *count));
    let failures = Failures { share, limit, kinds: kinds.collect(), first: first_failure(run) };
    finding(verdict, Evidence::Failures(Some(Box::new(failures))))
}

/// The first failure of a storage run.
fn first_failure(run: &Run) -> Option<FirstFailure> {
    let mut streams = run.storage.iter().flat_map(|storage| &storage.streams);
    streams.find_map(|stream| {
        let message = stream.first_failure.as_deref()?.trim_end_matches('.').to_owned();
        Some(FirstFailure { job: stream.job.clone(), message })
    })
}

#[cfg(test)]
mod tests {
    use record::FailureKind;

    use super::*;
    use crate::fixture::{io_run, run, storage};

    #[test]
    fn failures_are_counted_by_kind_and_many_invalidate_the_run() {
        let mut failing = run("T716", 1);
        assert_eq!(check(&failing).unwrap().verdict, Verdict::Pass);
        failing.totals.failures.insert(FailureKind::Deadlock, 50);
        failing.totals.failures.insert(FailureKind::Other, 50);
        let found = check(&failing).unwrap();
        assert_eq!(found.verdict, Verdict::Warn);
        let kinds = [(FailureKind::Deadlock, 50), (FailureKind::Other, 50)].into();
        let failures = Failures { share: Ratio(0.01), limit: Ratio(0.1), kinds, first: None };
        assert_eq!(found.evidence, Evidence::Failures(Some(Box::new(failures))));
        failing.totals.failures.insert(FailureKind::LockTimeout, 1_000);
        assert_eq!(check(&failing).unwrap().verdict, Verdict::Fail);
    }

    #[test]
    fn a_failed_io_has_the_message_of_the_system() {
        let mut full = io_run("io", record::IoKind::Write, 1);
        full.totals.failures.insert(FailureKind::Other, 100);
        storage(&mut full).streams[0].first_failure = Some("No space left on device (os error 28)".to_owned());
        let Evidence::Failures(Some(failures)) = check(&full).unwrap().evidence else { panic!("no failures") };
        let message = "No space left on device (os error 28)".to_owned();
        assert_eq!(failures.first, Some(FirstFailure { job: "job".to_owned(), message }));
    }
}
