//! Parts that hang together as a tree.

use super::Tone;

/// A part with what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    /// What it is.
    pub(crate) name: String,
    /// Its role; one that is not plain has a mark where there is no colour.
    pub(crate) tone: Tone,
    /// The parts below it.
    pub(crate) below: Vec<Branch>,
}
