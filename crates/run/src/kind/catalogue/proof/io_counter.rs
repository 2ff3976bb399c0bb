//! The I/O of a run alone: the counters of a device include all programs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use host::{IoCounts, IoLimit, Limit, Restriction};
use measure::clock;
use record::{Nanos, Run};

use super::reduction::{IoRates, Refusal, device, roots};
use crate::bench::Bench;

/// Interval of the readings. A window is hundreds of them.
const PERIOD: Duration = Duration::from_millis(20);

/// A control group without a limit, in which dbdyno and the engine run, and whose I/O is read periodically.
pub(super) struct IoCounter {
    group: Restriction,
    device: (u32, u32),
    readings: Mutex<Vec<(Nanos, IoCounts)>>,
    over: AtomicBool,
}

impl IoCounter {
    /// Creates the group.
    pub(super) fn start(bench: &Bench<'_>) -> Result<IoCounter, Refusal> {
        let device = device(bench)?;
        let limit = Limit::DeviceIo(IoLimit { device, ..IoLimit::default() });
        let group = Restriction::impose(&limit, &roots(bench)?).map_err(Refusal::new)?;
        Ok(IoCounter { group, device, readings: Mutex::default(), over: AtomicBool::new(false) })
    }

    /// Reads while `body` works.
    pub(super) fn during<T>(&self, body: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            scope.spawn(|| {
                while !self.over.load(Ordering::Relaxed) {
                    let counts = self.group.io_counts(self.device).map(|counts| (clock::now(), counts));
                    self.readings.lock().unwrap_or_else(PoisonError::into_inner).extend(counts);
                    thread::sleep(PERIOD);
                }
            });
            let result = body();
            self.over.store(true, Ordering::Relaxed);
            result
        })
    }

    /// Ends it; the rates of `run`, whose readings are relative to `origin`, over its window. None where they were not
    /// counted.
    pub(super) fn end(self, run: &Run, origin: Nanos) -> Option<IoRates> {
        let readings = self.readings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let edge = |at: Nanos| origin + at;
        let (first, last) = (run.readings.first()?.at_ns, run.readings.last()?.at_ns);
        rates(&readings, edge(first), edge(last))
    }
}

/// The rates between the readings nearest to both edges.
fn rates(readings: &[(Nanos, IoCounts)], begin: Nanos, end: Nanos) -> Option<IoRates> {
    let nearest = |edge: Nanos| readings.iter().min_by_key(|(at, _)| at.0.abs_diff(edge.0));
    let ((from, first), (to, last)) = (nearest(begin)?, nearest(end)?);
    let seconds = to.since(*from).seconds();
    let rate = |of: fn(&IoCounts) -> u64| Some(of(last).checked_sub(of(first))? as f64 / seconds);
    if seconds <= 0.0 {
        return None;
    }
    Some(IoRates {
        reads: rate(|counts| counts.reads)?,
        writes: rate(|counts| counts.writes)?,
        read_bytes: rate(|counts| counts.read_bytes)?,
        write_bytes: rate(|counts| counts.write_bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_the_window_alone() {
        let reading = |at: u64, writes: u64| (Nanos(at * 100_000_000), IoCounts { writes, ..IoCounts::default() });
        // A hundred writes before the window, three in each of its tenths of a second, and a hundred after it.
        let readings = [reading(0, 0), reading(10, 100), reading(15, 115), reading(20, 130), reading(30, 230)];
        let found = rates(&readings, Nanos(1_010_000_000), Nanos(1_990_000_000)).unwrap();
        assert!((found.writes - 30.0).abs() < 1e-9 && found.reads == 0.0, "{found:?}");
        assert_eq!(rates(&readings, Nanos(0), Nanos(1)), None, "no two readings");
        assert_eq!(rates(&[], Nanos(0), Nanos(1)), None);
    }
}
