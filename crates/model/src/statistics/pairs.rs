//! The number of pairs of a planned comparison.

use super::normal_quantile;
use crate::rules::RULES;

/// Upper limit of a recommendation.
const PAIRS_MAX: u64 = 1_000_000;
/// Pairs of Wilcoxon's test relative to Student's: inverse asymptotic relative efficiency, pi / 3.
const PAIRS_OF_RANKS: f64 = 1.05;

/// Pairs required to detect `difference` with a power of 0.8, where single differences have the standard deviation
/// `deviation`, both as logarithms of ratios: 1.05 (1.96 + 0.84)^2 (s / delta)^2, at least six, the minimum of the
/// exact Wilcoxon test.
///
/// None where one of the two is not positive, and above a million.
pub fn pairs_needed(deviation: f64, difference: f64) -> Option<u64> {
    let ratio = deviation / difference.abs();
    if !(deviation >= 0.0 && ratio.is_finite()) {
        return None;
    }
    let quantiles = normal_quantile(1.0 - RULES.significance / 2.0) + normal_quantile(RULES.power);
    let pairs = (PAIRS_OF_RANKS * (quantiles * ratio).powi(2)).ceil();
    (pairs <= PAIRS_MAX as f64).then_some((pairs as u64).max(RULES.pairs_min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_by_deviation_and_difference() {
        // 8.24 (s / delta)^2.
        assert_eq!(pairs_needed(0.02, 0.02), Some(9));
        assert_eq!(pairs_needed(0.04, 0.02), Some(33));
        assert_eq!((pairs_needed(0.001, 0.02), pairs_needed(0.02, -0.02)), (Some(6), Some(9)));
    }

    #[test]
    fn impossible_numbers_are_not_recommended() {
        assert_eq!((pairs_needed(1.0, 0.0), pairs_needed(1.0, 1e-6), pairs_needed(f64::NAN, 0.01)), (None, None, None));
        assert_eq!(pairs_needed(0.0, 0.01), Some(6));
    }
}
