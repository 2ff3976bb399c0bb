//! Where a series of rates changes its level: change points of the mean, robust against noise that is correlated from
//! one second to the next.
//!
//! The variance of the noise is taken from differences of neighbours, which a change of level hardly touches: v1 and v2
//! are the means of the squared differences at distance one and two, without the largest tenth, over 0.62302, the mean
//! of the lower nine tenths of chi-squared with one degree of freedom. Their correlation r is v2 / v1 - 1 in [0, 1] and
//! one standard error of it, sqrt((1 - r^2) / n), since too low an estimate splits noise; and s2 (1 + r) / (1 - r) with
//! s2 = v1 / (2 (1 - r)) is the long-run variance. (With medians instead of means, 193 instead of 33 of 1000 stationary
//! series of 360 values with autocorrelation 0.8 were split.) The segmentation is the exact minimum of the sum of
//! squares around the segments' means plus 3 ln(n) long-run variances per change: optimal partitioning, pruned (PELT,
//! Killick et al. 2012). Where levels change now and then, its cost grows with the length; where nothing changes, with
//! the square of it: a few hundred values are meant.
//!
//! The caller limits r: an estimate from a few dozen values is poor, and a low limit keeps it from hiding a clear step.
//! Noise with a stronger correlation is split too often.
//!
//! It assumes stationary noise. It is wrong for periodic noise: each half of a checkpoint cycle may be a segment.

use crate::rules::RULES;
use crate::statistics::{mean, variance};

/// Mean of the lower nine tenths of a chi-squared variable with one degree of freedom.
const MEAN_OF_SQUARES: f64 = 0.62302;
const LENGTH_MIN: usize = 3;

/// Consecutive values of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// The index of the first one.
    pub(crate) begin: usize,
    /// Their number.
    pub(crate) length: usize,
    /// Their mean.
    pub(crate) mean: f64,
}

/// The segments of `values`, which cover them without gaps; at least three values each, unless the series has
/// fewer. The correlation of neighbours is limited to `correlation_max`, in [0, 1).
pub(crate) fn segments(values: &[f64], correlation_max: f64) -> Vec<Segment> {
    let sums = Sums::new(values);
    let count = values.len();
    let penalty = RULES.change_penalty * (count.max(2) as f64).ln() * long_run_variance(values, correlation_max);
    // best[t] is the least cost of the first t values, with the last change point before it.
    let mut best: Vec<(f64, usize)> = vec![(-penalty, 0)];
    let mut begins = vec![0];
    for end in 1..=count {
        let cost = |begin: usize, end: usize| best[begin].0 + sums.squares(begin, end);
        let costs = begins.iter().map(|begin| (cost(*begin, end) + penalty, *begin));
        let least = costs.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, 0));
        // Prunes begins that can no longer be optimal.
        if let Some(change) = end.checked_sub(LENGTH_MIN) {
            begins.retain(|begin| *begin + LENGTH_MIN > change || cost(*begin, change) <= best[change].0);
        }
        best.push(least);
        if let Some(begin) = (end + 1).checked_sub(LENGTH_MIN).filter(|begin| *begin >= LENGTH_MIN) {
            begins.push(begin);
        }
    }
    let mut segments = Vec::new();
    let mut end = count;
    while end > 0 {
        let begin = best[end].1;
        segments.push(Segment { begin, length: end - begin, mean: sums.mean(begin, end) });
        end = begin;
    }
    segments.reverse();
    segments
}

/// The segments before the last level, and the last level: it reaches back over segments within `margin` of its mean,
/// as a share of it. None without segments.
pub(crate) fn last_level(segments: &[Segment], margin: f64) -> Option<(&[Segment], Segment)> {
    let mut level = *segments.last()?;
    let mut first = segments.len() - 1;
    while let Some(before) = first.checked_sub(1).map(|index| &segments[index]) {
        if (before.mean - level.mean).abs() > margin * level.mean {
            break;
        }
        let length = level.length + before.length;
        let mean = (level.mean * level.length as f64 + before.mean * before.length as f64) / length as f64;
        (level, first) = (Segment { begin: before.begin, length, mean }, first - 1);
    }
    Some((&segments[..first], level))
}

fn long_run_variance(values: &[f64], correlation_max: f64) -> f64 {
    let mut squares = Vec::with_capacity(values.len());
    let mut at_distance = |distance: usize| {
        squares.clear();
        squares.extend(values.windows(distance + 1).map(|pair| (pair[distance] - pair[0]).powi(2)));
        let kept = squares.len() * 9 / 10;
        if kept > 0 {
            squares.select_nth_unstable_by(kept, f64::total_cmp);
        }
        let kept = &squares[..kept];
        mean(kept).map_or(0.0, |mean| mean / MEAN_OF_SQUARES)
    };
    let (one, two) = (at_distance(1), at_distance(2));
    if one <= 0.0 {
        // More than nine in ten values equal their neighbours.
        return variance(values);
    }
    let correlation = (two / one - 1.0).clamp(0.0, 1.0);
    let error = ((1.0 - correlation * correlation) / values.len() as f64).sqrt();
    let correlation = (correlation + error).min(correlation_max);
    one / (2.0 * (1.0 - correlation)) * (1.0 + correlation) / (1.0 - correlation)
}

/// Sums of the values and of their squares up to each of them, centred on their mean for accuracy.
struct Sums {
    sums: Vec<(f64, f64)>,
    mean: f64,
}

