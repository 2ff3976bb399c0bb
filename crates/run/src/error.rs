//! Errors that end an invocation, and who has to act.

use std::fmt;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A mistake of the user.
    User,
    /// The environment refused: no server, no space, no permission.
    Environment,
    /// The user interrupted it.
    Interrupted,
}

/// An error message: thing, value, limit, and a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Who has to act.
    pub fault: Fault,
    /// What is wrong, one sentence, lower case, no full stop.
    pub message: String,
    /// What the user may do about it.
    pub hint: Option<String>,
}

impl Error {
    /// A mistake of the user.
    pub fn user(message: impl Into<String>) -> Error {
        Error { fault: Fault::User, message: message.into(), hint: None }
    }

    /// A refusal of the environment.
    pub fn environment(message: impl Into<String>) -> Error {
        Error { fault: Fault::Environment, message: message.into(), hint: None }
    }

    /// Interrupted by the user.
    pub fn interrupted() -> Error {
        Error { fault: Fault::Interrupted, message: "interrupted".to_owned(), hint: None }
    }

    /// The same error with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<engine::Error> for Error {
    fn from(error: engine::Error) -> Error {
        let fault = match error.kind {
            engine::Kind::Usage => Fault::User,
            _ => Fault::Environment,
        };
        Error { fault, message: error.message, hint: error.hint }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        Error { fault: Fault::Environment, hint: error.hint(), message: error.to_string() }
    }
}
