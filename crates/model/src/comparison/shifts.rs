//! Estimates of a shift in order: its interval, and how far the runs speak against a shift on one side of a value.

use crate::statistics::Interval;

/// Tolerates rounding of probabilities at a limit.
const ROUNDING: f64 = 1.0 + 1e-12;

/// Estimates of one shift, the least first, with the distribution of how many of them lie below the true one. It is the
/// same for above.
pub(super) struct Shifts {
    estimates: Vec<f64>,
    /// Probability that at most so many lie below, by their number.
    at_most: Vec<f64>,
}

impl Shifts {
    /// Of `estimates`, at least one, and the probability of each number of them below the true shift, from 0.
    pub(super) fn new(mut estimates: Vec<f64>, chances: &[f64]) -> Shifts {
        estimates.sort_by(f64::total_cmp);
        let mut sum = 0.0;
        let at_most = chances.iter().map(|chance| {
            sum += chance;
            sum
        });
        Shifts { at_most: at_most.collect(), estimates }
    }

    /// The estimate in the middle; the mean of the two middle ones of an even number.
    pub(super) fn median(&self) -> f64 {
        let middle = self.estimates.len() / 2;
        match self.estimates.len().is_multiple_of(2) {
            true => (self.estimates[middle - 1] + self.estimates[middle]) / 2.0,
            false => self.estimates[middle],
        }
    }

    /// The interval outside of which the true shift lies with the probability `below` below it and `above` above it, at
    /// most. None where there are too few runs.
    pub(super) fn interval(&self, below: f64, above: f64) -> Option<Interval> {
        let last = self.estimates.len() - 1;
        // Keeps the ends in order at a confidence near 0.
        let outside = |tail: f64| largest_below(&self.at_most, tail).map(|outside| outside.min(last / 2));
        let (low, high) = (outside(below)?, outside(above)?);
        Some(Interval { estimate: self.median(), low: self.estimates[low], high: self.estimates[last - high] })
    }

    /// Probability of runs that lie as far above `value` where the true shift is not above it. It is at most t exactly
    /// where an interval with the probability t below it lies above `value`.
    pub(super) fn chance_of_not_above(&self, value: f64) -> f64 {
        self.chance_of(self.estimates.partition_point(|estimate| *estimate <= value))
    }

    /// The same of runs that lie as far below `value` where the true shift is not below it.
    pub(super) fn chance_of_not_below(&self, value: f64) -> f64 {
        self.chance_of(self.estimates.len() - self.estimates.partition_point(|estimate| *estimate < value))
    }

    fn chance_of(&self, outside: usize) -> f64 {
        self.at_most.get(outside).copied().unwrap_or(1.0).min(1.0)
    }
}

/// The largest number whose probability in `at_most` is not above `tail`; None where that of 0 is.
pub(super) fn largest_below(at_most: &[f64], tail: f64) -> Option<usize> {
    at_most.partition_point(|chance| *chance <= tail * ROUNDING).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six estimates of a shift that lies below each of them, or above, with probability 1/8, and so on.
    fn six() -> Shifts {
        Shifts::new(vec![3.0, 1.0, 2.0, 6.0, 5.0, 4.0], &[0.125, 0.125, 0.25, 0.25, 0.125, 0.125])
    }

    #[test]
    fn an_interval_has_a_tail_on_each_side() {
        let ends = |below: f64, above: f64| six().interval(below, above).map(|found| (found.low, found.high));
        assert_eq!(ends(0.125, 0.125), Some((1.0, 6.0)));
        assert_eq!(ends(0.25, 0.125), Some((2.0, 6.0)));
        assert_eq!(ends(0.125, 0.3), Some((1.0, 5.0)));
        assert_eq!((ends(0.1, 0.3), ends(0.3, 0.1)), (None, None));
        assert_eq!(ends(0.9, 0.9), Some((3.0, 4.0)), "the ends stay in order");
        assert_eq!(six().median(), 3.5);
    }

    #[test]
    fn an_interval_lies_beyond_a_value_exactly_where_the_chance_is_small() {
        for value in [0.0, 1.0, 1.5, 2.0, 3.5, 6.0, 7.0] {
            for tail in [0.125, 0.25] {
                let found = six().interval(tail, tail).unwrap();
                assert_eq!(six().chance_of_not_above(value) <= tail, found.low > value, "{value} {tail}");
                assert_eq!(six().chance_of_not_below(value) <= tail, found.high < value, "{value} {tail}");
            }
        }
        assert_eq!((six().chance_of_not_above(9.0), six().chance_of_not_below(-9.0)), (1.0, 1.0));
        assert_eq!((six().chance_of_not_above(0.5), six().chance_of_not_below(6.5)), (0.125, 0.125));
        assert_eq!((six().chance_of_not_above(1.0), six().chance_of_not_below(6.0)), (0.25, 0.25));
    }
}
