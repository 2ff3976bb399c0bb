//! One session: a connection, used by one thread.
//!
//! `begin` says plain `BEGIN`, which takes no lock. The first statement decides: one that reads lets other sessions
//! read and write beside it; one that writes takes the one lock for writers there is, waiting for it as
//! [`crate::hook`] says, before it has read anything. So transactions of reads run in parallel, and transactions
//! that begin with a write queue up and do not fail. A transaction that first reads and then writes can fail, where
//! another one has committed in between: a counted serialization failure, as on other engines. Beginning every
//! transaction with `BEGIN IMMEDIATE` would avoid that and would let no two transactions of reads run side by side.

use std::ffi::{CString, c_int};
use std::sync::atomic::Ordering;

use engine::{Canceller, Error, Kind, Result, RowSource, Session, Statement, Value};
use libsqlite3_sys as ffi;
use record::FailureKind;
use rusqlite::InterruptHandle;

use crate::connect::Link;
use crate::statement::{Failed, Prepared};
use crate::{bulk, failure};

/// Statements between two looks at the counts of the page cache, which the library keeps in 32 bits.
const STATEMENTS_PER_LOOK: u32 = 4096;

/// A session. The fields are dropped in this order: statements before their connection.
pub(crate) struct SqliteSession {
    statements: Vec<Prepared>,
    begin: Prepared,
    commit: Prepared,
    rollback: Prepared,
    until_look: u32,
    raw: *mut ffi::sqlite3,
    link: Link,
}

// SAFETY: the connection and its statements are used by one thread at a time, because every use needs `&mut`; the
// library was told so when the connection was opened (no mutex) and does not care which thread it is.
unsafe impl Send for SqliteSession {}

impl SqliteSession {
    pub(crate) fn new(link: Link) -> Result<SqliteSession> {
        // SAFETY: the connection is open and stays so as long as the session; it is closed by `link` alone.
        let raw = unsafe { link.connection.handle() };
        // SAFETY: as above, and the session drops its statements before the connection.
        let prepare = |sql| unsafe { Prepared::new(raw, sql) }.map_err(|failed| refusal(raw, &link, failed));
        let (begin, commit, rollback) = (prepare("begin")?, prepare("commit")?, prepare("rollback")?);
        Ok(SqliteSession {
            statements: Vec::new(),
            begin,
            commit,
            rollback,
            until_look: STATEMENTS_PER_LOOK,
            raw,
            link,
        })
    }

    /// The connection itself, open for as long as the session is.
    pub(crate) fn raw(&self) -> *mut ffi::sqlite3 {
        self.raw
    }

    /// The error of `code`, which a call on the connection has just returned.
    pub(crate) fn refused(&self, code: c_int) -> Error {
        self.refuse(Failed::Code(code))
    }

    fn refuse(&self, failed: Failed) -> Error {
        refusal(self.raw, &self.link, failed)
    }

    fn statement(&self, statement: Statement) -> Result<&Prepared> {
        let known = self.statements.get(statement.0 as usize);
        known.ok_or_else(|| Error::not_prepared(statement))
    }

    /// Whether no transaction is open.
    fn is_autocommit(&self) -> bool {
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_get_autocommit(self.raw) != 0 }
    }

    fn control(&self, statement: &Prepared) -> Result<()> {
        statement.run(&[], |_| ()).map_err(|failed| self.refuse(failed))?;
        Ok(())
    }

    /// Inserts all rows, inside the transaction that is open.
    fn insert(&self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        // SAFETY: the connection is open and used by this thread alone.
        unsafe { bulk::insert(self.raw, table, rows) }.map_err(|failed| self.refuse(failed))
    }

    /// Adds what the page cache has counted since the last time.
    fn look_at_cache(&mut self) {
        self.until_look = STATEMENTS_PER_LOOK;
        let shard = self.link.hooks.share().shard();
        for (verb, total) in [
            (ffi::SQLITE_DBSTATUS_CACHE_HIT, &shard.cache_hits),
            (ffi::SQLITE_DBSTATUS_CACHE_MISS, &shard.cache_misses),
        ] {
            let (mut pages, mut highest) = (0, 0);
            // SAFETY: the connection is open, the results are written to locals; 1 sets the count back to zero.
            let code = unsafe { ffi::sqlite3_db_status64(self.raw, verb, &raw mut pages, &raw mut highest, 1) };
            if code == ffi::SQLITE_OK {
                total.fetch_add(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            }
        }
    }

    fn count_down(&mut self) {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.look_at_cache();
        }
    }
}

