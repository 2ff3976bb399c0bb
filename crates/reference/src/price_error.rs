//! What is wrong with a price book.

use std::fmt;

/// A price book that cannot be used: which file, which line, what, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PriceError {
    /// The file, as the caller named it.
    pub path: String,
    /// The line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong: thing, value, limit.
    pub message: String,
    /// What the user may do about it, as a clause.
    pub hint: Option<String>,
}

impl fmt::Display for PriceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "price book {}", self.path)?;
        if let Some(line) = self.line {
            write!(formatter, " line {line}")?;
        }
        write!(formatter, ": {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}
