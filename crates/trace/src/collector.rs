//! The thread that reads ring buffers of events during a run.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::event::Event;
use crate::pairing::Pairing;

/// Period of reading. Long, because each read costs CPU time during the run; the ring buffers are large enough for it.
const PERIOD: Duration = Duration::from_millis(20);

/// Maximum delay from the time of an event until it is in its ring buffer.
const SETTLED_NS: u64 = 5_000_000;

/// The ring buffers of all processors.
pub(crate) trait Rings: Send {
    /// Appends all events in the ring buffers to `into`, in any order.
    ///
    /// # Errors
    /// The error of the kernel.
    fn drain(&mut self, into: &mut Vec<Event>) -> io::Result<()>;

    /// Lost events since the start; absent if the kernel reports losses only as events.
    fn lost_count(&mut self) -> Option<u64>;
}

/// The window of a run, by the monotonic clock. Its start is set before events are enabled, and its end before they are
/// disabled.
#[derive(Debug)]
struct Window {
    start_ns: AtomicU64,
    end_ns: AtomicU64,
}

/// The thread; joined on drop.
pub(crate) struct Collector {
    window: Arc<Window>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<io::Result<Pairing>>>,
}

/// The current time of the clock of the events.
pub(crate) fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl Collector {
    /// Starts reading `rings`.
    pub(crate) fn start(rings: impl Rings + 'static) -> io::Result<Collector> {
        let window = Arc::new(Window { start_ns: AtomicU64::new(0), end_ns: AtomicU64::new(u64::MAX) });
        let (stop, stopped) = channel();
        let shared = Arc::clone(&window);
        let thread = Builder::new().name("dbdyno-trace".to_owned()).spawn(move || read(rings, &shared, &stopped))?;
        Ok(Collector { window, stop: Some(stop), thread: Some(thread) })
    }

    /// Starts the window: requests issued before do not count.
    pub(crate) fn begin(&self) {
        self.window.start_ns.store(now_ns(), Ordering::Release);
        self.window.end_ns.store(u64::MAX, Ordering::Release);
    }

    /// Ends the window: requests that complete later do not count. Only the first call has an effect.
    pub(crate) fn end(&self) {
        let (now, open) = (now_ns(), u64::MAX);
        let _ = self.window.end_ns.compare_exchange(open, now, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The paired events.
    pub(crate) fn finish(mut self) -> io::Result<Pairing> {
        self.stop = None;
        let result = self.thread.take().map(JoinHandle::join);
        result.and_then(Result::ok).unwrap_or_else(|| Err(io::Error::other("the reader of the ring buffers panicked")))
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Reads until stopped, and once more.
fn read(mut rings: impl Rings, window: &Window, stopped: &Receiver<()>) -> io::Result<Pairing> {
    let mut pairing = Pairing::new();
    let mut gathered: Vec<Event> = Vec::new();
    loop {
        let is_last = stopped.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout);
        // All events before this time are in the ring buffers.
        let settled_ns = if is_last { u64::MAX } else { now_ns().saturating_sub(SETTLED_NS) };
        rings.drain(&mut gathered)?;
        pairing.within(window.start_ns.load(Ordering::Acquire), window.end_ns.load(Ordering::Acquire));
        take_until(&mut pairing, &mut gathered, settled_ns);
        if is_last {
            pairing.lost_at_least(rings.lost_count().unwrap_or(0));
            return Ok(pairing);
        }
    }
}

/// Pairs the events of `gathered` up to `until_ns`, in the order of time; later ones stay.
pub(crate) fn take_until(pairing: &mut Pairing, gathered: &mut Vec<Event>, until_ns: u64) {
    // The events of one processor are sorted already, which a stable sort profits from.
    gathered.sort_by_key(Event::at_ns);
    let settled = gathered.partition_point(|event| event.at_ns() <= until_ns);
    gathered.drain(..settled).for_each(|event| pairing.take(&event));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use record::{Latency, MeasuringPoint, Nanos};

    use super::*;
    use crate::event::{BlockEvent, EventKind};

    /// Ring buffers that a test fills.
    #[derive(Clone, Default)]
    struct Filled(Arc<Mutex<Vec<Event>>>);

    impl Rings for Filled {
        fn drain(&mut self, into: &mut Vec<Event>) -> io::Result<()> {
            into.append(&mut self.0.lock().unwrap());
            Ok(())
        }

        fn lost_count(&mut self) -> Option<u64> {
            Some(7)
        }
    }

    fn event(kind: EventKind, at_ns: u64, sector: u64) -> Event {
        Event::Block(BlockEvent { kind, at_ns, operation: 0, sector, sectors: 8 })
    }

    #[test]
    fn events_of_several_processors_are_paired_in_the_order_of_time() {
        let filled = Filled::default();
        let collector = Collector::start(filled.clone()).unwrap();
        let before = event(EventKind::Issued, now_ns() - 1_000, 8_888);
        collector.begin();
        let start_ns = now_ns();
        // The processor of the completions is read before that of the issues.
        let ends: Vec<Event> =
            (0..100).map(|at| event(EventKind::Completed, start_ns + at * 10 + 500, at * 8)).collect();
        let issues: Vec<Event> = (1..100).map(|at| event(EventKind::Issued, start_ns + at * 10, at * 8)).collect();
        let end_of_before = event(EventKind::Completed, start_ns + 500, 8_888);
        filled.0.lock().unwrap().extend([ends, vec![before, end_of_before], issues].concat());
        std::thread::sleep(Duration::from_millis(1));
        collector.end();
        let late = now_ns();
        filled
            .0
            .lock()
            .unwrap()
            .extend([event(EventKind::Issued, start_ns, 9_000), event(EventKind::Completed, late, 9_000)]);
        let counted = collector.finish().unwrap().counted();
        let device = counted.latencies.iter().find(|latency| latency.point == MeasuringPoint::Device).unwrap();
        let Latency { count, mean_ns, max_ns, .. } = &device.latency;
        assert_eq!((*count, *mean_ns, *max_ns), (99, Nanos(500), Nanos(500)), "only requests within the window");
        assert_eq!(counted.lost_count, 7);
    }
}
