//! From an interval to a word.

use super::{ComparisonOutcome, ComparisonVerdict, Evidence, Shift};
use crate::checks::{percent, plural};
use crate::rules::RULES;
use crate::statistics::{Interval, pairs_needed};

/// What is said of `shift` at `margin`, with its p-value as `p_adjusted` makes it among `family` tests.
pub(super) fn judge(shift: &Shift, p_adjusted: Option<f64>, family: usize, margin: f64) -> ComparisonOutcome {
    let said = |verdict, more_pairs, reason: String| {
        let reason = reason + shift.evidence.mark();
        ComparisonOutcome::Judged { verdict, p_adjusted, more_pairs, reason }
    };
    let inconclusive = |more_pairs, reason: String| said(ComparisonVerdict::Inconclusive, more_pairs, reason);
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
        return said(ComparisonVerdict::Equivalent, None, reason);
    }
    let span = span(interval);
    if interval.contains(1.0) {
        let reason = format!("95 % interval {span} holds both no difference and more than {}", percent(margin));
        return inconclusive(more_pairs(shift, family, margin), reason);
    }
    if let Some(p_value) = p_adjusted.filter(|p_value| *p_value > RULES.significance) {
        let reason = format!(
            "95 % interval {span}, but p (Holm) {p_value:.3} of {} together is above {}",
            plural(family as u64, "test"),
            RULES.significance
        );
        return inconclusive(more_pairs(shift, family, margin), reason);
    }
    let verdict = if shift.ratio > 1.0 { ComparisonVerdict::Faster } else { ComparisonVerdict::Slower };
    if beyond {
        return said(verdict, None, format!("95 % interval {span} beyond the margin of {}", percent(margin)));
    }
    let word = verdict.word().to_lowercase();
    let reason = format!("{word}, size uncertain: 95 % interval {span} holds the margin of {}", percent(margin));
    inconclusive(more_pairs(shift, family, margin), reason)
}

fn too_few(evidence: Evidence) -> String {
    match evidence {
        Evidence::Paired { pairs } => {
            format!("{} give no 95 % interval; {} would", plural(pairs as u64, "pair"), RULES.pairs_min)
        }
        Evidence::Unpaired { base, other } => {
            format!("{base} and {} give no 95 % interval; 4 and 4 would", plural(other as u64, "repeat"))
        }
        Evidence::Single | Evidence::Published => evidence.words().to_owned(),
    }
}

/// Pairs that would probably decide, less those that there are; at least one. The nearest decision is taken: the
/// difference found is told from none, or, where it is smaller than the margin, from the margin. None where that cannot
/// be told, as by one pair, whose deviation is unknown, or takes more than a million.
fn more_pairs(shift: &Shift, family: usize, margin: f64) -> Option<u64> {
    let (difference, margin) = (shift.ratio.ln().abs(), margin.ln_1p());
    // Where the difference is beyond doubt, what is left to decide is its size.
    let is_certain = shift.interval.is_some_and(|interval| !interval.contains(1.0));
    let to_margin = (difference - margin).abs();
    let distance = match (is_certain, difference < margin) {
        (true, _) => to_margin,
        (false, true) => difference.max(to_margin),
        (false, false) => difference,
    };
    let there = match shift.evidence {
        Evidence::Paired { pairs } => pairs as u64,
        _ => 0,
    };
    let of_noise = pairs_needed(shift.deviation?, distance)?;
    Some(of_noise.max(pairs_of_family(family)).saturating_sub(there).max(1))
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

#[cfg(test)]
mod tests {
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

    fn said(shift: &Shift, p_adjusted: f64) -> (ComparisonVerdict, Option<u64>) {
        match judge(shift, Some(p_adjusted), 1, 0.02) {
            ComparisonOutcome::Judged { verdict, more_pairs, .. } => (verdict, more_pairs),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_interval_decides() {
        use ComparisonVerdict::{Equivalent, Faster, Inconclusive, Slower};
        assert_eq!(said(&shift(1.03, 1.05, 1.07), 0.002), (Faster, None));
        assert_eq!(said(&shift(0.90, 0.92, 0.94), 0.002), (Slower, None));
        assert_eq!(said(&shift(0.99, 1.0, 1.01), 0.5), (Equivalent, None));
        assert_eq!(said(&shift(1.004, 1.008, 1.012), 0.002), (Equivalent, None), "certain, and too little");
        // A difference beyond doubt of a size that is not: ln 1.03 - ln 1.02 = 0.00976; 8.24 (0.03 / 0.00976)^2 = 77.9,
        // of which ten are there.
        assert_eq!(said(&shift(1.01, 1.03, 1.05), 0.002), (Inconclusive, Some(68)));
        let (verdict, more) = said(&shift(0.98, 1.0, 1.03), 0.9);
        // ln 1.02 = 0.0198: 8.24 (0.03 / 0.0198)^2 = 18.9.
        assert_eq!((verdict, more), (Inconclusive, Some(9)));
        assert_eq!(said(&shift(0.995, 1.04, 1.09), 0.06).0, Inconclusive);
    }

    #[test]
    fn a_difference_that_many_tests_explain_is_no_difference() {
        let shift = shift(1.03, 1.05, 1.07);
        assert_eq!(said(&shift, 0.06).0, ComparisonVerdict::Inconclusive);
        assert_eq!((pairs_of_family(1), pairs_of_family(4), pairs_of_family(100)), (6, 8, 12));
    }

    #[test]
    fn what_was_not_paired_says_so() {
        let unpaired = |shift: Shift| Shift { evidence: Evidence::Unpaired { base: 3, other: 3 }, ..shift };
        let reason = |shift: Shift| match judge(&shift, Some(0.002), 1, 0.02) {
            ComparisonOutcome::Judged { reason, .. } => reason,
            other => panic!("{other:?}"),
        };
        let faster = shift(1.03, 1.05, 1.07);
        assert_eq!(reason(faster), "95 % interval +3.0 % to +7.0 % beyond the margin of 2.0 %");
        assert_eq!(reason(unpaired(faster)), "95 % interval +3.0 % to +7.0 % beyond the margin of 2.0 % (unpaired)");
        let few = Shift { interval: None, ..unpaired(faster) };
        assert_eq!(reason(few), "3 and 3 repeats give no 95 % interval; 4 and 4 would (unpaired)");
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
        assert_eq!(said(&few, 0.125), (ComparisonVerdict::Inconclusive, Some(2)));
        let one = Shift { evidence: Evidence::Paired { pairs: 1 }, deviation: None, ..few };
        assert_eq!(said(&one, 1.0), (ComparisonVerdict::Inconclusive, None), "one pair has no deviation");
        let single = Shift { evidence: Evidence::Single, ..shift(0.7, 0.8, 0.9) };
        assert_eq!(said(&single, 0.01).0, ComparisonVerdict::Inconclusive);
        let published = Shift { evidence: Evidence::Published, ..shift(0.7, 0.8, 0.9) };
        assert_eq!(judge(&published, None, 1, 0.02), ComparisonOutcome::Unjudged);
    }
}
