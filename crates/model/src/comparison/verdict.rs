//! What a comparison says of two systems, and how it follows from an interval.

use record::{Bytes, Finding, Pace};

use super::Shift;
use super::decision::ComparisonVerdict;
use crate::rules::RULES;
use crate::statistics::{Interval, pairs_needed};
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
}

/// The outcome of one system in one test.
#[derive(Clone, Debug, PartialEq)]
pub enum ComparisonOutcome {
    /// There is a verdict.
    Judged {
        /// The verdict.
        verdict: ComparisonVerdict,
        /// The p-value adjusted for all tests of the comparison (Holm); absent where there is none.
        p_adjusted: Option<f64>,
        /// For INCONCLUSIVE: additional pairs that would probably decide, or all pairs where there are none yet. Absent
        /// where not known.
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
    NoInterval,
    /// EQUIVALENT: the 90 % interval lies within the margin.
    Within(Interval),
    /// INCONCLUSIVE: the 95 % interval includes 1 and exceeds the margin.
    IncludesEqual(Interval),
    /// INCONCLUSIVE: the 95 % interval excludes 1, but many tests explain that.
    NotSignificant {
        /// The 95 % interval.
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

/// The outcome of `shift` at `margin`, with the p-value `p_adjusted` for `family` tests.
pub(super) fn judge(shift: &Shift, p_adjusted: Option<f64>, family: usize, margin: f64) -> ComparisonOutcome {
    let judged = |verdict, more_pairs, basis| {
        let reason = VerdictReason { evidence: shift.evidence, margin, basis };
        ComparisonOutcome::Judged { verdict, p_adjusted, more_pairs, reason }
    };
    let inconclusive = |basis| judged(ComparisonVerdict::Inconclusive, more_pairs(shift, family, margin), basis);
    let interval = match (shift.evidence, shift.interval) {
        (Evidence::Published, _) => return ComparisonOutcome::Unjudged,
        (Evidence::Single, _) => return judged(ComparisonVerdict::Inconclusive, None, VerdictBasis::NoInterval),
        (_, Some(interval)) => interval,
        (_, None) => return inconclusive(VerdictBasis::NoInterval),
    };
    let verdict = ComparisonVerdict::of(interval, shift.equivalence, margin);
    if let Some(equivalence) = shift.equivalence.filter(|_| verdict == ComparisonVerdict::Equivalent) {
        return judged(verdict, None, VerdictBasis::Within(equivalence));
    }
    if interval.contains(1.0) {
        return inconclusive(VerdictBasis::IncludesEqual(interval));
    }
    if let Some(p_adjusted) = p_adjusted.filter(|p_value| *p_value > RULES.significance) {
        return inconclusive(VerdictBasis::NotSignificant { interval, p_adjusted, tests: family });
    }
    match verdict {
        ComparisonVerdict::Inconclusive => inconclusive(VerdictBasis::IncludesMargin(interval)),
        verdict => judged(verdict, None, VerdictBasis::Beyond(interval)),
    }
}

/// Additional pairs that would probably decide; at least one. The easier decision counts: difference against none or,
/// where it is below the margin, against the margin. None where not known, as with one pair, whose deviation is
/// unknown, or above a million.
fn more_pairs(shift: &Shift, family: usize, margin: f64) -> Option<u64> {
    let (difference, margin) = (shift.ratio.ln().abs(), margin.ln_1p());
    // A significant difference leaves only its size to be decided.
    let is_significant = shift.interval.is_some_and(|interval| !interval.contains(1.0));
    let to_margin = (difference - margin).abs();
    let distance = match (is_significant, difference < margin) {
        (true, _) => to_margin,
        (false, true) => difference.max(to_margin),
        (false, false) => difference,
    };
    let existing = match shift.evidence {
        Evidence::Paired { pairs } => pairs as u64,
        _ => 0,
    };
    let for_power = pairs_needed(shift.deviation?, distance)?;
    Some(for_power.max(pairs_of_family(family)).saturating_sub(existing).max(1))
}

/// Pairs with which the smallest p-value of the signed-rank test, 2^(1 - n), is significant among `family` tests.
fn pairs_of_family(family: usize) -> u64 {
    let bits = (family.max(1) as f64 / RULES.significance).log2();
    (1.0 + bits).ceil() as u64
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
            interval: Some(Interval { estimate: ratio, low, high }),
            equivalence: Some(Interval { estimate: ratio, low: narrow(low), high: narrow(high) }),
            p_value: Some(0.002),
            superiority: None,
            deviation: Some(0.03),
        }
    }

    fn verdict(shift: &Shift, p_adjusted: f64) -> (ComparisonVerdict, Option<u64>) {
        match judge(shift, Some(p_adjusted), 1, 0.02) {
            ComparisonOutcome::Judged { verdict, more_pairs, .. } => (verdict, more_pairs),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_interval_decides() {
        use ComparisonVerdict::{Equivalent, Faster, Inconclusive, Slower};
        assert_eq!(verdict(&shift(1.03, 1.05, 1.07), 0.002), (Faster, None));
        assert_eq!(verdict(&shift(0.90, 0.92, 0.94), 0.002), (Slower, None));
        assert_eq!(verdict(&shift(0.99, 1.0, 1.01), 0.5), (Equivalent, None));
        assert_eq!(
            verdict(&shift(1.004, 1.008, 1.012), 0.002),
            (Equivalent, None),
            "significant, and within the margin"
        );
        // A significant difference of uncertain size: ln 1.03 - ln 1.02 = 0.00976; 8.24 (0.03 / 0.00976)^2 = 77.9,
        // of which ten exist.
        assert_eq!(verdict(&shift(1.01, 1.03, 1.05), 0.002), (Inconclusive, Some(68)));
        let (word, more) = verdict(&shift(0.98, 1.0, 1.03), 0.9);
        // ln 1.02 = 0.0198: 8.24 (0.03 / 0.0198)^2 = 18.9.
        assert_eq!((word, more), (Inconclusive, Some(9)));
        assert_eq!(verdict(&shift(0.995, 1.04, 1.09), 0.06).0, Inconclusive);
    }

    #[test]
    fn a_difference_that_multiple_tests_explain_is_inconclusive() {
        let shift = shift(1.03, 1.05, 1.07);
        assert_eq!(verdict(&shift, 0.06).0, ComparisonVerdict::Inconclusive);
        assert_eq!((pairs_of_family(1), pairs_of_family(4), pairs_of_family(100)), (6, 8, 12));
    }

    #[test]
    fn the_reason_has_the_interval_that_decided() {
        let basis = |shift: Shift, p_adjusted: f64| match judge(&shift, Some(p_adjusted), 3, 0.02) {
            ComparisonOutcome::Judged { reason, .. } => reason.basis,
            other => panic!("{other:?}"),
        };
        let interval = |low, estimate, high| Interval { estimate, low, high };
        let faster = shift(1.03, 1.05, 1.07);
        assert_eq!(basis(faster, 0.002), VerdictBasis::Beyond(interval(1.03, 1.05, 1.07)));
        let not_significant =
            VerdictBasis::NotSignificant { interval: interval(1.03, 1.05, 1.07), p_adjusted: 0.06, tests: 3 };
        assert_eq!(basis(faster, 0.06), not_significant);
        let includes = |low, ratio, high| basis(shift(low, ratio, high), 0.002);
        assert_eq!(includes(1.01, 1.03, 1.05), VerdictBasis::IncludesMargin(interval(1.01, 1.03, 1.05)));
        assert_eq!(includes(0.98, 1.0, 1.03), VerdictBasis::IncludesEqual(interval(0.98, 1.0, 1.03)));
        assert!(matches!(includes(0.99, 1.0, 1.01), VerdictBasis::Within(within) if within.high < 1.01));
        assert_eq!(basis(Shift { interval: None, ..faster }, 0.002), VerdictBasis::NoInterval);
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
        assert_eq!(verdict(&few, 0.125), (ComparisonVerdict::Inconclusive, Some(2)));
        let one = Shift { evidence: Evidence::Paired { pairs: 1 }, deviation: None, ..few };
        assert_eq!(verdict(&one, 1.0), (ComparisonVerdict::Inconclusive, None), "one pair has no deviation");
        let single = Shift { evidence: Evidence::Single, ..shift(0.7, 0.8, 0.9) };
        assert_eq!(verdict(&single, 0.01).0, ComparisonVerdict::Inconclusive);
        let published = Shift { evidence: Evidence::Published, ..shift(0.7, 0.8, 0.9) };
        assert_eq!(judge(&published, None, 1, 0.02), ComparisonOutcome::Unjudged);
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
