//! A run that is longer over than any of its steps should take: an engine that has not answered for so long may wait for
//! something that will never come, a replica say. A step that was begun is finished, so this is said and not done.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use measure::clock;
use record::Nanos;

use crate::{Event, Listener};

/// Over the end of the window before it is said.
const TIMEOUT: Nanos = Nanos(60_000_000_000);

/// Watches one run, looked at once a second.
pub(crate) struct Overdue<'a> {
    longest: Nanos,
    listener: &'a dyn Listener,
    begun: OnceLock<Nanos>,
    said: AtomicBool,
}

impl<'a> Overdue<'a> {
    /// Of a run whose last step should begin after `longest` at the latest.
    pub(crate) fn new(longest: Nanos, listener: &'a dyn Listener) -> Overdue<'a> {
        Overdue { longest, listener, begun: OnceLock::new(), said: AtomicBool::new(false) }
    }

    /// Says so, once, where the run is overdue.
    pub(crate) fn look(&self) {
        let elapsed = clock::now().since(*self.begun.get_or_init(clock::now));
        if elapsed > self.longest + TIMEOUT && !self.said.swap(true, Ordering::Relaxed) {
            self.listener.on_event(&Event::Note(&format!(
                "the run should have ended {:.0} s ago, and a statement has not been answered yet; Ctrl-C breaks it off",
                elapsed.since(self.longest).seconds()
            )));
        }
    }
}
