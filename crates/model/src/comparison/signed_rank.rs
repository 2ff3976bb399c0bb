//! Pairs: the exact signed-rank test (Wilcoxon 1945) and the estimate that belongs to it (Hodges and Lehmann 1963).

use super::shifts::Shifts;
use crate::statistics::{Interval, batch_means};

/// More pairs are averaged in batches of neighbours to at most this number: the cost is cubic.
const PAIRS_MAX: usize = 300;

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Sum of the ranks of the positive differences, with midranks for ties.
    pub positive: f64,
    /// Two-sided p-value over all assignments of signs.
    pub p_value: f64,
}

/// The exact signed-rank test of `differences` against a median of zero; None where there is none or one is not finite.
///
/// Zero differences are ranked with the others and then dropped (Pratt 1959), so that they count against a difference.
/// Ties have midranks, and the distribution is that of these ranks. Above 300 differences, means of batches of
/// neighbours are tested.
pub fn signed_rank(differences: &[f64]) -> Option<SignedRank> {
    let differences = prepared(differences)?;
    let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    let ranks = doubled_ranks(&sizes);
    let sum = |wanted: &dyn Fn(f64) -> bool| -> usize {
        let pairs = differences.iter().zip(&ranks).filter(|(difference, _)| wanted(**difference));
        pairs.map(|(_, rank)| *rank).sum()
    };
    let (positive, negative) = (sum(&|difference| difference > 0.0), sum(&|difference| difference < 0.0));
    let signed: Vec<usize> =
        differences.iter().zip(&ranks).filter(|(difference, _)| **difference != 0.0).map(|(_, rank)| *rank).collect();
    // Without ties and zeros the ranks are whole, and their sums half as many.
    let step = if signed.iter().all(|rank| rank.is_multiple_of(2)) { 2 } else { 1 };
    let weights: Vec<usize> = signed.iter().map(|rank| rank / step).collect();
    let tail: f64 = sums(&weights)[..=positive.min(negative) / step].iter().sum();
    Some(SignedRank { positive: positive as f64 / 2.0, p_value: (2.0 * tail).min(1.0) })
}

/// The Hodges-Lehmann estimate: the median of the means of all pairs of `differences`, each with itself included. None
/// where there is none or one is not finite.
pub fn walsh_median(differences: &[f64]) -> Option<f64> {
    shifts_of_pairs(differences).map(|shifts| shifts.median())
}

/// The Hodges-Lehmann estimate with its exact interval at `confidence`: of M ordered means of pairs, those at c + 1 and
/// M - c, where c is the largest sum of ranks with P(W <= c) <= (1 - confidence) / 2 (Hollander, Wolfe and Chicken
/// 2014, section 3.3). It assumes differences that are spread evenly to both sides of their middle.
///
/// None where there are too few: at 0.95, fewer than six.
pub fn walsh_interval(differences: &[f64], confidence: f64) -> Option<Interval> {
    let tail = (1.0 - confidence) / 2.0;
    shifts_of_pairs(differences)?.interval(tail, tail)
}

/// The means of all pairs of `differences`, as [`walsh_median`] has them: as many lie below the true shift as the ranks of
/// the negative differences add up to (Tukey 1949).
pub(super) fn shifts_of_pairs(differences: &[f64]) -> Option<Shifts> {
    let differences = prepared(differences)?;
    Some(Shifts::new(walsh_averages(&differences), &chances_of_pairs(differences.len())))
}

/// Probability of each sum of the ranks of so many differences that are positive.
pub(super) fn chances_of_pairs(count: usize) -> Vec<f64> {
    sums(&(1..=count).collect::<Vec<usize>>())
}

fn prepared(differences: &[f64]) -> Option<Vec<f64>> {
    let finite = !differences.is_empty() && differences.iter().all(|difference| difference.is_finite());
    finite.then(|| batch_means(differences, differences.len().div_ceil(PAIRS_MAX)))
}

fn walsh_averages(differences: &[f64]) -> Vec<f64> {
    let mut walsh = Vec::with_capacity(differences.len() * (differences.len() + 1) / 2);
    for (at, one) in differences.iter().enumerate() {
        walsh.extend(differences[at..].iter().map(|other| (one + other) / 2.0));
    }
    walsh
}

/// Twice the rank of each of `values`, from 1: midranks are then integers.
pub(super) fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0; values.len()];
    let mut begin = 0;
    for tied in order.chunk_by(|one, other| values[*one] == values[*other]) {
        // Ranks begin + 1 to begin + length have the mean begin + (length + 1) / 2.
        tied.iter().for_each(|index| ranks[*index] = 2 * begin + tied.len() + 1);
        begin += tied.len();
    }
    ranks
}

