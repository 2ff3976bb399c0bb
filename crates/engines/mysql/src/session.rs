//! Sessions: one connection each, the hot path.
//!
//! Binds and results use the binary format; a statement is one write and as many reads as its rows need, without
//! allocation. If the server supports it, the columns of a statement are described once and not at each execution. Rows
//! are read in place in the buffer.

mod bytes;
mod count;
mod encoder;
mod load;
mod pipeline;
mod result;
mod statement;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use engine::{Canceller, Error, Kind, LineForm, Result, RowSource, Statement, Value};

use self::count::SessionCounter;
pub(crate) use self::count::{SessionCounts, Sums};
use self::statement::{BEGIN, COMMIT, Prepared, ROLLBACK};
use crate::codec;
use crate::connect::{Login, Opened, Server};
use crate::failure::ServerError;
use crate::flavour::Flavour;
use crate::message::{self, CommandResult, ResultColumn};
use crate::wire::Wire;
use transport::{Pipeline, Pipelined, Route, plain_message};

/// Commands of the protocol (`COM_...`).
const QUIT: u8 = 0x01;
const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;

/// Timeout of a closed session for the server to close the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A session.
pub(crate) struct MysqlSession {
    wire: Wire,
    server: Server,
    login: Arc<Login>,
    route: Route,
    statements: Vec<Prepared>,
    /// Statements prepared since the last batch, by their text: preparing the same text again returns the same
    /// statement.
    known: HashMap<String, Statement>,
    pipeline: Pipeline,
    in_transaction: bool,
    /// Whether no statement has ended inside the transaction yet.
    is_empty: bool,
    /// Its counters for the node.
    counts: SessionCounter,
    /// Time spent in the server in loads.
    sending_time: Duration,
    lost: bool,
}

impl MysqlSession {
    /// Starts a session on a connection after login, with the same session settings on every server.
    pub(crate) fn start(opened: Opened, login: Arc<Login>, counts: &SessionCounts) -> Result<MysqlSession> {
        let Opened { wire, server, route } = opened;
        let flavour = server.flavour;
        let mut session = MysqlSession {
            wire,
            server,
            login,
            route,
            statements: Vec::new(),
            known: HashMap::new(),
            pipeline: Pipeline::default(),
            in_transaction: false,
            is_empty: true,
            counts: counts.session_counter(),
            sending_time: Duration::ZERO,
            lost: false,
        };
        engine::Session::batch(&mut session, &session_setup(flavour))?;
        Ok(session)
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn route(&self) -> &Route {
        &self.route
    }

    /// Prepares and runs `sql`, for the few queries about the server itself.
    pub(crate) fn query_sql(&mut self, sql: &str) -> Result<Vec<Vec<Value<'static>>>> {
        let statement = engine::Session::prepare(self, sql)?;
        engine::Session::query(self, statement, &[])
    }

    #[inline]
    fn check_connected(&self) -> Result<()> {
        match self.lost {
            true => Err(Error::new(Kind::Lost, format!("the connection to {} was lost", self.server.flavour.title()))),
            false => Ok(()),
        }
    }

    /// Sends the output as a command.
    #[inline]
    fn send(&mut self) -> Result<()> {
        let sent = self.wire.send_command();
        sent.map_err(|error| self.send_error(&error))
    }

    /// Sends `sql` as text.
    fn send_query(&mut self, sql: &str) -> Result<()> {
        let out = self.wire.begin();
        out.push(QUERY);
        out.extend_from_slice(sql.as_bytes());
        self.send()
    }

    /// The error after a failed send: the server may have sent the reason before it closed the connection.
    fn send_error(&mut self, error: &io::Error) -> Error {
        let server_error = match self.wire.messages.receive() {
            Ok(body) if body.first() == Some(&0xff) => Some(ServerError::parse(body).into_error()),
            _ => None,
        };
        self.mark_lost(error, server_error)
    }

    /// Marks the session as lost after an I/O or protocol error; `text` is an earlier error of the server.
    fn mark_lost(&mut self, error: &io::Error, text: Option<Error>) -> Error {
        self.lost = true;
        let title = self.server.flavour.title();
        match text {
            Some(text) => Error { kind: Kind::Lost, ..text },
            None => Error::new(Kind::Lost, format!("the connection to {title} is lost: {}", plain_message(error)))
                .hint("see the log of the server"),
        }
    }

    /// Runs one of the fixed statements, which are not counted inside a transaction.
    #[inline]
    fn run(&mut self, packet: &[u8]) -> Result<()> {
        self.check_connected()?;
        let sent = self.wire.messages.send(packet);
        sent.map_err(|error| self.send_error(&error))?;
        self.response(&mut Vec::new(), |_, _| Ok(())).map(|_| ())
    }

