//! Figures of a gauge over the window of a run.

use record::GaugeRun;

/// What the readings of a gauge say; all of one that has readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaugeFigures {
    /// The first reading.
    pub first: f64,
    /// The smallest.
    pub min: f64,
    /// The mean of the readings, each alike.
    pub mean: f64,
    /// The largest.
    pub max: f64,
    /// The last reading.
    pub last: f64,
}

/// The figures of `gauge`; none without a reading.
pub fn gauge_figures(gauge: &GaugeRun) -> Option<GaugeFigures> {
    let values = || gauge.readings.iter().map(|reading| reading.value);
    let (first, last) = (values().next()?, values().next_back()?);
    // Divided before the sum: that of large values is not finite.
    let mean = values().map(|value| value / gauge.readings.len() as f64).sum();
    Some(GaugeFigures {
        first,
        min: values().fold(f64::INFINITY, f64::min),
        mean,
        max: values().fold(f64::NEG_INFINITY, f64::max),
        last,
    })
}

#[cfg(test)]
mod tests {
    use record::{GaugeReading, Nanos};

    use super::*;

    #[test]
    fn a_gauge_has_its_course_in_five_figures() {
        let of = |values: &[f64]| {
            let reading = |value: &f64| GaugeReading { at_ns: Nanos(0), value: *value };
            let readings = values.iter().map(reading).collect();
            gauge_figures(&GaugeRun { name: String::new(), readings, refusal: None })
        };
        let figures = GaugeFigures { first: 2.0, min: -1.0, mean: 2.5, max: 5.0, last: 4.0 };
        assert_eq!(of(&[2.0, -1.0, 5.0, 4.0]), Some(figures));
        assert_eq!(of(&[f64::MAX, f64::MAX]).unwrap().mean, f64::MAX);
        assert_eq!(of(&[]), None);
    }
}
