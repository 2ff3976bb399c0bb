//! How many repeats, and how many pairs, before the first of them is made.

use super::{normal_quantile, student_quantile};
use crate::rules::RULES;

/// More are never recommended: who needs them needs another platform.
const REPEATS_MAX: u64 = 1_000_000;
/// Pairs that Wilcoxon's test needs beside Student's: one over its asymptotic relative efficiency, 3 / pi.
const PAIRS_OF_RANKS: f64 = 1.05;

/// Repeats after which the mean is known to a share of `precision` of itself, up and down, with a chance of 0.95, where
/// single runs vary by `variation` (standard deviation over mean): the smallest n >= (t cv / r)^2 with n - 1 degrees of
/// freedom, at least three.
///
/// None where one of the two is no positive number, and where more than a million are needed.
pub fn repeats_needed(variation: f64, precision: f64) -> Option<u64> {
    let ratio = variation / precision;
    if !(variation >= 0.0 && precision > 0.0 && ratio.is_finite()) {
        return None;
    }
    let enough = |count: u64| {
        let student = student_quantile(1.0 - RULES.significance / 2.0, (count - 1) as f64);
        (student * ratio).powi(2) <= count as f64
    };
    // Enough for one count is enough for every larger one, so the least is found by halving.
    let (mut low, mut high) = (RULES.repeats_planned_min, REPEATS_MAX);
    if !enough(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// Pairs that find a difference of `difference` with a power of 0.8 where the differences of single pairs deviate by
/// `deviation`, both in the same unit (the logarithm of a ratio): 1.05 (1.96 + 0.84)^2 (s / delta)^2, at least six, with
/// which the exact test of Wilcoxon can say anything at all.
///
/// None where one of the two is no positive number, and where more than a million are needed.
pub fn pairs_needed(deviation: f64, difference: f64) -> Option<u64> {
    let ratio = deviation / difference.abs();
    if !(deviation >= 0.0 && ratio.is_finite()) {
        return None;
    }
    let quantiles = normal_quantile(1.0 - RULES.significance / 2.0) + normal_quantile(RULES.power);
    let pairs = (PAIRS_OF_RANKS * (quantiles * ratio).powi(2)).ceil();
    (pairs <= REPEATS_MAX as f64).then_some((pairs as u64).max(RULES.pairs_min))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn repeats_by_variation_and_precision() {
        // At 10 % and 1 % the normal quantile would give 385; with 384 degrees of freedom t is still 1.9662.
        let table = [
            (0.005, [4, 3, 3]),
            (0.01, [7, 4, 3]),
            (0.02, [18, 7, 3]),
            (0.03, [38, 12, 4]),
            (0.05, [99, 27, 7]),
            (0.10, [387, 99, 18]),
        ];
        for (variation, repeats) in table {
            let found = [0.01, 0.02, 0.05].map(|precision| repeats_needed(variation, precision).unwrap());
            assert_eq!(found, repeats, "{variation}");
        }
    }

    #[test]
    fn pairs_by_deviation_and_difference() {
        // 8.24 (s / delta)^2.
        assert_eq!(pairs_needed(0.02, 0.02), Some(9));
        assert_eq!(pairs_needed(0.04, 0.02), Some(33));
        assert_eq!((pairs_needed(0.001, 0.02), pairs_needed(0.02, -0.02)), (Some(6), Some(9)));
    }

    #[test]
    fn what_cannot_be_had_is_not_recommended() {
        assert_eq!(
            (repeats_needed(0.1, 0.0), repeats_needed(f64::NAN, 0.01), repeats_needed(-0.1, 0.1)),
            (None, None, None)
        );
        assert_eq!((repeats_needed(100.0, 0.01), pairs_needed(1.0, 0.0), pairs_needed(1.0, 1e-6)), (None, None, None));
        assert_eq!((repeats_needed(0.0, 0.01), pairs_needed(0.0, 0.01)), (Some(3), Some(6)));
    }

    proptest! {
        #[test]
        fn one_fewer_would_not_do(variation in 0.001f64..0.3, precision in 0.005f64..0.1) {
            let count = repeats_needed(variation, precision).unwrap();
            let half = |count: u64| student_quantile(0.975, (count - 1) as f64) * variation / (count as f64).sqrt();
            prop_assert!(half(count) <= precision * (1.0 + 1e-9));
            prop_assert!(count == 3 || half(count - 1) > precision);
        }
    }
}
