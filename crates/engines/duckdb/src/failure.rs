//! Kinds of DuckDB's errors. Messages start with the error type; type numbers are not available in all functions. The
//! appender has neither, and its messages are matched by words.

use engine::{Error, Kind};
use record::FailureKind;

const HINT_SPACE: &str = "free space, or give another directory with --dir";

/// The error that the library describes as `text`: `Constraint Error: Duplicate key ...`.
#[cold]
pub(crate) fn of(text: &str) -> Error {
    let (name, rest) = match text.split_once(" Error: ") {
        Some((name, rest)) if name.len() < 40 && !name.contains('\n') => (Some(name), rest),
        _ => (None, text),
    };
    let kind = kind(name.unwrap_or_else(|| probable_type(rest)), rest);
    let mut error = Error::new(kind, sentence(rest));
    error.code = name.map(str::to_owned);
    match kind {
        Kind::Space => error.hint(HINT_SPACE),
        Kind::Step(FailureKind::Other) if name == Some("Out of Memory") => {
            error.hint("raise memory_limit, as in duckdb?memory_limit=4GiB, or use fewer jobs")
        }
        Kind::NotOurs => error.hint("move it away, or give another directory with --dir"),
        _ => error,
    }
}

fn kind(name: &str, message: &str) -> Kind {
    let contains_any = |words: &[&str]| words.iter().any(|text| message.contains(text));
    match name {
        "Constraint" => Kind::Step(FailureKind::Constraint),
        "INTERRUPT" | "Interrupt" => Kind::Step(FailureKind::Cancelled),
        // Sessions do not wait for each other: the second writer of a row fails, immediately or at its commit.
        "TransactionContext" if contains_any(&["onstraint violation", "uplicate key"]) => {
            Kind::Step(FailureKind::Constraint)
        }
        "TransactionContext" if contains_any(&["onflict"]) => Kind::Step(FailureKind::Serialization),
        "TransactionContext" | "Out of Memory" => Kind::Step(FailureKind::Other),
        "IO" if contains_any(&["No space left", "Disk quota", "Read-only file system", "Permission denied"]) => {
            Kind::Space
        }
        "IO" if contains_any(&["not a valid DuckDB database file"]) => Kind::NotOurs,
        "IO" if contains_any(&["Could not set lock"]) => Kind::Usage,
        "IO" | "FATAL" | "INTERNAL" | "Connection" => Kind::Lost,
        _ => Kind::Statement,
    }
}

/// The type of an error without a type prefix.
fn probable_type(message: &str) -> &'static str {
    let contains_any = |words: &[&str]| words.iter().any(|text| message.contains(text));
    match () {
        () if contains_any(&["onstraint", "uplicate key"]) => "Constraint",
        () if contains_any(&["Interrupted"]) => "INTERRUPT",
        () if contains_any(&["No space left", "Disk quota", "Could not write"]) => "IO",
        () if contains_any(&["ould not allocate", "ailed to allocate", "ut of memory"]) => "Out of Memory",
        () => "",
    }
}

/// The message in one line, starting with a lower case letter, without the quoted statement.
fn sentence(message: &str) -> String {
    let message = message.split("\n\nLINE ").next().unwrap_or_default();
    let line = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<&str>>().join(" ");
    let mut letters = line.trim_end_matches(['.', '!', ' ']).chars();
    match (letters.next(), letters.as_str()) {
        // Words in capitals are not changed.
        (Some(first), rest) if !rest.starts_with(char::is_uppercase) => format!("{}{rest}", first.to_lowercase()),
        (Some(first), rest) => format!("{first}{rest}"),
        (None, _) => "DuckDB gave an error without a message".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn error_types_determine_the_kind() {
        let step = Kind::Step;
        for (text, code, expected) in [
            (
                "Constraint Error: Duplicate key \"id: 1\" violates primary key constraint.",
                "Constraint",
                step(FailureKind::Constraint),
            ),
            ("TransactionContext Error: Conflict on update!", "TransactionContext", step(FailureKind::Serialization)),
            (
                "TransactionContext Error: Failed to commit: write-write conflict on key: \"1\"",
                "TransactionContext",
                step(FailureKind::Serialization),
            ),
            (
                "TransactionContext Error: Failed to commit: PRIMARY KEY or UNIQUE constraint violation: duplicate key \"5\"",
                "TransactionContext",
                step(FailureKind::Constraint),
            ),
            ("INTERRUPT Error: Interrupted!", "INTERRUPT", step(FailureKind::Cancelled)),
            ("Out of Memory Error: failed to allocate data", "Out of Memory", step(FailureKind::Other)),
            ("IO Error: Could not write file \"x\": No space left on device", "IO", Kind::Space),
            ("IO Error: Could not read from file \"x\": Input/output error", "IO", Kind::Lost),
            ("FATAL Error: Failed: database has been invalidated", "FATAL", Kind::Lost),
            (
                "Catalog Error: Table with name nope does not exist!\nDid you mean \"note\"?\n\nLINE 1: select",
                "Catalog",
                Kind::Statement,
            ),
        ] {
            let error = of(text);
            assert_eq!((error.kind, error.code.as_deref()), (expected, Some(code)), "{text}");
        }
    }

    #[test]
    fn errors_without_a_type_are_matched_by_words() {
        let step = Kind::Step;
        for (text, expected) in [
            (
                "Failed to append: Duplicate key \"id: 1\" violates primary key constraint",
                step(FailureKind::Constraint),
            ),
            ("Failed to append: Interrupted!", step(FailureKind::Cancelled)),
            ("Failed to append: could not allocate block of size 256.0 KiB", step(FailureKind::Other)),
            ("Failed to append: Could not write file \"x\": No space left on device", Kind::Space),
            ("Table \"nope\" could not be found", Kind::Statement),
        ] {
            let error = of(text);
            assert_eq!((error.kind, error.code), (expected, None), "{text}");
        }
    }

    #[test]
    fn a_message_is_one_line_without_the_statement() {
        let error =
            of("Catalog Error: Table with name nope does not exist!\nDid you mean \"note\"?\n\nLINE 1: select\n ^");
        assert_eq!(error.message, "table with name nope does not exist! Did you mean \"note\"?");
        assert_eq!(of("Constraint Error: PRIMARY KEY violated").message, "PRIMARY KEY violated");
        assert_eq!(of("").message, "DuckDB gave an error without a message");
    }

    proptest! {
        #[test]
        fn every_text_is_an_error(text in "\\PC{0,60}") {
            prop_assert!(!of(&text).message.is_empty());
        }
    }
}
