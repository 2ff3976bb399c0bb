//! What a comparison says of two systems, and how it follows from an interval.

use record::Finding;

use super::Shift;
use crate::checks::{percent, plural};
use crate::rules::RULES;
use crate::statistics::{Interval, pairs_needed};
use crate::system::InvalidRun;

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
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Evidence::Paired { .. } => "paired",
            Evidence::Unpaired { .. } => "unpaired: environment drift not controlled",
            Evidence::Single => "single run: repeatability unknown",
            Evidence::Published => "published",
        }
    }

    /// The suffix ` (unpaired)` of a sentence, or nothing.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Evidence::Unpaired { .. } => " (unpaired)",
            Evidence::Paired { .. } | Evidence::Single | Evidence::Published => "",
        }
    }

    /// Whether it is free of environment drift.
    pub fn is_strong(self) -> bool {
        matches!(self, Evidence::Paired { .. })
    }
}

/// The verdict on one system compared with the base.
///
/// Decided by the 95 % interval of the ratio and the margins 1 / (1 + m) and 1 + m; the first that applies:
///
/// - FASTER, SLOWER: the interval lies entirely beyond the margin.
/// - EQUIVALENT: the 90 % interval lies entirely within the margin (two one-sided tests, Schuirmann 1987).
/// - INCONCLUSIVE: otherwise, and without an interval. Includes significant differences that may be within the margin; the
///   reason says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComparisonVerdict {
    /// Faster than the base.
    Faster,
    /// Slower than the base.
    Slower,
    /// Equal within the margin.
    Equivalent,
    /// Not decided by the data.
    Inconclusive,
}

impl ComparisonVerdict {
    /// Its name in all views.
    pub fn word(self) -> &'static str {
        match self {
            ComparisonVerdict::Faster => "FASTER",
            ComparisonVerdict::Slower => "SLOWER",
            ComparisonVerdict::Equivalent => "EQUIVALENT",
            ComparisonVerdict::Inconclusive => "INCONCLUSIVE",
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
        /// The p-value adjusted for all tests of the comparison (Holm); absent where there is none.
        p_adjusted: Option<f64>,
        /// For INCONCLUSIVE: additional pairs that would probably decide, or all pairs where there are none yet. Absent
        /// where not known.
        more_pairs: Option<u64>,
        /// The reason, as a clause.
        reason: String,
    },
    /// A figure is published: a ratio without a verdict.
    Unjudged,
    /// The two are not comparable, or one of them is not valid.
    Incomparable {
        /// The reasons; never empty.
        reasons: Vec<Reason>,
    },
}

/// Why two systems cannot be compared in a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// They were measured differently, as a clause.
    NotAlike(String),
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
pub enum Doubt {
    /// About the measurement as a whole, as a clause.
    Measurement(String),
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

    /// The name of the verdict, `INCOMPARABLE`, or `PUBLISHED` without a verdict.
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
    let judged = |verdict, more_pairs, reason: String| {
        let reason = reason + shift.evidence.mark();
        ComparisonOutcome::Judged { verdict, p_adjusted, more_pairs, reason }
    };
    let inconclusive = |more_pairs, reason: String| judged(ComparisonVerdict::Inconclusive, more_pairs, reason);
    let interval = match (shift.evidence, shift.interval) {
        (Evidence::Published, _) => return ComparisonOutcome::Unjudged,
        (Evidence::Single, _) => return inconclusive(None, shift.evidence.words().to_owned()),
        (_, Some(interval)) => interval,
        (evidence, None) => return inconclusive(more_pairs(shift, family, margin), too_few(evidence)),
    };
    let limits = (1.0 / (1.0 + margin), 1.0 + margin);
    let beyond = interval.low > limits.1 || interval.high < limits.0;
    let within = |interval: Interval| interval.low > limits.0 && interval.high < limits.1;
    if let Some(equivalence) = shift.equivalence.filter(|equivalence| !beyond && within(*equivalence)) {
        let reason = format!("90 % interval {} within the margin of {}", span(equivalence), percent(margin));
        return judged(ComparisonVerdict::Equivalent, None, reason);
    }
    let span = span(interval);
    if interval.contains(1.0) {
        let reason = format!("95 % interval {span} includes 0 and exceeds the margin of {}", percent(margin));
        return inconclusive(more_pairs(shift, family, margin), reason);
    }
    if let Some(p_value) = p_adjusted.filter(|p_value| *p_value > RULES.significance) {
        let reason = format!(
            "95 % interval {span}, but adjusted p (Holm, {}) {p_value:.3} is above {}",
            plural(family as u64, "test"),
            RULES.significance
        );
        return inconclusive(more_pairs(shift, family, margin), reason);
    }
    let verdict = if shift.ratio > 1.0 { ComparisonVerdict::Faster } else { ComparisonVerdict::Slower };
    if beyond {
        return judged(verdict, None, format!("95 % interval {span} beyond the margin of {}", percent(margin)));
    }
    let word = verdict.word().to_lowercase();
    let reason = format!("{word}, size uncertain: 95 % interval {span} includes the margin of {}", percent(margin));
    inconclusive(more_pairs(shift, family, margin), reason)
}

fn too_few(evidence: Evidence) -> String {
    match evidence {
        Evidence::Paired { pairs } => {
            format!("{} give no 95 % interval; {} are needed", plural(pairs as u64, "pair"), RULES.pairs_min)
        }
        Evidence::Unpaired { base, other } => {
            format!("{base} and {} give no 95 % interval; 4 and 4 are needed", plural(other as u64, "repeat"))
        }
        Evidence::Single | Evidence::Published => evidence.words().to_owned(),
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

/// `+1.0 % to +2.3 %`.
fn span(interval: Interval) -> String {
    let signed = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
    format!("{} to {}", signed(interval.low), signed(interval.high))
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
    fn unpaired_reasons_are_marked() {
        let unpaired = |shift: Shift| Shift { evidence: Evidence::Unpaired { base: 3, other: 3 }, ..shift };
        let reason = |shift: Shift| match judge(&shift, Some(0.002), 1, 0.02) {
            ComparisonOutcome::Judged { reason, .. } => reason,
            other => panic!("{other:?}"),
        };
        let faster = shift(1.03, 1.05, 1.07);
        assert_eq!(reason(faster), "95 % interval +3.0 % to +7.0 % beyond the margin of 2.0 %");
        assert_eq!(reason(unpaired(faster)), "95 % interval +3.0 % to +7.0 % beyond the margin of 2.0 % (unpaired)");
        let few = Shift { interval: None, ..unpaired(faster) };
        assert_eq!(reason(few), "3 and 3 repeats give no 95 % interval; 4 and 4 are needed (unpaired)");
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