impl Sums {
    fn new(values: &[f64]) -> Sums {
        let mean = mean(values).unwrap_or(0.0);
        let mut sums = vec![(0.0, 0.0)];
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values.iter().map(|value| value - mean) {
            (sum, squares) = (sum + value, squares + value * value);
            sums.push((sum, squares));
        }
        Sums { sums, mean }
    }

    fn mean(&self, begin: usize, end: usize) -> f64 {
        self.mean + (self.sums[end].0 - self.sums[begin].0) / (end - begin).max(1) as f64
    }

    /// Sum of the squared distances from the mean.
    fn squares(&self, begin: usize, end: usize) -> f64 {
        let sum = self.sums[end].0 - self.sums[begin].0;
        (self.sums[end].1 - self.sums[begin].1 - sum * sum / (end - begin).max(1) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulation::Simulation;

    fn lengths(values: &[f64]) -> Vec<usize> {
        segments(values, 0.8).iter().map(|segment| segment.length).collect()
    }

    #[test]
    fn the_mean_of_the_lower_nine_tenths_of_chi_squared_is_known() {
        // Of the square of a normal variable up to its 0.9 quantile: by the midpoint rule, over the halves of both
        // signs.
        let limit = crate::statistics::normal_quantile(0.95);
        let width = limit / 100_000.0;
        let middles = (0..100_000).map(|at| (f64::from(at) + 0.5) * width);
        let sum: f64 = middles.map(|at| at * at * (-at * at / 2.0).exp()).sum();
        let mean = 2.0 * sum * width / std::f64::consts::TAU.sqrt() / 0.9;
        assert!((mean - MEAN_OF_SQUARES).abs() < 5e-6, "{mean}");
    }

    /// A level with a small wave on it, so that neighbours differ.
    fn level(mean: f64, length: usize) -> Vec<f64> {
        (0..length).map(|at| mean + [0.0, 2.0, -1.0, 1.0, -2.0][at % 5]).collect()
    }

    #[test]
    fn a_level_is_one_segment_and_a_step_makes_two() {
        assert_eq!(lengths(&level(100.0, 30)), [30]);
        let stepped = [level(100.0, 12), level(70.0, 8)].concat();
        assert_eq!(lengths(&stepped), [12, 8]);
        let means: Vec<f64> = segments(&stepped, 0.8).iter().map(|segment| segment.mean.round()).collect();
        assert_eq!(means, [100.0, 70.0]);
    }

    #[test]
    fn correlated_noise_is_seldom_a_change() {
        let mut simulation = Simulation::new(77);
        for (keep, cuts_max) in [(0.0, 1), (0.5, 3), (0.8, 8)] {
            let cuts = (0..100).filter(|_| segments(&simulation.noise(360, keep, 100.0, 5.0), 0.95).len() > 1).count();
            assert!(cuts <= cuts_max, "{keep}: {cuts} of 100");
        }
    }

    #[test]
    fn equal_values_have_no_change_and_few_values_are_one_segment() {
        assert_eq!(lengths(&[5.0; 20]), [20]);
        assert_eq!(lengths(&[1.0, 9.0]), [2]);
        assert_eq!(lengths(&[]), [0; 0]);
        assert_eq!(lengths(&[[100.0; 10], [50.0; 10]].concat()), [10, 10]);
    }

    #[test]
    fn the_last_level_reaches_back_over_what_is_like_it() {
        let found = segments(&[level(50.0, 20), level(100.0, 20), level(106.0, 60)].concat(), 0.8);
        assert_eq!(found.len(), 3);
        let (earlier, last) = last_level(&found, 0.1).unwrap();
        assert_eq!((earlier.len(), last.begin, last.length), (1, 20, 80));
        assert!((last.mean - 104.5).abs() < 1e-9);
        assert_eq!(last_level(&found, 0.01).unwrap().1, found[2]);
        assert_eq!(last_level(&[], 0.1), None);
    }

    /// The least cost by trying every begin for every end.
    fn least_cost(values: &[f64], penalty: f64) -> f64 {
        let sums = Sums::new(values);
        let mut best = vec![-penalty];
        for end in 1..=values.len() {
            let begins = (0..=end.saturating_sub(LENGTH_MIN)).filter(|begin| *begin == 0 || *begin >= LENGTH_MIN);
            let costs = begins.map(|begin| best[begin] + sums.squares(begin, end) + penalty);
            best.push(costs.min_by(f64::total_cmp).unwrap());
        }
        best[values.len()]
    }

    proptest! {
        #[test]
        fn segments_cover_everything(values in prop::collection::vec(0.0f64..1e9, 0..200)) {
            let segments = segments(&values, 0.8);
            let mut next = 0;
            for segment in &segments {
                prop_assert_eq!(segment.begin, next);
                prop_assert!(segment.length >= LENGTH_MIN.min(values.len()));
                next += segment.length;
            }
            prop_assert_eq!(next, values.len());
        }

        #[test]
        fn what_is_pruned_would_not_have_been_better(
            values in prop::collection::vec(prop::sample::select(vec![0.0, 1.0, 2.0, 50.0, 51.0, 100.0]), 6..60),
        ) {
            let penalty = 3.0 * (values.len() as f64).ln() * long_run_variance(&values, 0.8);
            let sums = Sums::new(&values);
            let costs = segments(&values, 0.8).into_iter();
            let cost: f64 = costs.map(|part| sums.squares(part.begin, part.begin + part.length) + penalty).sum();
            let least = least_cost(&values, penalty) + penalty;
            prop_assert!((cost - least).abs() <= 1e-6 * (1.0 + least.abs()), "{cost} {least}");
        }
    }
}
