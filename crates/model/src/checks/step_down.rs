//! A rate that fell during the run and stayed low: throttling, spent burst credits, heat, a full cache.
//!
//! The I/Os of the whole seconds of a stream are split into segments of one level (see `segment`). The last level
//! reaches back over segments within half of the limit, and is compared with the highest level before. An oscillating
//! rate is not a step and has a check of its own. Streams are checked separately, since a finished job reduces the sum.
//! Not applied to short windows and rare I/O.

use record::evidence::StepDown;
use record::{Evidence, Finding, IoKind, IoStream, Rate, Run, Verdict};

use super::{finding, worst};
use crate::rules::RULES;
use crate::segment::{Segment, last_level, segments};
use crate::statistics::batch_means;

/// Longer series are averaged to this number of values.
const VALUES_MAX: usize = 360;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let streams = run.storage.iter().flat_map(|storage| &storage.streams);
    let asked = streams.filter(|stream| stream.kind != IoKind::Sync);
    let rates: Vec<(&IoStream, Vec<f64>)> = asked.filter_map(|stream| Some((stream, rates(stream)?))).collect();
    if rates.is_empty() {
        return None;
    }
    let mut falls = rates.iter().filter_map(|(stream, rates)| Some((stream, fall(rates)?))).peekable();
    if falls.peek().is_none() {
        return finding(Verdict::Pass, Evidence::StepDown(None));
    }
    worst(falls.map(|(stream, fall)| (Verdict::Warn, Evidence::StepDown(Some(fall.of(&stream.job))))))
}

