//! Errors of scripts.

use std::fmt;

/// A mistake in a script: its file, the line, what is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// The file, as named by the caller.
    pub origin: String,
    /// The line, from 1; absent for what concerns no line.
    pub line: Option<usize>,
    /// What is wrong: thing, value, limit.
    pub message: String,
    /// What to do about it, as a clause.
    pub hint: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.origin, self.message),
            None => write!(formatter, "script {}: {}", self.origin, self.message),
        }
    }
}

/// What is wrong with a part of a script whose place its reader knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong: thing, value, limit.
    pub message: String,
    /// What to do about it, as a clause.
    pub hint: String,
}

impl Mistake {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Mistake {
        Mistake { message: message.into(), hint: hint.into() }
    }

    /// The same in line `line` of `origin`.
    pub(crate) fn at(self, origin: &str, line: usize) -> ScriptError {
        ScriptError { origin: origin.to_owned(), line: Some(line), message: self.message, hint: self.hint }
    }
}
