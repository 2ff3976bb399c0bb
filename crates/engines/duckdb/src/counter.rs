//! Counters of the engine: transactions only.
//!
//! `txid_current()` returns the logical clock at the start of a transaction. In versions 1.x the clock advances at the
//! start and at the commit of a transaction, also of a read-only one; since 2.0 only at the start. This is detected by
//! two consecutive transactions. Rollbacks are subtracted: rolled back transactions, and autocommit statements that
//! failed in execution. During open transactions the number can be too high by these. In versions 1.x a statement
//! without a table is not a transaction of the database, unless it is planned at execution.
//!
//! For blocks, files and the log the library has only current sizes (`duckdb_memory()`, `pragma database_size`), which
//! can decrease, and no totals; reads of a query are only in its profile, which costs time. So there are no counters of
//! reads, writes and redo.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Result, Value};
use record::name;

use crate::capi::{Connection, Prepared};

/// Rollbacks of sessions.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    rollbacks: AtomicU64,
    /// The highest number of commits reported so far.
    commits_reported: AtomicU64,
}

impl Tally {
    pub(crate) fn add_rollback(&self) {
        self.rollbacks.fetch_add(1, Ordering::Relaxed);
    }
}

/// Reads the clock, on a connection of its own.
pub(crate) struct Reader {
    clock: Prepared,
    /// Clock ticks per committed transaction: 1 or 2; `None` if it is neither.
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

    /// The counters by name, and the number of transactions of the reading itself.
    pub(crate) fn read(&self, tally: &Tally) -> Result<(BTreeMap<String, u64>, u64)> {
        // Read first, so that no rollback is subtracted whose start is not counted yet.
        let rollbacks = tally.rollbacks.load(Ordering::Relaxed);
        let ticks = self.ticks()?;
        let mut counters = BTreeMap::from([
            (name::ROLLBACK_COUNT.to_owned(), rollbacks),
            ("duckdb_transaction_tick_count".to_owned(), ticks),
        ]);
        if let Some(ticks_per_commit) = self.ticks_per_commit {
            let commits = ticks.saturating_sub(rollbacks) / ticks_per_commit;
            // An open transaction may have been counted as a commit and then rolled back.
            let previous = tally.commits_reported.fetch_max(commits, Ordering::Relaxed);
            counters.insert(name::COMMIT_COUNT.to_owned(), commits.max(previous));
        }
        Ok((counters, 1))
    }
}
