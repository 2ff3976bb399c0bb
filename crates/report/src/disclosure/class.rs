//! The fields that dbdyno had to fill and did not, and the class of the result above the disclosure.

use model::{Fitness, Undisclosed};

use super::field::{By, Field};
use crate::document::{Block, Text, Tone};
use crate::fitness::{class_sentence, class_word};

/// The fields that dbdyno should have filled and has not, those with the same reason together.
pub(super) fn undisclosed(fields: &[&Field]) -> Vec<Undisclosed> {
    let mut found: Vec<Undisclosed> = Vec::new();
    for field in fields.iter().filter(|field| field.is_missing()) {
        let Err(reason) = &field.value else { continue };
        match found.iter_mut().find(|known| known.reason == *reason) {
            Some(known) => known.fields.push(field.name),
            None => found.push(Undisclosed { fields: vec![field.name], reason: reason.to_string() }),
        }
    }
    found
}

/// The class above the disclosure, with the number of missing fields.
pub(super) fn note(found: &Fitness, fields: &[&Field]) -> Block {
    let count = |by: By| fields.iter().filter(|field| field.by == by && field.value.is_err()).count();
    let class = Text::from("Class of this result: ").strong(class_word(found.class));
    let missing = format!(
        "Of {} fields, {} of dbdyno are not available, {} have to be stated by the publisher, and {} optional ones are not \
         known: no performance figure depends on them, but they limit other claims.",
        fields.len(),
        count(By::Tool),
        count(By::Publisher),
        count(By::Optional)
    );
    Block::note(Tone::Plain, [class.plain(format!(". {}", class_sentence(found))), Text::from(missing)])
}
