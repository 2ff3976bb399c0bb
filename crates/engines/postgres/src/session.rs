//! Sessions: one connection each, the hot path.
//!
//! Binds and results use the binary format; a statement is one write (Bind, Execute, Sync) and as many reads as its
//! rows need, without allocation. Rows are read completely, in place in the buffer.

mod bytes;
mod copy;
mod encoder;
mod exchange;
mod fallback;
mod pipeline;
mod statement;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::bytes::BytesMut;
use engine::{Canceller, Error, Kind, LineForm, Result, RowSource, Statement, Value};
use postgres_protocol::message::frontend;
use record::FailureKind;

pub(crate) use self::bytes::BYTES_MAX;
use self::statement::{BEGIN, COMMIT, PUBLISH, PUBLISH_LATE, Prepared, ROLLBACK, Requests, row, unnamed};
use crate::connect::{Login, Opened, Server};
use crate::dialect::USER_TABLES;
use crate::failure::{encode_error, if_supported};
use crate::message::{self, affected};
use crate::wire::Wire;
use transport::{Pipeline, Pipelined, Route};

/// Since this version a session can publish its counters immediately.
pub(crate) const VERSION_OF_FLUSH: u32 = 15;

/// Before that version a session sends its counters at the end of a transaction, at most once in this interval (500 ms,
/// `PGSTAT_STAT_INTERVAL` in PostgreSQL's `pgstat.c`).
pub(crate) const PUBLISH_INTERVAL: Duration = Duration::from_millis(510);

/// Timeout of a closed session for the exit of its backend, which publishes its counters before.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Protocol of a request, which determines the error recovery.
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
    route: Route,
    /// The backend process, if it was found on this host.
    process: Option<u32>,
    statements: Vec<Prepared>,
    /// Statements prepared since the last batch, by their text: preparing the same text again returns the same
    /// statement.
    known: HashMap<String, Statement>,
    requests: Requests,
    pipeline: Pipeline,
    in_transaction: bool,
    /// Whether the server can publish counters on request.
    publishes: bool,
    /// Whether the server is a flavour that need not support the whole dialect.
    is_compatible_only: bool,
    /// When the last request was completed; kept only if publishing depends on it.
    answered_at: Option<Instant>,
    /// Time spent in the server in loads.
    sending_time: Duration,
    lost: bool,
}

