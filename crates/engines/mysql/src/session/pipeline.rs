//! Statements in a pipeline: sent together, then answered one after the other. The server reads the next command when it has
//! answered the one before.

use engine::{Result, Statement, Value};
use transport::{Pipeline, Pipelined};

use super::MysqlSession;

impl Pipelined for MysqlSession {
    fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipeline
    }

    #[inline]
    fn encode(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<&[u8]> {
        self.bind(statement, binds)?;
        Ok(self.wire.command())
    }

    /// The types of its binds may have been in that request alone.
    fn forget_request(&mut self, statement: Statement) {
        if let Some(prepared) = self.statements.get_mut(statement.0 as usize) {
            prepared.forget_types();
        }
    }

    #[inline]
    fn send_requests(&mut self, requests: &[u8]) -> Result<()> {
        self.check_connected()?;
        let sent = self.wire.messages.send(requests);
        sent.map_err(|error| self.send_error(&error))
    }

    #[inline]
    fn counted_answer(&mut self, statement: Statement) -> Result<u64> {
        let mut rows = 0;
        let response = self.answer(statement, |_, _| {
            rows += 1;
            Ok(())
        })?;
        Ok(if response.returned_rows { rows } else { response.affected })
    }
}
