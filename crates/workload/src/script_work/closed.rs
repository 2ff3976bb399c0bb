//! The session of a job between two steps that have a session each.

use engine::{Canceller, Error, Kind, Result, RowSource, Session, Statement, Value};

/// A session that was closed: whatever it is asked for fails.
pub(crate) struct ClosedSession;

fn closed<T>() -> Result<T> {
    Err(Error::new(Kind::Lost, "the session was closed at the end of the step"))
}

impl Session for ClosedSession {
    fn batch(&mut self, _sql: &str) -> Result<()> {
        closed()
    }

    fn prepare(&mut self, _sql: &str) -> Result<Statement> {
        closed()
    }

    fn execute(&mut self, _statement: Statement, _binds: &[Value<'_>]) -> Result<u64> {
        closed()
    }

    fn query(&mut self, _statement: Statement, _binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        closed()
    }

    fn begin(&mut self) -> Result<()> {
        closed()
    }

    fn commit(&mut self) -> Result<()> {
        closed()
    }

    fn rollback(&mut self) -> Result<()> {
        closed()
    }

    fn bulk(&mut self, _table: &str, _rows: &mut dyn RowSource) -> Result<u64> {
        closed()
    }

    fn append(&mut self, _table: &str, _rows: &mut dyn RowSource) -> Result<u64> {
        closed()
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        None
    }
}
