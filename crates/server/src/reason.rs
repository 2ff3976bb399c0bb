//! The reason why a program of a server failed, taken from its output.

use engine::{Error, Kind};

/// Messages of the C library and of servers for a device that cannot be written.
const SPACE: &[&str] = &["No space left on device", "Read-only file system", "Disk quota exceeded", "Errcode: 28"];

/// How errors in the output of a product's programs are recognised.
#[derive(Debug)]
pub struct ErrorPatterns {
    /// The error in a line; `None` for other lines.
    pub failure: fn(&str) -> Option<String>,
    /// The cause among all lines; `None` if no line has a known format.
    pub cause: fn(&[&str]) -> Option<String>,
    /// The hint that the program itself gives.
    pub hint: fn(&[&str]) -> Option<String>,
}

/// The reason of a failure, from the output of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The message of the program; empty if it gave none.
    pub message: String,
    hint: Option<String>,
    is_space: bool,
}

impl Reason {
    /// Reads `text`, the output of a program or the log of a server.
    pub fn of(error_patterns: &ErrorPatterns, text: &str) -> Reason {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // A full device is the cause of all later errors.
        let is_space = |line: &&&str| SPACE.iter().any(|words| line.contains(words));
        let messages = |line: &&str| (error_patterns.failure)(line).unwrap_or_else(|| (*line).to_owned());
        let space = lines.iter().find(is_space).map(messages);
        let last = || lines[lines.len().saturating_sub(3)..].join("; ");
        Reason {
            is_space: space.is_some(),
            message: space.or_else(|| (error_patterns.cause)(&lines)).unwrap_or_else(last),
            hint: (error_patterns.hint)(&lines),
        }
    }

    /// As an error: `Space` if the device could not be written, otherwise `kind`. `what` failed; the program's own hint
    /// takes precedence over `hint`.
    pub fn error(self, kind: Kind, what: &str, hint: &str) -> Error {
        let messages = if self.message.is_empty() { "it gave no reason".to_owned() } else { self.message };
        let error = |kind| Error::new(kind, format!("{what}: {messages}"));
        match self.is_space {
            true => error(Kind::Space).hint("free some space, or give another --dir"),
            false => error(kind).hint(self.hint.unwrap_or_else(|| hint.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::PRODUCT;

    #[test]
    fn a_full_device_takes_precedence_over_later_errors() {
        let text = "start\nerror: cannot extend a file: No space left on device\nerror: the log is torn\n";
        let reason = Reason::of(PRODUCT.error_patterns, text);
        assert_eq!(reason.message, "cannot extend a file: No space left on device");
        assert_eq!(reason.error(Kind::Usage, "it failed", "none").kind, Kind::Space);
        let program = Reason::of(PRODUCT.error_patterns, "mkdir: /x: Read-only file system\n");
        assert_eq!(program.error(Kind::Unreachable, "it failed", "none").kind, Kind::Space);
    }

    #[test]
    fn without_a_known_format_the_last_lines_are_the_reason() {
        assert_eq!(Reason::of(PRODUCT.error_patterns, "one\n\ntwo\nthree\nfour\n").message, "two; three; four");
        let silent = Reason::of(PRODUCT.error_patterns, "").error(Kind::Unreachable, "the server did not start", "ask");
        assert_eq!(silent.message, "the server did not start: it gave no reason");
        assert_eq!(silent.hint.as_deref(), Some("ask"));
    }

    #[test]
    fn the_hint_of_the_program_takes_precedence() {
        let reason = Reason::of(PRODUCT.error_patterns, "error: too much\nadvice: ask for less\n");
        let error = reason.error(Kind::Usage, "it failed", "none");
        assert_eq!((error.message.as_str(), error.hint.as_deref()), ("it failed: too much", Some("ask for less")));
    }
}
