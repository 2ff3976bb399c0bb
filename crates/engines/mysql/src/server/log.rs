//! What the server's programs say when they fail, in one sentence.

use server::Speech;

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

/// How the programs of MariaDB and MySQL say why they fail.
pub(super) const SPEECH: Speech = Speech { failure, cause, advice: |_| None };

fn failure(line: &str) -> Option<String> {
    line.split_once(MARK).map(|(_, said)| plain(said))
}

fn cause(lines: &[&str]) -> Option<String> {
    let is_cause = |said: &String| !CONSEQUENCES.iter().any(|beginning| said.starts_with(beginning));
    lines.iter().filter_map(|line| failure(line)).find(is_cause)
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
    use engine::Kind;
    use proptest::prelude::*;
    use server::Reason;

    use super::*;

    #[test]
    fn the_first_error_is_the_reason_and_not_what_follows_from_it() {
        let reason = Reason::of(
            &SPEECH,
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
            assert_eq!(Reason::of(&SPEECH, &text).message, "unknown variable 'no_such=1'");
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
            assert_eq!(
                Reason::of(&SPEECH, text).error(Kind::Unreachable, "it failed", "none").kind,
                Kind::Space,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_log_is_too_strange(text in "[\\PC\n]*") {
            let _ = Reason::of(&SPEECH, &text);
        }
    }
}
