//! Where a series of rates changes its level: change points of the mean, robust against noise that is correlated from
//! one second to the next.
//!
//! The variance of the noise is taken from differences of neighbours, which a change of level hardly touches: v1 and
//! v2 are the medians of the squared differences at distance one and two over 0.4549, the median of chi-squared with
//! one degree of freedom; r = v2 / v1 - 1 in [0, 0.8] is their correlation, and s2 (1 + r) / (1 - r) with
//! s2 = v1 / (2 (1 - r)) the long-run variance. The segmentation is the exact minimum of the sum of squares around the
//! segments' means plus 3 ln(n) long-run variances per segment, by optimal partitioning (Jackson et al. 2005; PELT
//! finds the same). Its cost grows with the square of the length: a few hundred values are meant.
//!
//! From a few dozen values r is hardly more than a guess; the limit keeps a bad one from hiding a clear step. Noise
//! with a stronger correlation than that is cut more often than it should be.
//!
//! It takes the noise for alike all along. It lies where the noise itself has a period: each half of a checkpoint's
//! cycle is a segment then, if it is long enough.

/// Median of a chi-squared variable with one degree of freedom.
const MEDIAN_OF_SQUARES: f64 = 0.4549;
const CORRELATION_MAX: f64 = 0.8;
/// Penalty of a change point, in natural logarithms of the length.
const PENALTY: f64 = 3.0;
const LENGTH_MIN: usize = 3;

/// Consecutive values of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// The index of the first one.
    pub(crate) begin: usize,
    /// How many.
    pub(crate) length: usize,
    /// Their mean.
    pub(crate) mean: f64,
}

/// The segments of `values`, which cover them without gaps; at least three values each, but for a series that has
/// fewer.
pub(crate) fn segments(values: &[f64]) -> Vec<Segment> {
    let sums = Sums::new(values);
    let count = values.len();
    let penalty = PENALTY * (count.max(2) as f64).ln() * long_run_variance(values);
    // best[t] is the least cost of the first t values, with the last change point before it.
    let mut best: Vec<(f64, usize)> = vec![(-penalty, 0)];
    for end in 1..=count {
        let begins = (0..=end.saturating_sub(LENGTH_MIN)).filter(|begin| *begin == 0 || *begin >= LENGTH_MIN);
        let costs = begins.map(|begin| (best[begin].0 + sums.squares(begin, end) + penalty, begin));
        best.push(costs.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, 0)));
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

/// The middle value; the mean of the two middle ones where their number is even. None of none.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (sorted[sorted.len() / 2 - 1] + upper) / 2.0 })
}

fn long_run_variance(values: &[f64]) -> f64 {
    let at_distance = |distance: usize| {
        let squares: Vec<f64> = values.windows(distance + 1).map(|pair| (pair[distance] - pair[0]).powi(2)).collect();
        median(&squares).map_or(0.0, |middle| middle / MEDIAN_OF_SQUARES)
    };
    let (one, two) = (at_distance(1), at_distance(2));
    if one <= 0.0 {
        // More than half of the values equal their neighbours.
        return Sums::new(values).squares(0, values.len()) / values.len().max(1) as f64;
    }
    let correlation = (two / one - 1.0).clamp(0.0, CORRELATION_MAX);
    one / (2.0 * (1.0 - correlation)) * (1.0 + correlation) / (1.0 - correlation)
}

/// Sums of the values and of their squares up to each of them.
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn new(values: &[f64]) -> Sums {
        let mut sums = vec![(0.0, 0.0)];
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values {
            (sum, squares) = (sum + value, squares + value * value);
            sums.push((sum, squares));
        }
        Sums(sums)
    }

    fn mean(&self, begin: usize, end: usize) -> f64 {
        (self.0[end].0 - self.0[begin].0) / (end - begin).max(1) as f64
    }

    /// Sum of the squared distances from the mean.
    fn squares(&self, begin: usize, end: usize) -> f64 {
        let mean = self.mean(begin, end);
        (self.0[end].1 - self.0[begin].1 - mean * mean * (end - begin) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lengths(values: &[f64]) -> Vec<usize> {
        segments(values).iter().map(|segment| segment.length).collect()
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
        let means: Vec<f64> = segments(&stepped).iter().map(|segment| segment.mean.round()).collect();
        assert_eq!(means, [100.0, 70.0]);
    }

    #[test]
    fn correlated_noise_is_seldom_a_change() {
        let mut state = 77u64;
        let mut uniform = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut series = || -> Vec<f64> {
            let mut value = 0.0;
            // Each value keeps half of the one before.
            let noise = (0..300).map(|_| {
                value = 0.5 * value + uniform() - 0.5;
                100.0 + value
            });
            noise.collect()
        };
        let cut = (0..100).filter(|_| segments(&series()).len() > 1).count();
        assert!(cut <= 15, "{cut} of 100");
    }

    #[test]
    fn equal_values_have_no_change_and_few_values_are_one_segment() {
        assert_eq!(lengths(&[5.0; 20]), [20]);
        assert_eq!(lengths(&[1.0, 9.0]), [2]);
        assert_eq!(lengths(&[]), [0; 0]);
        assert_eq!(lengths(&[[100.0; 10], [50.0; 10]].concat()), [10, 10]);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    proptest! {
        #[test]
        fn segments_cover_everything(values in prop::collection::vec(0.0f64..1e9, 0..200)) {
            let segments = segments(&values);
            let mut next = 0;
            for segment in &segments {
                prop_assert_eq!(segment.begin, next);
                prop_assert!(segment.length >= LENGTH_MIN.min(values.len()));
                next += segment.length;
            }
            prop_assert_eq!(next, values.len());
        }
    }
}
