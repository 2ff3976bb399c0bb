//! Repeats without pairs: the exact rank-sum test (Mann and Whitney 1947), how often one side wins, and the shift
//! between the two (Hodges and Lehmann 1963).

use super::shifts::Shifts;
use super::signed_rank::doubled_ranks;
use crate::statistics::{Interval, batch_means};

/// More repeats of a side are averaged in batches of neighbours to at most this number.
const REPEATS_MAX: usize = 60;

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSum {
    /// Pairs across the sides in which the other is larger; ties count half.
    pub wins: f64,
    /// Share of these pairs: the probability that the other is larger (Vargha and Delaney 2000). Cliff's delta is twice
    /// that less one.
    pub superiority: f64,
    /// Two-sided p-value over all assignments of the values to the two sides.
    pub p_value: f64,
}

/// The exact rank-sum test of `other` against `base`; None where a side is empty or a value is not finite.
///
/// Ties have midranks, and the distribution is that of these ranks. Above 60 values of a side, means of batches of
/// neighbours are tested.
pub fn rank_sum(base: &[f64], other: &[f64]) -> Option<RankSum> {
    let (base, other) = (prepared(base)?, prepared(other)?);
    let ranks = doubled_ranks(&[base.as_slice(), other.as_slice()].concat());
    let sum: usize = ranks[base.len()..].iter().sum();
    let chances = sums(&ranks, other.len());
    let (below, above): (f64, f64) = (chances[..=sum].iter().sum(), chances[sum..].iter().sum());
    let wins = (sum - other.len() * (other.len() + 1)) as f64 / 2.0;
    Some(RankSum {
        wins,
        superiority: wins / (base.len() * other.len()) as f64,
        p_value: (2.0 * below.min(above)).min(1.0),
    })
}

/// The Hodges-Lehmann estimate of how far `other` lies above `base`: the median of all differences between a value of
/// one and a value of the other. None where a side is empty or a value is not finite.
pub fn shift_median(base: &[f64], other: &[f64]) -> Option<f64> {
    shifts_of_repeats(base, other).map(|shifts| shifts.median())
}

/// The same with its exact interval at `confidence`: of n m ordered differences, those at c + 1 and n m - c, where c is
/// the largest value with P(U <= c) <= (1 - confidence) / 2. It assumes two distributions of one shape.
///
/// None where there are too few: at 0.95, fewer than four and four, or three and five.
pub fn shift_interval(base: &[f64], other: &[f64], confidence: f64) -> Option<Interval> {
    let tail = (1.0 - confidence) / 2.0;
    shifts_of_repeats(base, other)?.interval(tail, tail)
}

/// The differences between a value of `other` and a value of `base`: as many lie below the true shift as the test
/// counts.
pub(super) fn shifts_of_repeats(base: &[f64], other: &[f64]) -> Option<Shifts> {
    let (base, other) = (prepared(base)?, prepared(other)?);
    let differences = base.iter().flat_map(|one| other.iter().map(move |value| value - one)).collect();
    Some(Shifts::new(differences, &chances_of_repeats(base.len(), other.len())))
}

/// Probability of each number of pairs across sides of so many repeats in which the other is larger.
fn chances_of_repeats(base: usize, other: usize) -> Vec<f64> {
    let ranks: Vec<usize> = (1..=base + other).collect();
    sums(&ranks, other).split_off(other * (other + 1) / 2)
}

fn prepared(values: &[f64]) -> Option<Vec<f64>> {
    let finite = !values.is_empty() && values.iter().all(|value| value.is_finite());
    finite.then(|| batch_means(values, values.len().div_ceil(REPEATS_MAX)))
}

