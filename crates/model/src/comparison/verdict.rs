//! What a comparison says of two systems, and how it follows from an interval.

use record::{Bytes, Finding, Pace};

use super::Shift;
use crate::decision::ComparisonVerdict;
use crate::rules::RULES;
use crate::statistics::Interval;
use crate::system::{Condition, ControlDrift, Durability, InvalidRun};

/// How two systems were measured, the strongest evidence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// In pairs, next to each other in randomized order.
    Paired {
        /// Pairs of valid repeats.
        pairs: usize,
    },
    /// Each with several repeats, at different times.
    Unpaired {
        /// Repeats of the base.
        base: usize,
        /// Repeats of the other.
        other: usize,
    },
    /// At least one of the two with a single run.
    Single,
    /// At least one of the two published, without repeats.
    Published,
}

impl Evidence {
    /// Whether it is free of environment drift.
    pub fn is_strong(self) -> bool {
        matches!(self, Evidence::Paired { .. })
    }

    /// What a ratio rests on, in one word for all views: `measured` where repeats show how far it may be away, `estimate`
    /// of single runs, `published`.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Paired { .. } | Evidence::Unpaired { .. } => "measured",
            Evidence::Single => "estimate",
            Evidence::Published => "published",
        }
    }

    /// Pairs, or repeats of each side, with which there is an interval where each side was chosen among `choices` degrees
    /// of parallelism; none of single runs and publications, which have no repeats.
    fn needed(self, choices: [usize; 2]) -> Option<u64> {
        let count = choices.into_iter().max().unwrap_or(1).max(1) as f64;
        let tail = RULES.significance / 2.0 / count;
        // Probability that all differences of pairs have the one sign, and that all repeats of one side are above those of
        // the other: of 2 n repeats, n are chosen.
        let of_repeats = |repeats: u64| (1..=repeats).map(|at| at as f64 / (repeats + at) as f64).product::<f64>();
        match self {
            Evidence::Paired { .. } => (1..64).find(|pairs| 0.5f64.powi(*pairs as i32) <= tail),
            Evidence::Unpaired { .. } => (1..64).find(|repeats| of_repeats(*repeats) <= tail),
            Evidence::Single | Evidence::Published => None,
        }
    }
}

/// The outcome of one system in one test.
#[derive(Clone, Debug, PartialEq)]
pub enum ComparisonOutcome {
    /// There is a verdict.
    Judged {
        /// The verdict.
        verdict: ComparisonVerdict,
        /// Probability of such runs where the verdict is wrong, at most: where the ratio lies on the other side of a limit
        /// of the margin. For INCONCLUSIVE, that of the verdict that is nearest. Adjusted for all tests of the comparison
        /// (Holm); absent without repeats.
        p_adjusted: Option<f64>,
        /// For INCONCLUSIVE: additional pairs with which there is a verdict in four of five cases, by all that the runs
        /// leave possible; all pairs where there are none yet. Absent where not known.
        more_pairs: Option<u64>,
        /// The reason.
        reason: VerdictReason,
    },
    /// A figure is published: a ratio without a verdict.
    Unjudged,
    /// The two are not comparable, or one of them is not valid.
    Incomparable {
        /// The reasons; never empty.
        reasons: Vec<Reason>,
    },
}

/// Why a verdict is what it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictReason {
    /// How the two were measured.
    pub evidence: Evidence,
    /// The margin in force.
    pub margin: f64,
    /// The interval of the ratio against the margin.
    pub basis: VerdictBasis,
}

