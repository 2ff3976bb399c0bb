//! Waits of engines: their counts, the resolution of their times, and the period and names of samples.

use record::{Activity, Nanos, Run, name};

use crate::changes::changes_anything;
use crate::delta::delta;

/// The event of reads of data, in the names of counters.
const DATA_READ: &str = "data_read";

/// The number of waits of `wait` in `run`; None where they are not counted separately.
///
/// An engine may count file extension as reads without timing them. It then has no count of timed reads, but in a
/// read-only run, which extends no file, all reads are timed.
pub(crate) fn wait_count(run: &Run, wait: &name::Wait<'_>) -> Option<u64> {
    let are_all_timed = wait.event == DATA_READ && !changes_anything(run);
    let all_reads = || delta(run, name::PHYSICAL_READ_COUNT).filter(|_| are_all_timed);
    delta(run, &wait.count_name()).or_else(all_reads)
}

/// The unit of coarse wait times, nanoseconds.
const COARSE_UNIT_NS: u64 = 1_000_000;

/// Means of at least this number of units have an error of at most 5 %, since half a unit per wait is lost.
const COARSE_UNITS: u64 = 10;

/// Whether `counter`, which increased by `total` over `count` waits, counts whole units that are too coarse for these
/// waits.
pub(crate) fn is_coarse(run: &Run, counter: &str, total: u64, count: Option<u64>) -> bool {
    let mut values = run.readings.iter().filter_map(|reading| reading.get(counter));
    let in_units = total > 0 && values.all(|value| value.is_multiple_of(COARSE_UNIT_NS));
    in_units && count.is_some_and(|count| total < count.saturating_mul(COARSE_UNITS * COARSE_UNIT_NS))
}

/// The mean time between two samples, as measured; the planned one where that is not known.
pub(crate) fn sample_period(activity: &Activity) -> Nanos {
    match activity.observed_ns.0.checked_div(activity.sample_count) {
        Some(period) if period > 0 => Nanos(period),
        _ => activity.period_ns,
    }
}

/// The name of an event with spaces between its words.
pub(crate) fn event_words(event: &str) -> String {
    event.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{counted, run};

    #[test]
    fn reads_without_a_count_of_their_own_are_known_in_read_only_runs() {
        let times = |event: &str, changes: bool, deltas: &[(&str, u64)]| {
            let counter = format!("engine_wait_{event}_ns");
            wait_count(&Run { changes, ..counted(run("T626", 1), deltas) }, &name::wait(&counter).unwrap())
        };
        let reads = [(name::PHYSICAL_READ_COUNT, 500)];
        assert_eq!((times("data_read", false, &reads), times("data_read", true, &reads)), (Some(500), None));
        assert_eq!(times("data_write", false, &reads), None);
        let apart = [(name::PHYSICAL_READ_COUNT, 500), ("engine_wait_data_read_count", 20)];
        assert_eq!((times("data_read", false, &apart), times("data_read", true, &apart)), (Some(20), Some(20)));
    }
}