/// Probability of each sum of `count` of `weights`, all choices being equally likely.
fn sums(weights: &[usize], count: usize) -> Vec<f64> {
    let mut sorted = weights.to_vec();
    sorted.sort_unstable();
    let largest: usize = sorted.iter().rev().take(count).sum();
    // ways[k][s]: choices of k of the weights seen so far with the sum s. Of 60 among 120 there are some 1e35.
    let mut ways = vec![vec![0.0f64; largest + 1]; count + 1];
    ways[0][0] = 1.0;
    for weight in sorted {
        for chosen in (1..=count).rev() {
            let (fewer, more) = ways.split_at_mut(chosen);
            let (fewer, more) = (&fewer[chosen - 1], &mut more[0]);
            for sum in weight..=largest {
                more[sum] += fewer[sum - weight];
            }
        }
    }
    let all: f64 = ways[count].iter().sum();
    ways[count].iter().map(|ways| ways / all).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(range: std::ops::RangeInclusive<u32>) -> Vec<f64> {
        range.map(f64::from).collect()
    }

    #[test]
    fn the_smallest_p_values() {
        let apart = |count: u32| rank_sum(&numbers(1..=count), &numbers(count + 1..=2 * count)).unwrap();
        // 2 / C(8, 4) and 2 / C(10, 5).
        assert!((apart(4).p_value - 2.0 / 70.0).abs() < 1e-12);
        assert!((apart(5).p_value - 2.0 / 252.0).abs() < 1e-12);
        assert_eq!((apart(5).wins, apart(5).superiority), (25.0, 1.0));
        assert!((rank_sum(&[1.0], &[2.0]).unwrap().p_value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn ties_by_hand() {
        // Ranks of 1, 2 | 2, 3 are 1, 2.5, 2.5, 4: the sums of two are 3.5, 3.5, 5, 5, 6.5, 6.5.
        let found = rank_sum(&[1.0, 2.0], &[2.0, 3.0]).unwrap();
        assert_eq!((found.wins, found.superiority), (3.5, 0.875));
        assert!((found.p_value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(rank_sum(&[1.0, 1.0], &[1.0]).unwrap().p_value, 1.0);
        assert_eq!((rank_sum(&[], &[1.0]), rank_sum(&[1.0], &[f64::INFINITY])), (None, None));
    }

    #[test]
    fn critical_values_of_the_tables() {
        // The interval that leaves out so many differences at each end.
        let critical = |base: usize, other: usize| {
            let numbers = (0..=base * other).map(|at| at as f64).collect();
            let shifts = Shifts::new(numbers, &chances_of_repeats(base, other));
            shifts.interval(0.025, 0.025).map(|interval| interval.low as usize)
        };
        let table =
            [(3, 4, None), (3, 5, Some(0)), (4, 4, Some(0)), (5, 5, Some(2)), (10, 10, Some(23)), (8, 12, Some(22))];
        for (base, other, value) in table {
            assert_eq!((critical(base, other), critical(other, base)), (value, value), "{base} {other}");
        }
    }

    #[test]
    fn the_shift_of_four_and_four() {
        let (base, other) = ([1.0, 2.0, 3.0, 4.0], [11.0, 12.0, 13.0, 14.0]);
        assert_eq!(shift_median(&base, &other), Some(10.0));
        let found = shift_interval(&base, &other, 0.95).unwrap();
        assert_eq!((found.low, found.high), (7.0, 13.0));
        assert_eq!(shift_interval(&base[..3], &other, 0.95), None);
    }

    #[test]
    fn many_repeats_take_bounded_time() {
        let values: Vec<f64> = (0..100_000).map(|at| f64::from(at * 7919 % 1000)).collect();
        let more: Vec<f64> = values.iter().map(|value| value + 50.0).collect();
        assert!((shift_median(&values, &more).unwrap() - 50.0).abs() < 5.0);
        assert!(rank_sum(&values, &more).unwrap().p_value < 1e-6);
    }

    proptest! {
        #[test]
        fn test_and_interval_agree(
            base in prop::collection::vec(0.0f64..4.0, 4..12),
            other in prop::collection::vec(0.0f64..5.0, 4..12),
        ) {
            let (test, found) = (rank_sum(&base, &other).unwrap(), shift_interval(&base, &other, 0.95).unwrap());
            prop_assert!(found.low <= found.estimate && found.estimate <= found.high);
            prop_assert_eq!(test.p_value <= 0.05, found.low > 0.0 || found.high < 0.0);
            let turned = rank_sum(&other, &base).unwrap();
            prop_assert!((turned.p_value - test.p_value).abs() < 1e-9);
            prop_assert!((turned.superiority + test.superiority - 1.0).abs() < 1e-12);
        }
    }
}