/// The interval of a ratio against the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VerdictBasis {
    /// There is none: a single run, or too few repeats.
    NoInterval {
        /// Pairs, or repeats of each side, that give one; absent for single runs.
        needed: Option<u64>,
    },
    /// EQUIVALENT: the 90 % interval lies within the margin.
    Within(Interval),
    /// INCONCLUSIVE: the 95 % interval includes 1 and exceeds the margin.
    IncludesEqual(Interval),
    /// INCONCLUSIVE: what the test shows alone, many tests explain.
    NotSignificant {
        /// Its verdict alone; INCONCLUSIVE where it shows a difference that may be within the margin.
        alone: ComparisonVerdict,
        /// The 95 % interval; the 90 % interval of EQUIVALENT.
        interval: Interval,
        /// The p-value adjusted for `tests` (Holm).
        p_adjusted: f64,
        /// Tests of the comparison with a p-value.
        tests: usize,
    },
    /// FASTER, SLOWER: the 95 % interval lies beyond the margin.
    Beyond(Interval),
    /// INCONCLUSIVE: the 95 % interval excludes 1 and includes the limit of the margin.
    IncludesMargin(Interval),
}

/// Why two systems cannot be compared in a test. Of two values the first is that of the base.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The rates count different things.
    Units,
    /// A system was measured with the preset smoke.
    Smoke {
        /// Its name.
        system: String,
    },
    /// Both ran at this rate, which the tests were given.
    GivenRate(Pace),
    /// They ran at different paces.
    Paces([Pace; 2]),
    /// Their tables differ in size by more than the limit.
    TableSizes([Bytes; 2]),
    /// A parameter differs.
    Parameter {
        /// Its name.
        name: String,
        /// Its values.
        values: [i64; 2],
    },
    /// A condition differs.
    Condition([Condition; 2]),
    /// The commits of one are durable and those of the other are not, or they are not durable in different ways.
    Durability([Durability; 2]),
    /// A system has no valid figure.
    NoFigure {
        /// Its name.
        system: String,
    },
    /// All runs of a system are invalid.
    Invalid {
        /// Its name.
        system: String,
        /// How many runs.
        runs: usize,
        /// The first of them.
        first: InvalidRun,
    },
}

/// A warning about the outcome of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum ComparisonWarning {
    /// The sides of a pair did not run an identical workload: the hashes of their plans, where recorded.
    Plans([Option<String>; 2]),
    /// The commits of the two are not equally durable, and a verdict was asked for in spite of it.
    Durability(Box<[Durability; 2]>),
    /// The machine of a pair was not the same before and after the pairs, or that is unknown.
    Drift(ControlDrift),
    /// About runs, by the name of the system.
    Runs(Vec<(String, Vec<Finding>)>),
}

impl ComparisonOutcome {
    /// The verdict, where there is one.
    pub fn verdict(&self) -> Option<ComparisonVerdict> {
        match self {
            ComparisonOutcome::Judged { verdict, .. } => Some(*verdict),
            ComparisonOutcome::Unjudged | ComparisonOutcome::Incomparable { .. } => None,
        }
    }

    /// The name of the verdict for tables that programs read, `INCOMPARABLE`, or `PUBLISHED` without a verdict.
    pub fn word(&self) -> &'static str {
        match self {
            ComparisonOutcome::Judged { verdict, .. } => verdict.word(),
            ComparisonOutcome::Unjudged => "PUBLISHED",
            ComparisonOutcome::Incomparable { .. } => "INCOMPARABLE",
        }
    }
}

/// The p-values of one test among all of a comparison, adjusted for their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Family {
    /// Of the verdict that is nearest.
    pub(super) p_verdict: f64,
    /// Of a difference, however small.
    pub(super) p_difference: f64,
    /// Tests with p-values.
    pub(super) tests: usize,
}

