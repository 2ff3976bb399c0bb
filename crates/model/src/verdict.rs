//! The verdict of a run, of a test and of a record: decided here and nowhere else. Every view shows what this module found.
//! The warnings that they rest on are those of [`warnings`](crate::warnings).
//!
//! - A **run** is invalid where it was aborted or a check failed. Otherwise its verdict is the worst of its findings, without
//!   what is the expected answer of the run ([`is_answer`]) and without the length of the window, which is common to all runs.
//! - A **test** has the worst verdict of its valid runs; it is invalid where it has none. That it gained more than the added
//!   workers can give, or that the rates of its repeats drift, is a warning of the test: no run shows it alone.
//! - A **record** has the number of its runs by verdict, and its warnings.

use record::{Check, CheckSubject, Finding, Outcome, Record, Run, RunCounts, Variation, Verdict};

/// The verdict of `run`.
pub fn run_verdict(run: &Run) -> Verdict {
    match worst(run, |_| true) {
        Verdict::Fail => Verdict::Fail,
        _ => worst(run, |finding| !is_answer(run, finding)),
    }
}

/// Whether `run` is invalid: it was aborted, or a check failed.
pub fn is_invalid(run: &Run) -> bool {
    worst(run, |_| true) == Verdict::Fail
}

/// The worst verdict of the findings of `run` that `counts`.
fn worst(run: &Run, counts: impl Fn(&Finding) -> bool) -> Verdict {
    match run.outcome {
        Outcome::Failed { .. } => Verdict::Fail,
        Outcome::Done => {
            // The window length is common to all runs and reported once, not at each of them.
            let of_the_plan =
                |finding: &&Finding| (finding.check(), finding.verdict) == (Check::WindowLength, Verdict::Unknown);
            let own = run.findings.iter().filter(|finding| counts(finding) && !of_the_plan(finding));
            own.map(|finding| finding.verdict).max().unwrap_or(Verdict::Pass)
        }
    }
}

/// Whether `finding` is the expected result of `run`, a run at a rate or with less of a resource: that it does not
/// achieve the rate, or misses a service level, as runs of storage do beyond the load that meets it. It is then not a
/// warning, and counts only where it makes the run invalid. A traced repeat is like a plain run.
pub fn is_answer(run: &Run, finding: &Finding) -> bool {
    let is_made_for_it = !matches!(run.variation, None | Some(Variation::Traced));
    let misses_level = (finding.check(), finding.verdict) == (Check::Bound, Verdict::Warn);
    is_made_for_it && matches!(finding.check(), Check::Bound | Check::Backlog) || run.storage.is_some() && misses_level
}

/// Whether `finding` is that `run` missed the rate of a sweep or a search, which is its answer.
fn is_missed_rate(run: &Run, finding: &Finding) -> bool {
    run.variation.is_some() && finding.check() == Check::Backlog
}

fn failed(run: &Run) -> impl Iterator<Item = &Finding> {
    run.findings.iter().filter(|finding| finding.verdict == Verdict::Fail)
}

/// Whether the only reason why `run` is invalid is that it missed its rate, which is the answer of a sweep or a search.
pub fn has_found_a_limit(run: &Run) -> bool {
    let mut failed = failed(run).peekable();
    run.outcome == Outcome::Done && failed.peek().is_some() && failed.all(|finding| is_missed_rate(run, finding))
}

/// Whether `run` itself failed: it was aborted, or is invalid for something else than its surroundings, and than a rate that it
/// missed in a sweep or a search.
pub fn has_failed(run: &Run) -> bool {
    let is_own = |finding: &Finding| finding.check().subject() != CheckSubject::Surroundings;
    run.outcome != Outcome::Done || failed(run).any(|finding| is_own(finding) && !is_missed_rate(run, finding))
}

/// The verdict of a test with `runs`, of which the best one `has_result`, and which `is_in_doubt` for what no run shows alone.
pub(crate) fn test_verdict(runs: &[&Run], has_result: bool, is_in_doubt: bool) -> Verdict {
    let worst = runs.iter().filter(|run| !is_invalid(run)).map(|run| run_verdict(run)).max();
    let of_runs = worst.filter(|_| has_result).unwrap_or(Verdict::Fail);
    if is_in_doubt { of_runs.max(Verdict::Warn) } else { of_runs }
}

/// The runs of `record` by verdict.
pub fn run_counts(record: &Record) -> RunCounts {
    let mut counts = RunCounts::default();
    record.runs.iter().for_each(|run| counts.add(run_verdict(run)));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{found, paced, run};

    #[test]
    fn a_run_that_aborted_or_failed_a_check_is_invalid() {
        let warned = found(1, &[(Check::Steal, Verdict::Warn), (Check::Swapping, Verdict::Pass)]);
        assert_eq!((run_verdict(&warned), is_invalid(&warned)), (Verdict::Warn, false));
        let failed = found(1, &[(Check::Steal, Verdict::Warn), (Check::Swapping, Verdict::Fail)]);
        assert_eq!((run_verdict(&failed), is_invalid(&failed)), (Verdict::Fail, true));
        let outcome = Outcome::Failed { message: "the server is gone".to_owned() };
        assert!(is_invalid(&Run { outcome, ..run("T611", 1) }));
    }

    #[test]
    fn an_expected_answer_is_no_warning_and_may_still_invalidate() {
        let behind = |verdict| found(1, &[(Check::Backlog, verdict), (Check::Steal, Verdict::Unknown)]);
        assert_eq!(run_verdict(&behind(Verdict::Warn)), Verdict::Warn, "of a plain run it is one");
        assert_eq!(run_verdict(&paced(behind(Verdict::Warn))), Verdict::Unknown);
        let limit = paced(behind(Verdict::Fail));
        assert_eq!((run_verdict(&limit), has_found_a_limit(&limit)), (Verdict::Fail, true));
        let stolen = paced(found(1, &[(Check::Backlog, Verdict::Fail), (Check::Steal, Verdict::Fail)]));
        assert!(!has_found_a_limit(&stolen), "something else failed, too");
        assert!(!has_failed(&stolen), "it is outside of the run");
        assert!(has_failed(&behind(Verdict::Fail)) && !has_failed(&limit) && !has_failed(&behind(Verdict::Warn)));
        let short = found(1, &[(Check::WindowLength, Verdict::Unknown)]);
        assert_eq!(run_verdict(&short), Verdict::Pass, "the length of the window is that of the plan");
    }
}
