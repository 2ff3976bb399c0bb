//! What a run says to a search.

use record::{Check, Finding, Outcome, Run, Verdict};

/// Whether `run` kept the service level in its `storage.bound`, to be recorded by a [`Search`](crate::Search).
///
/// It did not where the rate itself was not kept or too much of its I/O failed, whatever the response times are. None
/// where that is not known: no service level, no findings, a run that broke off, or one that is void for a reason that
/// is not the load's.
pub fn keeps_bound(run: &Run) -> Option<bool> {
    let said = |check: Check| {
        let of = |finding: &&Finding| finding.check == check;
        run.findings.iter().filter(of).map(|finding| finding.verdict).max()
    };
    if run.outcome != Outcome::Done {
        return None;
    }
    let bound = said(Check::Bound)?;
    if said(Check::Backlog) >= Some(Verdict::Warn) || said(Check::Failures) == Some(Verdict::Fail) {
        return Some(false);
    }
    match bound {
        _ if crate::is_void(run) => None,
        Verdict::Pass => Some(true),
        Verdict::Warn => Some(false),
        Verdict::Unknown | Verdict::Fail => None,
    }
}

#[cfg(test)]
mod tests {
    use record::IoKind;

    use super::*;
    use crate::fixture::io_run;

    fn says(findings: &[(Check, Verdict)]) -> Option<bool> {
        let mut run = io_run("io", IoKind::Read, 1);
        let finding =
            |(check, verdict): &(Check, Verdict)| Finding { check: *check, verdict: *verdict, detail: String::new() };
        run.findings = findings.iter().map(finding).collect();
        keeps_bound(&run)
    }

    #[test]
    fn the_bound_the_rate_and_the_failures_decide() {
        let kept = (Check::Bound, Verdict::Pass);
        assert_eq!(says(&[kept, (Check::Backlog, Verdict::Pass)]), Some(true));
        assert_eq!(says(&[(Check::Bound, Verdict::Warn)]), Some(false));
        assert_eq!(says(&[kept, (Check::Backlog, Verdict::Fail)]), Some(false));
        assert_eq!(says(&[kept, (Check::Backlog, Verdict::Warn)]), Some(false));
        assert_eq!(says(&[kept, (Check::Failures, Verdict::Fail)]), Some(false));
    }

    #[test]
    fn a_run_that_is_void_for_another_reason_says_nothing() {
        let kept = (Check::Bound, Verdict::Pass);
        assert_eq!(says(&[kept, (Check::Steal, Verdict::Fail)]), None);
        assert_eq!(says(&[kept, (Check::Steal, Verdict::Warn)]), Some(true));
        assert_eq!((says(&[]), says(&[(Check::Bound, Verdict::Unknown)])), (None, None));
        let broken = Run { outcome: Outcome::Failed { message: "gone".to_owned() }, ..io_run("io", IoKind::Read, 1) };
        assert_eq!(keeps_bound(&broken), None);
    }
}
