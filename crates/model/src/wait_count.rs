//! How often sessions waited for what a counter of an engine times, and whether the time can be believed.

use record::{Run, name};

use crate::delta::delta;
use crate::random_blocks::changes_anything;

/// The event of reads of data, in the names of counters.
const DATA_READ: &str = "data_read";

/// How often sessions waited in `run` for what `wait` times; none where nobody counted just these waits.
///
/// An engine may count the block by which it makes a file longer as a read, and time no read of it. It has no counter of the
/// reads that it times, then, but in a run that changes nothing no file becomes longer, and all reads are such.
pub(crate) fn wait_count(run: &Run, wait: &name::Wait<'_>) -> Option<u64> {
    let are_all_timed = wait.event == DATA_READ && !changes_anything(run);
    let all_reads = || delta(run, name::PHYSICAL_READ_COUNT).filter(|_| are_all_timed);
    delta(run, &wait.count_name()).or_else(all_reads)
}

/// What a wait is counted in by an engine that counts no parts of it, nanoseconds.
const COARSE_UNIT_NS: u64 = 1_000_000;

/// A mean of so many units is off by a twentieth at most: of each wait half a unit is lost.
const COARSE_UNITS: u64 = 10;

/// Whether `counter`, which rose by `total` over `count` waits, counts whole units of each of them, and these are so
/// short that much of them is lost.
pub(crate) fn is_coarse(run: &Run, counter: &str, total: u64, count: Option<u64>) -> bool {
    let mut values = run.readings.iter().filter_map(|reading| reading.get(counter));
    let in_units = total > 0 && values.all(|value| value.is_multiple_of(COARSE_UNIT_NS));
    in_units && count.is_some_and(|count| total < count.saturating_mul(COARSE_UNITS * COARSE_UNIT_NS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{counted, run};

    #[test]
    fn reads_that_are_not_counted_apart_are_known_only_where_nothing_grows() {
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