impl PostgresSession {
    /// Starts a session on a connection after login.
    pub(crate) fn start(opened: Opened, login: Arc<Login>) -> Result<PostgresSession> {
        let Opened { wire, server, route } = opened;
        let publish = if server.major < VERSION_OF_FLUSH { PUBLISH_LATE } else { PUBLISH };
        let is_pooled = login.is_pooled;
        let mut session = PostgresSession {
            wire,
            server,
            publishes: !is_pooled,
            login,
            route,
            process: None,
            statements: Vec::new(),
            known: HashMap::new(),
            requests: Requests::new(is_pooled)?,
            pipeline: Pipeline::default(),
            in_transaction: false,
            is_compatible_only: false,
            answered_at: None,
            sending_time: Duration::ZERO,
            lost: false,
        };
        if is_pooled {
            return Ok(session);
        }
        // Two requests in one message: not every flavour supports the publishing one.
        for statements in [&[BEGIN, COMMIT, ROLLBACK][..], &[publish]] {
            for (name, sql) in statements {
                frontend::parse(name, sql, [], &mut session.wire.output).map_err(|error| encode_error(&error))?;
            }
            frontend::sync(&mut session.wire.output);
        }
        session.send()?;
        session.response(Protocol::Extended, |_| Ok(()))?;
        session.publishes = if_supported(session.response(Protocol::Extended, |_| Ok(())))?.is_some();
        // The login and the Parse above are a transaction each; from here on they are in the counters. (An old server
        // has published them by itself: the interval does not apply to the first time.)
        if !session.publishes_at_intervals() {
            engine::Session::publish_counters(&mut session)?;
        }
        Ok(session)
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn route(&self) -> &Route {
        &self.route
    }

    /// Marks the server as one that need not support the whole dialect, see [`fallback`].
    pub(crate) fn allow_missing_features(&mut self) {
        self.is_compatible_only = true;
    }

    pub(crate) fn set_process(&mut self, process: Option<u32>) {
        self.process = process;
    }

    /// Whether counters are published only at intervals.
    #[inline]
    fn publishes_at_intervals(&self) -> bool {
        self.server.major < VERSION_OF_FLUSH
    }

    fn query_simply(&mut self, sql: &str) -> Result<()> {
        self.check_connected()?;
        // It may change the objects of known statements.
        self.known.clear();
        self.wire.output.clear();
        frontend::query(sql, &mut self.wire.output).map_err(|error| encode_error(&error))?;
        self.send()?;
        self.response(Protocol::Simple, |_| Ok(()))
    }

    /// The rows that an answer has, and those that its command tag says were changed.
    #[inline]
    fn counts(&mut self, protocol: Protocol) -> Result<(u64, u64)> {
        let (mut rows, mut changed) = (0, 0);
        self.response(protocol, |message| {
            match message.tag {
                b'D' => rows += 1,
                b'C' => changed = affected(message.body),
                _ => {}
            }
            Ok(())
        })?;
        Ok((rows, changed))
    }

    fn parse(&mut self, sql: &str) -> Result<Prepared> {
        let name = if self.login.is_pooled { String::new() } else { format!("s{}", self.statements.len()) };
        self.wire.output.clear();
        frontend::parse(&name, sql, [], &mut self.wire.output)
            .and_then(|()| frontend::describe(b'S', &name, &mut self.wire.output))
            .map_err(|error| encode_error(&error))?;
        frontend::sync(&mut self.wire.output);
        self.send()?;
        let (mut parameters, mut columns, mut names) = (Box::default(), Box::default(), Box::default());
        self.response(Protocol::Extended, |message| {
            match message.tag {
                b't' => parameters = message::parameter_types(message.body)?,
                b'T' => {
                    columns = message::column_types(message.body)?;
                    names = message::column_names(message.body)?;
                }
                _ => {}
            }
            Ok(())
        })?;
        let prepared = Prepared::new(name, parameters, columns).with_column_names(names);
        Ok(if self.login.is_pooled { prepared.unnamed(sql) } else { prepared })
    }
}

impl engine::Session for PostgresSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        if self.login.is_pooled {
            // A pooler would leave the setting to sessions of others; the tables of the user are meant without it, too.
            return if sql == USER_TABLES { Ok(()) } else { Err(behind_pooler()) };
        }
        let outcome = self.query_simply(sql);
        match outcome {
            Err(error) if self.is_compatible_only && !self.in_transaction => match fallback::alternative(sql, &error) {
                Some(sql) if sql.is_empty() => Ok(()),
                Some(sql) => self.query_simply(&sql),
                None => Err(error),
            },
            outcome => outcome,
        }
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.check_connected()?;
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
        self.check_connected()?;
        find(&self.statements, statement)?.bind(binds, &mut self.wire.output)?;
        self.send()?;
        self.counted_answer(statement)
    }

    fn execute_text(&mut self, sql: &str) -> Result<u64> {
        self.check_connected()?;
        // It may change the objects of known statements.
        self.known.clear();
        self.wire.output.clear();
        frontend::query(sql, &mut self.wire.output).map_err(|error| encode_error(&error))?;
        self.send()?;
        self.counts(Protocol::Simple).map(|(rows, changed)| rows.max(changed))
    }

    fn execute_unnamed(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64> {
        self.check_connected()?;
        unnamed(sql, binds, &mut self.wire.output)?;
        self.send()?;
        self.counts(Protocol::Extended).map(|(rows, changed)| rows.max(changed))
    }

    fn queue(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.add_to_pipeline(statement, binds)
    }

    fn execute_queued(&mut self) -> Result<u64> {
        self.run_pipeline()
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        self.check_connected()?;
        find(&self.statements, statement)?.bind(binds, &mut self.wire.output)?;
        self.send()?;
        let columns: Box<[u32]> = find(&self.statements, statement)?.columns().into();
        let mut rows = Vec::new();
        self.response(Protocol::Extended, |message| {
            if message.tag == b'D' {
                rows.push(row(message.body, &columns)?);
            }
            Ok(())
        })?;
        Ok(rows)
    }

    fn column_names(&self, statement: Statement) -> Result<Vec<String>> {
        Ok(find(&self.statements, statement)?.column_names().to_vec())
    }

    fn begin(&mut self) -> Result<()> {
        self.run(|requests| &requests.begin).map(|_| ())
    }

    fn commit(&mut self) -> Result<()> {
        if self.run(|requests| &requests.commit)? {
            let message = "the commit was a rollback, because a statement of the transaction had failed";
            return Err(Error::new(Kind::Step(FailureKind::Other), message));
        }
        Ok(())
    }

    fn rollback(&mut self) -> Result<()> {
        self.run(|requests| &requests.rollback).map(|_| ())
    }

    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.check_connected()?;
        if self.login.is_pooled {
            return Err(behind_pooler());
        }
        self.load(table, rows)
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.check_connected()?;
        if self.in_transaction { self.load(table, rows) } else { Err(Error::outside_transaction()) }
    }

    fn append_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        self.check_connected()?;
        if self.in_transaction { self.load_lines(table, form, lines) } else { Err(Error::outside_transaction()) }
    }

    fn defer_durability(&mut self) -> Result<bool> {
        self.check_connected()?;
        if !self.in_transaction {
            return Err(Error::outside_transaction());
        }
        // Other flavours have their own logs, and some accept this setting without effect.
        if self.is_compatible_only {
            return Ok(false);
        }
        self.query_simply("set local synchronous_commit = off").map(|()| true)
    }

    fn sending_ns(&self) -> Option<u64> {
        Some(self.sending_time.as_nanos() as u64)
    }

    fn round_trip_count(&self) -> Option<u64> {
        Some(self.wire.messages.round_trip_count())
    }

    /// Since PostgreSQL 15 immediate and exact. Before, it waits until the session may publish again, up to half a
    /// second after its last statement; that is exact too unless the statistics collector is overloaded.
    fn publish_counters(&mut self) -> Result<u64> {
        self.check_connected()?;
        if !self.publishes {
            return Ok(0);
        }
        if self.publishes_at_intervals() && !self.in_transaction {
            let waited = self.answered_at.map_or(PUBLISH_INTERVAL, |at| at.elapsed());
            transport::sleep(PUBLISH_INTERVAL.saturating_sub(waited));
        }
        let was_in_transaction = self.in_transaction;
        self.run(|requests| &requests.publish)?;
        // Inside a transaction it is part of it, and takes effect at its end.
        Ok(u64::from(!was_in_transaction))
    }

    fn server_process(&self) -> Option<u32> {
        self.process
    }

    fn limit_waits(&mut self, timeout: Option<Duration>) {
        self.wire.messages.limit(timeout);
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(CancelRequest {
            login: self.login.clone(),
            route: self.route.clone(),
            process: self.server.process,
            secret: self.server.secret,
        }))
    }
}

