//! Intervals of quantiles within one run, by sections.
//!
//! Latencies are correlated within a second: an interval by order statistics of all values has a coverage of only 10 to
//! 50 %. Sections measure how the quantile varies (Asmussen and Glynn 2007, section IV.5): q +- t sqrt(sum (q_j - q)^2
//! / (k (k - 1)) (1 + r) / (1 - r)), with q_j the quantile of section j and r their lag-1 autocorrelation.

use super::{Interval, lag1, student_quantile};
use crate::rules::RULES;

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Number of values.
    pub count: u64,
    /// Their quantile.
    pub value: f64,
}

/// The interval of the quantile `quantile` of a run, which is `value` over all values, by consecutive `sections` of
/// equal length.
///
/// None where it would be too narrow: fewer than ten values of a section beyond the quantile, fewer than five sections,
/// or `effective_samples` of the series of seconds below ten.
pub fn quantile_interval(quantile: f64, value: f64, sections: &[Section], effective_samples: f64) -> Option<Interval> {
    let printable = sections.iter().all(|section| super::is_printable(quantile, section.count as f64));
    let count = sections.len() as f64;
    if effective_samples.is_nan() || effective_samples < RULES.interval_effective_samples_min {
        return None;
    }
    if !printable || sections.len() < RULES.sections_min {
        return None;
    }
    let values: Vec<f64> = sections.iter().map(|section| section.value).collect();
    let correlation = lag1(&values).clamp(0.0, RULES.section_correlation_max);
    let squares: f64 = values.iter().map(|section| (section - value).powi(2)).sum();
    let variance = squares / (count * (count - 1.0)) * (1.0 + correlation) / (1.0 - correlation);
    let half = student_quantile(1.0 - RULES.significance / 2.0, count - 1.0) * variance.sqrt();
    half.is_finite().then(|| Interval::around(value, half))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(values: &[f64]) -> Vec<Section> {
        values.iter().map(|value| Section { count: 1_000, value: *value }).collect()
    }

    #[test]
    fn five_sections_by_hand() {
        // Squares 1 + 1 + 1 + 1 + 0 = 4 over 5 * 4; neighbours are uncorrelated; t = 2.776 at 4 degrees of freedom.
        let found = quantile_interval(0.99, 10.0, &sections(&[11.0, 9.0, 11.0, 9.0, 10.0]), 100.0).unwrap();
        assert!((found.high - 10.0 - 2.776_445 * 0.2f64.sqrt()).abs() < 1e-5, "{found:?}");
        let drifting = quantile_interval(0.99, 10.0, &sections(&[9.0, 9.0, 10.0, 11.0, 11.0]), 100.0).unwrap();
        assert!(drifting.half() > found.half(), "correlated sections are worth less");
    }

    #[test]
    fn too_narrow_intervals_are_refused() {
        let alike = sections(&[10.0; 10]);
        assert!(quantile_interval(0.99, 10.0, &alike, 10.0).is_some());
        assert_eq!(quantile_interval(0.999, 10.0, &alike, 10.0), None, "one value of each lies beyond it");
        assert_eq!(quantile_interval(0.99, 10.0, &alike, 9.9), None);
        assert_eq!(quantile_interval(0.99, 10.0, &alike, f64::NAN), None);
        assert_eq!(quantile_interval(0.99, 10.0, &alike[..4], 100.0), None);
    }
}
