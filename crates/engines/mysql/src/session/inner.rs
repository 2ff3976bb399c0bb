//! Statements that ended inside a transaction: the server counts each of them as a commit, and the transaction again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What the sessions of one node have counted.
#[derive(Debug, Default)]
pub(crate) struct InnerStatements {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Of sessions that are gone.
    past: u64,
    living: Vec<Arc<Line>>,
}

/// A count on a cache line of its own: sessions share nothing while they are measured. Two lines, because processors
/// fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicU64);

/// The part of one session.
#[derive(Debug)]
pub(crate) struct Share(Arc<Line>);

impl Share {
    #[inline]
    pub(crate) fn add(&mut self, statements: u64) {
        // Nobody else writes it.
        self.0.0.store(self.0.0.load(Ordering::Relaxed) + statements, Ordering::Relaxed);
    }
}

impl InnerStatements {
    /// The part of a new session.
    pub(crate) fn share(&self) -> Share {
        let line = Arc::new(Line::default());
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).living.push(line.clone());
        Share(line)
    }

    /// All that were counted until now.
    pub(crate) fn total(&self) -> u64 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut sum, mut gone) = (0, 0);
        counts.living.retain_mut(|line| match Arc::get_mut(line) {
            // The session is gone, and nothing of its count can be missed any more.
            Some(line) => {
                gone += *line.0.get_mut();
                false
            }
            None => {
                sum += line.0.load(Ordering::Relaxed);
                true
            }
        });
        counts.past += gone;
        sum + counts.past
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_counted_outlives_it() {
        let inner = InnerStatements::default();
        let (mut first, mut second) = (inner.share(), inner.share());
        first.add(3);
        second.add(4);
        assert_eq!(inner.total(), 7);
        drop(first);
        second.add(1);
        assert_eq!((inner.total(), inner.total()), (8, 8));
        drop(second);
        assert_eq!((inner.total(), inner.total()), (8, 8));
        assert!(inner.counts.lock().unwrap().living.is_empty());
    }
}