/// The outcome of `shift` at `margin`, with the p-values of its `family`; the pairs that would decide it are not known yet.
pub(super) fn judge(shift: &Shift, family: Option<Family>, margin: f64) -> ComparisonOutcome {
    let judged = |verdict, basis| {
        let reason = VerdictReason { evidence: shift.evidence, margin, basis };
        let p_adjusted = family.map(|family| family.p_verdict);
        ComparisonOutcome::Judged { verdict, p_adjusted, more_pairs: None, reason }
    };
    let inconclusive = |basis| judged(ComparisonVerdict::Inconclusive, basis);
    let needed = shift.evidence.needed(shift.choices);
    let interval = match (shift.evidence, shift.interval) {
        (Evidence::Published, _) => return ComparisonOutcome::Unjudged,
        (Evidence::Single, _) | (_, None) => return inconclusive(VerdictBasis::NoInterval { needed }),
        (_, Some(interval)) => interval,
    };
    let alone = ComparisonVerdict::of(interval, shift.equivalence, margin);
    let not_significant = |interval: Interval, p_value: fn(Family) -> f64| {
        let family = family.filter(|family| p_value(*family) > RULES.significance)?;
        Some(VerdictBasis::NotSignificant { alone, interval, p_adjusted: p_value(family), tests: family.tests })
    };
    let (shown, basis) = match (alone, shift.equivalence) {
        (ComparisonVerdict::Equivalent, Some(within)) => (within, VerdictBasis::Within(within)),
        _ => (interval, VerdictBasis::Beyond(interval)),
    };
    match alone {
        ComparisonVerdict::Inconclusive if interval.contains(1.0) => {
            inconclusive(VerdictBasis::IncludesEqual(interval))
        }
        ComparisonVerdict::Inconclusive => inconclusive(
            not_significant(interval, |family| family.p_difference).unwrap_or(VerdictBasis::IncludesMargin(interval)),
        ),
        verdict => match not_significant(shown, |family| family.p_verdict) {
            Some(basis) => inconclusive(basis),
            None => judged(verdict, basis),
        },
    }
}

