//! Why processes could not be given less.

use std::fmt;
use std::io;
use std::path::Path;

/// What is missing, and how to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestrictionError {
    /// What is missing, as a clause.
    pub message: String,
    /// How to get it.
    pub hint: String,
}

impl RestrictionError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> RestrictionError {
        RestrictionError { message: message.into(), hint: hint.into() }
    }

    /// `path` could not be treated so.
    pub(super) fn refused(what: &str, path: &Path, error: &io::Error) -> RestrictionError {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "run as root, or in a slice of your own: systemd-run --user --scope dbdyno ..."
            }
            io::ErrorKind::ReadOnlyFilesystem => {
                "control groups are mounted for reading only here: run outside of the container, or give it its own"
            }
            _ => "the kernel says no more",
        };
        RestrictionError::new(format!("control group {} cannot be {what}: {error}", path.display()), hint)
    }
}

impl fmt::Display for RestrictionError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for RestrictionError {}
