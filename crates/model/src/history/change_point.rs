//! Change points of a metric over records: E-divisive (Matteson and James 2014) with a permutation test.
//!
//! For a split of m and n values the statistic is m n / (m + n) times the energy distance of the two sides, 2 / (m n)
//! sum |x - y| less the mean distance within either side. The best split of all segments is tested by permutations
//! within segments, and kept if significant. This is repeated until no split is significant.
//!
//! For one value per record only: the seconds of a run are correlated and would be split everywhere.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::rules::RULES;
use crate::statistics::mean;

/// The smallest p-value is 1 over this.
const P_VALUES: u32 = 1_000;
/// Maximum of values of a single series, the last ones: the cost is quadratic, and linear in the number of series.
const VALUES_MAX: f64 = 1_000.0;

/// A change between two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The index of the first value after it.
    pub index: usize,
    /// Mean of the values since the previous change.
    pub before: f64,
    /// Mean of the values until the next change.
    pub after: f64,
    /// p-value of the permutation test, for all series that were looked at together (Bonferroni): m (r + 1) / (n + 1) for m
    /// series and n = 1000 m - 1 permutations of which r have a statistic as large; an upper bound where r is 0 (Phipson and
    /// Smyth 2010). It is that of one look: who looks again after each record has as many chances of a change that is none.
    pub p_value_max: f64,
}

/// The number of series among `series` that are long enough for a split.
pub(super) fn series_tested(series: &[Vec<f64>]) -> usize {
    series.iter().filter(|values| values.len() >= 2 * RULES.history_segment_min).count()
}

/// Permutations of each series where `tested` of them are looked at together.
pub(super) fn permutations(tested: usize) -> u64 {
    u64::from(P_VALUES) * tested.max(1) as u64 - 1
}

/// Fewer values show no change where `tested` series are looked at together: of the permutations of two equal halves at
/// least one is expected to separate them as well.
pub(super) fn values_needed(tested: usize) -> usize {
    // Of the C(n, n / 2) ways to choose one half, two give the same halves.
    let (mut count, mut choices) = (2 * RULES.history_segment_min, 1.0);
    for at in 0..count / 2 {
        choices *= (count - at) as f64 / (at + 1) as f64;
    }
    while 2.0 * permutations(tested) as f64 >= choices {
        count += 1;
        let half = (count / 2) as f64;
        choices *= count as f64 / if count.is_multiple_of(2) { half } else { half + 1.0 };
    }
    count
}

/// The changes in each of `series` that are looked at together, by time, with at least five values on each side. The
/// chance that series without a change show any is 0.1 % for all of them together. Deterministic for a seed. Only the last
/// values are used: a thousand of one series, fewer of several.
pub fn change_points(series: &[Vec<f64>], seed: u64) -> Vec<Vec<ChangePoint>> {
    let tested = series_tested(series);
    series.iter().map(|values| changes_of_one(values, tested, seed)).collect()
}

