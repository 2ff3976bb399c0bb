//! One session: a connection, used by one thread.
//!
//! Sessions never wait for each other: every transaction uses the snapshot of its start, and if two change the same
//! row, the second one fails. That is a counted serialization failure, as on other engines.

use std::collections::HashMap;
use std::sync::Arc;

use engine::{Canceller, Error, Kind, Result, RowSource, Session, Statement, Value};
use record::FailureKind;

use crate::bulk;
use crate::capi::{ColumnKind, Connection, Interrupt, Prepared};
use crate::counter::Tally;

/// Transaction state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transaction {
    /// No transaction: autocommit.
    None,
    /// A transaction that can be committed.
    Open,
    /// A transaction with a failed statement. The library would roll it back at a commit without an error.
    Failed,
}

/// A session. The fields are dropped in this order: statements before their connection.
pub(crate) struct DuckDbSession {
    statements: Vec<Prepared>,
    begin: Prepared,
    commit: Prepared,
    rollback: Prepared,
    /// The columns of the statements whose rows were asked for.
    column_names: HashMap<Statement, Vec<String>>,
    /// Buffer for the columns of a result.
    column_kinds: Vec<ColumnKind>,
    transaction: Transaction,
    tally: Arc<Tally>,
    connection: Connection,
}

impl DuckDbSession {
    pub(crate) fn new(connection: Connection, tally: Arc<Tally>) -> Result<DuckDbSession> {
        let prepare = |sql| Prepared::new(&connection, sql);
        let (begin, commit, rollback) = (prepare("begin")?, prepare("commit")?, prepare("rollback")?);
        Ok(DuckDbSession {
            statements: Vec::new(),
            begin,
            commit,
            rollback,
            column_names: HashMap::new(),
            column_kinds: Vec::new(),
            transaction: Transaction::None,
            tally,
            connection,
        })
    }

    /// Notes what a failed statement means for the transaction it was in, or, outside of one, that the library has
    /// rolled it back, unless it was not even understood.
    fn noted<T>(&mut self, outcome: Result<T>) -> Result<T> {
        if let Err(error) = &outcome {
            let understood = |code: &str| !["Parser", "Syntax", "Invalid Input"].contains(&code);
            match self.transaction {
                Transaction::None if error.code.as_deref().is_some_and(understood) => self.tally.add_rollback(),
                Transaction::None => {}
                Transaction::Open | Transaction::Failed => self.transaction = Transaction::Failed,
            }
        }
        outcome
    }
}

fn find(statements: &[Prepared], statement: Statement) -> Result<&Prepared> {
    let known = statements.get(statement.0 as usize);
    known.ok_or_else(|| statement.not_prepared())
}

impl Session for DuckDbSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        let outcome = self.connection.run(sql);
        self.noted(outcome)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        let prepared = Prepared::new(&self.connection, sql);
        let prepared = self.noted(prepared)?;
        self.statements.push(prepared);
        Ok(Statement(self.statements.len() as u32 - 1))
    }

    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        let outcome = find(&self.statements, statement)?.run(binds);
        let mut outcome = self.noted(outcome)?;
        match outcome.changed() {
            Some(changed) => Ok(changed),
            None => outcome.read(&mut self.column_kinds),
        }
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        let outcome = find(&self.statements, statement)?.run(binds);
        let mut outcome = self.noted(outcome)?;
        self.column_names.entry(statement).or_insert_with(|| outcome.column_names());
        outcome.rows()
    }

    fn column_names(&self, statement: Statement) -> Result<Vec<String>> {
        // The library tells them with the rows.
        let known = self.column_names.get(&statement).cloned();
        known.ok_or_else(|| Error::new(Kind::Usage, "the columns of a statement are known after its first rows"))
    }

    fn begin(&mut self) -> Result<()> {
        self.begin.run(&[])?;
        self.transaction = Transaction::Open;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        match self.transaction {
            Transaction::Open => {
                let outcome = self.commit.run(&[]).map(drop);
                // Also a commit that failed has ended the transaction: the library has rolled it back.
                self.transaction = Transaction::None;
                self.noted(outcome)
            }
            Transaction::Failed => {
                self.rollback()?;
                let message = "the transaction is rolled back and not committed: a statement in it failed";
                Err(Error::new(Kind::Step(FailureKind::Other), message))
            }
            Transaction::None => Err(Error::new(Kind::Step(FailureKind::Other), "there is no transaction to commit")),
        }
    }

    fn rollback(&mut self) -> Result<()> {
        if self.transaction != Transaction::None {
            self.rollback.run(&[])?;
            self.transaction = Transaction::None;
            self.tally.add_rollback();
        }
        Ok(())
    }

    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        if self.transaction != Transaction::None {
            return self.append(table, rows);
        }
        self.begin()?;
        let loaded = bulk::append(&self.connection, table, rows);
        let loaded = loaded.and_then(|count| self.commit().map(|()| count));
        if loaded.is_err() {
            // The first error is the one to tell.
            let _ = self.rollback();
        }
        loaded
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        if self.transaction == Transaction::None {
            return Err(Error::outside_transaction());
        }
        let loaded = bulk::append(&self.connection, table, rows);
        self.noted(loaded)
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(Break(self.connection.interrupt())))
    }
}

/// Knows when its connection is closed, and then does nothing.
struct Break(Interrupt);

impl Canceller for Break {
    fn cancel(&self) -> Result<()> {
        self.0.now();
        Ok(())
    }
}
