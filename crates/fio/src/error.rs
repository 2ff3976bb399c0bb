//! Errors, with file and line.

use std::fmt;
use std::sync::Arc;

/// The result of parsing a job.
pub type Result<T> = std::result::Result<T, Error>;

/// A location: a line of a job file, or the command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file, or `command line`.
    pub source: Arc<str>,
    /// The line, from 1; absent for the command line.
    pub line: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}", self.source),
            None => formatter.write_str(&self.source),
        }
    }
}

/// An error, printed as `FILE:LINE: what is wrong; hint: what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The location, if it is about a line.
    pub location: Option<Location>,
    /// Thing, value and limit in one sentence, lower case, no full stop.
    pub message: String,
    /// What the user can do about it.
    pub hint: Option<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(formatter, "{location}: ")?;
        }
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// An error without a location.
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error { location: None, message: message.into(), hint: None }
    }

    /// The same error with a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with a location, unless it has one.
    pub(crate) fn at(mut self, location: &Location) -> Error {
        self.location.get_or_insert_with(|| location.clone());
        self
    }
}
