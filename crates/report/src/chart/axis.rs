//! An axis: label, scale from values to positions, format of values.

use record::{Nanos, Ratio};

use crate::figure;

/// One axis of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity with its unit: `jobs`, `rows per second`.
    pub label: String,
    /// The scale.
    pub scale: Scale,
    /// The format of values.
    pub figures: Figures,
}

impl Axis {
    /// An axis.
    pub fn new(label: impl Into<String>, scale: Scale, figures: Figures) -> Axis {
        Axis { label: label.into(), scale, figures }
    }

    /// `value` in words: followed by the unit where the label is a unit, else preceded by the label.
    pub(super) fn with_unit(&self, value: f64, direction: Direction) -> String {
        let figure = self.figures.text(value);
        match (&self.figures, direction) {
            (Figures::Rate | Figures::Plain, Direction::Up) => format!("{figure} {}", self.label),
            (_, Direction::Up) | (Figures::Names(_), _) => figure,
            (_, Direction::Across) => format!("{} {figure}", self.label),
        }
    }

    /// The heading of exact values: the label, with the unit where the drawing shows another one.
    pub(super) fn measure(&self) -> String {
        match self.figures {
            Figures::Nanos => format!("{} [ns]", self.label),
            Figures::Percent | Figures::Quantile | Figures::Factor => format!("{} [ratio]", self.label),
            Figures::Rate | Figures::Plain | Figures::Names(_) => self.label.clone(),
        }
    }

    /// `value` with all its digits, or its name.
    pub(super) fn exact(&self, value: f64) -> String {
        match &self.figures {
            Figures::Names(_) => self.figures.text(value),
            _ => exact(value),
        }
    }
}

/// The direction of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From left to right, labels side by side.
    Across,
    /// From bottom to top, labels stacked.
    Up,
}

/// The mapping from values to positions. Values without a position (zero on a log scale) are not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// In proportion, from the smallest to the largest value.
    Linear,
    /// In proportion, and zero is on the axis: heights can be compared. For throughput.
    FromZero,
    /// Logarithmic, base 2: degrees of parallelism, ratios.
    Log2,
    /// Logarithmic, base 10: latency.
    Log10,
    /// A quantile in [0, 1) by its distance from 1: 90 %, 99 %, 99.9 % are equally spaced. 1 has no position.
    Nines,
}

/// The largest magnitude that is drawn; beyond it, differences overflow.
const DRAWN_MAX: f64 = 1e150;

impl Scale {
    /// The position of `value`, in steps of the scale; `None` without one.
    pub(super) fn position(self, value: f64) -> Option<f64> {
        let drawn = value.is_finite() && value.abs() <= DRAWN_MAX;
        let logarithm = |value: f64, of: fn(f64) -> f64| (value >= 1.0 / DRAWN_MAX).then(|| of(value));
        match self {
            _ if !drawn => None,
            Scale::Linear | Scale::FromZero => Some(value),
            Scale::Log2 => logarithm(value, f64::log2),
            Scale::Log10 => logarithm(value, f64::log10),
            // 15 nines are the limit of a double.
            Scale::Nines => (0.0..1.0).contains(&value).then(|| (1.0 - value).max(1e-15).log10().abs()),
        }
    }
}

/// The format of the values of an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Figures {
    /// A rate, with an SI prefix: `52.31 k`.
    Rate,
    /// A count or a plain figure without prefix: `1024`, `0.5`.
    Plain,
    /// Nanoseconds, written as a time: `13.6 µs`.
    Nanos,
    /// A ratio, written in percent: `62 %`.
    Percent,
    /// A quantile in [0, 1], written in percent with all its nines: `99.99 %`.
    Quantile,
    /// A ratio of two figures, written as a factor: `1.25 ×`.
    Factor,
    /// The values 0, 1, 2, ... are these names: dates, records, platforms.
    Names(Vec<String>),
}

impl Figures {
    /// `value` as it is shown, with the digits of the rest of the report.
    pub fn text(&self, value: f64) -> String {
        match self {
            Figures::Rate => figure::number(value),
            Figures::Plain => plain(value),
            Figures::Nanos => figure::nanos(value),
            Figures::Percent => figure::percent(Ratio(value)),
            Figures::Quantile => quantile(value),
            Figures::Factor if value.is_finite() => format!("{} ×", figure::three_digits(value)),
            Figures::Factor => figure::UNKNOWN.to_owned(),
            Figures::Names(names) => {
                index(value).and_then(|index| names.get(index)).cloned().unwrap_or_else(|| figure::UNKNOWN.to_owned())
            }
        }
    }

