//! The note on a record: tags and a text beside it.

use record::Note;

use super::list::{Listed, about};
use super::place::Place;
use crate::document::{Block, Document, Field, Form, Section, Text};

/// The note on the entry `listed`, with a form where it `can_be_changed`.
pub fn note_page(listed: &Listed<'_>, can_be_changed: bool) -> Document {
    let empty = Note::default();
    let note = listed.note.unwrap_or(&empty);
    let tags = note.tags.join(", ");
    let shown = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    let mut body = vec![
        Block::Text(Text::link(listed.entry.name.as_str(), Place::Served.record(listed.id))),
        Block::aside(about(listed.entry)),
        Block::facts([("tags", shown(&tags)), ("note", shown(&note.text))]),
    ];
    body.push(match can_be_changed {
        false => Block::aside("Notes can be read only; dbdyno serve --allow-notes lets them be written."),
        true => Block::Form(Form {
            id: "note",
            action: "note".to_owned(),
            is_post: true,
            fields: vec![
                Field::Kept { name: "id", value: listed.id.to_owned() },
                Field::Line { name: "tags", label: "Tags, comma-separated", value: tags },
                Field::Lines { name: "note", label: "Note", value: note.text.clone() },
            ],
            button: "Save",
        }),
    });
    let sections = vec![Section::new("note", "Tags and note", body)];
    Document::new("dbdyno: note", sections).with_ways(Place::Served.ways())
}
