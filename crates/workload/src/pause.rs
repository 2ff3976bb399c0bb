//! Think time before an operation, which ends early on cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Canceller, Result};
use measure::clock;
use record::Nanos;

/// After this time at the latest a pause that is cancelled ends.
const TICK: Nanos = Nanos(50_000_000);

/// The pauses of one session.
#[derive(Default)]
pub(crate) struct Pause {
    is_over: AtomicBool,
}

impl Pause {
    /// Sleeps for `length`, unless woken, while the other jobs of this thread go on; returns how long it slept.
    pub(crate) fn sleep(&self, length: Nanos) -> Nanos {
        let start = clock::now();
        let end = start + length;
        let mut now = start;
        while now < end && !self.is_over.load(Ordering::Relaxed) {
            clock::sleep_until(end.min(now + TICK));
            now = clock::now();
        }
        now - start
    }
}

/// Ends a pause, and all later ones of the session.
pub(crate) struct Waker(pub(crate) Arc<Pause>);

impl Canceller for Waker {
    fn cancel(&self) -> Result<()> {
        self.0.is_over.store(true, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_has_its_length_unless_woken() {
        let pause = Arc::new(Pause::default());
        assert!(pause.sleep(Nanos(20_000_000)) >= Nanos(20_000_000));
        let (waker, sleeper) = (Waker(Arc::clone(&pause)), Arc::clone(&pause));
        let asleep = std::thread::spawn(move || sleeper.sleep(Nanos::from_seconds(600.0)));
        waker.cancel().expect("it is woken");
        assert!(asleep.join().expect("a pause") < Nanos::from_seconds(600.0));
        assert!(pause.sleep(Nanos::from_seconds(600.0)) < Nanos::from_seconds(600.0), "nor is there another one");
    }
}
