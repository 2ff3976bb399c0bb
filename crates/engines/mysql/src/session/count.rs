//! Counters of sessions for their node: statements that ended inside a transaction (the server counts each of them as a
//! commit, and the transaction again), empty transactions (which some counters of the server include), and, in a
//! cluster, the commits of the sessions themselves.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Counters of the sessions of one node.
#[derive(Debug, Default)]
pub(crate) struct SessionCounts {
    counts: Mutex<Counts>,
    /// Whether new sessions query the server for their commits.
    queries_commits: AtomicBool,
}

/// Sums over all sessions, including closed ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    /// Statements that ended inside a transaction.
    pub(crate) inner_statements: u64,
    /// Empty committed transactions.
    pub(crate) empty_transactions: u64,
    /// Commits from the session status, without those statements.
    pub(crate) commits: u64,
}

#[derive(Debug, Default)]
struct Counts {
    /// Of closed sessions.
    closed: Sums,
    active: Vec<Arc<CounterLine>>,
}

/// Counters on a separate cache line, so that sessions share no memory while they are measured. Two lines, because CPUs
/// prefetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct CounterLine {
    inner_statements: AtomicU64,
    empty_transactions: AtomicU64,
    commits: AtomicU64,
}

/// The counter of one session.
#[derive(Debug)]
pub(crate) struct SessionCounter {
    line: Arc<CounterLine>,
    queries_commits: bool,
}

impl SessionCounter {
    /// Counts statements that ended inside a transaction.
    #[inline]
    pub(crate) fn add(&mut self, statements: u64) {
        // This is the only writer.
        let line = &self.line.inner_statements;
        line.store(line.load(Ordering::Relaxed) + statements, Ordering::Relaxed);
    }

    /// Counts an empty committed transaction.
    pub(crate) fn add_empty(&mut self) {
        let line = &self.line.empty_transactions;
        line.store(line.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Whether the session queries the server for its commits.
    pub(crate) fn queries_commits(&self) -> bool {
        self.queries_commits
    }

    /// Sets the commits of this session as counted by the server, including statements inside transactions.
    pub(crate) fn set_commits(&mut self, counted: u64) {
        let inner = self.line.inner_statements.load(Ordering::Relaxed);
        self.line.commits.store(counted.saturating_sub(inner), Ordering::Relaxed);
    }
}

impl CounterLine {
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
    /// Makes new sessions query the server for their commits: the global counter includes commits of other nodes.
    pub(crate) fn enable_commit_queries(&self) {
        self.queries_commits.store(true, Ordering::Relaxed);
    }

    /// The counter of a new session.
    pub(crate) fn session_counter(&self) -> SessionCounter {
        let line = Arc::new(CounterLine::default());
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).active.push(line.clone());
        SessionCounter { line, queries_commits: self.queries_commits.load(Ordering::Relaxed) }
    }

    /// The current sums.
    pub(crate) fn total(&self) -> Sums {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut sums, mut gone) = (Sums::default(), Sums::default());
        counts.active.retain(|line| {
            // If this is the only reference, the session is closed, and its counts are final.
            let lives = Arc::strong_count(line) > 1;
            std::sync::atomic::fence(Ordering::Acquire);
            *(if lives { &mut sums } else { &mut gone }) += line.sums();
            lives
        });
        counts.closed += gone;
        sums += counts.closed;
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_closed_sessions_are_kept() {
        let counts = SessionCounts::default();
        let inner = || counts.total().inner_statements;
        let (mut first, mut second) = (counts.session_counter(), counts.session_counter());
        first.add(3);
        second.add(4);
        assert_eq!(inner(), 7);
        drop(first);
        second.add(1);
        assert_eq!((inner(), inner()), (8, 8));
        drop(second);
        assert_eq!((inner(), inner()), (8, 8));
        assert!(counts.counts.lock().unwrap().active.is_empty());
    }

    #[test]
    fn commits_are_those_that_the_server_reported_last() {
        let counts = SessionCounts::default();
        assert!(!counts.session_counter().queries_commits());
        counts.enable_commit_queries();
        let (mut first, mut second) = (counts.session_counter(), counts.session_counter());
        assert!(first.queries_commits());
        first.add(46);
        first.set_commits(69);
        second.set_commits(5);
        second.set_commits(7);
        drop(first);
        assert_eq!(counts.total(), Sums { inner_statements: 46, empty_transactions: 0, commits: 23 + 7 });
    }
}
