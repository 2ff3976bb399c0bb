//! A session, one connection each: the hot path.
//!
//! The driver caches statements by their texts, so preparing one has the server parse it and keeps its text. Rows are
//! fetched up to 512 at a time.
//!
//! There is no autocommit: a change outside a transaction is followed by a commit, in a round trip of its own. For a
//! transaction without changes neither commit nor rollback is sent.

mod bulk;
mod cancel;
mod statement;
mod value;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use engine::{Canceller, Error, Kind, Result, RowSource, Session, Statement, Value};
use oracledb::{Connection, Cursor, StatementBuilder, ToDbValue};

#[cfg(test)]
pub(crate) use self::bulk::insert;
use self::cancel::OracleCanceller;
#[cfg(test)]
pub(crate) use self::cancel::cancel;
use self::statement::{Prepared, takes_locks};
use self::value::{Bind, Cell};
use crate::connect::Login;
use crate::failure;
use crate::script::{Verb, is_procedural, statements};

/// Rows requested with an execution, and with each fetch after it.
const FETCH_ROWS: u32 = 512;

/// A result of the driver.
type DriverResult<T> = std::result::Result<T, oracledb::Error>;

/// A session.
pub(crate) struct OracleSession {
    connection: Connection,
    login: Arc<Login>,
    statements: Vec<Prepared>,
    /// The prepared statements by their texts.
    known: HashMap<String, Statement>,
    in_transaction: bool,
    /// Whether the transaction may have changed data.
    changed: bool,
    /// Buffer of bulk loads, reused.
    cells: Vec<Cell>,
    /// Time the driver spent in sending loads and waiting for the server.
    sending: Duration,
    lost: bool,
}

impl OracleSession {
    /// Logs in, with `schema` or that of the user as the current schema.
    pub(crate) fn start(login: &Arc<Login>, schema: Option<&str>) -> Result<OracleSession> {
        let connection = login.open()?;
        let mut session = OracleSession {
            connection,
            login: Arc::clone(login),
            statements: Vec::new(),
            known: HashMap::new(),
            in_transaction: false,
            changed: false,
            cells: Vec::new(),
            sending: Duration::ZERO,
            lost: false,
        };
        for setting in session_setup(schema) {
            session.batch(&setting)?;
        }
        Ok(session)
    }

    /// Version of the server: the major number, and all five.
    pub(crate) fn version(&self) -> Result<(u32, String)> {
        let version = self.connection.version().map_err(|error| failure::of_statement(&error))?;
        let number = |part: usize| u32::try_from(part).unwrap_or(u32::MAX);
        let text = [version.0, version.1, version.2, version.3, version.4].map(|part| number(part).to_string());
        Ok((number(version.0), text.join(".")))
    }

    /// Prepares and runs `sql`, for the queries of a node.
    pub(crate) fn ask(&mut self, sql: &str) -> Result<Vec<Vec<Value<'static>>>> {
        let statement = self.prepare(sql)?;
        self.query(statement, &[])
    }

    fn alive(&self) -> Result<()> {
        match self.lost {
            true => Err(Error::new(Kind::Lost, format!("the connection to {} is gone", crate::DESCRIPTION.title))),
            false => Ok(()),
        }
    }

    fn prepared(&self, statement: Statement) -> Result<&Prepared> {
        self.statements.get(statement.0 as usize).ok_or_else(|| statement.not_prepared())
    }

    /// Converts an error of the driver, and notes a lost session.
    fn refused(&mut self, error: &oracledb::Error) -> Error {
        let error = failure::of_statement(error);
        self.lost |= error.kind == Kind::Lost;
        error
    }

    /// `text` as the driver keeps it.
    fn statement<'sql>(&self, text: &'sql str) -> DriverResult<StatementBuilder<'sql>> {
        Ok(self.connection.statement(text)?.prefetch_rows(FETCH_ROWS).fetch_array_size(FETCH_ROWS))
    }

    /// Has the server parse `text`, which says whether it can work. The driver would not ask again for a text that it
    /// keeps: it is made to forget it first.
    fn parse(&self, text: &str) -> DriverResult<()> {
        drop(self.statement(text)?.exclude_from_cache().build()?);
        self.statement(text)?.build()?.ensure_fully_parsed()
    }

    /// Runs a statement that returns rows, as far as the first answer.
    fn open_cursor(&self, prepared: &Prepared, values: &[&dyn ToDbValue]) -> DriverResult<Cursor> {
        self.statement(&prepared.text)?.build()?.query(values)
    }

    /// Runs `statement`; `take` gets every row. Returns how many there were, or how many were changed.
    fn perform(
        &mut self,
        statement: Statement,
        binds: &[Value<'_>],
        mut take: impl FnMut(oracledb::Row) -> Result<()>,
    ) -> Result<u64> {
        self.alive()?;
        let prepared = self.prepared(statement)?;
        let binds: Vec<Bind<'_>> = binds.iter().map(Bind::of).collect::<Result<_>>()?;
        let values = prepared.values(&binds)?;
        let (verb, locks) = (prepared.verb, prepared.locks);
        if verb == Verb::Query {
            let cursor = self.open_cursor(prepared, &values).map_err(|error| self.refused(&error))?;
            let mut rows = 0;
            for row in cursor {
                take(row.map_err(|error| self.refused(&error))?)?;
                rows += 1;
            }
            return if locks { self.after(Verb::Change).map(|()| rows) } else { Ok(rows) };
        }
        let done = self.connection.execute(&prepared.text, &values).map(|done| done.rows_affected());
        self.carried_out(verb, done)
    }

    /// What follows the outcome of a statement that is no query; returns how many rows it changed.
    fn carried_out(&mut self, verb: Verb, done: DriverResult<u64>) -> Result<u64> {
        let rows = done.map_err(|error| {
            // What came before it in the transaction may be there still.
            self.changed |= self.in_transaction;
            self.refused(&error)
        })?;
        self.after(verb)?;
        Ok(if verb == Verb::Change { rows } else { 0 })
    }

    /// What follows a statement that is no query: its commit, or the note that there is something to commit.
    fn after(&mut self, verb: Verb) -> Result<()> {
        match verb {
            Verb::Query => Ok(()),
            // A definition has committed itself and all before it; a setting has changed nothing, and a lock on a table
            // is held until the session ends.
            Verb::Other => Ok(()),
            Verb::Change | Verb::Block if self.in_transaction => {
                self.changed = true;
                Ok(())
            }
            Verb::Change | Verb::Block => self.end(Connection::commit),
        }
    }

    fn end(&mut self, how: fn(&Connection) -> DriverResult<()>) -> Result<()> {
        (self.in_transaction, self.changed) = (false, false);
        how(&self.connection).map_err(|error| self.refused(&error))
    }

    fn run(&mut self, text: &str) -> Result<()> {
        self.alive()?;
        let verb = Verb::of(text);
        if verb == Verb::Query {
            let cursor = self.connection.query(text, &[]).map_err(|error| self.refused(&error))?;
            for row in cursor {
                row.map_err(|error| self.refused(&error))?;
            }
            return if takes_locks(text, verb) { self.after(Verb::Change) } else { Ok(()) };
        }
        let done = self.connection.execute(text, &[]).map(|done| done.rows_affected());
        self.carried_out(verb, done)?;
        if verb == Verb::Other
            && is_procedural(text)
            && let Ok(Some(warning)) = self.connection.last_warning()
        {
            // A unit of PL/SQL with errors in it is there nevertheless.
            return Err(Error::new(Kind::Statement, format!("{warning}: see user_errors")));
        }
        Ok(())
    }
}