/// `p_values` adjusted for multiple tests (Holm 1979), in the same order: the k-th smallest of n times n - k + 1,
/// monotone, at most 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0f64;
    for (rank, index) in order.into_iter().enumerate() {
        least = least.max(p_values[index] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shift(low: f64, ratio: f64, high: f64) -> Shift {
        let narrow = |end: f64| ratio + (end - ratio) * 0.8;
        Shift {
            ratio,
            evidence: Evidence::Paired { pairs: 10 },
            choices: [1, 1],
            interval: Some(Interval { estimate: ratio, low, high }),
            equivalence: Some(Interval { estimate: ratio, low: narrow(low), high: narrow(high) }),
            p_value: Some(0.002),
            superiority: None,
            deviation: Some(0.03),
        }
    }

    fn family(p_adjusted: f64, tests: usize) -> Option<Family> {
        Some(Family { p_verdict: p_adjusted, p_difference: p_adjusted, tests })
    }

    fn verdict(shift: &Shift, p_adjusted: f64) -> ComparisonVerdict {
        judge(shift, family(p_adjusted, 1), 0.02).verdict().unwrap()
    }

    #[test]
    fn the_interval_decides() {
        use ComparisonVerdict::{Equivalent, Faster, Inconclusive, Slower};
        assert_eq!(verdict(&shift(1.03, 1.05, 1.07), 0.002), Faster);
        assert_eq!(verdict(&shift(0.90, 0.92, 0.94), 0.002), Slower);
        assert_eq!(verdict(&shift(0.99, 1.0, 1.01), 0.05), Equivalent);
        assert_eq!(verdict(&shift(1.004, 1.008, 1.012), 0.002), Equivalent, "significant, and within the margin");
        assert_eq!(verdict(&shift(1.01, 1.03, 1.05), 0.3), Inconclusive);
        assert_eq!(verdict(&shift(0.98, 1.0, 1.03), 0.9), Inconclusive);
    }

    #[test]
    fn what_multiple_tests_explain_is_inconclusive() {
        for alone in [shift(1.03, 1.05, 1.07), shift(0.90, 0.92, 0.94), shift(0.99, 1.0, 1.01)] {
            assert_eq!(verdict(&alone, 0.06), ComparisonVerdict::Inconclusive);
        }
    }

    #[test]
    fn the_reason_has_the_interval_that_decided() {
        let reason = |shift: Shift, family: Family| match judge(&shift, Some(family), 0.02) {
            ComparisonOutcome::Judged { reason, p_adjusted, .. } => (reason.basis, p_adjusted),
            other => panic!("{other:?}"),
        };
        let basis = |shift: Shift, p_verdict: f64, p_difference: f64| {
            reason(shift, Family { p_verdict, p_difference, tests: 3 }).0
        };
        let interval = |low, estimate, high| Interval { estimate, low, high };
        let faster = shift(1.03, 1.05, 1.07);
        assert_eq!(basis(faster, 0.002, 0.001), VerdictBasis::Beyond(interval(1.03, 1.05, 1.07)));
        let explained =
            |alone, interval, p_adjusted| VerdictBasis::NotSignificant { alone, interval, p_adjusted, tests: 3 };
        let found = explained(ComparisonVerdict::Faster, interval(1.03, 1.05, 1.07), 0.06);
        assert_eq!(basis(faster, 0.06, 0.001), found, "a difference is shown, and not that it is beyond the margin");
        let equal = shift(0.99, 1.0, 1.01);
        let found = explained(ComparisonVerdict::Equivalent, equal.equivalence.unwrap(), 0.07);
        assert_eq!(basis(equal, 0.07, 1.0), found);
        let open = shift(1.01, 1.03, 1.05);
        let found = explained(ComparisonVerdict::Inconclusive, interval(1.01, 1.03, 1.05), 0.08);
        assert_eq!(basis(open, 0.9, 0.08), found);
        assert_eq!(basis(open, 0.9, 0.01), VerdictBasis::IncludesMargin(interval(1.01, 1.03, 1.05)));
        assert_eq!(reason(open, Family { p_verdict: 0.9, p_difference: 0.01, tests: 3 }).1, Some(0.9));
        let wide = shift(0.98, 1.0, 1.03);
        assert_eq!(basis(wide, 1.0, 1.0), VerdictBasis::IncludesEqual(interval(0.98, 1.0, 1.03)));
        assert!(matches!(basis(equal, 0.01, 0.5), VerdictBasis::Within(within) if within.high < 1.01));
        let none = basis(Shift { interval: None, ..faster }, 1.0, 1.0);
        assert_eq!(none, VerdictBasis::NoInterval { needed: Some(6) });
    }

    #[test]
    fn an_interval_needs_more_runs_where_the_degree_was_chosen() {
        let (pairs, repeats) = (Evidence::Paired { pairs: 2 }, Evidence::Unpaired { base: 2, other: 2 });
        assert_eq!((pairs.needed([1, 1]), repeats.needed([1, 1])), (Some(6), Some(4)));
        // 2^-9 and 1 / 924 are below 0.025 / 8.
        assert_eq!((pairs.needed([8, 1]), repeats.needed([1, 8])), (Some(9), Some(6)));
        assert_eq!((Evidence::Single.needed([1, 1]), Evidence::Published.needed([1, 1])), (None, None));
    }

    #[test]
    fn without_an_interval_there_is_no_verdict() {
        let few = Shift {
            evidence: Evidence::Paired { pairs: 4 },
            interval: None,
            equivalence: None,
            deviation: Some(0.01),
            ..shift(0.5, 0.8, 0.9)
        };
        assert_eq!(verdict(&few, 0.125), ComparisonVerdict::Inconclusive);
        let single = Shift { evidence: Evidence::Single, ..shift(0.7, 0.8, 0.9) };
        assert_eq!(verdict(&single, 0.01), ComparisonVerdict::Inconclusive);
        let published = Shift { evidence: Evidence::Published, ..shift(0.7, 0.8, 0.9) };
        assert_eq!(judge(&published, None, 0.02), ComparisonOutcome::Unjudged);
    }

    #[test]
    fn four_by_hand() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(adjusted.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{adjusted:?}");
        assert_eq!((holm(&[]), holm(&[0.2])), (vec![], vec![0.2]));
    }

    proptest! {
        #[test]
        fn nothing_becomes_more_significant(p_values in prop::collection::vec(0.0f64..=1.0, 0..30)) {
            let adjusted = holm(&p_values);
            for (at, value) in p_values.iter().enumerate() {
                prop_assert!(adjusted[at] >= *value);
                let smaller = (0..p_values.len()).filter(|other| p_values[*other] < *value);
                prop_assert!(smaller.into_iter().all(|other| adjusted[other] <= adjusted[at]));
            }
        }
    }
}
