//! One connection: the hot path.
//!
//! Binds and results travel in binary; a statement is one write and as many reads as its rows need, and nothing is
//! allocated for it. Where the server can, the columns of a statement are described once and not at each execution.
//! Rows are read where they lie in the buffer.

mod bytes;
mod cancel;
mod count;
mod encoder;
mod load;
mod result;
mod statement;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use engine::{Canceller, Error, Kind, LineForm, Result, RowSource, Statement, Value};

use self::count::Share;
pub(crate) use self::count::{SessionCounts, Sums};
use self::result::Answer;
use self::statement::{BEGIN, COMMIT, Prepared, ROLLBACK};
use crate::codec;
use crate::connect::{Login, Opened, Server};
use crate::failure::Refusal;
use crate::flavour::Flavour;
use crate::message::{self, ResultColumn};
use crate::wire::Wire;
use transport::{Way, plain};

/// Commands of the protocol (`COM_...`).
const QUIT: u8 = 0x01;
const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;

/// How long a session that is closed waits for the server to close its side.
const FAREWELL: Duration = Duration::from_secs(2);

/// A session.
pub(crate) struct MysqlSession {
    wire: Wire,
    server: Server,
    login: Arc<Login>,
    way: Way,
    statements: Vec<Prepared>,
    /// What was prepared since the last batch, by its text: a statement that is prepared again is the same one.
    known: HashMap<String, Statement>,
    in_transaction: bool,
    /// Whether nothing has ended inside of the transaction yet.
    is_empty: bool,
    /// What it counts for its node.
    counts: Share,
    /// Time given to the server in loads.
    sending: Duration,
    lost: bool,
}

impl MysqlSession {
    /// Takes a connection that is logged in, and makes it behave the same on every server.
    pub(crate) fn start(opened: Opened, login: Arc<Login>, counts: &SessionCounts) -> Result<MysqlSession> {
        let Opened { wire, server, way } = opened;
        let flavour = server.flavour;
        let mut session = MysqlSession {
            wire,
            server,
            login,
            way,
            statements: Vec::new(),
            known: HashMap::new(),
            in_transaction: false,
            is_empty: true,
            counts: counts.share(),
            sending: Duration::ZERO,
            lost: false,
        };
        engine::Session::batch(&mut session, &session_setup(flavour))?;
        Ok(session)
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn way(&self) -> &Way {
        &self.way
    }

    /// Prepares, runs and forgets nothing: for the few questions that a node asks about itself.
    pub(crate) fn ask(&mut self, sql: &str) -> Result<Vec<Vec<Value<'static>>>> {
        let statement = engine::Session::prepare(self, sql)?;
        engine::Session::query(self, statement, &[])
    }

    #[inline]
    fn alive(&self) -> Result<()> {
        match self.lost {
            true => Err(Error::new(Kind::Lost, format!("the connection to {} is gone", self.server.flavour.title()))),
            false => Ok(()),
        }
    }

    /// Sends what stands in the output as a command.
    #[inline]
    fn send(&mut self) -> Result<()> {
        let sent = self.wire.send_command();
        sent.map_err(|error| self.hang_up(&error))
    }

    /// Sends `sql` as text.
    fn send_query(&mut self, sql: &str) -> Result<()> {
        let out = self.wire.begin();
        out.push(QUERY);
        out.extend_from_slice(sql.as_bytes());
        self.send()
    }

    /// Sending failed: the server may have said why before it closed the connection.
    fn hang_up(&mut self, error: &io::Error) -> Error {
        let last_words = match self.wire.messages.receive() {
            Ok(body) if body.first() == Some(&0xff) => Some(Refusal::parse(body).into_error()),
            _ => None,
        };
        self.lose(error, last_words)
    }

    /// The connection is gone, or cannot be believed any more; `said` is what the server said before.
    fn lose(&mut self, error: &io::Error, said: Option<Error>) -> Error {
        self.lost = true;
        let title = self.server.flavour.title();
        match said {
            Some(said) => Error { kind: Kind::Lost, ..said },
            None => Error::new(Kind::Lost, format!("the connection to {title} is lost: {}", plain(error)))
                .hint("see the log of the server"),
        }
    }

    /// Runs one of the statements that every session has. It is none of those that are counted inside a transaction.
    #[inline]
    fn run(&mut self, packet: &[u8]) -> Result<()> {
        self.alive()?;
        let sent = self.wire.messages.transport.send(packet);
        sent.map_err(|error| self.hang_up(&error))?;
        self.answer(&mut Vec::new(), |_, _| Ok(())).map(|_| ())
    }

    /// Counts a statement that ended inside a transaction.
    #[inline]
    fn count_inner(&mut self, statements: u64) {
        if self.in_transaction {
            self.counts.add(statements);
            self.is_empty = false;
        }
    }

