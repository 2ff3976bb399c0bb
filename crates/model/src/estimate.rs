//! A figure from a few repeats, with a prediction interval for another measurement.

use crate::rules::RULES;
use crate::statistics::{median, order_ranks, student_quantile, variance};

/// Number of sections of a run.
const SECTIONS: usize = 5;

/// A repeated figure.
///
/// The interval contains another calibration of the same target, as long as this one and soon after it, with a
/// probability of about 0.95. It is based on the variation between and within repeats of one invocation. It is never
/// narrower than the standard deviation of the sections (fifths) of a run, since slow variation is not averaged out by
/// consecutive repeats. It does not cover another day, another file or other load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median of the repeats.
    pub median: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Number of repeats.
    pub repeats: usize,
    /// The method of the interval.
    pub method: Method,
}

/// The method of an interval, before it is widened by the variation within the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Six repeats and more: the exact interval of the median by order statistics, P(X(l) <= median <= X(u)) >= 0.95.
    OrderStatistics,
    /// Two to five repeats: Student's t for the difference of two means of as many, t s sqrt(2 / n). It assumes
    /// normally distributed repeats.
    Student,
    /// One repeat: t s over the sections of its window; repeatability unknown.
    Sections,
    /// One repeat too short for sections: no interval, both ends equal the figure.
    Unknown,
}

/// One measurement of the figure.
pub(crate) struct Repeat {
    /// The rate.
    pub(crate) rate: f64,
    /// Second by second, whole seconds only.
    pub(crate) seconds: Vec<f64>,
}

/// The estimate; None without a repeat.
pub(crate) fn estimate(repeats: &[Repeat]) -> Option<Estimate> {
    let mut rates: Vec<f64> = repeats.iter().map(|repeat| repeat.rate).collect();
    rates.sort_by(f64::total_cmp);
    let middle = median(&rates)?;
    let within = deviation_within(repeats);
    let count = rates.len();
    let around = |half: f64| (middle - half, middle + half);
    let (method, (low, high)) = match (order_ranks(count, 0.5), count, within) {
        (Some(ranks), _, _) => (Method::OrderStatistics, (rates[ranks.low - 1], rates[ranks.high - 1])),
        (_, 2.., _) => {
            let half = student(count - 1) * (variance(&rates) * 2.0 / count as f64).sqrt();
            (Method::Student, around(half))
        }
        (_, _, Some((deviation, freedom))) => (Method::Sections, around(student(freedom) * deviation)),
        _ => (Method::Unknown, (middle, middle)),
    };
    let (least, most) = around(within.map_or(0.0, |(deviation, _)| deviation));
    Some(Estimate { median: middle, low: low.min(least).max(0.0), high: high.max(most), repeats: count, method })
}

fn student(freedom: usize) -> f64 {
    student_quantile(1.0 - RULES.significance / 2.0, freedom as f64)
}

/// Standard deviation of the sections of each run around the run's own mean, pooled over the runs, and its degrees of
/// freedom; None where no run has two sections.
fn deviation_within(repeats: &[Repeat]) -> Option<(f64, usize)> {
    let (mut squares, mut freedom) = (0.0, 0);
    for repeat in repeats {
        let sections = sections(&repeat.seconds);
        if sections.len() >= 2 {
            squares += variance(&sections) * (sections.len() - 1) as f64;
            freedom += sections.len() - 1;
        }
    }
    (freedom > 0).then(|| ((squares / freedom as f64).sqrt(), freedom))
}

