//! Statements in a pipeline: sent together, then answered one after the other (PostgreSQL manual, "Pipelining").

use engine::{Result, Statement, Value};
use transport::{Pipeline, Pipelined};

use super::{PostgresSession, Protocol, find};

impl Pipelined for PostgresSession {
    fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipeline
    }

    /// Each statement has its own Sync: the others run where one fails.
    #[inline]
    fn encode(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<&[u8]> {
        self.check_connected()?;
        find(&self.statements, statement)?.bind(binds, &mut self.wire.output)?;
        Ok(&self.wire.output)
    }

    #[inline]
    fn send_requests(&mut self, requests: &[u8]) -> Result<()> {
        self.check_connected()?;
        let sent = self.wire.messages.send(requests);
        sent.map_err(|error| self.send_error(&error))
    }

    #[inline]
    fn counted_answer(&mut self, statement: Statement) -> Result<u64> {
        let (rows, changed) = self.counts(Protocol::Extended)?;
        let returns_rows = find(&self.statements, statement)?.returns_rows();
        Ok(if returns_rows { rows } else { changed })
    }
}
