//! One session: a connection, used by one thread.
//!
//! `begin` is a plain (deferred) `BEGIN`, which takes no lock. With a read as first statement, other sessions can read
//! and write concurrently; a write takes the single write lock, waiting for it as in [`crate::hook`], before it has
//! read anything. So read transactions run in parallel, and transactions that start with a write wait and do not fail.
//! A transaction that first reads and then writes can fail if another one has committed in between: a counted
//! serialization failure, as on other engines. `BEGIN IMMEDIATE` for every transaction would avoid that, but would
//! serialize read transactions.

use std::ffi::{CString, c_int};
use std::sync::atomic::Ordering;

use engine::{Canceller, Error, Kind, Result, RowSource, Session, Statement, Value};
use libsqlite3_sys as ffi;
use record::FailureKind;
use rusqlite::InterruptHandle;

use crate::connect::Link;
use crate::statement::{Failed, Prepared};
use crate::{bulk, failure};

/// Statements between two collections of the page cache counts, which the library keeps in 32 bits.
const STATEMENTS_PER_COLLECTION: u32 = 4096;

/// A session. The fields are dropped in this order: statements before their connection.
pub(crate) struct SqliteSession {
    statements: Vec<Prepared>,
    begin: Prepared,
    commit: Prepared,
    rollback: Prepared,
    until_collection: u32,
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
        let prepare = |sql| unsafe { Prepared::new(raw, sql) }.map_err(|failed| error_of_failure(raw, &link, failed));
        let (begin, commit, rollback) = (prepare("begin")?, prepare("commit")?, prepare("rollback")?);
        Ok(SqliteSession {
            statements: Vec::new(),
            begin,
            commit,
            rollback,
            until_collection: STATEMENTS_PER_COLLECTION,
            raw,
            link,
        })
    }

    /// The connection itself, open for as long as the session is.
    pub(crate) fn raw(&self) -> *mut ffi::sqlite3 {
        self.raw
    }

    /// The error of `code`, which a call on the connection has just returned.
    pub(crate) fn error_of(&self, code: c_int) -> Error {
        self.to_error(Failed::Code(code))
    }

    fn to_error(&self, failed: Failed) -> Error {
        error_of_failure(self.raw, &self.link, failed)
    }

    fn statement(&self, statement: Statement) -> Result<&Prepared> {
        let known = self.statements.get(statement.0 as usize);
        known.ok_or_else(|| statement.not_prepared())
    }

    /// Whether no transaction is open.
    fn is_autocommit(&self) -> bool {
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_get_autocommit(self.raw) != 0 }
    }

    fn control(&self, statement: &Prepared) -> Result<()> {
        statement.run(&[], |_| ()).map_err(|failed| self.to_error(failed))?;
        Ok(())
    }

    /// Inserts all rows, inside the transaction that is open.
    fn insert(&self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        // SAFETY: the connection is open and used by this thread alone.
        unsafe { bulk::insert(self.raw, table, rows) }.map_err(|failed| self.to_error(failed))
    }

    /// Adds the page cache counts since the last collection.
    fn collect_cache_counts(&mut self) {
        self.until_collection = STATEMENTS_PER_COLLECTION;
        let shard = self.link.hooks.session_shard().shard();
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
        self.until_collection -= 1;
        if self.until_collection == 0 {
            self.collect_cache_counts();
        }
    }
}

#[cold]
fn error_of_failure(connection: *mut ffi::sqlite3, link: &Link, failed: Failed) -> Error {
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
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.to_error(Failed::Code(code))) }
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        // SAFETY: the connection is open, and the session drops its statements before it.
        let prepared = unsafe { Prepared::new(self.raw, sql) }.map_err(|failed| self.to_error(failed))?;
        self.statements.push(prepared);
        Ok(Statement(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        let prepared = self.statement(statement)?;
        let count = if prepared.returns_rows() {
            prepared.run(binds, |row| row.read()).map_err(|failed| self.to_error(failed))?
        } else {
            // SAFETY: the connection is open.
            let before = unsafe { ffi::sqlite3_total_changes64(self.raw) };
            prepared.run(binds, |_| ()).map_err(|failed| self.to_error(failed))?;
            // The count of changes belongs to the last statement that can change rows: DDL does not update it. SAFETY:
            // as above.
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
        prepared.run(binds, |row| rows.push(row.values())).map_err(|failed| self.to_error(failed))?;
        self.count_down();
        Ok(rows)
    }

    fn column_names(&self, statement: Statement) -> Result<Vec<String>> {
        Ok(self.statement(statement)?.column_names())
    }

    fn begin(&mut self) -> Result<()> {
        self.control(&self.begin)
    }

    fn commit(&mut self) -> Result<()> {
        if self.is_autocommit() {
            let message = "there is no transaction to commit: SQLite has rolled it back with the failed statement";
            return Err(Error::new(Kind::Step(FailureKind::Other), message));
        }
        self.control(&self.commit)
    }

    fn rollback(&mut self) -> Result<()> {
        // A full disk, an I/O error and a cancelled write roll back automatically.
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
            // The first error is the one to report.
            let _ = self.batch(undo);
        }
        self.collect_cache_counts();
        loaded
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        if self.is_autocommit() {
            return Err(Error::outside_transaction());
        }
        let loaded = self.insert(table, rows);
        self.collect_cache_counts();
        loaded
    }

    /// Commits, waits and I/O are counted immediately; page cache counts only here.
    fn publish_counters(&mut self) -> Result<u64> {
        self.collect_cache_counts();
        Ok(0)
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(Interrupt(self.link.connection.get_interrupt_handle())))
    }
}

impl Drop for SqliteSession {
    fn drop(&mut self) {
        self.collect_cache_counts();
    }
}

/// Has no effect after its connection is closed.
struct Interrupt(InterruptHandle);

impl Canceller for Interrupt {
    fn cancel(&self) -> Result<()> {
        self.0.interrupt();
        Ok(())
    }
}
