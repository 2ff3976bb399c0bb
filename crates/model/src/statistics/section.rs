//! Quantiles of what was measured within one run, by sections of it.
//!
//! The latencies of one second resemble each other more than those of another one, so the order of all of them says
//! too much: an interval by order statistics covers the truth a tenth to half of the time. Sections know how far the
//! quantile wanders (Asmussen and Glynn 2007, section IV.5): q +- t sqrt(sum (q_j - q)^2 / (k (k - 1)) (1 + r) / (1 - r)),
//! with q_j that of section j and r the correlation of neighbours.

use super::{Interval, lag1, student_quantile};
use crate::rules::RULES;

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Values in it.
    pub count: u64,
    /// The quantile of these.
    pub value: f64,
}

/// The interval of the quantile `quantile` of a run, which is `value` over all its values and differs from one of
/// `sections`, consecutive and of equal length, to the next.
///
/// None where it would promise too much: where fewer than ten values of a section lie beyond the quantile, so that it
/// should be cut into fewer; where there are fewer than five sections; and where the run is worth fewer than ten
/// independent ones, `effective_samples`, of the series of its seconds.
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
        // Squares 1 + 1 + 1 + 1 + 0 = 4 over 5 * 4; neighbours do not go together; t = 2.776 at 4 degrees of freedom.
        let found = quantile_interval(0.99, 10.0, &sections(&[11.0, 9.0, 11.0, 9.0, 10.0]), 100.0).unwrap();
        assert!((found.high - 10.0 - 2.776_445 * 0.2f64.sqrt()).abs() < 1e-5, "{found:?}");
        let drifting = quantile_interval(0.99, 10.0, &sections(&[9.0, 9.0, 10.0, 11.0, 11.0]), 100.0).unwrap();
        assert!(drifting.half() > found.half(), "what goes together is worth less");
    }

    #[test]
    fn what_would_promise_too_much_is_refused() {
        let alike = sections(&[10.0; 10]);
        assert!(quantile_interval(0.99, 10.0, &alike, 10.0).is_some());
        assert_eq!(quantile_interval(0.999, 10.0, &alike, 10.0), None, "one value of each lies beyond it");
        assert_eq!(quantile_interval(0.99, 10.0, &alike, 9.9), None);
        assert_eq!(quantile_interval(0.99, 10.0, &alike, f64::NAN), None);
        assert_eq!(quantile_interval(0.99, 10.0, &alike[..4], 100.0), None);
    }
}
