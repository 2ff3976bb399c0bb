//! Statements in a pipeline: sent together, then answered one after the other (PostgreSQL manual, "Pipelining").

use engine::{Result, Statement, Value};
use transport::{Pipeline, Pipelined};

use super::{PostgresSession, Protocol, find};
use crate::message::affected;

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
