//! When the loop ends.

use std::sync::atomic::{AtomicBool, Ordering};

use record::Nanos;

/// When the loop of one job ends: whatever comes first. At least one step is done unless a signal is up before it.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    /// No step is due at or after this moment; steps that are due before it are done.
    pub deadline: Nanos,
    /// Late steps are still begun until this moment; what is left then is counted as unfinished. Not before
    /// `deadline`.
    pub drained: Nanos,
    /// So many steps are enough.
    pub steps: u64,
    /// Raised by the user or by another job that cannot go on: no further step is begun.
    pub signals: [&'a AtomicBool; 2],
}

impl Stop<'_> {
    /// Whether a signal is up.
    #[inline]
    pub fn signalled(&self) -> bool {
        self.signals.iter().any(|signal| signal.load(Ordering::Relaxed))
    }
}
