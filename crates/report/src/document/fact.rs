//! A label with what is said under it.

use super::Text;

/// A label with its sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The label; empty for a further sentence of the label before it.
    pub(crate) label: String,
    /// The value.
    pub(crate) sentences: Vec<Text>,
}
