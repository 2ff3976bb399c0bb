//! What the server's programs say when they fail, in one sentence.

use engine::{Error, Kind};

/// What stands before the words of a failure.
const FATAL: &[&str] = &["FATAL:  ", "PANIC:  ", "error: "];
/// What a server says to those who come too early: to us, who ask whether it is ready.
const TOO_EARLY: &[&str] = &["the database system is starting up", "the database system is not yet accepting"];
/// Beginnings of messages about the configuration file, after which the last word is only that it has errors.
const CONFIGURATION: &[&str] = &["unrecognized configuration parameter", "invalid value for parameter", "parameter "];
/// What the C library calls the ways in which a device refuses to be written.
const SPACE: &[&str] = &["No space left on device", "Read-only file system", "Disk quota exceeded"];

/// Why a program failed, from what it wrote to `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    /// The program's own words.
    pub(super) message: String,
    hint: Option<String>,
    space: bool,
}

impl Reason {
    /// Reads `text`, the output of `initdb` or the log of a server.
    pub(super) fn of(text: &str) -> Reason {
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let after = |line: &&str, mark: &str| line.split_once(mark).map(|(_, said)| said.trim().to_owned());
        let fatal = |line: &&str| FATAL.iter().find_map(|mark| after(line, mark));
        let reason =
            |line: &&str| fatal(line).filter(|said| !TOO_EARLY.iter().any(|beginning| said.starts_with(beginning)));
        let configuration = |line: &&str| {
            after(line, "LOG:  ").filter(|said| {
                CONFIGURATION.iter().any(|beginning| said.starts_with(beginning)) || said.contains("valid range")
            })
        };
        let is_space = |line: &&&str| SPACE.iter().any(|words| line.contains(words));
        // A full device is behind whatever else goes wrong after it.
        let space = lines.iter().find(is_space).map(|line| fatal(line).unwrap_or_else(|| (*line).to_owned()));
        let found = space.clone().or_else(|| lines.iter().rev().find_map(configuration));
        let message = found.or_else(|| lines.iter().rev().find_map(reason));
        let last = || lines[lines.len().saturating_sub(3)..].join("; ");
        Reason {
            message: message.unwrap_or_else(last),
            hint: lines.iter().rev().find_map(|line| after(line, "HINT:  ")),
            space: space.is_some(),
        }
    }

    /// As an error: `Space` where the device refused, otherwise `kind`. `what` failed, and the server's own hint goes
    /// before `hint`.
    pub(super) fn error(self, kind: Kind, what: &str, hint: &str) -> Error {
        let said = if self.message.is_empty() { "it said nothing".to_owned() } else { self.message };
        let error = |kind| Error::new(kind, format!("{what}: {said}"));
        match self.space {
            true => error(Kind::Space).hint("free some space, or give another --dir"),
            false => error(kind).hint(self.hint.unwrap_or_else(|| hint.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_fatal_line_is_the_reason_and_its_hint_goes_with_it() {
        let reason = Reason::of(
            "2026-11-21 08:36:53.096 GMT [7862] FATAL:  could not map anonymous shared memory: Cannot allocate memory\n\
             2026-11-21 08:36:53.096 GMT [7862] HINT:  This error usually means too much.\n\
             2026-11-21 08:36:53.096 GMT [7862] LOG:  database system is shut down\n",
        );
        let error = reason.error(Kind::Usage, "the server did not start", "look at the log");
        assert_eq!(error.kind, Kind::Usage);
        assert_eq!(
            error.message,
            "the server did not start: could not map anonymous shared memory: Cannot allocate memory"
        );
        assert_eq!(error.hint.as_deref(), Some("This error usually means too much."));
    }

    #[test]
    fn an_error_in_the_configuration_is_named_and_not_only_counted() {
        let reason = Reason::of(
            "2026-11-21 08:36:53.068 GMT [7858] LOG:  unrecognized configuration parameter \"nonsense\" in file \"/x\" line 1\n\
             2026-11-21 08:36:53.068 GMT [7858] FATAL:  configuration file \"/x\" contains errors\n",
        );
        assert!(reason.message.starts_with("unrecognized configuration parameter \"nonsense\""));
    }

    #[test]
    fn a_full_device_is_a_matter_of_space_whoever_says_so() {
        for text in [
            "initdb: error: could not create directory \"/x/data/base\": No space left on device\n",
            "2026 [1] PANIC:  could not write to file \"pg_wal/xlogtemp.1\": No space left on device\n",
            "initdb: error: could not change permissions of directory \"/x\": Read-only file system\n",
        ] {
            let error = Reason::of(text).error(Kind::Unreachable, "initdb failed", "none");
            assert_eq!(error.kind, Kind::Space, "{text}");
            assert!(error.message.starts_with("initdb failed: could not"), "{error}");
        }
    }

    #[test]
    fn the_first_sign_of_a_full_device_counts_and_not_what_follows_from_it() {
        let reason = Reason::of(
            "2026-11-21 09:18:07.926 UTC [29874] FATAL:  could not extend file \"base/1/2691\": No space left on device\n\
             2026-11-21 09:18:07.926 UTC [29874] HINT:  Check free disk space.\n\
             2026-11-21 09:18:07.926 UTC [29874] PANIC:  cannot abort transaction 1, it was already committed\n",
        );
        assert_eq!(reason.message, "could not extend file \"base/1/2691\": No space left on device");
        assert!(reason.space);
    }

    #[test]
    fn what_the_server_said_to_us_is_not_why_it_failed() {
        let reason = Reason::of(
            "2026 [1] FATAL:  could not open directory \"x\"\n2026 [2] FATAL:  the database system is starting up\n",
        );
        assert_eq!(reason.message, "could not open directory \"x\"");
    }

    #[test]
    fn without_a_known_form_the_last_lines_speak() {
        assert_eq!(Reason::of("one\n\ntwo\nthree\nfour\n").message, "two; three; four");
        let silent = Reason::of("").error(Kind::Unreachable, "the server did not start", "ask");
        assert_eq!(silent.message, "the server did not start: it said nothing");
    }

    proptest! {
        #[test]
        fn no_log_is_too_strange(text in "[\\PC\n]*") {
            let _ = Reason::of(&text);
        }
    }
}
