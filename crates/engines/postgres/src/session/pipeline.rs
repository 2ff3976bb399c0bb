//! Statements in a pipeline: sent together, then answered one after the other (PostgreSQL manual, "Pipelining").

use engine::{Result, Statement, Value};

use super::{PostgresSession, Protocol, find};
use crate::message::affected;

impl PostgresSession {
    /// Each statement has its own Sync: the others run where one fails.
    #[inline]
    pub(super) fn add_to_pipeline(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.check_connected()?;
        find(&self.statements, statement)?.bind(binds, &mut self.wire.output)?;
        self.pipeline.push(statement, &self.wire.output)
    }

    #[inline]
    pub(super) fn run_pipeline(&mut self) -> Result<u64> {
        self.check_connected()?;
        let sent = self.wire.messages.send(self.pipeline.requests());
        sent.map_err(|error| self.send_error(&error))?;
        let pipeline = std::mem::take(&mut self.pipeline);
        let executed = pipeline.answers(|statement| self.counted_answer(statement));
        self.pipeline = pipeline;
        executed
    }

    /// Reads the answer to an execution of `statement`; returns the rows that it returned or changed.
    #[inline]
    pub(super) fn counted_answer(&mut self, statement: Statement) -> Result<u64> {
        let (mut rows, mut changed) = (0, 0);
        self.response(Protocol::Extended, |message| {
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
}
