//! The answer to the first question: what a record is good for and why, and what makes it better.

use model::Fitness;
use record::{Record, ResultClass};

use crate::document::{Block, Note, Text, Tone};
use crate::fitness::{better, good_for, in_doubt};
use crate::words::capital;

/// What `record` is good for, which is `found`.
pub(super) fn answer(record: &Record, found: &Fitness) -> Block {
    let tone = if found.is_basis() { Tone::Good } else { Tone::Warning };
    let prefix = if found.class == ResultClass::Meaningless { "good for " } else { "" };
    let title = format!("{}.", capital(&format!("{prefix}{}", good_for(found))));
    let doubt = in_doubt(found).filter(|_| !found.doubtful_tests().is_empty());
    let sentences = doubt.into_iter().chain(better(record, found));
    let sentences = sentences.map(|sentence| Text::from(format!("{}.", capital(&sentence)))).collect();
    Block::Answer(Note { tone, title, sentences })
}