/// Means of [`SECTIONS`] sections of equal length, or of the seconds where there are fewer; without the remainder
/// at the beginning.
fn sections(seconds: &[f64]) -> Vec<f64> {
    let length = (seconds.len() / SECTIONS).max(1);
    let over = seconds.len() - length * seconds.len().min(SECTIONS);
    seconds[over..].chunks(length).map(|part| part.iter().sum::<f64>() / part.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulation::Simulation;

    fn repeats(rates: &[f64]) -> Vec<Repeat> {
        rates.iter().map(|rate| Repeat { rate: *rate, seconds: Vec::new() }).collect()
    }

    #[test]
    fn a_few_repeats_by_hand() {
        // Deviation 10, t = 4.3027 at 2 degrees of freedom, sqrt(2 / 3).
        let found = estimate(&repeats(&[110.0, 90.0, 100.0])).unwrap();
        assert_eq!((found.median, found.repeats, found.method), (100.0, 3, Method::Student));
        assert!((found.high - 100.0 - 35.131).abs() < 0.001 && (found.low - 100.0 + 35.131).abs() < 0.001);
        let many: Vec<f64> = (1..=9).map(f64::from).collect();
        let found = estimate(&repeats(&many)).unwrap();
        assert_eq!((found.median, found.low, found.high), (5.0, 2.0, 8.0));
        assert_eq!(found.method, Method::OrderStatistics);
    }

    #[test]
    fn one_repeat_uses_its_sections() {
        let alone = Repeat { rate: 100.0, seconds: vec![90.0, 110.0, 90.0, 110.0, 100.0] };
        let found = estimate(&[alone]).unwrap();
        // Deviation 10, t = 2.776 at 4 degrees of freedom.
        assert_eq!(found.method, Method::Sections);
        assert!((found.high - 127.764).abs() < 1e-3 && (found.low - 72.236).abs() < 1e-3);
        let found = estimate(&repeats(&[100.0])).unwrap();
        assert_eq!((found.low, found.high, found.method), (100.0, 100.0, Method::Unknown));
        assert_eq!(estimate(&[]), None);
    }

    #[test]
    fn variation_within_runs_widens_the_interval() {
        let wandering = || Repeat { rate: 100.0, seconds: vec![90.0, 110.0, 90.0, 110.0, 100.0] };
        let found = estimate(&[wandering(), wandering(), wandering()]).unwrap();
        assert_eq!((found.low, found.high), (90.0, 110.0));
        let many: Vec<Repeat> = (0..12).map(|_| wandering()).collect();
        let found = estimate(&many).unwrap();
        assert_eq!((found.low, found.high, found.method), (90.0, 110.0, Method::OrderStatistics));
    }

    #[test]
    fn sections_are_fifths_of_whole_seconds() {
        assert_eq!(sections(&[9.0, 1.0, 3.0, 2.0, 2.0, 5.0, 7.0, 1.0, 1.0, 4.0, 6.0]), [2.0, 2.0, 6.0, 1.0, 5.0]);
        assert_eq!(sections(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
        assert_eq!(sections(&[]), [0.0; 0]);
    }

    #[test]
    fn the_prediction_interval_has_its_coverage() {
        for count in [3, 5, 8] {
            let mut simulation = Simulation::new(7);
            let mut calibration = || {
                let rates: Vec<f64> = (0..count).map(|_| 1_000.0 + 30.0 * simulation.normal()).collect();
                estimate(&repeats(&rates)).unwrap()
            };
            let agree = (0..2_000).filter(|_| {
                let (one, other) = (calibration(), calibration());
                (one.low..=one.high).contains(&other.median)
            });
            let share = agree.count() as f64 / 2_000.0;
            assert!(share > 0.90, "{count} repeats: {share}");
        }
    }

    proptest! {
        #[test]
        fn the_median_lies_within_and_nothing_is_negative(
            rates in prop::collection::vec(0.0f64..1e9, 1..40),
            seconds in prop::collection::vec(0.0f64..1e9, 0..40),
        ) {
            let mut repeats = repeats(&rates);
            repeats[0].seconds = seconds;
            let found = estimate(&repeats).unwrap();
            prop_assert!(found.low <= found.median && found.median <= found.high && found.low >= 0.0);
            prop_assert!(found.high.is_finite() && found.repeats == rates.len());
        }
    }
}
