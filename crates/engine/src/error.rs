//! Errors of an engine, in three kinds that are kept apart: a failed step (counted), a lost session, and a statement
//! that can never succeed.

use std::io;
use std::path::Path;

use record::FailureKind;

/// The result of a call to an engine.
pub type Result<T> = std::result::Result<T, Error>;

/// Kind of an error; it determines who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The step failed and the session remains usable: counted, never fatal.
    Step(FailureKind),
    /// The session or the server is lost; the run cannot continue.
    Lost,
    /// The statement is wrong or refers to a missing object; it would fail every time.
    Statement,
    /// Login was rejected: wrong password, unknown database or role.
    Access,
    /// No server responds, or the peer does not speak this protocol.
    Unreachable,
    /// The device or the directory is full or read-only.
    Space,
    /// What dbdyno would create exists already and was not created by dbdyno.
    NotOurs,
    /// A required program is not installed on this host.
    Missing,
    /// The request is invalid (a setting, a parameter of the target).
    Usage,
}

/// An error with a message for the user.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The kind of the error.
    pub kind: Kind,
    /// The engine's error code (an SQLSTATE, for example), if it gave one.
    pub code: Option<String>,
    /// Subject, value and limit in one sentence, lower case, no full stop. Never contains a password.
    pub message: String,
    /// How the user may resolve it, as a clause.
    pub hint: Option<String>,
}

impl Error {
    /// An error of `kind` with `message`.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, code: None, message: message.into(), hint: None }
    }

    /// The error of [`crate::Session::append`] and [`crate::Session::append_lines`] outside of a transaction.
    pub fn outside_transaction() -> Error {
        Error::new(Kind::Statement, "rows are appended inside a transaction, and none was started")
    }

    /// The operating system failed to `verb` the file at `path`: `Space` if the device could not be written, else
    /// `Usage`.
    pub fn of_path(verb: &str, path: &Path, error: &io::Error) -> Error {
        let message = format!("cannot {verb} {}: {error}", path.display());
        let (kind, hint) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Kind::Space, "free some space, or give another --dir")
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                (Kind::Space, "give a writable --dir")
            }
            _ => (Kind::Usage, "give another --dir"),
        };
        Error::new(kind, message).hint(hint)
    }

    /// The same error with the engine's error code.
    pub fn code(mut self, code: impl Into<String>) -> Error {
        self.code = Some(code.into());
        self
    }

    /// The same error with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// The failure to be counted, if the session remains usable.
    pub fn failure(&self) -> Option<FailureKind> {
        match self.kind {
            Kind::Step(failure) => Some(failure),
            _ => None,
        }
    }
}
