//! Steps that failed. A few belong to some tests (serialization, deadlocks), and are said; with many the rest is not
//! what was to be measured.

use record::{Check, FailureKind, Finding, Run, Verdict};

use super::{failed_steps, finding, percent};
use crate::delta::share;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let failed = failed_steps(run);
    let ratio = share(failed as f64, run.totals.steps as f64)?;
    let verdict = match failed {
        0 => return finding(Check::Failures, Verdict::Pass, "no step failed"),
        _ if ratio > RULES.failure_share_fail => Verdict::Fail,
        _ => Verdict::Warn,
    };
    let kinds: Vec<String> = run
        .totals
        .failures
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(kind, count)| format!("{count} {}", words(*kind)))
        .collect();
    let limit = percent(RULES.failure_share_fail);
    let first = first_words(run).map_or(String::new(), |(job, words)| format!(", the first of {job}: {words}"));
    finding(
        Check::Failures,
        verdict,
        format!("{} of the steps failed ({}{first}); limit {limit}", percent(ratio), kinds.join(", ")),
    )
}

/// What the first failure of a run of storage was, and of which job.
fn first_words(run: &Run) -> Option<(&str, &str)> {
    let mut streams = run.storage.iter().flat_map(|storage| &storage.streams);
    streams.find_map(|stream| Some((stream.job.as_str(), stream.first_failure.as_deref()?.trim_end_matches('.'))))
}

fn words(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Deadlock => "by deadlock",
        FailureKind::Serialization => "by serialization",
        FailureKind::LockTimeout => "by lock timeout",
        FailureKind::Constraint => "by constraint",
        FailureKind::Cancelled => "cancelled",
        FailureKind::Other => "otherwise",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{io_run, run, storage};

    #[test]
    fn failures_are_said_by_kind_and_many_of_them_void_the_run() {
        let mut failing = run("T716", 1);
        assert_eq!(check(&failing).unwrap().verdict, Verdict::Pass);
        failing.totals.failures.insert(FailureKind::Deadlock, 50);
        failing.totals.failures.insert(FailureKind::Other, 50);
        let found = check(&failing).unwrap();
        assert_eq!(found.verdict, Verdict::Warn);
        assert_eq!(found.detail, "1.0 % of the steps failed (50 by deadlock, 50 otherwise); limit 10 %");
        failing.totals.failures.insert(FailureKind::LockTimeout, 1_000);
        assert_eq!(check(&failing).unwrap().verdict, Verdict::Fail);
    }

    #[test]
    fn a_failed_io_is_said_in_the_words_of_the_system() {
        let mut full = io_run("io", record::IoKind::Write, 1);
        full.totals.failures.insert(FailureKind::Other, 100);
        storage(&mut full).streams[0].first_failure = Some("No space left on device (os error 28)".to_owned());
        assert_eq!(
            check(&full).unwrap().detail,
            "1.0 % of the steps failed (100 otherwise, the first of job: No space left on device (os error 28)); \
             limit 10 %"
        );
    }
}
