//! The thread that reads rings of events while a run goes on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::event::Event;
use crate::pairing::Pairing;

/// Between two looks at the rings. Few of them: each one is work that the run has to bear; the rings are made large enough
/// for what comes meanwhile.
const PERIOD: Duration = Duration::from_millis(20);

/// An event is in its ring so long after its time at the latest.
const SETTLED_NS: u64 = 5_000_000;

/// Rings of all processors.
pub(crate) trait Rings: Send {
    /// Takes everything that is there out of the rings, in any order.
    ///
    /// # Errors
    /// What the kernel says.
    fn drain(&mut self, into: &mut Vec<Event>) -> io::Result<()>;

    /// Events that the kernel says it lost, from the beginning on; absent where it tells only with the events.
    fn lost_count(&mut self) -> Option<u64>;
}

/// The window of a run, by the monotonic clock. Whoever opens it notes the time and then lets events through; whoever
/// closes it notes the time and then lets no more through.
#[derive(Debug)]
struct Window {
    start_ns: AtomicU64,
    end_ns: AtomicU64,
}

/// The thread. It ends when this is dropped.
pub(crate) struct Collector {
    window: Arc<Window>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<io::Result<Pairing>>>,
}

/// Now, by the clock that events are stamped by.
pub(crate) fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl Collector {
    /// Begins to read `rings`.
    ///
    /// # Errors
    /// Where there is no thread to be had.
    pub(crate) fn start(rings: impl Rings + 'static) -> io::Result<Collector> {
        let window = Arc::new(Window { start_ns: AtomicU64::new(0), end_ns: AtomicU64::new(u64::MAX) });
        let (stop, stopped) = channel();
        let seen = Arc::clone(&window);
        let thread = Builder::new().name("dbdyno-trace".to_owned()).spawn(move || read(rings, &seen, &stopped))?;
        Ok(Collector { window, stop: Some(stop), thread: Some(thread) })
    }

    /// What is issued from now on counts.
    pub(crate) fn begin(&self) {
        self.window.start_ns.store(now_ns(), Ordering::Release);
        self.window.end_ns.store(u64::MAX, Ordering::Release);
    }

    /// What completes from now on does not; the first time counts.
    pub(crate) fn end(&self) {
        let (now, open) = (now_ns(), u64::MAX);
        // Where it was closed before, it stays as it was.
        let _ = self.window.end_ns.compare_exchange(open, now, Ordering::AcqRel, Ordering::Acquire);
    }

    /// What was paired.
    ///
    /// # Errors
    /// What the kernel said.
    pub(crate) fn finish(mut self) -> io::Result<Pairing> {
        self.stop = None;
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(Result::ok).unwrap_or_else(|| Err(io::Error::other("the reader of the rings did not end well")))
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop = None;
        // What it paired is wanted by nobody.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Reads until it is told to stop, and once more.
fn read(mut rings: impl Rings, window: &Window, stopped: &Receiver<()>) -> io::Result<Pairing> {
    let mut pairing = Pairing::new();
    let mut gathered: Vec<Event> = Vec::new();
    loop {
        let is_last = stopped.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout);
        // Everything older than this is in the rings by now.
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

/// Pairs those of `gathered` that are not younger than `until_ns`, in the order of time; the others stay.
pub(crate) fn take_until(pairing: &mut Pairing, gathered: &mut Vec<Event>, until_ns: u64) {
    // Those of one processor are in order already, and a stable sort is fast where that is so.
    gathered.sort_by_key(Event::at_ns);
    let settled = gathered.partition_point(|event| event.at_ns() <= until_ns);
    gathered.drain(..settled).for_each(|event| pairing.take(&event));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::event::{BlockEvent, What};
    use crate::layout::Head;

    /// Rings that somebody fills by hand.
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

    fn event(what: What, at_ns: u64, sector: u64) -> Event {
        Event::Block(BlockEvent { what, at_ns, operation: 0, sector, sectors: 8 })
    }

    #[test]
    fn events_of_several_processors_are_paired_in_the_order_of_time() {
        let filled = Filled::default();
        let collector = Collector::start(filled.clone()).unwrap();
        let before = event(What::Issued, now_ns() - 1_000, 8_888);
        collector.begin();
        let start_ns = now_ns();
        // The processor on which requests end is read before the one on which they begin.
        let ends: Vec<Event> = (0..100).map(|at| event(What::Completed, start_ns + at * 10 + 500, at * 8)).collect();
        let begins: Vec<Event> = (1..100).map(|at| event(What::Issued, start_ns + at * 10, at * 8)).collect();
        let end_of_before = event(What::Completed, start_ns + 500, 8_888);
        filled.0.lock().unwrap().extend([ends, vec![before, end_of_before], begins].concat());
        std::thread::sleep(Duration::from_millis(1));
        collector.end();
        let late = now_ns();
        filled.0.lock().unwrap().extend([event(What::Issued, start_ns, 9_000), event(What::Completed, late, 9_000)]);
        let pairing = collector.finish().unwrap();
        let head = Head::of(&pairing.histogram(4).unwrap());
        assert_eq!(
            (head.count, head.sum_ns, head.most_ns),
            (99, 99 * 500, 500),
            "none from before, and none from after"
        );
        assert_eq!(pairing.lost_count(), 7);
    }
}
