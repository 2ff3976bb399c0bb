//! The words of verdicts: the word of every view and sentence, the key of data. One place for all views.

use record::Verdict;

use crate::document::{Cell, Tone};

/// How a verdict is written.
struct Letter {
    /// In a view and in a sentence.
    word: &'static str,
    /// In CSV, JSON and other data: as it is stored.
    key: &'static str,
}

fn letter(of: Verdict) -> Letter {
    match of {
        Verdict::Pass => Letter { word: "passed", key: "pass" },
        Verdict::Unknown => Letter { word: "unchecked", key: "unknown" },
        Verdict::Warn => Letter { word: "warning", key: "warn" },
        Verdict::Fail => Letter { word: "invalid", key: "fail" },
    }
}

/// The key of a verdict, for data.
pub(crate) fn key(of: Verdict) -> &'static str {
    letter(of).key
}

/// The word of a verdict.
pub(crate) fn word_of(of: Verdict) -> &'static str {
    letter(of).word
}

/// The word of a verdict in its role, for a table of a document.
pub(crate) fn verdict_cell(of: Verdict) -> Cell {
    Cell::Word(letter(of).word.to_owned(), Tone::of(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Verdict; 4] = [Verdict::Pass, Verdict::Warn, Verdict::Unknown, Verdict::Fail];

    #[test]
    fn keys_are_those_of_records() {
        for verdict in ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), key(verdict));
        }
    }
}
