//! The drift of a rate over the counted seconds, with its interval.

use crate::rules::RULES;
use crate::statistics::{mean, student_quantile, trend};

/// The drift of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drift {
    /// Change of the regression line from the first second to the last, as a share of the mean.
    pub(super) share: f64,
    /// Half-width of its interval.
    pub(super) half: f64,
    /// Whether it is a rise.
    pub(super) rises: bool,
}

/// The drift of `rates`, by a line through the means of 20 batches that cover all of them and differ by at most one in
/// length; None where they are fewer, and where their mean is not above 0.
pub(super) fn drift(rates: &[f64]) -> Option<Drift> {
    let count = RULES.drift_batches;
    let begin = |batch: usize| batch * rates.len() / count;
    let means: Option<Vec<f64>> = (0..count).map(|batch| mean(&rates[begin(batch)..begin(batch + 1)])).collect();
    let means = means?;
    let mean = mean(&means).filter(|mean| mean.is_finite() && *mean > 0.0)?;
    let line = trend(&means)?;
    // The middles of the outer batches are nearer to each other than the first second and the last.
    let steps = count as f64 * (rates.len() - 1) as f64 / rates.len() as f64;
    let student = student_quantile(1.0 - RULES.significance / 2.0, (count - 2) as f64);
    Some(Drift {
        share: line.slope.abs() * steps / mean,
        half: student * line.slope_error * steps / mean,
        rises: line.slope > 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_rise_is_known_exactly() {
        let rates: Vec<f64> = (0..100).map(|at| 950.5 + f64::from(at)).collect();
        let found = drift(&rates).unwrap();
        // From the first second to the last: 99 of a mean of 1000.
        assert!((found.share - 0.099).abs() < 1e-12 && found.half < 1e-12 && found.rises, "{found:?}");
    }

    #[test]
    fn no_second_is_left_out() {
        for count in [39, 59, 79] {
            let length = f64::from(count);
            // 10 % from the first second to the last, of a mean of 1000; batches of different lengths are not quite at
            // equal distances.
            let rates: Vec<f64> = (0..count).map(|at| 950.0 + 100.0 * f64::from(at) / (length - 1.0)).collect();
            let found = drift(&rates).unwrap();
            assert!((found.share / 0.1 - 1.0).abs() < 0.03 && found.half < 0.003, "{count}: {found:?}");
        }
    }

    #[test]
    fn no_drift_of_nothing() {
        assert_eq!((drift(&[1.0; 19]), drift(&[0.0; 100]), drift(&[f64::NAN; 100])), (None, None, None));
    }
}
