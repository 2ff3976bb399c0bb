//! The user's wish to break off: no new step begins, and statements in flight are cancelled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use engine::Canceller;

/// Shared between the thread that hears of a signal and the one that measures.
#[derive(Default)]
pub struct Interrupt {
    raised: AtomicBool,
    cancellers: Mutex<Vec<Box<dyn Canceller>>>,
}

impl Interrupt {
    /// Asks everything to end: sets the flag and cancels what is in flight.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
        for canceller in self.cancellers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // A session that is gone needs no cancelling.
            let _ = canceller.cancel();
        }
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// The flag itself, for loops that look at it between steps.
    pub fn flag(&self) -> &AtomicBool {
        &self.raised
    }

    /// Runs `body` while `cancellers` are the ones to be called.
    pub(crate) fn during<T>(&self, cancellers: Vec<Box<dyn Canceller>>, body: impl FnOnce() -> T) -> T {
        *self.cancellers.lock().unwrap_or_else(PoisonError::into_inner) = cancellers;
        let result = body();
        self.cancellers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        result
    }
}
