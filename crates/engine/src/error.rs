//! Errors of an engine, in three kinds that are never mixed: a step that failed (counted), a session that is gone,
//! and a statement that can never work.

use std::io;
use std::path::Path;

use record::FailureKind;

use crate::Statement;

/// The result of asking an engine for something.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of refusal it was, and with that who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The step failed and the session lives on: counted, never fatal.
    Step(FailureKind),
    /// The session or the server is gone; the run cannot go on.
    Lost,
    /// The statement is wrong or names what does not exist; it would fail every time.
    Statement,
    /// The engine refused to let us in: wrong password, unknown database or role.
    Access,
    /// Nothing answers, or something that does not speak this protocol.
    Unreachable,
    /// The device or the directory is full or read-only.
    Space,
    /// What dbdyno would create is there already and is not ours.
    NotOurs,
    /// A program that is needed is not on this machine.
    Missing,
    /// The user asked for something that cannot be (a setting, a parameter of the target).
    Usage,
}

/// A refusal, in words for the user.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Who has to act.
    pub kind: Kind,
    /// The engine's own code (an SQLSTATE, say), where it gave one.
    pub code: Option<String>,
    /// Thing, value and limit in one sentence, lower case, no full stop. Never a password.
    pub message: String,
    /// What the user may do about it, as a clause.
    pub hint: Option<String>,
}

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, code: None, message: message.into(), hint: None }
    }

    /// The error of [`crate::Session::append`] and [`crate::Session::append_lines`] outside of a transaction.
    pub fn outside_transaction() -> Error {
        Error::new(Kind::Statement, "rows are appended inside a transaction, and none was begun")
    }

    /// The error of a session that is asked to run what it did not prepare.
    pub fn not_prepared(statement: Statement) -> Error {
        Error::new(Kind::Statement, format!("statement {} was not prepared in this session", statement.0))
    }

    /// The operating system did not let us `verb` what lies at `path`: `Space` where the device refused to be written, else
    /// `Usage`.
    pub fn of_path(verb: &str, path: &Path, error: &io::Error) -> Error {
        let message = format!("cannot {verb} {}: {error}", path.display());
        let (kind, hint) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Kind::Space, "free some space, or give another --dir")
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                (Kind::Space, "give a --dir that may be written")
            }
            _ => (Kind::Usage, "give another --dir"),
        };
        Error::new(kind, message).hint(hint)
    }

    /// The same error with the engine's own code.
    pub fn code(mut self, code: impl Into<String>) -> Error {
        self.code = Some(code.into());
        self
    }

    /// The same error with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// The failure to be counted, where the session lives on.
    pub fn failure(&self) -> Option<FailureKind> {
        match self.kind {
            Kind::Step(failure) => Some(failure),
            _ => None,
        }
    }
}
