//! Autocorrelation and effective sample size of a series.

use super::{mean, variance};

/// The correlation of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Integrated autocorrelation time, in values; below 1 with negative correlation.
    pub time: f64,
    /// Effective sample size for the mean: length over `time`.
    pub effective_samples: f64,
    /// Variance of the mean of the series.
    pub mean_variance: f64,
}

/// The autocorrelation time of `values` by the initial monotone sequence (Geyer 1992, section 3.3): sums of
/// neighbouring pairs of autocovariances, made monotone, as long as positive. None below four values. Equal values
/// count as independent.
///
/// Needs about ten times the autocorrelation time of values. A trend makes the time very long.
pub fn correlation(values: &[f64]) -> Option<Correlation> {
    let count = values.len();
    if count < 4 {
        return None;
    }
    let mean = mean(values)?;
    let deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let spread = autocovariance(&deviations, 0);
    let length = count as f64;
    if is_rounding(spread, mean) {
        return Some(Correlation { time: 1.0, effective_samples: length, mean_variance: 0.0 });
    }
    let (mut sum, mut last) = (0.0, f64::INFINITY);
    for pair in 0..count / 2 {
        let both = autocovariance(&deviations, 2 * pair) + autocovariance(&deviations, 2 * pair + 1);
        if both <= 0.0 {
            break;
        }
        last = both.min(last);
        sum += last;
    }
    // With negative correlation the sum may vanish; the effective sample size is limited to the square of the length.
    let time = ((2.0 * sum - spread) / spread).max(1.0 / length);
    Some(Correlation { time, effective_samples: length / time, mean_variance: time * spread / length })
}

/// Whether a variance is within the rounding of the mean, or NaN.
fn is_rounding(variance: f64, mean: f64) -> bool {
    variance.is_nan() || variance <= (mean * 1e-12).powi(2)
}

/// Sum of the products of deviations at a distance, over their number.
fn autocovariance(deviations: &[f64], lag: usize) -> f64 {
    let products = deviations.iter().zip(&deviations[lag.min(deviations.len())..]).map(|(one, other)| one * other);
    products.sum::<f64>() / deviations.len() as f64
}

/// Autocorrelations of `values` at the distances from 0 to `lag_max`, each in [-1, 1]; None where all values are equal.
pub fn autocorrelation(values: &[f64], lag_max: usize) -> Option<Vec<f64>> {
    let mean = mean(values)?;
    let deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let spread = autocovariance(&deviations, 0);
    if is_rounding(spread, mean) {
        return None;
    }
    let lags = 0..=lag_max.min(values.len() - 1);
    Some(lags.map(|lag| autocovariance(&deviations, lag) / spread).collect())
}

/// The lag-1 autocorrelation; 0 where undefined, as below three values.
pub fn lag1(values: &[f64]) -> f64 {
    if values.len() < 3 {
        return 0.0;
    }
    autocorrelation(values, 1).map_or(0.0, |found| found[1])
}

/// Means of consecutive batches of `size` values, without the remainder at the beginning. Empty for size 0.
pub fn batch_means(values: &[f64], size: usize) -> Vec<f64> {
    if size == 0 {
        return Vec::new();
    }
    let over = values.len() % size;
    values[over..].chunks_exact(size).map(|batch| batch.iter().sum::<f64>() / size as f64).collect()
}

/// The variance of the mean of weakly correlated `means`: that of independent ones times (1 + r) / (1 - r), with the
/// lag-1 autocorrelation r clamped to [0, `correlation_max`].
pub(super) fn corrected_variance(means: &[f64], correlation_max: f64) -> f64 {
    let correlation = lag1(means).clamp(0.0, correlation_max);
    variance(means) / means.len().max(1) as f64 * (1.0 + correlation) / (1.0 - correlation)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulation::Simulation;

    #[test]
    fn autocorrelation_by_hand() {
        // Deviations -1, 0, 1, 0 and -1, 0, 1, 0: c(0) = 4 / 8, c(1) = 0, c(2) = -3 / 8.
        let wave = [1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.0, 2.0];
        assert_eq!(autocorrelation(&wave, 2), Some(vec![1.0, 0.0, -0.75]));
        assert_eq!((lag1(&[1.0, 2.0]), lag1(&[5.0; 9])), (0.0, 0.0));
        assert_eq!((autocorrelation(&[5.0; 9], 3), autocorrelation(&[], 3)), (None, None));
    }

    #[test]
    fn the_remainder_of_batches_is_at_the_front() {
        assert_eq!(batch_means(&[9.0, 1.0, 3.0, 5.0, 7.0], 2), [2.0, 6.0]);
        assert_eq!((batch_means(&[1.0], 2).len(), batch_means(&[1.0], 0).len()), (0, 0));
    }

    #[test]
    fn the_time_of_a_known_series_is_found() {
        // (1 + r) / (1 - r) for a series in which each value keeps the share r of the one before.
        for (keep, time) in [(0.0, 1.0), (0.5, 3.0), (0.8, 9.0), (0.95, 39.0)] {
            let found = correlation(&Simulation::new(3).noise(40_000, keep, 100.0, 5.0)).unwrap();
            assert!((found.time / time - 1.0).abs() < 0.15, "{keep}: {}", found.time);
            assert!((found.effective_samples * found.time / 40_000.0 - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn equal_and_few_values() {
        let found = correlation(&[3.3; 10]).unwrap();
        assert_eq!((found.time, found.effective_samples, found.mean_variance), (1.0, 10.0, 0.0));
        assert_eq!(correlation(&[1.0, 2.0, 3.0]), None);
    }

    proptest! {
        #[test]
        fn effective_sample_sizes_are_positive(values in prop::collection::vec(-1e9f64..1e9, 4..80)) {
            let found = correlation(&values).unwrap();
            prop_assert!(found.time > 0.0 && found.effective_samples > 0.0 && found.mean_variance >= 0.0);
            let correlations = autocorrelation(&values, 100).unwrap_or_default();
            prop_assert!(correlations.iter().all(|value| value.abs() <= 1.0 + 1e-9));
        }
    }
}
