//! The period of a rate, as caused by checkpoints and compactions.

use crate::rules::RULES;
use crate::statistics::{autocorrelation, batch_means};

/// Critical value of a peak, in standard errors. It is not corrected for the number of lags: together with the least correlation
/// and the bias of sample correlations at long lags, noise of any length and correlation has a period in fewer than one run of
/// twenty (`examples/coverage`).
const ERRORS: f64 = 2.0;

/// The period of `rates` in seconds, from 10 to half of them: the maximum of the autocorrelation after its first zero.
/// None where that is below 0.3, or not significant for the correlation of neighbours and the length (Bartlett 1946).
pub(super) fn period(rates: &[f64]) -> Option<usize> {
    let size = (rates.len() / RULES.steadiness_values_max).max(1);
    let values = batch_means(rates, size);
    let correlations = autocorrelation(&values, values.len() / 2)?;
    let zero = correlations.iter().position(|correlation| *correlation <= 0.0)?;
    let squares: f64 = correlations[1..zero.max(1)].iter().map(|correlation| correlation * correlation).sum();
    let error = ((1.0 + 2.0 * squares) / values.len() as f64).sqrt();
    let from = zero.max(RULES.period_seconds_min.div_ceil(size));
    let peak = (from..correlations.len()).max_by(|one, other| correlations[*one].total_cmp(&correlations[*other]))?;
    let is_peak = correlations[peak] > RULES.period_correlation_min.max(ERRORS * error);
    is_peak.then_some(peak * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Simulation;

    #[test]
    fn dips_that_come_back_are_a_period() {
        let mut rates = Simulation::new(9).noise(300, 0.3, 100.0, 3.0);
        rates.iter_mut().enumerate().filter(|(at, _)| at % 60 < 10).for_each(|(_, rate)| *rate -= 20.0);
        let found = period(&rates).unwrap();
        assert!(found.abs_diff(60) <= 2, "{found}");
    }

    #[test]
    fn noise_has_seldom_a_period() {
        let mut simulation = Simulation::new(10);
        for (count, keep) in [(60, 0.0), (60, 0.6), (300, 0.0), (300, 0.6), (300, 0.9)] {
            let found = (0..200).filter(|_| period(&simulation.noise(count, keep, 100.0, 5.0)).is_some()).count();
            // 5 % are allowed: 10, with a standard deviation of 3.
            assert!(found <= 16, "{count} s, {keep}: {found} of 200");
        }
        assert_eq!((period(&[5.0; 100]), period(&[])), (None, None));
    }
}