/// Probability of each sum of a random subset of `weights`.
fn sums(weights: &[usize]) -> Vec<f64> {
    let mut chances = vec![0.0; weights.iter().sum::<usize>() + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for weight in weights {
        reached += weight;
        for sum in (0..=reached).rev() {
            let with = if sum >= *weight { chances[sum - weight] } else { 0.0 };
            chances[sum] = (chances[sum] + with) / 2.0;
        }
    }
    chances
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn p_value(differences: &[f64]) -> f64 {
        signed_rank(differences).unwrap().p_value
    }

    #[test]
    fn the_smallest_p_values() {
        let all_positive = |count: u32| p_value(&(1..=count).map(f64::from).collect::<Vec<_>>());
        let expected = [(5, 0.0625), (6, 0.03125), (8, 0.0078125), (10, 0.001953125)];
        for (count, p_value) in expected {
            assert_eq!(all_positive(count), p_value);
        }
    }

    #[test]
    fn a_published_example() {
        // Heights of cross- and self-fertilised plants, in eighths of an inch (Darwin 1876): W+ = 96, and 1352 of the
        // 2^15 ways to give signs are as far from the middle; the two middle ones of 120 means are 24.5 and 25.5.
        let darwin = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];
        let found = signed_rank(&darwin).unwrap();
        assert_eq!(found.positive, 96.0);
        assert!((found.p_value - 1352.0 / 32768.0).abs() < 1e-12, "{}", found.p_value);
        assert_eq!(walsh_median(&darwin), Some(25.0));
    }

    #[test]
    fn zeros_and_ties_by_hand() {
        // Ranks 1 (the zero, left out), 2.5, 2.5, 4: signs give 8 sums; as extreme as all positive are 2 of them.
        let found = signed_rank(&[0.0, 1.0, 1.0, 2.0]).unwrap();
        assert_eq!((found.positive, found.p_value), (9.0, 0.25));
        // Sums of 2.5, 2.5 and 4 that are at most 2.5: 0, 2.5, 2.5.
        assert_eq!(p_value(&[0.0, -1.0, 1.0, 2.0]), 0.75);
        assert_eq!(p_value(&[0.0, 0.0, 0.0]), 1.0);
        assert_eq!((signed_rank(&[]), signed_rank(&[1.0, f64::NAN])), (None, None));
    }

    #[test]
    fn intervals_of_few_pairs() {
        let differences = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        // P(W <= 0) = 1/64 is the only tail below 0.025: the ends are the smallest and the largest difference.
        let found = walsh_interval(&differences, 0.95).unwrap();
        assert_eq!((found.low, found.estimate, found.high), (1.0, 3.5, 6.0));
        // P(W <= 2) = 3/64 = 0.047: the third mean from each end, of 1, 1.5, 2, 2, ...
        let found = walsh_interval(&differences, 0.90).unwrap();
        assert_eq!((found.low, found.high), (2.0, 5.0));
        assert_eq!(walsh_interval(&differences[..5], 0.95), None);
        assert!(walsh_interval(&differences[..5], 0.90).is_some());
    }

    #[test]
    fn critical_values_of_the_tables() {
        // The interval that leaves out so many means at each end.
        let critical = |count: usize| {
            let shifts =
                Shifts::new((0..=count * (count + 1) / 2).map(|at| at as f64).collect(), &chances_of_pairs(count));
            shifts.interval(0.025, 0.025).map(|interval| interval.low as usize)
        };
        // Two-sided 0.05: the values that every table prints.
        let table =
            [(5, None), (6, Some(0)), (7, Some(2)), (8, Some(3)), (10, Some(8)), (12, Some(13)), (20, Some(52))];
        for (count, value) in table {
            assert_eq!(critical(count), value, "{count}");
        }
    }

    proptest! {
        #[test]
        fn the_distribution_is_that_of_all_signs(count in 1usize..9, size in 1u8..4) {
            // Few sizes make ties.
            let differences: Vec<f64> = (0..count).map(|at| f64::from((at as u8 * 7 + 3) % (size + 2))).collect();
            let ranks = doubled_ranks(&differences);
            let chances = sums(&ranks);
            let mut counted = vec![0.0; chances.len()];
            for signs in 0u32..1 << count {
                let sum: usize = (0..count).filter(|at| signs >> at & 1 == 1).map(|at| ranks[at]).sum();
                counted[sum] += 1.0 / f64::from(1u32 << count);
            }
            prop_assert!(chances.iter().zip(&counted).all(|(one, other)| (one - other).abs() < 1e-12));
        }

        #[test]
        fn test_and_interval_agree(differences in prop::collection::vec(-3.0f64..5.0, 6..30)) {
            let found = walsh_interval(&differences, 0.95).unwrap();
            prop_assert!(found.low <= found.estimate && found.estimate <= found.high);
            prop_assert_eq!(p_value(&differences) <= 0.05, found.low > 0.0 || found.high < 0.0);
            let turned: Vec<f64> = differences.iter().map(|difference| -difference).collect();
            prop_assert!((p_value(&differences) - p_value(&turned)).abs() < 1e-12);
        }
    }

    #[test]
    fn many_pairs_take_bounded_time() {
        let differences: Vec<f64> = (0..100_000).map(|at| f64::from(at * 7919 % 1000) - 400.0).collect();
        assert!(p_value(&differences) < 1e-6);
        assert!((walsh_median(&differences).unwrap() - 99.5).abs() < 2.0);
    }
}
