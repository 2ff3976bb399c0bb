//! Exact intervals of quantiles from independent values, by the order of the values: no distribution is assumed.
//!
//! The number of n independent values below the true p-quantile is binomial, so P(X(l) <= q <= X(u)) is the sum of
//! C(n, i) p^i (1 - p)^(n - i) over i from l to u - 1 (Hahn and Meeker 1991, chapter 5). The ranks extend from
//! the most likely i outwards, to the likelier neighbour first, and to both where equally likely.

use super::incomplete::ln_gamma;
use super::{Interval, median};
use crate::rules::RULES;

/// Relative tolerance of equal probabilities.
const SAME: f64 = 1e-9;

/// The ranks, from 1, of the ends of the interval of a quantile, with its confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderRanks {
    /// Rank of the lower end.
    pub low: usize,
    /// Rank of the upper end.
    pub high: usize,
    /// Probability that the quantile lies between them, at least 0.95.
    pub confidence: f64,
}

/// The ranks for the quantile `quantile` of `count` independent values; None where they are too few, see
/// [`samples_needed`], and where the quantile is not in (0, 1).
pub fn order_ranks(count: usize, quantile: f64) -> Option<OrderRanks> {
    if !(quantile > 0.0 && quantile < 1.0) || (count as u64) < samples_needed(quantile) {
        return None;
    }
    // Neighbours by their ratio: chance(i + 1) / chance(i) = (n - i) / (i + 1) p / (1 - p).
    let odds = quantile / (1.0 - quantile);
    let above = |place: usize| (count - place) as f64 / (place + 1) as f64 * odds;
    let mode = (((count + 1) as f64 * quantile) as usize).clamp(1, count - 1);
    let (mut low, mut high) = (mode, mode);
    let (mut low_chance, mut high_chance) = (chance(count, mode, quantile), chance(count, mode, quantile));
    let mut confidence = low_chance;
    while confidence < 1.0 - RULES.significance {
        let below_low = if low > 1 { low_chance / above(low - 1) } else { 0.0 };
        let above_high = if high + 1 < count { high_chance * above(high) } else { 0.0 };
        let likelier = below_low.max(above_high);
        if likelier <= 0.0 {
            return None;
        }
        if below_low >= likelier * (1.0 - SAME) {
            (low, low_chance) = (low - 1, below_low);
            confidence += below_low;
        }
        if above_high >= likelier * (1.0 - SAME) {
            (high, high_chance) = (high + 1, above_high);
            confidence += above_high;
        }
    }
    Some(OrderRanks { low, high: high + 1, confidence })
}

/// C(n, i) p^i (1 - p)^(n - i).
fn chance(count: usize, place: usize, quantile: f64) -> f64 {
    let (count, place) = (count as f64, place as f64);
    let choices = ln_gamma(count + 1.0) - ln_gamma(place + 1.0) - ln_gamma(count - place + 1.0);
    (choices + place * quantile.ln() + (count - place) * (1.0 - quantile).ln()).exp()
}

/// The median of independent values, such as repeats, with its interval; None below six.
pub fn order_interval(values: &[f64]) -> Option<Interval> {
    let ranks = order_ranks(values.len(), 0.5)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(Interval { estimate: median(values)?, low: sorted[ranks.low - 1], high: sorted[ranks.high - 1] })
}

/// Minimum of independent values for a two-sided interval of the quantile `quantile`: n >= ln(0.025) / ln(p).
/// `u64::MAX` where the quantile is not in (0, 1).
pub fn samples_needed(quantile: f64) -> u64 {
    let farther = quantile.max(1.0 - quantile);
    match farther < 1.0 {
        true => ((RULES.significance / 2.0).ln() / farther.ln()).ceil() as u64,
        false => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranks_of_the_median_as_in_published_tables() {
        let ranks = [
            (6, 1, 6, 0.96875),
            (7, 1, 7, 0.984),
            (8, 1, 8, 0.992),
            (9, 2, 8, 0.961),
            (10, 2, 9, 0.979),
            (12, 3, 10, 0.961),
            (15, 4, 12, 0.965),
            (20, 6, 15, 0.959),
            (30, 10, 21, 0.957),
        ];
        for (count, low, high, confidence) in ranks {
            let found = order_ranks(count, 0.5).unwrap();
            assert_eq!((found.low, found.high), (low, high), "{count}");
            assert!((found.confidence - confidence).abs() < 0.0005, "{count}: {}", found.confidence);
        }
        assert!((0..=5).all(|count| order_ranks(count, 0.5).is_none()));
        let many = order_ranks(1_000_000, 0.5).unwrap();
        assert!(many.confidence < 0.951 && many.low + many.high == 1_000_001, "{many:?}");
        assert!((many.low as f64 - (500_000.0 - 979.98)).abs() < 3.0, "as by the normal approximation");
    }

    #[test]
    fn samples_that_a_quantile_needs() {
        let needed = [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368), (0.999, 3_688), (0.9999, 36_887)];
        for (quantile, samples) in needed {
            assert_eq!(samples_needed(quantile), samples, "{quantile}");
            assert!(order_ranks(samples as usize, quantile).is_some(), "{quantile}");
            assert_eq!(order_ranks(samples as usize - 1, quantile), None, "{quantile}");
        }
        assert_eq!((samples_needed(0.1), samples_needed(1.0), samples_needed(0.0)), (36, u64::MAX, u64::MAX));
        assert_eq!((order_ranks(100, 1.0), order_ranks(100, f64::NAN)), (None, None));
    }

    #[test]
    fn six_repeats_have_an_interval_and_five_have_none() {
        let found = order_interval(&[6.0, 1.0, 5.0, 2.0, 4.0, 3.0]).unwrap();
        assert_eq!((found.low, found.estimate, found.high), (1.0, 3.5, 6.0));
        assert_eq!(order_interval(&[1.0; 5]), None);
    }

    proptest! {
        #[test]
        fn the_confidence_is_the_sum_of_the_chances(count in 6usize..300, quantile in 0.05f64..0.95) {
            if let Some(found) = order_ranks(count, quantile) {
                let sum: f64 = (found.low..found.high).map(|place| chance(count, place, quantile)).sum();
                prop_assert!((sum - found.confidence).abs() < 1e-9 && (0.95..=1.0 + 1e-9).contains(&sum));
                prop_assert!(1 <= found.low && found.low < found.high && found.high <= count);
            }
        }
    }
}