/// The changes in `values`, one of `tested` series.
fn changes_of_one(values: &[f64], tested: usize, seed: u64) -> Vec<ChangePoint> {
    let most = (VALUES_MAX / (tested.max(1) as f64).sqrt()) as usize;
    let over = values.len().saturating_sub(most.max(values_needed(tested)));
    let values = &values[over..];
    if !values.iter().all(|value| value.is_finite()) {
        return Vec::new();
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut borders = vec![0, values.len()];
    let mut chances = Vec::new();
    while let Some((split, chance)) = next_split(values, &borders, tested, &mut random) {
        borders.insert(borders.partition_point(|border| *border < split), split);
        chances.push((split, chance));
    }
    chances.sort_unstable_by_key(|(split, _)| *split);
    let levels: Vec<f64> = borders.windows(2).map(|part| mean(&values[part[0]..part[1]]).unwrap_or(0.0)).collect();
    let changes = chances.iter().zip(levels.windows(2));
    let change = |((split, chance), levels): (&(usize, f64), &[f64])| ChangePoint {
        index: over + split,
        before: levels[0],
        after: levels[1],
        p_value_max: *chance,
    };
    changes.map(change).collect()
}

/// The best split of all segments, and its p-value; None unless significant.
fn next_split(
    values: &[f64],
    borders: &[usize],
    tested: usize,
    random: &mut Xoshiro256PlusPlus,
) -> Option<(usize, f64)> {
    let (clearest, split) = clearest(values, borders)?;
    if clearest <= 0.0 {
        return None;
    }
    let mut as_clear = 0;
    let mut shuffled = values.to_vec();
    for _ in 0..permutations(tested) {
        for part in borders.windows(2) {
            shuffle(&mut shuffled[part[0]..part[1]], random);
        }
        // Tolerates rounding.
        as_clear += u32::from(self::clearest(&shuffled, borders)?.0 >= clearest * (1.0 - 1e-9));
        if chance(as_clear) > RULES.history_significance {
            return None;
        }
    }
    Some((split, chance(as_clear)))
}

/// m (r + 1) / (n + 1) with n = 1000 m - 1.
fn chance(as_clear: u32) -> f64 {
    f64::from(as_clear + 1) / f64::from(P_VALUES)
}

/// The largest statistic of any split of any segment, with its index; None where all segments are too short.
fn clearest(values: &[f64], borders: &[usize]) -> Option<(f64, usize)> {
    let parts = borders.windows(2).map(|part| part[0]..part[1]);
    let splits = parts.filter_map(|part| {
        let (statistic, split) = best_split(&values[part.clone()])?;
        Some((statistic, part.start + split))
    });
    splits.max_by(|one, other| one.0.total_cmp(&other.0))
}

/// The best split of one segment, with incremental sums of distances.
fn best_split(values: &[f64]) -> Option<(f64, usize)> {
    let (count, least) = (values.len(), RULES.history_segment_min);
    if count < 2 * least {
        return None;
    }
    let distances = |value: f64, others: &[f64]| others.iter().map(|other| (value - other).abs()).sum::<f64>();
    let (mut left, mut across) = (0.0, 0.0);
    let mut right: f64 = (0..count).map(|at| distances(values[at], &values[at + 1..])).sum();
    let mut best = None;
    for at in 0..count - least {
        let (to_left, to_right) = (distances(values[at], &values[..at]), distances(values[at], &values[at + 1..]));
        (left, right, across) = (left + to_left, right - to_right, across - to_left + to_right);
        let (m, n) = ((at + 1) as f64, (count - at - 1) as f64);
        if at + 1 >= least {
            let within = 2.0 * left / (m * (m - 1.0)) + 2.0 * right / (n * (n - 1.0));
            let statistic = m * n / (m + n) * (2.0 * across / (m * n) - within);
            if best.is_none_or(|(largest, _)| statistic > largest) {
                best = Some((statistic, at + 1));
            }
        }
    }
    best
}

/// A random permutation (Fisher and Yates).
fn shuffle(values: &mut [f64], random: &mut Xoshiro256PlusPlus) {
    for at in (1..values.len()).rev() {
        let other = (u128::from(random.next_u64()) * (at as u128 + 1)) >> 64;
        values.swap(at, other as usize);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulation::Simulation;

    #[test]
    fn the_statistic_by_hand() {
        // Left 0, 0, 0, 0, 0 and right 2, 2, 2, 2, 2: 25 / 10 (2 / 25 * 50 - 0 - 0) = 10.
        let (statistic, split) = best_split(&[0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 2.0]).unwrap();
        assert!((statistic - 10.0).abs() < 1e-12 && split == 5);
        assert_eq!(best_split(&[1.0; 9]), None);
    }

    #[test]
    fn two_changes_are_found_where_they_are() {
        let mut values = Simulation::new(4).noise(60, 0.0, 100.0, 1.0);
        values[20..40].iter_mut().for_each(|value| *value -= 5.0);
        values[40..].iter_mut().for_each(|value| *value += 5.0);
        let found = changes_of_one(&values, 1, 1);
        assert_eq!(found.iter().map(|change| change.index).collect::<Vec<_>>(), [20, 40]);
        assert!((found[0].before - 100.0).abs() < 1.0 && (found[0].after - 95.0).abs() < 1.0);
        assert!((found[1].after - 105.0).abs() < 1.0 && found[1].p_value_max <= 0.001);
        assert_eq!(changes_of_one(&values, 1, 1), found, "the same seed");
    }

    #[test]
    fn values_without_a_change_have_none() {
        let mut simulation = Simulation::new(5);
        let found = (0..40).filter(|seed| !changes_of_one(&simulation.noise(40, 0.0, 100.0, 5.0), 1, *seed).is_empty());
        assert_eq!(found.count(), 0);
        assert_eq!((changes_of_one(&[], 1, 1), changes_of_one(&[3.0; 50], 1, 1)), (Vec::new(), Vec::new()));
        assert_eq!(changes_of_one(&[f64::NAN; 50], 1, 1), Vec::new());
        let few = [1.0, 1.1, 0.9, 1.0, 1.05, 5.0, 5.1, 4.9, 5.0, 5.05];
        assert_eq!(changes_of_one(&few, 1, 1), Vec::new(), "one of 126 shuffles is as clear");
    }

    #[test]
    fn of_many_values_the_last_thousand_are_looked_at() {
        let values = [vec![1.0; 300], (0..1_000).map(|at| f64::from(at % 3)).collect()].concat();
        assert_eq!(changes_of_one(&values, 1, 1), Vec::new());
    }

    #[test]
    fn a_change_that_one_series_shows_needs_more_values_among_many() {
        // Halves that are apart: of 14 values 2 of 3432 orders separate them as well, of 20 values 2 of 184 756.
        let apart = |count: usize| -> Vec<f64> {
            (0..count).map(|at| if at < count / 2 { 1.0 } else { 9.0 } + (at * 7 % 5) as f64 / 100.0).collect()
        };
        let shown = |count: usize, tested: usize| changes_of_one(&apart(count), tested, 3).len();
        assert_eq!((shown(16, 1), shown(16, 20), shown(24, 20)), (1, 0, 1));
        let both = change_points(&[apart(24), vec![1.0; 24], vec![1.0; 3]], 3);
        assert_eq!(both.iter().map(Vec::len).collect::<Vec<usize>>(), [1, 0, 0]);
        assert_eq!(both[0][0].p_value_max, 0.001);
    }

    #[test]
    fn the_values_that_a_change_needs() {
        // 2 x 999 < C(14, 7) = 3432, 2 x 1999 < C(15, 7) = 6435, 2 x 19 999 < C(18, 9) = 48 620.
        assert_eq!([1, 2, 20].map(values_needed), [14, 15, 18]);
        assert_eq!((permutations(1), permutations(3), permutations(0)), (999, 2_999, 999));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn changes_are_apart(values in prop::collection::vec(0.0f64..10.0, 0..40), seed in any::<u64>()) {
            let mut last = 0;
            for change in changes_of_one(&values, 1, seed) {
                prop_assert!(change.index >= last + 5 && change.index + 5 <= values.len());
                last = change.index;
            }
        }
    }
}
