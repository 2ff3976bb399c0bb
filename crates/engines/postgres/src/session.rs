//! One connection: the hot path.
//!
//! Binds and results travel in binary; a statement is one write (Bind, Execute, Sync) and as many reads as its rows
//! need, and nothing is allocated for it. Rows are read to their last byte where they lie in the buffer.

mod bytes;
mod cancel;
mod copy;
mod encoder;
mod exchange;
mod question;
mod statement;
mod tolerance;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Canceller, Error, Kind, LineForm, Result, RowSource, Statement, Value};
use postgres_protocol::message::frontend;
use record::FailureKind;

pub(crate) use self::bytes::BYTES_MAX;
use self::question::refusable;
use self::statement::{BEGIN, COMMIT, PUBLISH, PUBLISH_LATE, Prepared, ROLLBACK, Requests, row};
use crate::connect::{Login, Opened, Server};
use crate::message::{self, affected};
use crate::wire::Wire;
use transport::{Way, plain};

/// From this version on a session can be told to publish its counters at once.
pub(crate) const VERSION_OF_FLUSH: u32 = 15;

/// Below that version a session sends its counters at the end of a transaction, if it did not within this time before
/// (500 ms, `PGSTAT_STAT_INTERVAL` in PostgreSQL's `pgstat.c`).
pub(crate) const PUBLISH_INTERVAL: Duration = Duration::from_millis(510);

/// How long a session that is closed waits for its server process to end: what that counted is published by then.
const FAREWELL: Duration = Duration::from_secs(2);

/// How the server was asked, which decides how it gets over an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// Query: any number of statements as text.
    Simple,
    /// Parse, Bind, Execute; Sync ends it.
    Extended,
}

/// A session.
pub(crate) struct PostgresSession {
    wire: Wire,
    server: Server,
    login: Arc<Login>,
    way: Way,
    /// The process that serves this session, where it was found on this host.
    process: Option<u32>,
    statements: Vec<Prepared>,
    /// What was prepared since the last batch, by its text: a statement that is prepared again is the same one.
    known: HashMap<String, Statement>,
    requests: Requests,
    in_transaction: bool,
    /// Whether the server can be told to publish its counters.
    publishes: bool,
    /// Whether the server is a relative that need not know all words of the dialect.
    tolerant: bool,
    /// When the server last ended a request; kept only where publishing depends on it.
    answered_at: Option<Instant>,
    /// Time given to the server in loads.
    sending: Duration,
    lost: bool,
}

impl PostgresSession {
    /// Takes a connection that is logged in.
    pub(crate) fn start(opened: Opened, login: Arc<Login>) -> Result<PostgresSession> {
        let Opened { wire, server, way } = opened;
        let publish = if server.major < VERSION_OF_FLUSH { PUBLISH_LATE } else { PUBLISH };
        let mut session = PostgresSession {
            wire,
            server,
            login,
            way,
            process: None,
            statements: Vec::new(),
            known: HashMap::new(),
            requests: Requests::new()?,
            in_transaction: false,
            publishes: true,
            tolerant: false,
            answered_at: None,
            sending: Duration::ZERO,
            lost: false,
        };
        // Two requests in one message: what publishes counters need not be known to every relative.
        for statements in [&[BEGIN, COMMIT, ROLLBACK][..], &[publish]] {
            for (name, sql) in statements {
                frontend::parse(name, sql, [], &mut session.wire.output).map_err(|error| unsendable(&error))?;
            }
            frontend::sync(&mut session.wire.output);
        }
        session.send()?;
        session.answer(Protocol::Extended, |_| Ok(()))?;
        session.publishes = refusable(session.answer(Protocol::Extended, |_| Ok(())))?.is_some();
        // The login and the Parse above are a transaction each; from here on they are in the counters. (An old server
        // published them by itself: the first time of a session is never too early.)
        if !session.publishes_late() {
            engine::Session::publish_counters(&mut session)?;
        }
        Ok(session)
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn way(&self) -> &Way {
        &self.way
    }

    /// Says of the server that it need not know all words of the dialect, see [`tolerance`].
    pub(crate) fn tolerate(&mut self) {
        self.tolerant = true;
    }

    pub(crate) fn set_process(&mut self, process: Option<u32>) {
        self.process = process;
    }

    /// Whether counters are published only at intervals.
    #[inline]
    fn publishes_late(&self) -> bool {
        self.server.major < VERSION_OF_FLUSH
    }

    fn query_simply(&mut self, sql: &str) -> Result<()> {
        self.alive()?;
        // It may change what the known statements name.
        self.known.clear();
        self.wire.output.clear();
        frontend::query(sql, &mut self.wire.output).map_err(|error| unsendable(&error))?;
        self.send()?;
        self.answer(Protocol::Simple, |_| Ok(()))
    }

    fn parse(&mut self, sql: &str) -> Result<Prepared> {
        let name = format!("s{}", self.statements.len());
        self.wire.output.clear();
        frontend::parse(&name, sql, [], &mut self.wire.output)
            .and_then(|()| frontend::describe(b'S', &name, &mut self.wire.output))
            .map_err(|error| unsendable(&error))?;
        frontend::sync(&mut self.wire.output);
        self.send()?;
        let (mut parameters, mut columns) = (Box::default(), Box::default());
        self.answer(Protocol::Extended, |message| {
            match message.tag {
                b't' => parameters = message::parameter_types(message.body)?,
                b'T' => columns = message::column_types(message.body)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(Prepared::new(name, parameters, columns))
    }
}

impl engine::Session for PostgresSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        let outcome = self.query_simply(sql);
        match outcome {
            Err(error) if self.tolerant && !self.in_transaction => match tolerance::instead(sql, &error) {
                Some(sql) if sql.is_empty() => Ok(()),
                Some(sql) => self.query_simply(&sql),
                None => Err(error),
            },
            outcome => outcome,
        }
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.alive()?;
        if let Some(statement) = self.known.get(sql) {
            return Ok(*statement);
        }
        let prepared = self.parse(sql)?;
        let statement = Statement(self.statements.len() as u32);
        self.statements.push(prepared);
        self.known.insert(sql.to_owned(), statement);
        Ok(statement)
    }

    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        self.alive()?;
        find(&self.statements, statement)?.bind(binds, &mut self.wire.output)?;
        self.send()?;
        let (mut rows, mut changed) = (0, 0);
        self.answer(Protocol::Extended, |message| {
            match message.tag {
                b'D' => rows += 1,
                b'C' => changed = affected(message.body),
                _ => {}
            }
            Ok(())
        })?;
        let returns_rows = find(&self.statements, statement)?.returns_rows();
        Ok(if returns_rows { rows } else { changed })
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        self.alive()?;
        find(&self.statements, statement)?.bind(binds, &mut self.wire.output)?;
        self.send()?;
        let columns: Box<[u32]> = find(&self.statements, statement)?.columns().into();
        let mut rows = Vec::new();
        self.answer(Protocol::Extended, |message| {
            if message.tag == b'D' {
                rows.push(row(message.body, &columns)?);
            }
            Ok(())
        })?;
        Ok(rows)
    }

    fn begin(&mut self) -> Result<()> {
        self.run(|requests| &requests.begin).map(|_| ())
    }

    fn commit(&mut self) -> Result<()> {
        if self.run(|requests| &requests.commit)? {
            let message = "the commit was answered with a rollback, because a statement of the transaction had failed";
            return Err(Error::new(Kind::Step(FailureKind::Other), message));
        }
        Ok(())
    }

    fn rollback(&mut self) -> Result<()> {
        self.run(|requests| &requests.rollback).map(|_| ())
    }

    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.alive()?;
        self.load(table, rows)
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.alive()?;
        if self.in_transaction { self.load(table, rows) } else { Err(Error::outside_transaction()) }
    }

