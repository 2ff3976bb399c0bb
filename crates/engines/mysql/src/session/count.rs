//! What sessions count for their node: statements that ended inside a transaction (the server counts each of them as a
//! commit, and the transaction again), transactions in which there was none (of which some of the server's counts know),
//! and, in a cluster, what the server has committed for them and nobody else.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What the sessions of one node have counted.
#[derive(Debug, Default)]
pub(crate) struct SessionCounts {
    counts: Mutex<Counts>,
    /// Whether new sessions ask the server for their commits.
    asks: AtomicBool,
}

/// The sums of all sessions, those that are gone included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    /// Statements that ended inside a transaction.
    pub(crate) inner_statements: u64,
    /// Transactions that were begun and committed with nothing in between.
    pub(crate) empty_transactions: u64,
    /// Commits that the server has counted for the sessions which asked it, without those statements.
    pub(crate) commits: u64,
}

#[derive(Debug, Default)]
struct Counts {
    /// Of sessions that are gone.
    past: Sums,
    living: Vec<Arc<Line>>,
}

/// Counts on a cache line of their own: sessions share nothing while they are measured. Two lines, because processors
/// fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line {
    inner_statements: AtomicU64,
    empty_transactions: AtomicU64,
    commits: AtomicU64,
}

/// The part of one session.
#[derive(Debug)]
pub(crate) struct Share {
    line: Arc<Line>,
    asks: bool,
}

impl Share {
    /// Counts statements that ended inside a transaction.
    #[inline]
    pub(crate) fn add(&mut self, statements: u64) {
        // Nobody else writes it.
        let line = &self.line.inner_statements;
        line.store(line.load(Ordering::Relaxed) + statements, Ordering::Relaxed);
    }

    /// Counts a transaction that was begun and committed with nothing in between.
    pub(crate) fn add_empty(&mut self) {
        let line = &self.line.empty_transactions;
        line.store(line.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Whether the session is to ask the server for its commits.
    pub(crate) fn asks(&self) -> bool {
        self.asks
    }

    /// Takes what the server has counted as commits of this session, the statements inside of transactions included.
    pub(crate) fn take_commits(&mut self, counted: u64) {
        let inner = self.line.inner_statements.load(Ordering::Relaxed);
        self.line.commits.store(counted.saturating_sub(inner), Ordering::Relaxed);
    }
}

impl Line {
    fn sums(&self) -> Sums {
        Sums {
            inner_statements: self.inner_statements.load(Ordering::Relaxed),
            empty_transactions: self.empty_transactions.load(Ordering::Relaxed),
            commits: self.commits.load(Ordering::Relaxed),
        }
    }
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.inner_statements += other.inner_statements;
        self.empty_transactions += other.empty_transactions;
        self.commits += other.commits;
    }
}

impl SessionCounts {
    /// Has sessions that begin from now on ask the server for their commits: it counts others among its own.
    pub(crate) fn ask_sessions(&self) {
        self.asks.store(true, Ordering::Relaxed);
    }

    /// The part of a new session.
    pub(crate) fn share(&self) -> Share {
        let line = Arc::new(Line::default());
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).living.push(line.clone());
        Share { line, asks: self.asks.load(Ordering::Relaxed) }
    }

    /// All that was counted until now.
    pub(crate) fn total(&self) -> Sums {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut sums, mut gone) = (Sums::default(), Sums::default());
        counts.living.retain(|line| {
            // Where only this list knows of it, the session is gone, and nothing of its count can be missed any more.
            let lives = Arc::strong_count(line) > 1;
            std::sync::atomic::fence(Ordering::Acquire);
            *(if lives { &mut sums } else { &mut gone }) += line.sums();
            lives
        });
        counts.past += gone;
        sums += counts.past;
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_counted_outlives_it() {
        let counts = SessionCounts::default();
        let inner = || counts.total().inner_statements;
        let (mut first, mut second) = (counts.share(), counts.share());
        first.add(3);
        second.add(4);
        assert_eq!(inner(), 7);
        drop(first);
        second.add(1);
        assert_eq!((inner(), inner()), (8, 8));
        drop(second);
        assert_eq!((inner(), inner()), (8, 8));
        assert!(counts.counts.lock().unwrap().living.is_empty());
    }

    #[test]
    fn commits_are_those_that_the_server_named_last() {
        let counts = SessionCounts::default();
        assert!(!counts.share().asks());
        counts.ask_sessions();
        let (mut first, mut second) = (counts.share(), counts.share());
        assert!(first.asks());
        first.add(46);
        first.take_commits(69);
        second.take_commits(5);
        second.take_commits(7);
        drop(first);
        assert_eq!(counts.total(), Sums { inner_statements: 46, empty_transactions: 0, commits: 23 + 7 });
    }
}
