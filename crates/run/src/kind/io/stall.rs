//! Scheduling delay of dbdyno: a thread that only sleeps, and how late it wakes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use measure::clock;
use record::Nanos;

/// Length of each sleep.
const TICK: Nanos = Nanos(5_000_000);

/// The longest delay of a wake-up.
#[derive(Debug, Default)]
pub(crate) struct Stall {
    late_ns_max: AtomicU64,
    watching: AtomicBool,
    over: AtomicBool,
}

impl Stall {
    /// The window starts.
    pub(crate) fn begin(&self) {
        self.late_ns_max.store(0, Ordering::Relaxed);
        self.watching.store(true, Ordering::Relaxed);
    }

    /// The window is over.
    pub(crate) fn end(&self) {
        self.watching.store(false, Ordering::Relaxed);
        self.over.store(true, Ordering::Relaxed);
    }

    /// Sleeps and reads the clock until the window is over; a sleep that started in the window counts.
    pub(crate) fn watch(&self) {
        clock::sharpen_timer();
        while !self.over.load(Ordering::Relaxed) {
            let within = self.watching.load(Ordering::Relaxed);
            let wake = clock::now() + TICK;
            std::thread::sleep(TICK.into());
            if within {
                self.late_ns_max.fetch_max((clock::now() - wake).0, Ordering::Relaxed);
            }
        }
    }

    /// The longest so far.
    pub(crate) fn late_max(&self) -> Nanos {
        Nanos(self.late_ns_max.load(Ordering::Relaxed))
    }
}