#[cold]
fn refusal(connection: *mut ffi::sqlite3, link: &Link, failed: Failed) -> Error {
    match failed {
        // SAFETY: the connection is the session's own and open.
        Failed::Code(code) => unsafe { failure::of(connection, code, &link.hooks) },
        Failed::Error(error) => error,
    }
}

impl Session for SqliteSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        let sql = CString::new(sql).map_err(|_| Error::new(Kind::Statement, "the statement contains a zero byte"))?;
        // SAFETY: the connection is open, the text ends with a zero, no callback is given.
        let code: c_int =
            unsafe { ffi::sqlite3_exec(self.raw, sql.as_ptr(), None, std::ptr::null_mut(), std::ptr::null_mut()) };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.refuse(Failed::Code(code))) }
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        // SAFETY: the connection is open, and the session drops its statements before it.
        let prepared = unsafe { Prepared::new(self.raw, sql) }.map_err(|failed| self.refuse(failed))?;
        self.statements.push(prepared);
        Ok(Statement(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        let prepared = self.statement(statement)?;
        let count = if prepared.returns_rows() {
            prepared.run(binds, |row| row.read()).map_err(|failed| self.refuse(failed))?
        } else {
            // SAFETY: the connection is open.
            let before = unsafe { ffi::sqlite3_total_changes64(self.raw) };
            prepared.run(binds, |_| ()).map_err(|failed| self.refuse(failed))?;
            // The count of changes is the last one of any statement that can change rows: one that creates a table
            // leaves it alone, and then it is not ours.
            // SAFETY: as above.
            let changed = unsafe { ffi::sqlite3_total_changes64(self.raw) != before };
            // SAFETY: as above.
            if changed { unsafe { ffi::sqlite3_changes64(self.raw) as u64 } } else { 0 }
        };
        self.count_down();
        Ok(count)
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        let mut rows = Vec::new();
        let prepared = self.statement(statement)?;
        prepared.run(binds, |row| rows.push(row.values())).map_err(|failed| self.refuse(failed))?;
        self.count_down();
        Ok(rows)
    }

    fn begin(&mut self) -> Result<()> {
        self.control(&self.begin)
    }

    fn commit(&mut self) -> Result<()> {
        if self.is_autocommit() {
            let message = "there is no transaction to commit: SQLite has ended it with the statement that failed";
            return Err(Error::new(Kind::Step(FailureKind::Other), message));
        }
        self.control(&self.commit)
    }

    fn rollback(&mut self) -> Result<()> {
        // A full disk, an error of the device and a cancelled write roll back at once, all by themselves.
        if self.is_autocommit() { Ok(()) } else { self.control(&self.rollback) }
    }

    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        let (begin, end, undo) = match self.is_autocommit() {
            true => ("begin immediate", "commit", "rollback"),
            false => ("savepoint bulk", "release bulk", "rollback to bulk; release bulk"),
        };
        self.batch(begin)?;
        let loaded = self.insert(table, rows).and_then(|count| self.batch(end).map(|()| count));
        if loaded.is_err() && !self.is_autocommit() {
            // The first error is the one to tell.
            let _ = self.batch(undo);
        }
        self.look_at_cache();
        loaded
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        if self.is_autocommit() {
            return Err(Error::outside_transaction());
        }
        let loaded = self.insert(table, rows);
        self.look_at_cache();
        loaded
    }

    /// Commits, waits and I/O are counted as they happen; the pages that the cache was asked for only now.
    fn publish_counters(&mut self) -> Result<u64> {
        self.look_at_cache();
        Ok(0)
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(Interrupt(self.link.connection.get_interrupt_handle())))
    }
}

impl Drop for SqliteSession {
    fn drop(&mut self) {
        self.look_at_cache();
    }
}

/// Knows when its connection is closed, and then does nothing.
struct Interrupt(InterruptHandle);

impl Canceller for Interrupt {
    fn cancel(&self) -> Result<()> {
        self.0.interrupt();
        Ok(())
    }
}
