//! Why a resource limit could not be set.

use std::fmt;
use std::io;
use std::path::Path;

/// A missing prerequisite, and how to provide it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestrictionError {
    /// What is missing.
    pub message: String,
    /// How to provide it.
    pub hint: String,
}

impl RestrictionError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> RestrictionError {
        RestrictionError { message: message.into(), hint: hint.into() }
    }

    /// `action` failed for the control group `path`.
    pub(super) fn refused(action: &str, path: &Path, error: &io::Error) -> RestrictionError {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "run as root, or in a scope of your own: systemd-run --user --scope dbdyno ..."
            }
            io::ErrorKind::ReadOnlyFilesystem => {
                "control groups are mounted read-only: run outside of the container, or give it its own"
            }
            _ => "the kernel gives no further reason",
        };
        RestrictionError::new(format!("cannot {action} control group {}: {error}", path.display()), hint)
    }
}

impl fmt::Display for RestrictionError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for RestrictionError {}