/// What makes sessions behave the same on every server: the language of messages is the driver's business.
pub(crate) fn session_setup(schema: Option<&str>) -> Vec<String> {
    let same = [
        "alter session set nls_comp = binary",
        "alter session set nls_sort = binary",
        "alter session set nls_date_format = 'YYYY-MM-DD'",
    ];
    let schema = schema.map(|name| format!("alter session set current_schema = {name}"));
    same.into_iter().map(str::to_owned).chain(schema).collect()
}

impl Session for OracleSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        statements(sql).into_iter().try_for_each(|statement| self.run(statement))
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.alive()?;
        let prepared = Prepared::new(sql);
        // Parsing a definition would carry it out.
        if prepared.verb != Verb::Other {
            self.parse(&prepared.text).map_err(|error| self.refused(&error))?;
        }
        if let Some(statement) = self.known.get(&prepared.text) {
            return Ok(*statement);
        }
        let number = u32::try_from(self.statements.len())
            .map_err(|_| Error::new(Kind::Usage, "more than 4 billion statements in a session"))?;
        self.known.insert(prepared.text.clone(), Statement(number));
        self.statements.push(prepared);
        Ok(Statement(number))
    }

    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        self.perform(statement, binds, |_| Ok(()))
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        let mut rows = Vec::new();
        self.perform(statement, binds, |row| {
            rows.push(value::fields(&row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    fn begin(&mut self) -> Result<()> {
        self.alive()?;
        // The server begins one with the first change.
        (self.in_transaction, self.changed) = (true, false);
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.alive()?;
        match self.changed {
            true => self.end(Connection::commit),
            false => {
                self.in_transaction = false;
                Ok(())
            }
        }
    }

    fn rollback(&mut self) -> Result<()> {
        self.alive()?;
        match self.changed {
            true => self.end(Connection::rollback),
            false => {
                self.in_transaction = false;
                Ok(())
            }
        }
    }

    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.alive()?;
        self.load(table, rows)
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.alive()?;
        if self.in_transaction { self.load_arrays(table, rows, false) } else { Err(Error::outside_transaction()) }
    }

    /// The driver encodes an array while it sends it, so that this is the time of both.
    fn sending_ns(&self) -> Option<u64> {
        Some(self.sending.as_nanos() as u64)
    }

    /// Of each round trip by itself: the driver knows no limit of several. What it does to get the session back after that waits
    /// as long again, and where that fails, too, the session is lost; it is so here in either case.
    fn limit_waits(&mut self, timeout: Option<Duration>) {
        // It fails where there is no connection any more, which the next statement says.
        let _ = self.connection.set_call_timeout(timeout);
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        OracleCanceller::of(&self.connection, &self.login).map(|canceller| Box::new(canceller) as Box<dyn Canceller>)
    }
}
