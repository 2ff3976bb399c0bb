//! Statements in a pipeline: sent together, then answered one after the other. The server reads the next command when it has
//! answered the one before.

use engine::{Result, Statement, Value};

use super::MysqlSession;

impl MysqlSession {
    #[inline]
    pub(super) fn add_to_pipeline(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        self.check_connected()?;
        let index = statement.0 as usize;
        let prepared = self.statements.get_mut(index).ok_or_else(|| statement.not_prepared())?;
        prepared.bind(binds, self.wire.begin())?;
        self.pipeline.push(statement, self.wire.command())
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
        let mut rows = 0;
        let response = self.answer(statement, |_, _| {
            rows += 1;
            Ok(())
        })?;
        Ok(if response.returned_rows { rows } else { response.affected })
    }
}
