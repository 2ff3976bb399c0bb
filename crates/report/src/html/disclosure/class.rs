//! The fields that dbdyno had to fill and did not, and the class of the result above the disclosure.

use maud::{Markup, html};
use model::{Fitness, Undisclosed};

use super::field::{By, Field};
use crate::fitness::{class_sentence, class_word};
use crate::layout::clean;

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
pub(super) fn note(found: &Fitness, fields: &[&Field]) -> Markup {
    let count = |by: By| fields.iter().filter(|field| field.by == by && field.value.is_err()).count();
    html! {
        div class="note" {
            p { "Class of this result: " strong { (class_word(found.class)) } ". " (clean(&class_sentence(found))) }
            p {
                "Of " (fields.len()) " fields, " (count(By::Tool)) " of dbdyno are not available, " (count(By::Publisher))
                " have to be stated by the publisher, and " (count(By::Optional))
                " optional ones are not known: no performance figure depends on them, but they limit other claims."
            }
        }
    }
}
