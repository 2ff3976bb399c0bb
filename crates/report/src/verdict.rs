//! The alphabet of verdicts: the mark of texts, the word of pages and sentences, the key of data. One place for all views.

use record::Verdict;

use crate::document::{Cell, Tone};

/// How a verdict is written.
struct Letter {
    /// In a column of a text.
    mark: &'static str,
    /// On a page and in a sentence.
    word: &'static str,
    /// In CSV, JSON and other data: as it is stored.
    key: &'static str,
}

fn letter(of: Verdict) -> Letter {
    match of {
        Verdict::Pass => Letter { mark: "ok", word: "passed", key: "pass" },
        Verdict::Unknown => Letter { mark: "?", word: "unchecked", key: "unknown" },
        Verdict::Warn => Letter { mark: "!", word: "warning", key: "warn" },
        Verdict::Fail => Letter { mark: "invalid", word: "invalid", key: "fail" },
    }
}

/// The meaning of the marks, below a table.
pub(crate) const LEGEND: &str = "ok passed   ! warning   ? unchecked   invalid: no result";

/// The mark of a verdict, for a column of a text.
pub(crate) fn mark(of: Verdict) -> &'static str {
    letter(of).mark
}

/// The key of a verdict, for data.
pub(crate) fn key(of: Verdict) -> &'static str {
    letter(of).key
}

/// The word of a verdict in a sentence.
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
    fn keys_are_those_of_records_and_the_legend_has_every_mark_and_word() {
        for verdict in ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), key(verdict));
        }
        let words = ALL.map(|verdict| match letter(verdict) {
            Letter { mark, word, .. } if mark == word => format!("{mark}: no result"),
            Letter { mark, word, .. } => format!("{mark} {word}"),
        });
        assert_eq!(LEGEND, words.join("   "));
    }
}
