//! What somebody noted about a record, beside it.

use serde::{Deserialize, Serialize};

/// Tags and a text about a record. They are kept in a file of their own: a record is what was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Note {
    /// Words by which it is found, each once.
    pub tags: Vec<String>,
    /// The text.
    pub text: String,
}

impl Note {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.text.is_empty()
    }
}