    /// Counts a transaction that has ended with nothing inside of it, if `was_inside` says that there was one.
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
        let mut describe = || -> io::Result<std::result::Result<Prepared, Refusal>> {
            let body = self.wire.messages.receive()?;
            if body.first() == Some(&0xff) {
                return Ok(Err(Refusal::parse(body)));
            }
            let head = message::prepare_head(body)?;
            for _ in 0..head.parameters {
                self.wire.messages.receive()?;
            }
            let columns: io::Result<Vec<ResultColumn>> =
                (0..head.columns).map(|_| message::column(self.wire.messages.receive()?)).collect();
            Ok(Ok(Prepared::new(head.id, head.parameters, columns?)))
        };
        match describe() {
            Ok(Ok(prepared)) => Ok(prepared),
            Ok(Err(refusal)) => Err(self.refused(refusal)),
            Err(error) => Err(self.lose(&error, None)),
        }
    }

    /// The error of a refusal; one that ends the session ends it here too.
    #[cold]
    fn refused(&mut self, refusal: Refusal) -> Error {
        let error = refusal.into_error();
        self.lost |= error.kind == Kind::Lost;
        error
    }

    /// Sends the execution of a statement and reads its answer; `take` gets every row.
    #[inline]
    fn perform(
        &mut self,
        statement: Statement,
        binds: &[Value<'_>],
        take: impl FnMut(&[ResultColumn], &[u8]) -> io::Result<()>,
    ) -> Result<Answer> {
        self.alive()?;
        let index = statement.0 as usize;
        let prepared = self.statements.get_mut(index).ok_or_else(|| Error::not_prepared(statement))?;
        prepared.bind(binds, self.wire.begin())?;
        let mut columns = std::mem::take(&mut prepared.columns);
        let answer = self.send().and_then(|()| self.answer(&mut columns, take));
        self.statements[index].columns = columns;
        match answer {
            Ok(answer) => {
                self.count_inner(1);
                Ok(answer)
            }
            Err(error) => {
                // Whether the server has kept the types of the binds is not known.
                self.statements[index].forget_types();
                Err(error)
            }
        }
    }
}

/// What every session says first: one set of rules, no limits of the account's that would cut off what is measured.
fn session_setup(flavour: Flavour) -> String {
    let own = match flavour {
        Flavour::MariaDb => "max_statement_time = 0, max_recursive_iterations = 4294967295",
        Flavour::MySql => {
            // Threads that build an index can be said from 8.0.27 on.
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
        self.alive()?;
        // It may change what the known statements name.
        self.known.clear();
        let was_inside = self.in_transaction;
        self.send_query(sql)?;
        let answer = self.answer(&mut Vec::new(), |_, _| Ok(()))?;
        self.count_inner(answer.results);
        // A definition ends the transaction before it.
        self.count_empty(was_inside);
        Ok(())
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

    #[inline]
    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        let mut rows = 0;
        let answer = self.perform(statement, binds, |_, _| {
            rows += 1;
            Ok(())
        })?;
        Ok(if answer.returned_rows { rows } else { answer.affected })
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        let mut rows = Vec::new();
        self.perform(statement, binds, |columns, body| {
            rows.push(codec::row(body, columns)?);
            Ok(())
        })?;
        Ok(rows)
    }

    #[inline]
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
        self.alive()?;
        self.load(table, rows)
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.alive()?;
        if self.in_transaction { self.transfer(table, rows) } else { Err(Error::outside_transaction()) }
    }

    fn append_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        self.alive()?;
        if self.in_transaction { self.transfer_lines(table, form, lines) } else { Err(Error::outside_transaction()) }
    }

    fn sending_ns(&self) -> Option<u64> {
        Some(self.sending.as_nanos() as u64)
    }

    /// A node of a cluster also counts what it applies of the others; what it has committed for a session, it tells
    /// only that session.
    fn publish_counters(&mut self) -> Result<u64> {
        if self.counts.asks() {
            let rows = self.ask("show session status like 'Handler_commit'")?;
            if let Some([_, Value::Text(counted)]) = rows.first().map(Vec::as_slice) {
                self.counts.take_commits(counted.parse().unwrap_or(0));
            }
        }
        // No table is touched, and nothing is counted.
        Ok(0)
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(cancel::CancelRequest { login: self.login.clone(), connection: self.server.connection }))
    }
}

/// Takes leave of the server and waits until it closes its side: by then its place among the connections is free.
impl Drop for MysqlSession {
    fn drop(&mut self) {
        if self.lost || self.wire.messages.set_timeout(Some(FAREWELL)).is_err() {
            return;
        }
        // Nobody can ask for them afterwards.
        let _ = engine::Session::publish_counters(self);
        self.wire.begin().push(QUIT);
        if self.wire.send_command().is_ok() {
            while self.wire.messages.receive().is_ok() {}
        }
    }
}
