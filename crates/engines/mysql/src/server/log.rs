//! What the server's programs say when they fail, in one sentence.

use engine::{Error, Kind};

/// What stands before the words of a failure.
const MARK: &str = "[ERROR] ";

/// Who speaks, which is no part of what is said: behind the path of a program, or none.
const SPEAKERS: &[&str] = &["mariadbd: ", "mysqld: ", "InnoDB: "];

/// Last words that only say that something went wrong before.
const CONSEQUENCES: &[&str] = &[
    "Aborting",
    "Plugin 'InnoDB'",
    "Unknown/unsupported storage engine",
    "Parsing options for plugin",
    "Failed to init",
];

/// What the C library calls the ways in which a device refuses to be written.
const SPACE: &[&str] = &["No space left on device", "Read-only file system", "Disk quota exceeded", "Errcode: 28"];

/// Why a program failed, from what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    /// The program's own words.
    pub(super) message: String,
    space: bool,
}

impl Reason {
    /// Reads `text`, the output of a program or the log of a server.
    pub(super) fn of(text: &str) -> Reason {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let error = |line: &&str| line.split_once(MARK).map(|(_, said)| plain(said));
        // A full device is behind whatever else goes wrong after it.
        let is_space = |line: &&&str| SPACE.iter().any(|words| line.contains(words));
        let space = lines.iter().find(is_space).map(|line| error(line).unwrap_or_else(|| (*line).to_owned()));
        let is_cause = |said: &String| !CONSEQUENCES.iter().any(|beginning| said.starts_with(beginning));
        let cause = || lines.iter().filter_map(error).find(is_cause);
        let last = || lines[lines.len().saturating_sub(3)..].join("; ");
        Reason { space: space.is_some(), message: space.or_else(cause).unwrap_or_else(last) }
    }

    /// As an error: `Space` where the device refused, otherwise `kind`. `what` failed.
    pub(super) fn error(self, kind: Kind, what: &str, hint: &str) -> Error {
        let said = if self.message.is_empty() { "it said nothing".to_owned() } else { self.message };
        let error = |kind| Error::new(kind, format!("{what}: {said}"));
        match self.space {
            true => error(Kind::Space).hint("free some space, or give another --dir"),
            false => error(kind).hint(hint),
        }
    }
}

fn plain(mut said: &str) -> String {
    // MySQL says which message it is and what part of it speaks: `[MY-000067] [Server] unknown variable`.
    while let Some((_, rest)) = said.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        said = rest;
    }
    let spoken = |speaker: &&str| {
        let (before, rest) = said.split_once(*speaker)?;
        let is_path = before.is_empty() || before.ends_with('/') && !before.contains(' ');
        is_path.then_some(rest)
    };
    SPEAKERS.iter().find_map(spoken).unwrap_or(said).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_error_is_the_reason_and_not_what_follows_from_it() {
        let reason = Reason::of(
            "2026-11-21 19:48:12 0 [Warning] Could not increase number of max_open_files to more than 20000\n\
             2026-11-21 19:48:12 0 [ERROR] mariadbd: unknown variable 'no_such=1'\n\
             2026-11-21 19:48:12 0 [ERROR] Aborting\n",
        );
        assert_eq!(reason.message, "unknown variable 'no_such=1'");
        for line in [
            "2026-11-22T14:53:16.43Z 0 [ERROR] [MY-000067] [Server] unknown variable 'no_such=1'.",
            "2026-11-22 19:48:12 0 [ERROR] /usr/sbin/mariadbd: unknown variable 'no_such=1'",
        ] {
            let text = format!("{line}\n2026-11-22T14:53:16.43Z 0 [ERROR] [MY-010119] [Server] Aborting\n");
            assert_eq!(Reason::of(&text).message, "unknown variable 'no_such=1'");
        }
        let error = reason.error(Kind::Usage, "the server did not start", "look at it");
        assert_eq!((error.kind, error.hint.as_deref()), (Kind::Usage, Some("look at it")));
    }

    #[test]
    fn a_full_device_is_a_matter_of_space_whoever_says_so() {
        for text in [
            "2026-11-21 19:48:12 0 [ERROR] InnoDB: preallocating 12582912 bytes for file ./ibdata1 failed with error 28\n\
             2026-11-21 19:48:12 0 [Note] InnoDB: Error number 28 means 'No space left on device'\n",
            "mkdir: cannot create directory '/x/data': Read-only file system\n",
        ] {
            assert_eq!(Reason::of(text).error(Kind::Unreachable, "it failed", "none").kind, Kind::Space, "{text}");
        }
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
