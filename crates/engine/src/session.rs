//! Sessions: one connection each, the hot path.

use std::time::Duration;

use crate::{Error, Kind, LineForm, Result, RowSource, Value};

/// A prepared statement of the session that prepared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Statement(pub u32);

impl Statement {
    /// The error of a session that did not prepare this statement.
    pub fn not_prepared(self) -> Error {
        Error::new(Kind::Statement, format!("statement {} was not prepared in this session", self.0))
    }
}

/// Cancels the statement of a session, from another thread.
pub trait Canceller: Send {
    /// Requests cancellation of the statement in flight, if there is one. The session remains usable and its statement
    /// fails as [`record::FailureKind::Cancelled`].
    fn cancel(&self) -> Result<()>;
}

/// One connection to a node, used by one thread.
pub trait Session: Send {
    /// Runs statements without binds, in order, ignoring rows: set-up, never the measured path.
    fn batch(&mut self, sql: &str) -> Result<()>;

    /// Prepares one statement, with the placeholders of the dialect.
    fn prepare(&mut self, sql: &str) -> Result<Statement>;

    /// Runs a prepared statement; the rows it returns are read completely and dropped. Returns the number of rows
    /// returned, or changed if the statement returns none. Outside a transaction it commits by itself.
    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64>;

    /// Runs one query that some engines do not prepare, and returns its rows; of such an engine values may be texts, whatever their
    /// columns are.
    fn query_text(&mut self, sql: &str) -> Result<Vec<Vec<Value<'static>>>> {
        let statement = self.prepare(sql)?;
        self.query(statement, &[])
    }

    /// Runs one statement as text, parsed and planned anew; the rows that it returns are read completely and dropped. Returns the
    /// number of rows as [`Session::execute`] does; 0 where the engine does not tell it of text.
    fn execute_text(&mut self, sql: &str) -> Result<u64> {
        self.batch(sql).map(|()| 0)
    }

    /// The same with the values of its placeholders sent beside the text, as a statement without a name.
    ///
    /// # Errors
    /// `Usage` if the engine has no such way.
    fn execute_unnamed(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64> {
        let _ = (sql, binds);
        let message = "this engine takes values beside a text in prepared statements alone";
        Err(Error::new(Kind::Usage, message).hint("give --query-mode simple or --query-mode prepared"))
    }

    /// Adds an execution of a prepared statement to those that [`Session::execute_queued`] sends. On an error nothing stays
    /// queued.
    ///
    /// # Errors
    /// `Usage` if the engine has no such way ([`crate::Description::pipelines`]); as [`Session::execute`] for `binds`.
    fn queue(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        let _ = (statement, binds);
        Err(Error::new(Kind::Usage, "this engine does not run statements in a pipeline"))
    }

    /// Sends all queued executions together, then reads their answers; returns their rows as [`Session::execute`] does.
    /// Outside a transaction each commits by itself: the others run whether one fails or not.
    ///
    /// # Errors
    /// The first one.
    fn execute_queued(&mut self) -> Result<u64> {
        Ok(0)
    }

    /// Runs a prepared statement and returns its rows: to check results, to read counters.
    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>>;

    /// The names of the columns of the rows that a prepared statement returns, in order; empty if it returns none. Some engines tell
    /// them once its rows were asked for.
    ///
    /// # Errors
    /// `Usage` if the session does not keep them.
    fn column_names(&self, statement: Statement) -> Result<Vec<String>> {
        let _ = statement;
        let error = Error::new(Kind::Usage, "the names of columns are not known in a session of this engine");
        Err(error.hint("leave out what needs them"))
    }

    /// Starts a transaction.
    fn begin(&mut self) -> Result<()>;

    /// Commits it.
    fn commit(&mut self) -> Result<()>;

    /// Rolls it back.
    fn rollback(&mut self) -> Result<()>;

    /// Loads rows into an existing table through the engine's bulk path, in one transaction; returns their number.
    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64>;

    /// As [`Session::bulk`], inside the open transaction: the rows become visible when it is committed. After an error
    /// the transaction must be rolled back.
    ///
    /// # Errors
    /// Errors of the engine, with the row if the engine reports it. `Statement` if no transaction is open.
    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64>;

    /// Appends `lines` of a flat file unchanged to `table`, inside the open transaction: the engine parses them.
    /// Returns their number. Each line ends with a line feed, which is optional for the last one. All bytes of a field
    /// are its value; nothing is quoted or escaped. After an error the transaction must be rolled back.
    ///
    /// The engine defines how a field is interpreted: some round a number that has more digits than its column.
    ///
    /// # Errors
    /// Errors of the engine, with the line number within `lines` if the engine reports it. `Usage` if the engine has no
    /// such path ([`crate::Caps::lines`]), `Statement` if no transaction is open, and for lines that it would not read
    /// unchanged.
    fn append_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        let _ = (table, form, lines);
        let error = Error::new(Kind::Usage, "this engine does not load lines of a flat file as-is");
        Err(error.hint("have the lines parsed"))
    }

    /// Lets the commit of the open transaction return before it is on stable storage (asynchronous commit); returns
    /// whether the engine supports that per session. The next transaction that writes with a synchronous commit makes
    /// this one durable too. If the server crashes before that, this transaction and all later ones are lost as a
    /// whole.
    ///
    /// # Errors
    /// Errors of the engine. `Statement` if no transaction is open.
    fn defer_durability(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Time that this session spent sending to the server and waiting for it inside [`Session::bulk`],
    /// [`Session::append`] and [`Session::append_lines`], in nanoseconds since it was opened. `None` if the engine runs
    /// in this process: there conversion and insertion are one step.
    fn sending_ns(&self) -> Option<u64> {
        None
    }

    /// How often this session has waited for an answer of a server since it was opened: round trips, whatever they
    /// carried. `None` where there is no server, or the client of the engine does not tell.
    fn round_trip_count(&self) -> Option<u64> {
        None
    }

    /// Makes the work of this session visible in the counters of its node. Returns the number of transactions that the
    /// engine counts for this call itself.
    fn publish_counters(&mut self) -> Result<u64> {
        Ok(0)
    }

    /// The server process of this session, if it has one of its own on this host.
    fn server_process(&self) -> Option<u32> {
        None
    }

    /// All that this session asks from now on has to be answered within `timeout`, however many statements it is, until this is called
    /// again; `None` waits forever. A session whose answer is late is lost. Without effect where there is no server to wait for.
    fn limit_waits(&mut self, timeout: Option<Duration>) {
        let _ = timeout;
    }

    /// A handle that cancels a statement of this session from another thread.
    fn canceller(&self) -> Option<Box<dyn Canceller>>;
}
