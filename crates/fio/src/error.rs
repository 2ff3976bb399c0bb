//! Refusals, with the line that they are about.

use std::fmt;
use std::sync::Arc;

/// The result of reading a job.
pub type Result<T> = std::result::Result<T, Error>;

/// Where something is written: a line of a job file, or the command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, or `command line`.
    pub source: Arc<str>,
    /// Its line, from 1; absent where there are none.
    pub line: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}", self.source),
            None => formatter.write_str(&self.source),
        }
    }
}

/// A refusal, in words for the user: `FILE:LINE: what is wrong; hint: what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where; absent where it is about no line in particular.
    pub place: Option<Place>,
    /// Thing, value and limit in one sentence, lower case, no full stop.
    pub message: String,
    /// What the user may do about it, as a clause.
    pub hint: Option<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
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
    /// An error that says `message`, about no line yet.
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error { place: None, message: message.into(), hint: None }
    }

    /// The same error with a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with its line, where it has none yet.
    pub(crate) fn at(mut self, place: &Place) -> Error {
        self.place.get_or_insert_with(|| place.clone());
        self
    }
}
