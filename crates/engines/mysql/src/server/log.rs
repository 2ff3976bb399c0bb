//! Recognition of errors in the output of the server's programs.

use server::ErrorPatterns;

/// The tag of error messages.
const ERROR_TAG: &str = "[ERROR] ";

/// Message prefixes, optionally after the path of a program.
const PREFIXES: &[&str] = &["mariadbd: ", "mysqld: ", "InnoDB: "];

/// Messages that only follow from an earlier error.
const CONSEQUENCES: &[&str] = &[
    "Aborting",
    "Plugin 'InnoDB'",
    "Unknown/unsupported storage engine",
    "Parsing options for plugin",
    "Failed to init",
];

/// How errors of the programs of MariaDB and MySQL are recognised.
pub(super) const ERROR_PATTERNS: ErrorPatterns = ErrorPatterns { failure, cause, hint: |_| None };

fn failure(line: &str) -> Option<String> {
    line.split_once(ERROR_TAG).map(|(_, message)| message_text(message))
}

fn cause(lines: &[&str]) -> Option<String> {
    let is_cause = |message: &String| !CONSEQUENCES.iter().any(|prefix| message.starts_with(prefix));
    lines.iter().filter_map(|line| failure(line)).find(is_cause)
}

fn message_text(mut message: &str) -> String {
    // MySQL adds error code and subsystem: `[MY-000067] [Server] unknown variable`.
    while let Some((_, rest)) = message.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        message = rest;
    }
    let stripped = |prefix: &&str| {
        let (before, rest) = message.split_once(*prefix)?;
        let is_path = before.is_empty() || before.ends_with('/') && !before.contains(' ');
        is_path.then_some(rest)
    };
    PREFIXES.iter().find_map(stripped).unwrap_or(message).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use engine::Kind;
    use proptest::prelude::*;
    use server::Reason;

    use super::*;

    #[test]
    fn the_first_error_is_the_reason() {
        let reason = Reason::of(
            &ERROR_PATTERNS,
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
            assert_eq!(Reason::of(&ERROR_PATTERNS, &text).message, "unknown variable 'no_such=1'");
        }
        let error = reason.error(Kind::Usage, "the server did not start", "look at it");
        assert_eq!((error.kind, error.hint.as_deref()), (Kind::Usage, Some("look at it")));
    }

    #[test]
    fn a_full_device_is_an_error_of_space_for_every_program() {
        for text in [
            "2026-11-21 19:48:12 0 [ERROR] InnoDB: preallocating 12582912 bytes for file ./ibdata1 failed with error 28\n\
             2026-11-21 19:48:12 0 [Note] InnoDB: Error number 28 means 'No space left on device'\n",
            "mkdir: cannot create directory '/x/data': Read-only file system\n",
        ] {
            assert_eq!(
                Reason::of(&ERROR_PATTERNS, text).error(Kind::Unreachable, "it failed", "none").kind,
                Kind::Space,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_log_panics(text in "[\\PC\n]*") {
            let _ = Reason::of(&ERROR_PATTERNS, &text);
        }
    }
}
