//! What the server's programs say when they fail, in one sentence.

use server::Speech;

/// What stands before the words of a failure.
const FATAL: &[&str] = &["FATAL:  ", "PANIC:  ", "error: "];
/// What a server says to those who come too early: to us, who ask whether it is ready.
const TOO_EARLY: &[&str] = &["the database system is starting up", "the database system is not yet accepting"];
/// Beginnings of messages about the configuration file, after which the last word is only that it has errors.
const CONFIGURATION: &[&str] = &["unrecognized configuration parameter", "invalid value for parameter", "parameter "];

/// How the programs of PostgreSQL say why they fail.
pub(super) const SPEECH: Speech = Speech { failure, cause, advice };

fn after(line: &str, mark: &str) -> Option<String> {
    line.split_once(mark).map(|(_, said)| said.trim().to_owned())
}

fn failure(line: &str) -> Option<String> {
    FATAL.iter().find_map(|mark| after(line, mark))
}

fn cause(lines: &[&str]) -> Option<String> {
    let of_configuration = |line: &&str| {
        after(line, "LOG:  ").filter(|said| {
            CONFIGURATION.iter().any(|beginning| said.starts_with(beginning)) || said.contains("valid range")
        })
    };
    let is_early = |said: &String| TOO_EARLY.iter().any(|beginning| said.starts_with(beginning));
    let fatal = |line: &&str| failure(line).filter(|said| !is_early(said));
    lines.iter().rev().find_map(of_configuration).or_else(|| lines.iter().rev().find_map(fatal))
}

fn advice(lines: &[&str]) -> Option<String> {
    lines.iter().rev().find_map(|line| after(line, "HINT:  "))
}

#[cfg(test)]
mod tests {
    use engine::Kind;
    use proptest::prelude::*;
    use server::Reason;

    use super::*;

    #[test]
    fn the_fatal_line_is_the_reason_and_its_hint_goes_with_it() {
        let reason = Reason::of(
            &SPEECH,
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
            &SPEECH,
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
            let error = Reason::of(&SPEECH, text).error(Kind::Unreachable, "initdb failed", "none");
            assert_eq!(error.kind, Kind::Space, "{text}");
            assert!(error.message.starts_with("initdb failed: could not"), "{error}");
        }
    }

    #[test]
    fn the_first_sign_of_a_full_device_counts_and_not_what_follows_from_it() {
        let reason = Reason::of(
            &SPEECH,
            "2026-11-21 09:18:07.926 UTC [29874] FATAL:  could not extend file \"base/1/2691\": No space left on device\n\
             2026-11-21 09:18:07.926 UTC [29874] HINT:  Check free disk space.\n\
             2026-11-21 09:18:07.926 UTC [29874] PANIC:  cannot abort transaction 1, it was already committed\n",
        );
        assert_eq!(reason.message, "could not extend file \"base/1/2691\": No space left on device");
        assert_eq!(reason.error(Kind::Usage, "it failed", "none").kind, Kind::Space);
    }

    #[test]
    fn what_the_server_said_to_us_is_not_why_it_failed() {
        let reason = Reason::of(
            &SPEECH,
            "2026 [1] FATAL:  could not open directory \"x\"\n2026 [2] FATAL:  the database system is starting up\n",
        );
        assert_eq!(reason.message, "could not open directory \"x\"");
    }

    proptest! {
        #[test]
        fn no_log_is_too_strange(text in "[\\PC\n]*") {
            let _ = Reason::of(&SPEECH, &text);
        }
    }
}
