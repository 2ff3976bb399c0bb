//! Rates from raw readings.

use record::{Rate, Reading, Run, Unit, name};

/// The increase of the counter `name` from the first reading of `run` to the last.
///
/// None where one of the two lacks it, without two readings at different times, and where it decreased in between,
/// since it was reset. The order of the readings does not matter.
pub fn delta(run: &Run, name: &str) -> Option<u64> {
    rise(&run.readings, name)
}

/// The time of device writes in `run`, nanoseconds, without that of flushes, which the kernel includes.
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
    // Two readings need no check; large records keep only two.
    (readings.len() == 2 || monotone(readings, name)).then_some(difference)
}

/// [`delta`] per second of the window.
///
/// Of the window, not of the slightly longer time between the readings, since the jobs are active only within the
/// window. None also for an empty window.
pub fn rate(run: &Run, name: &str) -> Option<Rate> {
    per_second(run, delta(run, name)?)
}

/// `count` events per second of the window; None where it is empty.
pub(crate) fn per_second(run: &Run, count: u64) -> Option<Rate> {
    (run.window_ns.0 > 0).then(|| Rate(count as f64 / run.window_ns.seconds()))
}

/// The rate of `run` in `unit`: bytes if `unit` is bytes, otherwise operations.
pub(crate) fn rate_in(run: &Run, unit: Unit) -> Option<Rate> {
    match (unit, run.unit) {
        (Unit::Byte, Unit::Byte) => per_second(run, run.totals.operations),
        (Unit::Byte, _) => per_second(run, run.totals.bytes?.0),
        _ => per_second(run, run.totals.operations),
    }
}

/// `part` of `whole`; None where `whole` is not above 0.
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
    fn a_delta_is_from_the_first_reading_to_the_last() {
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
