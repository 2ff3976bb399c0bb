//! A clock that is read once per sample, and may be set between two of them.

use record::load_profile::DoubtKind;

use crate::found::Found;
use crate::limit::CLOCK_SECONDS;
use crate::moment::DAY_MS;

/// The times of day in the order of their samples, as moments of one clock.
///
/// Samples follow each other at one distance. A time before the one of the previous sample is of the next day where it is
/// before it by more than half a day; otherwise the clock was set back. A distance that is an hour longer than the one before
/// is that of a clock that was set forward.
#[derive(Clone, Debug, Default)]
pub(crate) struct SampleClock {
    day_ms: i64,
    previous_ms: Option<i64>,
    usual_ms: Option<i64>,
}

/// Seconds by which clocks are set for daylight saving time.
const HOUR_MS: i64 = 3_600_000;

impl SampleClock {
    /// Starts on the day that begins at `day_ms`.
    pub(crate) fn new(day_ms: i64) -> SampleClock {
        SampleClock { day_ms, previous_ms: None, usual_ms: None }
    }

    /// A sample at `time_ms` of the day: the moment, and the seconds since the previous sample, if that is known.
    pub(crate) fn sample(&mut self, time_ms: i64, doubts: &mut Vec<Found>) -> (i64, Option<f64>) {
        let mut now_ms = self.day_ms + time_ms;
        if self.previous_ms.is_some_and(|previous_ms| now_ms < previous_ms - DAY_MS / 2) {
            self.day_ms += DAY_MS;
            now_ms += DAY_MS;
        }
        self.moment(now_ms, doubts)
    }

    /// The same of a sample that has its day with it.
    pub(crate) fn moment(&mut self, now_ms: i64, doubts: &mut Vec<Found>) -> (i64, Option<f64>) {
        let distance_ms = self.previous_ms.map(|previous_ms| now_ms - previous_ms);
        self.previous_ms = Some(now_ms);
        let Some(distance_ms) = distance_ms else { return (now_ms, None) };
        let usual_ms = self.usual_ms.unwrap_or(distance_ms);
        let step = |seconds: f64| Found::warning(DoubtKind::ClockStep { seconds }).at(now_ms);
        if distance_ms <= 0 {
            crate::found::add(doubts, step((distance_ms - usual_ms.max(0)) as f64 / 1e3));
            return (now_ms, None);
        }
        let excess_ms = distance_ms - usual_ms;
        if self.usual_ms.is_some() && (excess_ms - HOUR_MS).abs() <= (CLOCK_SECONDS * 1e3) as i64 && usual_ms < HOUR_MS
        {
            crate::found::add(doubts, step(HOUR_MS as f64 / 1e3));
            return (now_ms, Some(usual_ms as f64 / 1e3));
        }
        self.usual_ms = Some(distance_ms);
        (now_ms, Some(distance_ms as f64 / 1e3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::{day_ms, time_ms};

    fn sampled(times: &[&str]) -> (Vec<Option<f64>>, Vec<f64>, i64) {
        let midnight_ms = day_ms(2026, 10, 24).unwrap();
        let (mut clock, mut doubts) = (SampleClock::new(midnight_ms), Vec::new());
        let samples: Vec<_> = times.iter().map(|time| clock.sample(time_ms(time).unwrap(), &mut doubts)).collect();
        let steps = doubts
            .iter()
            .map(|doubt| match doubt.kind {
                DoubtKind::ClockStep { seconds } => seconds,
                _ => panic!("{doubt:?}"),
            })
            .collect();
        (samples.iter().map(|(_, seconds)| *seconds).collect(), steps, samples.last().unwrap().0 - midnight_ms)
    }

    #[test]
    fn midnight_is_no_step() {
        let (seconds, steps, last_ms) = sampled(&["23:40:00", "23:50:01", "00:00:01"]);
        assert_eq!((seconds, steps), (vec![None, Some(601.0), Some(600.0)], vec![]));
        assert_eq!(last_ms, DAY_MS + 1_000);
    }

    #[test]
    fn a_clock_that_is_set_is_said() {
        let back = sampled(&["01:40:00", "01:50:00", "01:00:00", "01:10:00"]);
        assert_eq!(back.0, vec![None, Some(600.0), None, Some(600.0)]);
        assert_eq!(back.1, vec![-3_600.0]);
        let forward = sampled(&["01:40:00", "01:50:00", "03:00:00", "03:10:00"]);
        assert_eq!(forward.0, vec![None, Some(600.0), Some(600.0), Some(600.0)]);
        assert_eq!(forward.1, vec![3_600.0]);
    }
}