    /// Counts a statement that ended inside a transaction.
    #[inline]
    fn count_inner(&mut self, statements: u64) {
        if self.in_transaction {
            self.counts.add(statements);
            self.is_empty = false;
        }
    }

    /// Counts an empty transaction that has ended; `was_inside` is whether one was open.
    #[inline]
    fn count_empty(&mut self, was_inside: bool) {
        if was_inside && !self.in_transaction && self.is_empty {
            self.counts.add_empty();
        }
    }

    fn parse(&mut self, sql: &str) -> Result<Prepared> {
        let out = self.wire.begin();
        out.push(PREPARE);
        out.extend_from_slice(sql.as_bytes());
        self.send()?;
        let mut describe = || -> io::Result<std::result::Result<Prepared, ServerError>> {
            let body = self.wire.messages.receive()?;
            if body.first() == Some(&0xff) {
                return Ok(Err(ServerError::parse(body)));
            }
            let head = message::prepare_head(body)?;
            for _ in 0..head.parameters {
                self.wire.messages.receive()?;
            }
            let (mut columns, mut names) = (Vec::new(), Vec::new());
            for _ in 0..head.columns {
                let body = self.wire.messages.receive()?;
                columns.push(message::column(body)?);
                names.push(message::column_name(body)?);
            }
            Ok(Ok(Prepared::new(head.id, head.parameters, columns).with_column_names(names)))
        };
        match describe() {
            Ok(Ok(prepared)) => Ok(prepared),
            Ok(Err(error)) => Err(self.error_of(error)),
            Err(error) => Err(self.mark_lost(&error, None)),
        }
    }

    /// Converts an error of the server; one that terminates the session marks it as lost.
    #[cold]
    fn error_of(&mut self, error: ServerError) -> Error {
        let error = error.into_error();
        self.lost |= error.kind == Kind::Lost;
        error
    }

    /// Writes the execution of `statement` to the output.
    #[inline]
    fn bind(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.check_connected()?;
        let prepared = self.statements.get_mut(statement.0 as usize).ok_or_else(|| statement.not_prepared())?;
        prepared.bind(binds, self.wire.begin())
    }

    /// Sends the execution of a statement.
    #[inline]
    fn send_execution(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.bind(statement, binds)?;
        self.send()
    }

    /// Reads the answer to an execution of `statement`, which exists; `take` gets every row.
    #[inline]
    fn answer(
        &mut self,
        statement: Statement,
        take: impl FnMut(&[ResultColumn], &[u8]) -> io::Result<()>,
    ) -> Result<CommandResult> {
        let index = statement.0 as usize;
        let mut columns = std::mem::take(&mut self.statements[index].columns);
        let response = self.response(&mut columns, take);
        self.statements[index].columns = columns;
        match response {
            Ok(response) => {
                self.count_inner(1);
                Ok(response)
            }
            Err(error) => {
                // It is unknown whether the server has kept the types of the binds.
                self.statements[index].forget_types();
                Err(error)
            }
        }
    }
}

/// Session settings: the same SQL mode everywhere, and no limits of the account that would abort measured statements.
fn session_setup(flavour: Flavour) -> String {
    let own = match flavour {
        Flavour::MariaDb => "max_statement_time = 0, max_recursive_iterations = 4294967295",
        Flavour::MySql => {
            // The threads of index builds can be set since 8.0.27.
            "max_execution_time = 0, cte_max_recursion_depth = 4294967295, innodb_parallel_read_threads = 1 \
             /*!80027 , innodb_ddl_threads = 1 */"
        }
    };
    format!(
        "set names utf8mb4 collate {}; set autocommit = 1, default_storage_engine = InnoDB, \
         sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', \
         max_sp_recursion_depth = 255, {own}",
        flavour.collation()
    )
}

