//! The result of a run for a search.

use record::{Check, Finding, Outcome, Run, Verdict};

use crate::bound::Bound;
use crate::rate_search::Visit;

/// Whether `run` met the service level in its `storage.bound`, to be recorded by a [`Search`](crate::Search).
///
/// It missed it where it did not achieve the target rate or too much I/O failed, whatever the response times. None
/// where not known: no service level, no findings, an aborted run, or one that is invalid for a reason other than the
/// load.
pub fn meets_bound(run: &Run) -> Option<bool> {
    let worst = |check: Check| {
        let of = |finding: &&Finding| finding.check() == check;
        run.findings.iter().filter(of).map(|finding| finding.verdict).max()
    };
    if run.outcome != Outcome::Done {
        return None;
    }
    let bound = worst(Check::Bound)?;
    if worst(Check::Backlog) >= Some(Verdict::Warn) || worst(Check::Failures) == Some(Verdict::Fail) {
        return Some(false);
    }
    match bound {
        _ if crate::is_invalid(run) => None,
        Verdict::Pass => Some(true),
        Verdict::Warn => Some(false),
        Verdict::Unknown | Verdict::Fail => None,
    }
}

/// The same for a search for `bound`, which also uses the response times of runs that are invalid because of
/// disturbances. None for an aborted run.
pub fn meets_level(run: &Run, bound: &Bound) -> Option<bool> {
    let by_times = || if run.outcome == Outcome::Done { bound.met_by(&run.response) } else { None };
    meets_bound(run).or_else(by_times)
}

/// Whether `run` is invalid because of disturbances, so that its result says little of the platform.
pub fn is_disturbed(run: &Run) -> bool {
    let is_disturbance =
        |check| matches!(check, Check::Steal | Check::ForeignCpu | Check::ForeignIo | Check::Swapping | Check::Stall);
    run.findings.iter().any(|finding| finding.verdict == Verdict::Fail && is_disturbance(finding.check()))
}

/// The result of `run` for a search for `bound`; None for a run without a rate.
pub fn visit(run: &Run, bound: &Bound) -> Option<Visit> {
    let rate = run.pace.rate().filter(|rate| rate.is_finite() && *rate > 0.0)?;
    Some(Visit { rate, kept: meets_level(run, bound), is_disturbed: is_disturbed(run) })
}

#[cfg(test)]
mod tests {
    use record::IoKind;

    use super::*;
    use crate::fixture::{finding, io_run};

    fn says(findings: &[(Check, Verdict)]) -> Option<bool> {
        let mut run = io_run("io", IoKind::Read, 1);
        let finding = |(check, verdict): &(Check, Verdict)| finding(*check, *verdict);
        run.findings = findings.iter().map(finding).collect();
        meets_bound(&run)
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
    fn a_search_uses_the_times_of_disturbed_runs() {
        let mut run = io_run("io", IoKind::Read, 1);
        run.findings = vec![finding(Check::Bound, Verdict::Pass), finding(Check::Steal, Verdict::Fail)];
        let says = |run: &Run, text: &str| meets_level(run, &text.parse().unwrap());
        assert_eq!((says(&run, "p99=2ms"), says(&run, "p99=1ms")), (Some(true), Some(false)));
        run.findings.push(finding(Check::Backlog, Verdict::Fail));
        assert_eq!(says(&run, "p99=2ms"), Some(false));
        run.outcome = Outcome::Failed { message: "gone".to_owned() };
        assert_eq!(says(&run, "p99=2ms"), None);
    }

    #[test]
    fn steal_disturbs_and_a_missed_rate_does_not() {
        let mut run = io_run("io", IoKind::Read, 1);
        let bound = "p99=2ms".parse().unwrap();
        assert_eq!(visit(&run, &bound), None, "it has no rate");
        run.pace = record::Pace::Poisson { steps_per_second: 100.0 };
        run.findings = vec![finding(Check::Backlog, Verdict::Fail), finding(Check::Steal, Verdict::Warn)];
        assert_eq!(visit(&run, &bound).map(|visit| visit.is_disturbed), Some(false));
        run.findings.push(finding(Check::Steal, Verdict::Fail));
        assert_eq!(visit(&run, &bound).map(|visit| (visit.rate, visit.is_disturbed)), Some((100.0, true)));
    }

    #[test]
    fn a_run_that_is_invalid_for_another_reason_has_no_result() {
        let kept = (Check::Bound, Verdict::Pass);
        assert_eq!(says(&[kept, (Check::Steal, Verdict::Fail)]), None);
        assert_eq!(says(&[kept, (Check::Steal, Verdict::Warn)]), Some(true));
        assert_eq!((says(&[]), says(&[(Check::Bound, Verdict::Unknown)])), (None, None));
        let broken = Run { outcome: Outcome::Failed { message: "gone".to_owned() }, ..io_run("io", IoKind::Read, 1) };
        assert_eq!(meets_bound(&broken), None);
    }
}
