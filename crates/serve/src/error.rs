//! Errors of the server as a whole; what one request asks wrongly is answered.

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no server, or no export.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The user's mistake: what, and a hint.
    #[error("{message}\nhint: {hint}")]
    User {
        /// Thing, value and limit.
        message: String,
        /// What to do.
        hint: String,
    },
    /// What the environment refuses.
    #[error("{0}")]
    Environment(String),
}

impl Error {
    pub(crate) fn user(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::User { message: message.into(), hint: hint.into() }
    }
}
