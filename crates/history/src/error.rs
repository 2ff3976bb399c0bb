//! Why a file is not read.

use std::fmt;
use std::io;

/// The result of reading a file.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Whose mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The file cannot be read, as the operating system says.
    Unreadable,
    /// The file is none that can be used.
    Unusable,
}

/// A refusal, printed as `FILE:LINE: what is wrong; hint: what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Whose mistake it is.
    pub kind: Kind,
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1, if it is about one.
    pub line: Option<u64>,
    /// Thing, value and limit in one sentence.
    pub message: String,
    /// What the user can do about it.
    pub hint: Option<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            match self.line {
                Some(line) => write!(formatter, "{}:{line}: ", self.file)?,
                None => write!(formatter, "{}: ", self.file)?,
            }
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
    /// Of a file that can be read and not used.
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error {
            kind: Kind::Unusable,
            file: String::new(),
            line: None,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// The same of a line.
    pub(crate) fn at(mut self, line: u64) -> Error {
        self.line.get_or_insert(line);
        self
    }

    /// The same of a file.
    pub(crate) fn of(mut self, file: &str) -> Error {
        self.file = file.to_owned();
        self
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        let message = format!("the file cannot be read: {error}");
        Error { kind: Kind::Unreadable, file: String::new(), line: None, message, hint: None }
    }
}

/// Characters of a text of others that are repeated.
const SHOWN_CHARACTERS: usize = 40;

/// A text of others for a message: without what a terminal would act on, and not long.
pub(crate) fn shown(text: &str) -> String {
    let text = text.trim();
    let mut shown: String = text.chars().take(SHOWN_CHARACTERS).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}
