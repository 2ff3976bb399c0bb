//! Recognition of errors in the output of the server's programs.

use server::ErrorPatterns;

/// Prefixes of error messages.
const FATAL: &[&str] = &["FATAL:  ", "PANIC:  ", "error: "];
/// Errors that the readiness probes themselves cause during startup.
const TOO_EARLY: &[&str] = &["the database system is starting up", "the database system is not yet accepting"];
/// Prefixes of messages about the configuration file; the FATAL message after them only states that it has errors.
const CONFIGURATION: &[&str] = &["unrecognized configuration parameter", "invalid value for parameter", "parameter "];

/// How errors of PostgreSQL's programs are recognised.
pub(super) const ERROR_PATTERNS: ErrorPatterns = ErrorPatterns { failure, cause, hint };

fn after(line: &str, mark: &str) -> Option<String> {
    line.split_once(mark).map(|(_, message)| message.trim().to_owned())
}

fn failure(line: &str) -> Option<String> {
    FATAL.iter().find_map(|mark| after(line, mark))
}

fn cause(lines: &[&str]) -> Option<String> {
    let of_configuration = |line: &&str| {
        after(line, "LOG:  ").filter(|message| {
            CONFIGURATION.iter().any(|prefix| message.starts_with(prefix)) || message.contains("valid range")
        })
    };
    let is_early = |message: &String| TOO_EARLY.iter().any(|prefix| message.starts_with(prefix));
    let fatal = |line: &&str| failure(line).filter(|message| !is_early(message));
    lines.iter().rev().find_map(of_configuration).or_else(|| lines.iter().rev().find_map(fatal))
}

fn hint(lines: &[&str]) -> Option<String> {
    lines.iter().rev().find_map(|line| after(line, "HINT:  "))
}

#[cfg(test)]
mod tests {
    use engine::Kind;
    use proptest::prelude::*;
    use server::Reason;

    use super::*;

    #[test]
    fn the_fatal_message_and_its_hint_are_the_reason() {
        let reason = Reason::of(
            &ERROR_PATTERNS,
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
    fn an_error_in_the_configuration_is_named() {
        let reason = Reason::of(
            &ERROR_PATTERNS,
            "2026-11-21 08:36:53.068 GMT [7858] LOG:  unrecognized configuration parameter \"nonsense\" in file \"/x\" line 1\n\
             2026-11-21 08:36:53.068 GMT [7858] FATAL:  configuration file \"/x\" contains errors\n",
        );
        assert!(reason.message.starts_with("unrecognized configuration parameter \"nonsense\""));
    }

    #[test]
    fn a_full_device_is_an_error_of_space_for_every_program() {
        for text in [
            "initdb: error: could not create directory \"/x/data/base\": No space left on device\n",
            "2026 [1] PANIC:  could not write to file \"pg_wal/xlogtemp.1\": No space left on device\n",
            "initdb: error: could not change permissions of directory \"/x\": Read-only file system\n",
        ] {
            let error = Reason::of(&ERROR_PATTERNS, text).error(Kind::Unreachable, "initdb failed", "none");
            assert_eq!(error.kind, Kind::Space, "{text}");
            assert!(error.message.starts_with("initdb failed: could not"), "{error}");
        }
    }

    #[test]
    fn a_full_device_takes_precedence_over_later_errors() {
        let reason = Reason::of(
            &ERROR_PATTERNS,
            "2026-11-21 09:18:07.926 UTC [29874] FATAL:  could not extend file \"base/1/2691\": No space left on device\n\
             2026-11-21 09:18:07.926 UTC [29874] HINT:  Check free disk space.\n\
             2026-11-21 09:18:07.926 UTC [29874] PANIC:  cannot abort transaction 1, it was already committed\n",
        );
        assert_eq!(reason.message, "could not extend file \"base/1/2691\": No space left on device");
        assert_eq!(reason.error(Kind::Usage, "it failed", "none").kind, Kind::Space);
    }

    #[test]
    fn errors_caused_by_probes_are_not_the_reason() {
        let reason = Reason::of(
            &ERROR_PATTERNS,
            "2026 [1] FATAL:  could not open directory \"x\"\n2026 [2] FATAL:  the database system is starting up\n",
        );
        assert_eq!(reason.message, "could not open directory \"x\"");
    }

    proptest! {
        #[test]
        fn no_log_panics(text in "[\\PC\n]*") {
            let _ = Reason::of(&ERROR_PATTERNS, &text);
        }
    }
}
