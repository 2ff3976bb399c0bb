//! Commits as we count them against commits as the engine counts them.
//!
//! gap = (engine's commits - bookkeeping - ours) / ours. A shortfall means that we counted what the engine did not do;
//! a surplus, that somebody else was at work, or the engine itself in the background. Not asked where the engine does
//! not count the transactions of this test.

use record::{Check, Finding, Run, Verdict, name};

use super::{finding, percent, plural};
use crate::delta::delta;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let expected = run.commits_expected?;
    let say = |verdict, detail: String| finding(Check::CommitCount, verdict, detail);
    let Some(more) = surplus(run) else {
        // Whoever reads the counters may have said why they are missing.
        let said = run.findings.iter().any(|finding| finding.check == Check::CommitCount);
        return if said {
            None
        } else {
            say(Verdict::Unknown, "the engine's count of commits is not known".to_owned())
        };
    };
    let ours = plural(expected, "commit");
    let gap = more.unsigned_abs() as f64 / expected.max(1) as f64;
    let gist = match more {
        0 => return say(Verdict::Pass, format!("{ours}, and the engine counts as many")),
        1.. => format!("{ours}, and the engine counts {more} more"),
        _ => format!("{ours}, and the engine counts {} less", more.unsigned_abs()),
    };
    let (limit, share) = (percent(RULES.commit_gap), percent(gap));
    match more {
        _ if gap <= RULES.commit_gap => say(Verdict::Pass, format!("{gist}: {share}, limit {limit}")),
        1.. if more <= i128::from(RULES.commit_surplus_count) => {
            say(Verdict::Pass, format!("{gist}: as the background work of an engine may"))
        }
        1.. => say(Verdict::Warn, format!("{gist}: {share}, limit {limit}; something else commits there")),
        _ => say(Verdict::Fail, format!("{gist}: {share}, limit {limit}")),
    }
}

/// Commits that the engine counted above ours; negative where it counted fewer. None where either is not known.
pub(super) fn surplus(run: &Run) -> Option<i128> {
    let expected = run.commits_expected?;
    let counted = delta(run, name::COMMIT_COUNT)?;
    let bookkeeping = delta(run, name::BOOKKEEPING_COMMIT_COUNT).unwrap_or(0);
    Some(i128::from(counted) - i128::from(bookkeeping) - i128::from(expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{counted, run};

    fn says(expected: u64, engine: u64) -> (Verdict, String) {
        let counters = [(name::COMMIT_COUNT, engine + 4), (name::BOOKKEEPING_COMMIT_COUNT, 4)];
        let mut run = counted(run("T716", 1), &counters);
        run.commits_expected = Some(expected);
        let finding = check(&run).unwrap();
        (finding.verdict, finding.detail)
    }

    #[test]
    fn twenty_three_are_twenty_three() {
        assert_eq!(says(23, 23), (Verdict::Pass, "23 commits, and the engine counts as many".to_owned()));
    }

    #[test]
    fn commits_that_the_engine_does_not_know_are_a_failure() {
        assert_eq!(
            says(23, 22),
            (Verdict::Fail, "23 commits, and the engine counts 1 less: 4.3 %, limit 0.5 %".to_owned())
        );
        assert_eq!(says(1_000, 995).0, Verdict::Pass, "at the limit");
        assert_eq!(says(1_000, 994).0, Verdict::Fail);
    }

    #[test]
    fn a_few_more_are_the_engines_own_and_many_more_are_somebody_elses() {
        assert_eq!(says(23, 28).0, Verdict::Pass);
        assert_eq!(says(23, 29).0, Verdict::Warn);
        assert_eq!(says(10_000, 10_050).0, Verdict::Pass);
        assert_eq!(says(10_000, 10_051).0, Verdict::Warn);
    }

    #[test]
    fn a_missing_counter_is_unknown_and_a_test_without_commits_is_not_asked() {
        let mut silent = run("T716", 1);
        assert_eq!(check(&silent), None);
        silent.commits_expected = Some(23);
        assert_eq!(check(&silent).unwrap().verdict, Verdict::Unknown);
        silent.findings.push(Finding {
            check: Check::CommitCount,
            verdict: Verdict::Unknown,
            detail: "the counters could not be read".to_owned(),
        });
        assert_eq!(check(&silent), None, "said already");
    }
}
