//! The mean of a correlated series, such as the rates of the seconds of a run.

use super::correlation::corrected_variance;
use super::{Correlation, Interval, batch_means, correlation, lag1, mean, student_quantile, variance};
use crate::rules::RULES;

/// Longer series are averaged in batches to at most this number of values, since correlation may take quadratic time.
const VALUES_MAX: usize = 20_000;

/// The mean of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// The mean.
    pub mean: f64,
    /// The 95 % interval, of the noise within this series only, not between runs. Absent with an effective sample size
    /// below ten.
    pub interval: Option<Interval>,
    /// Effective sample size.
    pub effective_samples: f64,
    /// Autocorrelation time in values.
    pub correlation_time: f64,
}

/// The mean of `values` with the wider of two intervals; None below four values.
///
/// One is by adaptive batch means: batches are doubled until their means are almost uncorrelated, or there are fewer
/// than ten, and the remaining correlation is corrected for (after the N-Skart procedure of Tafazzoli et al. 2011). The
/// other is by the initial monotone sequence (Geyer 1992). In simulations their coverage is correct from 300 values on;
/// for 60 strongly correlated values they are too narrow.
pub fn mean_interval(values: &[f64]) -> Option<MeanInterval> {
    let thinned = batch_means(values, values.len().div_ceil(VALUES_MAX).max(1));
    let Correlation { time, effective_samples, mean_variance } = correlation(&thinned)?;
    let mean = mean(values)?;
    let interval = (effective_samples >= RULES.interval_effective_samples_min).then(|| {
        let by_sequence = student_975(effective_samples - 1.0) * mean_variance.sqrt();
        Interval::around(mean, by_sequence.max(half_by_batches(&thinned)))
    });
    let correlation_time = time * values.len() as f64 / thinned.len() as f64;
    Some(MeanInterval { mean, interval, effective_samples, correlation_time })
}

/// The mean of independent `values` with its interval by Student's t at `confidence`; None below two values.
pub fn student_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let error = (variance(values) / values.len() as f64).sqrt();
    Some(Interval::around(mean(values)?, student_quantile(f64::midpoint(1.0, confidence), freedom) * error))
}

fn half_by_batches(values: &[f64]) -> f64 {
    let mut size = 1;
    loop {
        let means = batch_means(values, size);
        let independent = lag1(&means) < 1.0 / (means.len() as f64).sqrt();
        if independent || values.len() / (2 * size) < RULES.batches_min {
            let variance = corrected_variance(&means, RULES.correlation_max);
            return student_975((means.len() - 1) as f64) * variance.sqrt();
        }
        size *= 2;
    }
}

fn student_975(freedom: f64) -> f64 {
    student_quantile(1.0 - RULES.significance / 2.0, freedom)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulation::Simulation;
    use crate::statistics::variance;

    #[test]
    fn independent_values_have_the_interval_of_student() {
        let values: Vec<f64> = (0..40).map(|at| 100.0 + [3.0, -1.0, -3.0, 1.0, 0.0][at * 7 % 5]).collect();
        let found = mean_interval(&values).unwrap();
        let plain = student_quantile(0.975, 39.0) * (variance(&values) / 40.0).sqrt();
        let half = found.interval.unwrap().half();
        assert!((found.mean - 100.0).abs() < 1e-9 && half >= plain * 0.999 && half < 1.3 * plain, "{half} {plain}");
    }

    #[test]
    fn a_strongly_correlated_series_has_no_interval() {
        let wandering = Simulation::new(5).noise(60, 0.97, 100.0, 5.0);
        let found = mean_interval(&wandering).unwrap();
        assert_eq!(found.interval, None);
        assert!(found.effective_samples < 10.0 && found.correlation_time > 6.0);
        assert_eq!(mean_interval(&[1.0, 2.0, 3.0]), None);
        assert_eq!(mean_interval(&[7.0; 60]).unwrap().interval, Some(Interval::around(7.0, 0.0)));
    }

    /// The large simulation is `examples/coverage.rs`; this one is a regression test.
    #[test]
    fn the_interval_has_its_coverage() {
        let mut simulation = Simulation::new(11);
        let (mut given, mut covered) = (0, 0);
        for _ in 0..300 {
            if let Some(interval) = mean_interval(&simulation.noise(300, 0.8, 100.0, 5.0)).unwrap().interval {
                given += 1;
                covered += usize::from(interval.contains(100.0));
            }
        }
        let share = covered as f64 / given as f64;
        assert!(given > 290 && (0.90..=0.98).contains(&share), "{share} of {given}");
    }

    #[test]
    fn a_long_series_is_averaged() {
        let found = mean_interval(&Simulation::new(1).noise(100_000, 0.9, 100.0, 5.0)).unwrap();
        assert!((found.correlation_time / 19.0 - 1.0).abs() < 0.3, "{}", found.correlation_time);
        assert!(found.interval.unwrap().half() < 0.3);
    }

    proptest! {
        #[test]
        fn the_mean_lies_within(values in prop::collection::vec(0.0f64..1e9, 0..120)) {
            if let Some(found) = mean_interval(&values) {
                let within = found.interval.is_none_or(|interval| interval.contains(found.mean));
                prop_assert!(within && found.effective_samples.is_finite());
            }
        }
    }
}
