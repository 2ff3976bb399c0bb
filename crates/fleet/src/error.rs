//! What the environment refuses to a fleet.

/// Why a fleet cannot be used, with a hint where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What is wrong, one sentence, lower case, no full stop.
    pub message: String,
    /// What the user may do about it.
    pub hint: Option<&'static str>,
}

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error { message: message.into(), hint: None }
    }

    pub(crate) fn hint(self, hint: &'static str) -> Error {
        Error { hint: Some(hint), ..self }
    }
}

impl From<Error> for run::Error {
    fn from(error: Error) -> run::Error {
        let refused = run::Error::environment(error.message);
        match error.hint {
            Some(hint) => refused.hint(hint),
            None => refused,
        }
    }
}