/// I/Os of the whole seconds of `stream`; None where they are too few.
fn rates(stream: &IoStream) -> Option<Vec<f64>> {
    let whole = usize::try_from(stream.window_ns.0 / 1_000_000_000).unwrap_or(usize::MAX).min(stream.seconds.len());
    let rates: Vec<f64> = stream.seconds[..whole].iter().map(|second| second.operations as f64).collect();
    let mean = rates.iter().sum::<f64>() / whole.max(1) as f64;
    (whole >= RULES.step_seconds_min && mean >= RULES.level_steps_min).then_some(rates)
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Fall {
    before: f64,
    after: f64,
    at_seconds: usize,
}

impl Fall {
    fn of(self, job: &str) -> StepDown {
        let (before, after, at_second) = (Rate(self.before), Rate(self.after), self.at_seconds as u64);
        StepDown { job: job.to_owned(), before, after, at_second }
    }
}

/// The fall in these rates, one per second, if there is one.
fn fall(rates: &[f64]) -> Option<Fall> {
    let length = rates.len().div_ceil(VALUES_MAX).max(1);
    let over = rates.len() % length;
    let values = batch_means(rates, length);
    let segments = segments(&values, RULES.step_correlation_max);
    let (earlier, last) = last_level(&segments, RULES.step_down / 2.0)?;
    let (after, begin) = (last.mean, last.begin);
    let before = earlier.iter().map(|segment| segment.mean).reduce(f64::max)?;
    let held = values.len() - begin;
    let middle = (before + after) / 2.0;
    let is_high = |segment: &Segment| segment.mean > middle;
    // Warm-up, high level, then any return to high is an oscillation.
    let mut high = earlier.iter().skip_while(|segment| !is_high(segment)).skip_while(|segment| is_high(segment));
    let swings = high.any(is_high);
    let fell = after < before * (1.0 - RULES.step_down);
    let fall = Fall { before, after, at_seconds: over + begin * length };
    (fell && !swings && held * 10 >= values.len()).then_some(fall)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Nanos;

    use super::*;
    use crate::fixture::{io_run, run, storage};

    /// A level with small noise.
    fn level(mean: f64, length: usize) -> Vec<f64> {
        (0..length).map(|at| mean * (1.0 + [0.0, 0.02, -0.01, 0.01, -0.02][at % 5])).collect()
    }

    #[test]
    fn a_fall_that_lasts_is_found_with_its_time() {
        let found = fall(&[level(5_000.0, 40), level(3_000.0, 20)].concat()).unwrap();
        assert_eq!((found.before.round(), found.after.round(), found.at_seconds), (5_000.0, 3_000.0, 40));
        let warm = [level(2_000.0, 5), level(5_000.0, 20), level(3_000.0, 10)].concat();
        assert_eq!(fall(&warm).unwrap().at_seconds, 25, "whatever the warm-up was");
        let stairs = [level(5_000.0, 10), level(4_000.0, 10), level(3_000.0, 10)].concat();
        assert_eq!((fall(&stairs).unwrap().before.round(), fall(&stairs).unwrap().at_seconds), (5_000.0, 20));
        let hour = [level(5_000.0, 2_400), level(3_000.0, 1_200)].concat();
        assert_eq!(fall(&hour).unwrap().at_seconds, 2_400);
    }

    #[test]
    fn a_dip_a_rise_a_swing_and_a_small_or_late_fall_are_none() {
        assert_eq!(fall(&level(5_000.0, 60)), None);
        assert_eq!(fall(&[level(5_000.0, 20), level(3_000.0, 10), level(5_000.0, 20)].concat()), None);
        assert_eq!(fall(&[level(3_000.0, 20), level(5_000.0, 20)].concat()), None);
        let swing = [level(5_000.0, 10), level(3_000.0, 10), level(5_000.0, 10), level(3_000.0, 10)].concat();
        assert_eq!(fall(&swing), None);
        assert_eq!(fall(&[level(5_000.0, 30), level(4_600.0, 30)].concat()), None, "8 %");
        assert_eq!(fall(&[level(5_000.0, 60), level(3_000.0, 4)].concat()), None, "4 of 64 s");
    }

    #[test]
    fn streams_are_checked_separately() {
        let mut throttled = io_run("io", IoKind::Read, 1);
        let stream = &mut storage(&mut throttled).streams[0];
        let rates = [level(5_000.0, 15), level(3_000.0, 10)].concat();
        stream.window_ns = Nanos(25_500_000_000);
        stream.seconds = vec![stream.seconds[0]; 26];
        stream.seconds.iter_mut().zip(rates).for_each(|(second, rate)| second.operations = rate as u64);
        let found = check(&throttled).unwrap();
        assert_eq!(found.verdict, Verdict::Warn);
        let Evidence::StepDown(Some(StepDown { job, before, after, at_second })) = found.evidence else {
            panic!("{found:?}")
        };
        assert_eq!((job.as_str(), before.0.round(), after.0.round(), at_second), ("job", 5_000.0, 3_000.0, 15));
        assert_eq!(check(&io_run("io", IoKind::Read, 1)).unwrap().verdict, Verdict::Pass);
    }

    #[test]
    fn a_short_window_is_not_checked() {
        let mut short = io_run("io", IoKind::Read, 1);
        storage(&mut short).streams[0].window_ns = Nanos(9_900_000_000);
        assert_eq!((check(&short), check(&run("T626", 1))), (None, None));
    }

    proptest! {
        #[test]
        fn any_rates_are_judged_without_a_panic(rates in prop::collection::vec(0.0f64..1e9, 0..800)) {
            if let Some(found) = fall(&rates) {
                prop_assert!(found.after < found.before * 0.9 && found.at_seconds < rates.len());
            }
        }

        #[test]
        fn a_fall_of_a_third_is_found_wherever_it_is(
            before in 6usize..40, after in 6usize..40, noise in prop::collection::vec(-0.01f64..0.01, 80),
        ) {
            let rates = [vec![3_000.0; before], vec![2_000.0; after]].concat();
            let rates: Vec<f64> = rates.iter().zip(&noise).map(|(rate, noise)| rate * (1.0 + noise)).collect();
            let found = fall(&rates).expect("a fall");
            prop_assert!(found.at_seconds.abs_diff(before) <= 1);
        }
    }
}
