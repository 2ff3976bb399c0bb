//! A figure from a few repeats, and how far another measurement of it may come out elsewhere.

use crate::rules::RULES;
use crate::statistics::{median, order_ranks, student_quantile, variance};

/// Sections that a run is cut into.
const SECTIONS: usize = 5;

/// A figure that was measured several times.
///
/// The interval says where another calibration of the same place, as long as this one and soon after it, is expected
/// with a chance of about 0.95. It is made of what can be seen within one invocation: the differences between repeats,
/// and how unsteady each of them was. It is never narrower than the standard deviation of the sections (fifths) of a
/// run, however many repeats there are: what makes a device wander within a run makes it wander from one invocation
/// to the next, and repeats one after the other do not average that out. It cannot know what only another day, another
/// file or another neighbour brings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median of the repeats.
    pub median: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Repeats that count.
    pub repeats: usize,
    /// Where the interval comes from.
    pub method: Method,
}

/// Where an interval comes from, before it is widened by the unsteadiness within the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Six repeats and more: the exact interval of the median by order statistics, P(X(l) <= median <= X(u)) >= 0.95.
    OrderStatistics,
    /// Two to five repeats: Student's t for the difference of two means of as many, t s sqrt(2 / n). It takes the
    /// repeats for normally distributed.
    Student,
    /// One repeat: t s over the sections of its window. Repeatability is not known.
    Sections,
    /// One repeat too short to be cut: there is no interval, and both ends are the figure itself.
    Unknown,
}

/// One measurement of the figure.
pub(crate) struct Repeat {
    /// The rate.
    pub(crate) rate: f64,
    /// Second by second, whole seconds only.
    pub(crate) seconds: Vec<f64>,
}

/// The figure; none without a repeat.
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
/// freedom; none where no run has two sections.
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

/// Means of [`SECTIONS`] sections of equal length, or of the seconds where there are fewer; what is over at the
/// beginning is left out.
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
    fn one_repeat_rests_on_its_sections_or_on_nothing() {
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
    fn equal_repeats_of_an_unsteady_device_promise_no_more_than_it_keeps() {
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
    fn another_calibration_comes_out_within_the_interval_as_often_as_it_says() {
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
