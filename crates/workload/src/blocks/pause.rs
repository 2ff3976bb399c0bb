//! Think time before an operation, which ends early on cancellation.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use engine::{Canceller, Result};
use record::Nanos;

/// The pauses of one session.
#[derive(Default)]
pub(super) struct Pause {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Pause {
    /// Sleeps for `length`, unless woken; returns how long it slept.
    pub(super) fn sleep(&self, length: Nanos) -> Nanos {
        let start = measure::clock::now();
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(is_over, length.into(), |is_over| !*is_over);
        drop(waited);
        measure::clock::now() - start
    }
}

/// Ends a pause, and all later ones of the session.
pub(super) struct Waker(pub(super) Arc<Pause>);

impl Canceller for Waker {
    fn cancel(&self) -> Result<()> {
        *self.0.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
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
