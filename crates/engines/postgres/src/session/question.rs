//! Questions that a node asks about itself, now and then.

use engine::{Kind, Result, Value};

use super::PostgresSession;

impl PostgresSession {
    /// Prepares, runs and forgets nothing: for the few questions that a node asks about itself.
    pub(crate) fn ask(&mut self, sql: &str) -> Result<Vec<Vec<Value<'static>>>> {
        let statement = engine::Session::prepare(self, sql)?;
        engine::Session::query(self, statement, &[])
    }

    /// The same of a question that a relative of PostgreSQL need not understand; none where it does not.
    pub(crate) fn ask_if_known(&mut self, sql: &str) -> Result<Option<Vec<Vec<Value<'static>>>>> {
        refusable(self.ask(sql))
    }
}

/// What the server refuses to understand or to let us have is none; everything else that fails is an error.
pub(super) fn refusable<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind, Kind::Statement | Kind::Access | Kind::Step(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