impl engine::Session for MysqlSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        self.check_connected()?;
        // It may change the objects of known statements.
        self.known.clear();
        let was_inside = self.in_transaction;
        self.send_query(sql)?;
        let response = self.response(&mut Vec::new(), |_, _| Ok(()))?;
        self.count_inner(response.results);
        // DDL ends the open transaction.
        self.count_empty(was_inside);
        Ok(())
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

    #[inline]
    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        self.send_execution(statement, binds)?;
        self.counted_answer(statement)
    }

    fn queue(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.add_to_pipeline(statement, binds)
    }

    fn execute_queued(&mut self) -> Result<u64> {
        self.run_pipeline()
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        let mut rows = Vec::new();
        self.send_execution(statement, binds)?;
        self.answer(statement, |columns, body| {
            rows.push(codec::row(body, columns)?);
            Ok(())
        })?;
        Ok(rows)
    }

    fn query_text(&mut self, sql: &str) -> Result<Vec<Vec<Value<'static>>>> {
        self.check_connected()?;
        self.send_query(sql)?;
        let mut rows = Vec::new();
        let response = self.response(&mut Vec::new(), |_, body| {
            rows.push(codec::text_row(body)?);
            Ok(())
        })?;
        self.count_inner(response.results);
        Ok(rows)
    }

    #[inline]
    fn column_names(&self, statement: Statement) -> Result<Vec<String>> {
        let prepared = self.statements.get(statement.0 as usize).ok_or_else(|| statement.not_prepared())?;
        Ok(prepared.column_names().to_vec())
    }

    fn begin(&mut self) -> Result<()> {
        self.is_empty = true;
        self.run(BEGIN)
    }

    #[inline]
    fn commit(&mut self) -> Result<()> {
        let was_inside = self.in_transaction;
        self.run(COMMIT)?;
        self.count_empty(was_inside);
        Ok(())
    }

    fn rollback(&mut self) -> Result<()> {
        self.run(ROLLBACK)
    }

    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.check_connected()?;
        self.load(table, rows)
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.check_connected()?;
        if self.in_transaction { self.load_rows(table, rows) } else { Err(Error::outside_transaction()) }
    }

    fn append_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        self.check_connected()?;
        if self.in_transaction { self.load_lines(table, form, lines) } else { Err(Error::outside_transaction()) }
    }

    fn sending_ns(&self) -> Option<u64> {
        Some(self.sending_time.as_nanos() as u64)
    }

    fn round_trip_count(&self) -> Option<u64> {
        Some(self.wire.messages.round_trip_count())
    }

    /// A node of a cluster also counts applied commits of other nodes; the commits of a session are only in its session
    /// status.
    fn publish_counters(&mut self) -> Result<u64> {
        if self.counts.queries_commits() {
            let rows = self.query_sql("show session status like 'Handler_commit'")?;
            if let Some([_, Value::Text(counted)]) = rows.first().map(Vec::as_slice) {
                self.counts.set_commits(counted.parse().unwrap_or(0));
            }
        }
        // No table is accessed, and nothing is counted.
        Ok(0)
    }

    fn limit_waits(&mut self, timeout: Option<Duration>) {
        self.wire.messages.limit(timeout);
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(CancelRequest { login: self.login.clone(), connection: self.server.connection }))
    }
}

/// Closes the session and waits until the server closes the connection: by then its connection slot is released.
impl Drop for MysqlSession {
    fn drop(&mut self) {
        if self.lost {
            return;
        }
        self.wire.messages.limit(Some(CLOSE_TIMEOUT));
        // The session status is not available afterwards.
        let _ = engine::Session::publish_counters(self);
        self.wire.begin().push(QUIT);
        if self.wire.send_command().is_ok() {
            while self.wire.messages.receive().is_ok() {}
        }
    }
}

/// The error number for an unknown connection id.
const NO_SUCH_CONNECTION: &str = "1094";

/// A `kill query` for the statement of one session, over another connection.
struct CancelRequest {
    login: Arc<Login>,
    connection: u32,
}

impl Canceller for CancelRequest {
    fn cancel(&self) -> Result<()> {
        let mut opened = self.login.open(None)?;
        // Whoever cancels waits for it.
        opened.wire.messages.limit(self.login.timeout);
        let mut session = MysqlSession::start(opened, self.login.clone(), &SessionCounts::default())?;
        match engine::Session::batch(&mut session, &format!("kill query {}", self.connection)) {
            Err(error) if error.code.as_deref() == Some(NO_SUCH_CONNECTION) => Ok(()),
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::time::Instant;

    use transport::{Deadline, Transport};

    use super::*;

    #[test]
    fn a_server_that_goes_on_with_packets_does_not_keep_a_closed_session() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let accepted = b"\x07\0\0\x01\0\0\0\x02\0\0\0";
        far.write_all(accepted).unwrap();
        let wire = Wire::new(Transport::Unix(near), Deadline::NONE);
        let (version, flavour) = ("8.4.0".to_owned(), Flavour::MySql);
        let server = Server { version, release: (8, 4), flavour, connection: 1, caches_columns: false };
        let login = Arc::new(Login::of_socket(std::path::Path::new("/nowhere"), "ann"));
        let opened = Opened { wire, server, route: Route::default() };
        let session = MysqlSession::start(opened, login, &SessionCounts::default()).unwrap();
        let start = Instant::now();
        std::thread::spawn(move || {
            while start.elapsed() < 5 * CLOSE_TIMEOUT && far.write_all(accepted).is_ok() {
                std::thread::sleep(CLOSE_TIMEOUT / 20);
            }
        });
        drop(session);
        assert!(start.elapsed() < 4 * CLOSE_TIMEOUT);
    }
}
