//! Commits counted by dbdyno compared with commits counted by the engine.
//!
//! gap = (engine's commits - bookkeeping - ours) / ours. A shortfall means that commits are missing in the engine; a
//! surplus, other sessions or background work of the engine. Not applied where the engine does not count the
//! transactions of this test.

use record::evidence::CommitCount;
use record::{Check, Evidence, Finding, Ratio, Run, Verdict, name};

use super::finding;
use crate::delta::delta;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let ours = run.commits_expected?;
    let Some(surplus) = surplus(run) else {
        // The reader of the counters may already have reported why they are missing.
        let is_known = run.findings.iter().any(|finding| finding.check() == Check::CommitCount);
        let unknown = Finding::new(Verdict::Unknown, Evidence::CommitCount(CommitCount::NotCounted));
        return (!is_known).then_some(unknown);
    };
    let difference = surplus.unsigned_abs() as f64 / ours.max(1) as f64;
    let verdict = match surplus {
        _ if difference <= RULES.commit_gap => Verdict::Pass,
        // Background work of an engine.
        1.. if surplus <= i128::from(RULES.commit_surplus_count) => Verdict::Pass,
        1.. => Verdict::Warn,
        _ => Verdict::Fail,
    };
    let surplus = i64::try_from(surplus).unwrap_or(if surplus > 0 { i64::MAX } else { i64::MIN });
    let (difference, limit) = (Ratio(difference), Ratio(RULES.commit_gap));
    finding(verdict, Evidence::CommitCount(CommitCount::Counted { ours, surplus, difference, limit }))
}

/// Commits of the engine in excess of ours; negative where it counted fewer. None where either is not known.
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

    fn says(expected: u64, engine: u64) -> (Verdict, i64) {
        let counters = [(name::COMMIT_COUNT, engine + 4), (name::BOOKKEEPING_COMMIT_COUNT, 4)];
        let mut run = counted(run("T716", 1), &counters);
        run.commits_expected = Some(expected);
        let finding = check(&run).unwrap();
        match finding.evidence {
            Evidence::CommitCount(CommitCount::Counted { ours, surplus, .. }) if ours == expected => {
                (finding.verdict, surplus)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn twenty_three_are_twenty_three() {
        assert_eq!(says(23, 23), (Verdict::Pass, 0));
    }

    #[test]
    fn commits_missing_in_the_engine_are_a_failure() {
        assert_eq!(says(23, 22), (Verdict::Fail, -1));
        assert_eq!(says(1_000, 995).0, Verdict::Pass, "at the limit");
        assert_eq!(says(1_000, 994).0, Verdict::Fail);
    }

    #[test]
    fn a_small_surplus_passes_and_a_large_one_is_a_warning() {
        assert_eq!(says(23, 28).0, Verdict::Pass);
        assert_eq!(says(23, 29).0, Verdict::Warn);
        assert_eq!(says(10_000, 10_050).0, Verdict::Pass);
        assert_eq!(says(10_000, 10_051).0, Verdict::Warn);
    }

    #[test]
    fn a_missing_counter_is_unknown_and_a_test_without_commits_is_not_checked() {
        let mut silent = run("T716", 1);
        assert_eq!(check(&silent), None);
        silent.commits_expected = Some(23);
        assert_eq!(check(&silent).unwrap().verdict, Verdict::Unknown);
        let not_read = CommitCount::NotRead { message: "the connection is gone".to_owned() };
        silent.findings.push(Finding::new(Verdict::Unknown, Evidence::CommitCount(not_read)));
        assert_eq!(check(&silent), None, "already reported");
    }
}