    /// `value` as a tick label: no more digits than needed.
    pub(super) fn tick(&self, value: f64) -> String {
        match self {
            Figures::Names(_) | Figures::Quantile | Figures::Plain => self.text(value),
            Figures::Nanos if value == 0.0 => "0".to_owned(),
            Figures::Nanos if value > 0.0 && value < u64::MAX as f64 && value.fract() == 0.0 => {
                trimmed(&figure::duration(Nanos(value as u64)))
            }
            Figures::Rate | Figures::Nanos | Figures::Percent | Figures::Factor => trimmed(&self.text(value)),
        }
    }
}

/// `value` with all its digits; empty where it is not finite.
pub(super) fn exact(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// `value` as an index, if it is one.
fn index(value: f64) -> Option<usize> {
    ((0.0..1e9).contains(&value) && value.fract() == 0.0).then_some(value as usize)
}

/// Up to six significant digits, no prefix and no zeros at the end.
fn plain(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => figure::UNKNOWN.to_owned(),
        0.0 => "0".to_owned(),
        size if !(1e-4..1e9).contains(&size) => format!("{value:.2e}"),
        size => {
            let decimals = (5 - size.log10().floor() as i32).clamp(0, 9);
            trimmed(&format!("{value:.*}", usize::try_from(decimals).unwrap_or(0)))
        }
    }
}

/// A quantile in percent with as many digits as distinguish it from 1.
fn quantile(value: f64) -> String {
    if !(0.0..=1.0).contains(&value) {
        return figure::UNKNOWN.to_owned();
    }
    // Two digits after the last nine; more would be rounding errors of the subtraction.
    let nines = -(1.0 - value).max(1e-15).log10();
    let decimals = nines.ceil().clamp(1.0, 13.0) as usize;
    format!("{} %", trimmed(&format!("{:.decimals$}", value * 100.0)))
}

/// `figure` without trailing zeros of its decimals, its unit or prefix kept: `20.00 k` becomes `20 k`.
fn trimmed(figure: &str) -> String {
    let end = figure.find([' ', 'e']).unwrap_or(figure.len());
    let (digits, unit) = figure.split_at(end);
    let short = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{short}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_has_no_more_digits_than_it_needs() {
        assert_eq!(Figures::Rate.tick(20_000.0), "20 k");
        assert_eq!(Figures::Rate.tick(2_500_000.0), "2.5 M");
        assert_eq!(Figures::Nanos.tick(100_000.0), "100 µs");
        assert_eq!(Figures::Nanos.tick(2e9), "2 s");
        assert_eq!(Figures::Percent.tick(0.5), "50 %");
        assert_eq!(Figures::Factor.tick(1.25), "1.25 ×");
        assert_eq!(Figures::Plain.tick(1024.0), "1024");
        assert_eq!(Figures::Plain.tick(0.1 + 0.2), "0.3");
        assert_eq!(Figures::Rate.tick(1.5e300), "1.5e300");
    }

    #[test]
    fn a_quantile_is_written_with_its_nines() {
        let shown = |value: f64| Figures::Quantile.text(value);
        assert_eq!(shown(0.0), "0 %");
        assert_eq!(shown(0.5), "50 %");
        assert_eq!(shown(0.99), "99 %");
        assert_eq!(shown(0.999), "99.9 %");
        assert_eq!(shown(0.99999), "99.999 %");
        assert_eq!(shown(1.0), "100 %");
        assert_eq!(shown(f64::NAN), "-");
    }

    #[test]
    fn a_scale_places_only_what_lies_on_it() {
        assert_eq!(Scale::Log2.position(8.0), Some(3.0));
        assert_eq!(Scale::Log2.position(0.0), None);
        assert_eq!(Scale::Log10.position(-1.0), None);
        assert_eq!(Scale::Linear.position(f64::NAN), None);
        assert_eq!(Scale::Linear.position(f64::MAX), None);
        assert_eq!(Scale::Nines.position(1.0), None);
        assert!((Scale::Nines.position(0.999).unwrap() - 3.0).abs() < 1e-9);
        assert_eq!(Scale::Nines.position(0.0), Some(0.0));
    }

    #[test]
    fn names_stand_at_whole_numbers_only() {
        let names = Figures::Names(vec!["old".to_owned(), "new".to_owned()]);
        assert_eq!(names.text(1.0), "new");
        assert_eq!(names.text(0.5), "-");
        assert_eq!(names.text(2.0), "-");
    }
}