/// Closes the session and waits for the exit of its backend: by then its counters are published, and its locks and its
/// connection slot (`max_connections`) are released.
impl Drop for PostgresSession {
    fn drop(&mut self) {
        if self.lost {
            return;
        }
        self.wire.messages.limit(Some(CLOSE_TIMEOUT));
        self.wire.output.clear();
        frontend::terminate(&mut self.wire.output);
        if self.wire.send_output().is_ok() {
            while self.wire.messages.receive().is_ok() {}
        }
    }
}

/// The error of a test with tables or settings of its own: none of them is made where sessions share server processes.
fn behind_pooler() -> Error {
    Error::new(Kind::Usage, "with prepared_statements=off no tables and no settings are made, which this needs").hint(
        "measure scripts on tables that are there (--script FILE), or name the server itself in place of the pooler",
    )
}

#[inline]
fn find(statements: &[Prepared], statement: Statement) -> Result<&Prepared> {
    statements.get(statement.0 as usize).ok_or_else(|| statement.not_prepared())
}

/// A cancel request for the statement of one session, over a connection of its own.
struct CancelRequest {
    login: Arc<Login>,
    route: Route,
    process: u32,
    secret: i32,
}

impl Canceller for CancelRequest {
    fn cancel(&self) -> Result<()> {
        let mut wire = self.login.reconnect(&self.route)?;
        let mut request = BytesMut::new();
        frontend::cancel_request(self.process as i32, self.secret, &mut request);
        wire.messages.send(&request).map_err(|error| self.login.unreachable(&error))?;
        // The server sends no response and closes the connection once it has handled the request.
        while wire.messages.receive().is_ok() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use transport::{Deadline, Transport};

    use super::*;

    #[test]
    fn a_server_that_goes_on_with_notices_does_not_keep_a_closed_session() {
        let (near, mut far) = UnixStream::pair().unwrap();
        far.write_all(b"Z\0\0\0\x05I".repeat(3).as_slice()).unwrap();
        let wire = Wire::new(Transport::Unix(near), Deadline::NONE);
        let server = Server { major: VERSION_OF_FLUSH, ..Server::default() };
        let login = Login::of_socket(std::path::Path::new("/nowhere"), 5432, "ann", "shop");
        let opened = Opened { wire, server, route: Route::default() };
        let session = PostgresSession::start(opened, Arc::new(login)).unwrap();
        let start = Instant::now();
        std::thread::spawn(move || {
            while start.elapsed() < 5 * CLOSE_TIMEOUT && far.write_all(b"N\0\0\0\x05\0").is_ok() {
                std::thread::sleep(CLOSE_TIMEOUT / 20);
            }
        });
        drop(session);
        assert!(start.elapsed() < 4 * CLOSE_TIMEOUT);
    }
}
