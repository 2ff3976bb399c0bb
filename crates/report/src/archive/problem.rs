//! Why there is no page.

use super::place::Place;
use crate::document::{Block, Document, Note, Section, Text, Tone};

/// A page that says why there is no other one; `place` is where it is.
pub fn problem(message: &str, place: Place) -> Document {
    Document::new("dbdyno: no page", vec![Section::new("why", "Why", vec![refusal(message)])]).with_ways(place.ways())
}

/// Why there is nothing, and the hint in a line of its own behind it.
pub(super) fn refusal(message: &str) -> Block {
    let (message, hint) = message.split_once("\nhint: ").unwrap_or((message, ""));
    let hint = (!hint.is_empty()).then(|| Text::from(format!("Hint: {hint}")));
    let sentences = message.lines().map(Text::from).chain(hint).collect();
    Block::Note(Note { tone: Tone::Warning, title: String::new(), sentences })
}
