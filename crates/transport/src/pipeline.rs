//! Requests that are sent together before the first answer is read.

use engine::{Kind, Result, Statement};

/// Executions of statements in the order in which they are answered.
#[derive(Debug, Default)]
pub struct Pipeline {
    requests: Vec<u8>,
    statements: Vec<Statement>,
}

impl Pipeline {
    /// Adds an execution of `statement`, encoded as `request`.
    #[inline]
    pub fn push(&mut self, statement: Statement, request: &[u8]) {
        self.requests.extend_from_slice(request);
        self.statements.push(statement);
    }

    /// The encoded requests.
    #[inline]
    pub fn requests(&self) -> &[u8] {
        &self.requests
    }

    /// The sum of all answers, each of which `answer` reads. Those after one that is an error are read, too, unless the session
    /// is lost; the first error is returned.
    ///
    /// # Errors
    /// Those of `answer`.
    #[inline]
    pub fn answers(&self, mut answer: impl FnMut(Statement) -> Result<u64>) -> Result<u64> {
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
    pub fn clear(&mut self) {
        self.requests.clear();
        self.statements.clear();
    }
}
