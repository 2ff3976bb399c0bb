//! Why a program of a server failed, in its own words and in one sentence.

use engine::{Error, Kind};

/// What the C library and servers call the ways in which a device refuses to be written.
const SPACE: &[&str] = &["No space left on device", "Read-only file system", "Disk quota exceeded", "Errcode: 28"];

/// How the programs of a product say why they fail.
#[derive(Debug)]
pub struct Speech {
    /// What one line says of a failure; none of a line that says nothing of one.
    pub failure: fn(&str) -> Option<String>,
    /// The reason among all lines; none where no line has a known form.
    pub cause: fn(&[&str]) -> Option<String>,
    /// What the program itself advises.
    pub advice: fn(&[&str]) -> Option<String>,
}

/// Why a program failed, from what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The program's own words; empty where it said nothing.
    pub message: String,
    advice: Option<String>,
    is_space: bool,
}

impl Reason {
    /// Reads `text`, the output of a program or the log of a server.
    pub fn of(speech: &Speech, text: &str) -> Reason {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // A full device is behind whatever else goes wrong after it.
        let is_space = |line: &&&str| SPACE.iter().any(|words| line.contains(words));
        let said = |line: &&str| (speech.failure)(line).unwrap_or_else(|| (*line).to_owned());
        let space = lines.iter().find(is_space).map(said);
        let last = || lines[lines.len().saturating_sub(3)..].join("; ");
        Reason {
            is_space: space.is_some(),
            message: space.or_else(|| (speech.cause)(&lines)).unwrap_or_else(last),
            advice: (speech.advice)(&lines),
        }
    }

    /// As an error: `Space` where the device refused, otherwise `kind`. `what` failed, and the program's own advice goes
    /// before `hint`.
    pub fn error(self, kind: Kind, what: &str, hint: &str) -> Error {
        let said = if self.message.is_empty() { "it said nothing".to_owned() } else { self.message };
        let error = |kind| Error::new(kind, format!("{what}: {said}"));
        match self.is_space {
            true => error(Kind::Space).hint("free some space, or give another --dir"),
            false => error(kind).hint(self.advice.unwrap_or_else(|| hint.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::PRODUCT;

    #[test]
    fn the_first_sign_of_a_full_device_counts_and_not_what_follows_from_it() {
        let text = "start\nerror: cannot extend a file: No space left on device\nerror: the log is torn\n";
        let reason = Reason::of(PRODUCT.speech, text);
        assert_eq!(reason.message, "cannot extend a file: No space left on device");
        assert_eq!(reason.error(Kind::Usage, "it failed", "none").kind, Kind::Space);
        let program = Reason::of(PRODUCT.speech, "mkdir: /x: Read-only file system\n");
        assert_eq!(program.error(Kind::Unreachable, "it failed", "none").kind, Kind::Space);
    }

    #[test]
    fn without_a_known_form_the_last_lines_speak() {
        assert_eq!(Reason::of(PRODUCT.speech, "one\n\ntwo\nthree\nfour\n").message, "two; three; four");
        let silent = Reason::of(PRODUCT.speech, "").error(Kind::Unreachable, "the server did not start", "ask");
        assert_eq!(silent.message, "the server did not start: it said nothing");
        assert_eq!(silent.hint.as_deref(), Some("ask"));
    }

    #[test]
    fn the_program_s_own_advice_comes_first() {
        let reason = Reason::of(PRODUCT.speech, "error: too much\nadvice: ask for less\n");
        let error = reason.error(Kind::Usage, "it failed", "none");
        assert_eq!((error.message.as_str(), error.hint.as_deref()), ("it failed: too much", Some("ask for less")));
    }
}
