//! Rates from raw readings.

use record::{Rate, Reading, Run, name};

/// How much the counter `name` rose from the first reading of `run` to the last.
///
/// None where one of the two lacks it, where there are no two readings at different times, and where it went down
/// anywhere in between: then it was reset, and what was counted before is lost. The order in which readings are
/// stored does not matter.
pub fn delta(run: &Run, name: &str) -> Option<u64> {
    rise(&run.readings, name)
}

/// The time of writes of the device in `run`, nanoseconds, without that of the flushes, which the kernel adds to it.
pub(crate) fn device_write_ns(run: &Run) -> Option<u64> {
    let flush_ns = delta(run, name::DEVICE_FLUSH_NS).unwrap_or(0);
    Some(delta(run, name::DEVICE_WRITE_NS)?.saturating_sub(flush_ns))
}

/// [`delta`] of any readings.
pub(crate) fn rise(readings: &[Reading], name: &str) -> Option<u64> {
    let first = readings.iter().min_by_key(|reading| reading.at_ns)?;
    let last = readings.iter().max_by_key(|reading| reading.at_ns)?;
    if first.at_ns == last.at_ns {
        return None;
    }
    let difference = last.get(name)?.checked_sub(first.get(name)?)?;
    // Between two readings there is nothing to look at, and of a hundred thousand runs no more are kept.
    (readings.len() == 2 || monotone(readings, name)).then_some(difference)
}

/// [`delta`] per second of the window.
///
/// The window and not the time between the readings, which is a little longer: the jobs work only inside the
/// window, so that this rate stands beside rows and operations per second. None also where the window is empty.
pub fn rate(run: &Run, name: &str) -> Option<Rate> {
    per_second(run, delta(run, name)?)
}

/// `count` events per second of the window; none where it is empty.
pub(crate) fn per_second(run: &Run, count: u64) -> Option<Rate> {
    (run.window_ns.0 > 0).then(|| Rate(count as f64 / run.window_ns.seconds()))
}

/// `part` of `whole`; none where there is no whole.
pub(crate) fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// The values of a counter, by time.
fn by_time(readings: &[Reading], name: &str) -> Vec<(u64, u64)> {
    let mut values: Vec<(u64, u64)> =
        readings.iter().filter_map(|reading| Some((reading.at_ns.0, reading.get(name)?))).collect();
    values.sort_unstable();
    values
}

fn monotone(readings: &[Reading], name: &str) -> bool {
    by_time(readings, name).windows(2).all(|pair| pair[0].1 <= pair[1].1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Nanos;

    use super::*;
    use crate::fixture::{reading, run};

    #[test]
    fn the_time_of_writes_is_without_that_of_flushes() {
        let mut run = run("T311", 1);
        let of = |writes, flushes| [(name::DEVICE_WRITE_NS, writes), (name::DEVICE_FLUSH_NS, flushes)];
        run.readings = vec![reading(5, &of(100, 10)), reading(9, &of(170, 60))];
        assert_eq!(device_write_ns(&run), Some(20));
        run.readings = vec![reading(5, &of(100, 10)[..1]), reading(9, &of(170, 60)[..1])];
        assert_eq!(device_write_ns(&run), Some(70), "a device that counts no flushes");
    }

    #[test]
    fn the_rise_from_the_first_reading_to_the_last() {
        let mut run = run("T611", 1);
        run.window_ns = Nanos(2_000_000_000);
        run.readings = vec![reading(5, &[("a", 100)]), reading(9, &[("a", 150)]), reading(7, &[("b", 1)])];
        assert_eq!(delta(&run, "a"), Some(50));
        assert_eq!(rate(&run, "a"), Some(Rate(25.0)));
        assert_eq!(delta(&run, "b"), None, "in the middle only");
        assert_eq!(delta(&run, "c"), None);
    }

    #[test]
    fn a_counter_that_was_reset_has_no_delta() {
        let mut run = run("T611", 1);
        run.readings = vec![reading(1, &[("a", 100)]), reading(2, &[("a", 10)]), reading(3, &[("a", 150)])];
        assert_eq!(delta(&run, "a"), None);
        run.readings.remove(1);
        assert_eq!(delta(&run, "a"), Some(50));
        run.readings.remove(1);
        assert_eq!(delta(&run, "a"), None, "one reading is none");
    }

    #[test]
    fn an_empty_window_has_no_rate() {
        let mut run = run("T611", 1);
        run.window_ns = Nanos(0);
        assert_eq!(rate(&run, "a"), None);
        assert_eq!(per_second(&run, 5), None);
    }

    proptest! {
        #[test]
        fn the_order_of_readings_does_not_matter(
            values in prop::collection::vec(0u64..1_000, 0..8),
            seed in any::<u64>(),
        ) {
            let mut run = run("T611", 1);
            run.readings =
                values.iter().enumerate().map(|(at, value)| reading(at as u64, &[("a", *value)])).collect();
            let straight = delta(&run, "a");
            let length = run.readings.len();
            run.readings.rotate_left(if length == 0 { 0 } else { seed as usize % length });
            run.readings.reverse();
            prop_assert_eq!(delta(&run, "a"), straight);
            let rising = values.windows(2).all(|pair| pair[0] <= pair[1]);
            prop_assert_eq!(straight.is_some(), values.len() > 1 && rising);
        }
    }
}
