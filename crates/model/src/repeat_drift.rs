//! Repeats whose rates drift in the order in which they were measured: they are not exchangeable, and their median and its
//! interval stand for no state of the platform.

use record::Run;

use crate::degree::Degree;
use crate::group::{Repeats, degree};
use crate::rules::RULES;
use crate::statistics::{student_quantile, trend};

/// The drift of the repeats of a test at one degree of parallelism.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatDrift {
    /// The degree.
    pub degree: Degree,
    /// The number of the run that represents the repeats.
    pub run: u32,
    /// How many repeats.
    pub repeats: usize,
    /// The change from the first repeat to the last along the fitted line, as a share of the first: -0.25 is a quarter fewer.
    pub change: f64,
}

/// The drift of `repeats`, one of so many `rows` of a record whose repeats are looked at: a line through the logarithms of the
/// rates in the order of measurement, whose slope is significant by Student's t with the significance divided by the rows
/// (Bonferroni), and that changes by a share that matters ([`crate::Rules::repeat_drift_min`]). None otherwise.
pub(crate) fn repeat_drift(repeats: &Repeats<'_>, rows: usize) -> Option<RepeatDrift> {
    if repeats.count() < RULES.repeat_drift_repeats_min {
        return None;
    }
    let mut rated: Vec<(u32, f64)> = repeats.runs().map(|run| run.number).zip(repeats.rates()).collect();
    rated.sort_by_key(|(number, _)| *number);
    let logs: Vec<f64> = rated.iter().map(|(_, rate)| rate.ln()).collect();
    // A rate of 0 has no logarithm, and no line.
    let line = trend(&logs).filter(|line| line.slope.is_finite())?;
    let change = (line.slope * (logs.len() - 1) as f64).exp_m1();
    let quantile = student_quantile(1.0 - RULES.significance / (2.0 * rows.max(1) as f64), (logs.len() - 2) as f64);
    let is_significant = line.slope.abs() > quantile * line.slope_error;
    let speaking: &Run = repeats.speaking()?.1;
    (is_significant && change.abs() >= RULES.repeat_drift_min).then(|| RepeatDrift {
        degree: degree(speaking),
        run: speaking.number,
        repeats: repeats.count(),
        change,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;
    use crate::simulation::Simulation;

    fn found(rates: &[f64], rows: usize) -> Option<RepeatDrift> {
        let runs: Vec<Run> = (1..).take(rates.len()).map(|number| Run { number, ..run("T716", 2) }).collect();
        repeat_drift(&Repeats::of(rates.iter().copied().zip(&runs).collect())?, rows)
    }

    #[test]
    fn a_cache_that_fills_from_repeat_to_repeat_is_a_drift() {
        let found = found(&[470.0, 520.0, 590.0, 640.0, 700.0, 740.0], 1).unwrap();
        assert_eq!((found.repeats, found.run), (6, 3));
        assert!((found.change - 0.58).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn neither_noise_nor_a_small_change_nor_few_repeats_are_one() {
        assert_eq!(found(&[500.0, 520.0, 490.0, 510.0, 505.0, 495.0], 1), None);
        assert_eq!(found(&[500.0, 502.0, 504.0, 506.0, 508.0, 510.0], 1), None, "2 % of the first");
        assert_eq!(found(&[470.0, 520.0, 590.0, 640.0, 700.0], 1), None, "five");
        assert_eq!(found(&[0.0, 520.0, 590.0, 640.0, 700.0, 740.0], 1), None, "no logarithm");
    }

    #[test]
    fn a_change_that_many_rows_explain_is_none() {
        let rates = [500.0, 530.0, 510.0, 560.0, 540.0, 580.0];
        assert!(found(&rates, 1).is_some());
        assert_eq!(found(&rates, 100), None);
    }

    #[test]
    fn exchangeable_repeats_of_a_record_drift_in_one_of_twenty_records() {
        let mut simulation = Simulation::new(36);
        let (records, rows) = (400, 20);
        let mut with_drift = 0;
        for _ in 0..records {
            let mut row = || found(&simulation.noise(6, 0.0, 1_000.0, 50.0), rows).is_some();
            with_drift += usize::from((0..rows).any(|_| row()));
        }
        // Binomial of 400 and 0.05: mean 20, deviation 4.4.
        assert!((7..=34).contains(&with_drift), "{with_drift} of {records}");
    }
}
