//! Requests that are sent together before the first answer is read.

use engine::{Error, Kind, Result, Statement, Value};

/// What the buffers of a connection hold, whatever its server does. With more, both ends could wait for each other: the server to
/// get rid of answers that are not read before everything is sent.
const REQUESTS_BYTES_MAX: usize = 64 * 1024;

/// A session whose requests can be sent together.
pub trait Pipelined {
    /// What is to be sent.
    fn pipeline(&mut self) -> &mut Pipeline;

    /// Encodes an execution of `statement`.
    ///
    /// # Errors
    /// If the session is lost, the statement is none of it, or a bind cannot be converted.
    fn encode(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<&[u8]>;

    /// Sends `requests`.
    ///
    /// # Errors
    /// If the session is lost.
    fn send_requests(&mut self, requests: &[u8]) -> Result<()>;

    /// Reads the answer to an execution of `statement`; returns the rows that it returned or changed.
    ///
    /// # Errors
    /// Errors of the engine.
    fn counted_answer(&mut self, statement: Statement) -> Result<u64>;

    /// An execution of `statement` that was encoded is not sent: the server knows nothing of it.
    fn forget_request(&mut self, statement: Statement) {
        let _ = statement;
    }

    /// [`engine::Session::queue`].
    ///
    /// # Errors
    /// As there.
    #[inline]
    fn add_to_pipeline(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<()> {
        let mut pipeline = std::mem::take(self.pipeline());
        let added = self.encode(statement, binds).and_then(|request| pipeline.push(statement, request));
        if added.is_err() {
            pipeline.statements.iter().chain([&statement]).for_each(|unsent| self.forget_request(*unsent));
            pipeline.clear();
        }
        *self.pipeline() = pipeline;
        added
    }

    /// [`engine::Session::execute_queued`].
    ///
    /// # Errors
    /// As there.
    #[inline]
    fn run_pipeline(&mut self) -> Result<u64> {
        let mut pipeline = std::mem::take(self.pipeline());
        let sent = self.send_requests(&pipeline.requests);
        let executed = sent.and_then(|()| pipeline.answers(|statement| self.counted_answer(statement)));
        pipeline.clear();
        *self.pipeline() = pipeline;
        executed
    }
}

/// Executions of statements in the order in which they are answered.
#[derive(Debug, Default)]
pub struct Pipeline {
    requests: Vec<u8>,
    statements: Vec<Statement>,
}

impl Pipeline {
    /// Adds an execution of `statement`, encoded as `request`.
    #[inline]
    fn push(&mut self, statement: Statement, request: &[u8]) -> Result<()> {
        let bytes = self.requests.len() + request.len();
        if bytes > REQUESTS_BYTES_MAX {
            let count = self.statements.len() + 1;
            let message = format!("{count} statements in a pipeline are {bytes} bytes; limit {REQUESTS_BYTES_MAX}");
            return Err(Error::new(Kind::Statement, message).hint("send fewer of them together (--pipeline)"));
        }
        self.requests.extend_from_slice(request);
        self.statements.push(statement);
        Ok(())
    }

    /// The sum of all answers, each of which `answer` reads. Those after one that is an error are read, too, unless the session
    /// is lost; the first error is returned.
    #[inline]
    fn answers(&self, mut answer: impl FnMut(Statement) -> Result<u64>) -> Result<u64> {
        let (mut sum, mut failure) = (0, None);
        for statement in &self.statements {
            match answer(*statement) {
                Ok(count) => sum += count,
                Err(error) if error.kind == Kind::Lost => return Err(error),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(sum), Err)
    }

    /// Removes all requests and keeps the memory.
    #[inline]
    fn clear(&mut self) {
        self.requests.clear();
        self.statements.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_sent_at_once_than_buffers_hold() {
        let mut pipeline = Pipeline::default();
        let request = [7; 1_000];
        for number in 0..65 {
            pipeline.push(Statement(number), &request).unwrap();
        }
        let error = pipeline.push(Statement(65), &request).unwrap_err();
        assert_eq!(error.message, "66 statements in a pipeline are 66000 bytes; limit 65536");
        assert_eq!(pipeline.requests.len(), 65_000, "it is as it was");
        pipeline.clear();
        pipeline.push(Statement(0), &request).unwrap();
    }

    #[test]
    fn answers_after_an_error_are_read_but_not_of_a_lost_session() {
        let mut pipeline = Pipeline::default();
        (0..5).for_each(|number| pipeline.push(Statement(number), b"").unwrap());
        for (kind, read) in [(Kind::Statement, 5), (Kind::Lost, 3)] {
            let mut seen = 0;
            let sum = pipeline.answers(|statement| {
                seen += 1;
                if statement.0 < 2 { Ok(10) } else { Err(Error::new(kind, format!("of {}", statement.0))) }
            });
            assert_eq!((sum.unwrap_err().message.as_str(), seen), ("of 2", read));
        }
        assert_eq!(pipeline.answers(|_| Ok(10)).unwrap(), 50);
    }
}
