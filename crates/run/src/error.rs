//! Why an invocation cannot go on, and who has to act.

use std::fmt;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The user asked for something that cannot be.
    User,
    /// The environment refuses: no server, no space, no right.
    Environment,
    /// The user broke it off.
    Interrupted,
}

/// An error in words: thing, value, limit, and a hint.
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
    /// The user's mistake.
    pub fn user(message: impl Into<String>) -> Error {
        Error { fault: Fault::User, message: message.into(), hint: None }
    }

    /// The environment's refusal.
    pub fn environment(message: impl Into<String>) -> Error {
        Error { fault: Fault::Environment, message: message.into(), hint: None }
    }

    /// Broken off by the user.
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
