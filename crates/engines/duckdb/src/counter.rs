//! What the engine counts. It counts one thing: transactions.
//!
//! `txid_current()` gives the time of the database's clock at which a transaction began. In versions 1 the clock goes
//! on by one when a transaction begins and by another when it commits, one that only read like any other; from 2.0 on
//! only when it begins. Which of the two it is, is found out by two transactions that come one after the other. What
//! was rolled back is taken off: transactions that a session ended so, and statements outside of a transaction that
//! failed after they were understood. While transactions are under way the number can be ahead by these. In versions 1
//! a statement that names no table is no transaction of the database, unless it has to be planned when it is executed.
//!
//! Of blocks, files and the log the library has sizes as they are (`duckdb_memory()`, `pragma database_size`), which
//! fall as well as rise, and no totals; of what one query read it keeps a profile, which costs time. So there is no
//! counter of reads, writes or redo.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Result, Value};
use record::name;

use crate::capi::{Connection, Prepared};

/// What sessions rolled back.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    rollbacks: AtomicU64,
    /// The highest number of commits that was told.
    commits_told: AtomicU64,
}

impl Tally {
    pub(crate) fn add_rollback(&self) {
        self.rollbacks.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads the clock, on a connection of its own.
pub(crate) struct Reader {
    clock: Prepared,
    /// By how much the clock goes on for a transaction that commits: 1 or 2; none where it is not understood.
    ticks_per_commit: Option<u64>,
    _connection: Connection,
}

impl Reader {
    pub(crate) fn new(connection: Connection) -> Result<Reader> {
        let clock = Prepared::new(&connection, "select txid_current()")?;
        let mut reader = Reader { clock, ticks_per_commit: None, _connection: connection };
        let (first, second) = (reader.ticks()?, reader.ticks()?);
        reader.ticks_per_commit = second.checked_sub(first).filter(|ticks| (1..=2).contains(ticks));
        Ok(reader)
    }

    fn ticks(&self) -> Result<u64> {
        match self.clock.run(&[])?.rows()?.first().map(Vec::as_slice) {
            Some([Value::Int(ticks)]) => Ok(u64::try_from(*ticks).unwrap_or(0)),
            _ => Ok(0),
        }
    }

    /// The counters under their names, and how many transactions it took to read them.
    pub(crate) fn read(&self, tally: &Tally) -> Result<(BTreeMap<String, u64>, u64)> {
        // First, so that none is taken off that the clock has not seen.
        let rollbacks = tally.rollbacks.load(Ordering::Relaxed);
        let ticks = self.ticks()?;
        let mut counters = BTreeMap::from([
            (name::ROLLBACK_COUNT.to_owned(), rollbacks),
            ("duckdb_transaction_tick_count".to_owned(), ticks),
        ]);
        if let Some(ticks_per_commit) = self.ticks_per_commit {
            let commits = ticks.saturating_sub(rollbacks) / ticks_per_commit;
            // A transaction under way may have been taken for a commit and then be rolled back.
            let told = tally.commits_told.fetch_max(commits, Ordering::Relaxed);
            counters.insert(name::COMMIT_COUNT.to_owned(), commits.max(told));
        }
        Ok((counters, 1))
    }
}
