//! Values that follow from a key, so that what an engine returns for the key can be compared.

use serde::Deserialize;

use crate::data::{GOLDEN, document, document_city, mix, push_letters};

/// The most bytes of a text that follows from a key.
pub(crate) const TEXT_OF_MAX: u32 = 1 << 20;

/// Random letters that follow from a key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextOf {
    /// The bind that is the key.
    pub key: String,
    /// Their number.
    pub bytes: u32,
}

/// What follows from a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A JSON document.
    Document,
    /// Its field `city`.
    City,
    /// Random letters.
    Text {
        /// Their number.
        bytes: u32,
    },
}

impl Content {
    /// Puts that of `key` into `text`.
    pub(crate) fn put(self, key: i64, text: &mut String) {
        match self {
            Content::Document => document(key, text),
            Content::City => document_city(key, text),
            Content::Text { bytes } => {
                text.clear();
                push_letters(mix(key as u64 ^ GOLDEN), bytes as usize, text);
            }
        }
    }

    /// That of `key`.
    pub(crate) fn of(self, key: i64) -> String {
        let mut text = String::new();
        self.put(key, &mut text);
        text
    }
}