    fn append_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        self.alive()?;
        if self.in_transaction { self.load_lines(table, form, lines) } else { Err(Error::outside_transaction()) }
    }

    fn defer_durability(&mut self) -> Result<bool> {
        self.alive()?;
        if !self.in_transaction {
            return Err(Error::outside_transaction());
        }
        // Relatives have logs of their own kinds, and some take this setting without a word and without an effect.
        if self.tolerant {
            return Ok(false);
        }
        self.query_simply("set local synchronous_commit = off").map(|()| true)
    }

    fn sending_ns(&self) -> Option<u64> {
        Some(self.sending.as_nanos() as u64)
    }

    /// From PostgreSQL 15 on exact at once. Before, it waits until the session may publish again, up to half a second
    /// after its last statement; that is exact too unless the server's statistics collector is too busy to receive.
    fn publish_counters(&mut self) -> Result<u64> {
        self.alive()?;
        if !self.publishes {
            return Ok(0);
        }
        if self.publishes_late() && !self.in_transaction {
            let waited = self.answered_at.map_or(PUBLISH_INTERVAL, |at| at.elapsed());
            std::thread::sleep(PUBLISH_INTERVAL.saturating_sub(waited));
        }
        let was_in_transaction = self.in_transaction;
        self.run(|requests| &requests.publish)?;
        // Inside a transaction it is part of that, and takes effect at its end.
        Ok(u64::from(!was_in_transaction))
    }

    fn server_process(&self) -> Option<u32> {
        self.process
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(cancel::CancelRequest {
            login: self.login.clone(),
            way: self.way.clone(),
            process: self.server.process,
            secret: self.server.secret,
        }))
    }
}

/// Takes leave of the server and waits until its process has gone: by then its counters are published, its locks
/// free, and its place among `max_connections` as well.
impl Drop for PostgresSession {
    fn drop(&mut self) {
        if self.lost || self.wire.messages.set_timeout(Some(FAREWELL)).is_err() {
            return;
        }
        self.wire.output.clear();
        frontend::terminate(&mut self.wire.output);
        if self.wire.send_output().is_ok() {
            while self.wire.messages.receive().is_ok() {}
        }
    }
}

#[inline]
fn find(statements: &[Prepared], statement: Statement) -> Result<&Prepared> {
    statements.get(statement.0 as usize).ok_or_else(|| Error::not_prepared(statement))
}

/// A message that cannot be built: a text with a zero byte in it, or one that is too long.
fn unsendable(error: &io::Error) -> Error {
    Error::new(Kind::Statement, format!("the statement cannot be sent: {}", plain(error)))
}
