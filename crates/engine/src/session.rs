//! One connection: the hot path.

use crate::{Error, Kind, LineForm, Result, RowSource, Value};

/// A prepared statement of the session that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Statement(pub u32);

/// Stops what a session is doing, from another thread.
pub trait Canceller: Send {
    /// Asks the engine to break off the statement in flight, if there is one. The session lives on and its
    /// statement fails as [`record::FailureKind::Cancelled`].
    fn cancel(&self) -> Result<()>;
}

/// One connection to a node, used by one thread.
pub trait Session: Send {
    /// Runs statements without binds, in order, ignoring rows: set-up, never the measured path.
    fn batch(&mut self, sql: &str) -> Result<()>;

    /// Prepares one statement, with the placeholders of the dialect.
    fn prepare(&mut self, sql: &str) -> Result<Statement>;

    /// Runs a prepared statement; the rows it returns are read to the last field and dropped. Returns how many rows
    /// were returned, or changed where the statement returns none. Outside a transaction it commits by itself.
    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64>;

    /// Runs a prepared statement and returns its rows: to check answers, to read counters.
    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>>;

    /// Begins a transaction.
    fn begin(&mut self) -> Result<()>;

    /// Commits it.
    fn commit(&mut self) -> Result<()>;

    /// Rolls it back.
    fn rollback(&mut self) -> Result<()>;

    /// Loads rows into an existing table through the engine's bulk path, in one transaction; returns how many.
    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64>;

    /// As [`Session::bulk`], inside the transaction that was begun: the rows are there when it is committed. After an
    /// error the transaction is to be rolled back.
    ///
    /// # Errors
    /// What the engine says, with the row where it says which. `Statement` where no transaction is open.
    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64>;

    /// Appends `lines` of a flat file to `table` inside the transaction that was begun, as they are: the engine parses
    /// them. Returns how many there were. Each line is ended by a line feed, but for the last one, which need not be. All
    /// bytes of a field are its value; nothing is quoted or escaped. After an error the transaction is to be rolled back.
    ///
    /// What a field means is for the engine to say: some round a number that has more digits than its column.
    ///
    /// # Errors
    /// What the engine says, with the line, counted from the first of `lines`, where it says which. `Usage` where the
    /// engine has no such path ([`crate::Caps::lines`]), `Statement` where no transaction is open, and for lines that it
    /// would not read as they are.
    fn append_lines(&mut self, table: &str, form: &LineForm, lines: &[u8]) -> Result<u64> {
        let _ = (table, form, lines);
        let error = Error::new(Kind::Usage, "this engine takes no lines of a flat file as they are");
        Err(error.hint("have the lines parsed"))
    }

    /// Lets the commit of the transaction that was begun return before it is on stable storage; returns whether the
    /// engine does so for a session that asks. The next transaction that writes and does not ask takes this one to
    /// stable storage with it. If the server crashes before that, this one is missing as a whole, with all that came
    /// after it.
    ///
    /// # Errors
    /// What the engine says. `Statement` where no transaction is open.
    fn defer_durability(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Time that this session spent handing bytes to the server and waiting for it inside [`Session::bulk`],
    /// [`Session::append`] and [`Session::append_lines`], in nanoseconds since it was opened. None where the engine works
    /// in this process: there conversion and insertion are one.
    fn sending_ns(&self) -> Option<u64> {
        None
    }

    /// Makes what this session did visible in the counters of its node. Returns how many transactions the engine
    /// counts for this call itself.
    fn publish_counters(&mut self) -> Result<u64> {
        Ok(0)
    }

    /// The process that serves this session, where it is one of its own on this host.
    fn server_process(&self) -> Option<u32> {
        None
    }

    /// Something that can break off a statement of this session from another thread.
    fn canceller(&self) -> Option<Box<dyn Canceller>>;
}
