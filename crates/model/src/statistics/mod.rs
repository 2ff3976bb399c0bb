//! Statistics of runs: distributions, order statistics, intervals of correlated series.
//!
//! The seconds of a run are correlated: intervals that assume independence have a coverage of only about 50 %. Use
//! [`mean_interval`] for series, [`quantile_interval`] for quantiles of a run, and [`order_interval`] only for
//! independent repeats.

mod correlation;
mod incomplete;
mod mean_interval;
mod order;
mod quantiles;
mod section;
mod trend;

pub use correlation::{Correlation, autocorrelation, batch_means, correlation, lag1};
pub use record::is_printable;

pub use mean_interval::{MeanInterval, mean_interval, student_interval};
pub use order::{OrderRanks, order_interval, order_ranks, samples_needed};
pub(crate) use quantiles::{chi_squared_quantile, normal_probability};
pub use quantiles::{f_quantile, normal_quantile, student_quantile};
pub use section::{Section, quantile_interval};
pub use trend::{Trend, trend};

/// An estimate with its confidence interval, of 0.95 unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// `half` to both sides of `estimate`.
    pub fn around(estimate: f64, half: f64) -> Interval {
        Interval { estimate, low: estimate - half, high: estimate + half }
    }

    /// Half of the width.
    pub fn half(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether `value` lies within, the ends included.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The arithmetic mean; None without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample variance, with n - 1; 0 below two values.
pub fn variance(values: &[f64]) -> f64 {
    let Some(mean) = mean(values) else { return 0.0 };
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (values.len() - 1).max(1) as f64
}

/// The median; the mean of the two middle values of an even number. None without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    median_of(&mut values)
}

/// [`median`], reordering `values`: linear time.
pub(crate) fn median_of(values: &mut [f64]) -> Option<f64> {
    let (middle, is_even) = (values.len() / 2, values.len().is_multiple_of(2));
    if values.is_empty() {
        return None;
    }
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    let lower = below.iter().copied().max_by(f64::total_cmp).filter(|_| is_even);
    Some(lower.map_or(upper, |lower| (lower + upper) / 2.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!((median(&[7.0]), median(&[])), (Some(7.0), None));
    }

    #[test]
    fn mean_and_variance_by_hand() {
        assert_eq!((mean(&[2.0, 4.0, 9.0]), mean(&[])), (Some(5.0), None));
        assert_eq!((variance(&[2.0, 4.0, 9.0]), variance(&[2.0]), variance(&[])), (13.0, 0.0, 0.0));
    }

    #[test]
    fn an_interval_has_two_sides() {
        let interval = Interval::around(10.0, 2.0);
        assert_eq!((interval.low, interval.high, interval.half()), (8.0, 12.0, 2.0));
        assert!(interval.contains(12.0) && !interval.contains(12.1));
    }

    proptest! {
        #[test]
        fn as_many_values_lie_below_the_median_as_above(values in prop::collection::vec(-1e9f64..1e9, 1..60)) {
            let middle = median(&values).unwrap();
            let below = values.iter().filter(|value| **value < middle).count();
            let above = values.iter().filter(|value| **value > middle).count();
            prop_assert!(below <= values.len() / 2 && above <= values.len() / 2);
        }
    }
}
