//! The latency table as comma-separated values: one line per row, unaccounted part and layer without a source.

use record::Record;
use tables::layer;

use super::{LayersQuestion, tables};
use crate::view::View;

/// The latency tables of `record` that `question` is about as comma-separated values (RFC 4180, UTF-8) under one line of
/// heads; what is not known is empty.
///
/// # Errors
/// What is wrong with the question, in words.
pub fn layers_csv(record: &Record, question: &LayersQuestion) -> Result<String, String> {
    Ok(View::of(layer::columns()).csv(layer::rows(record, &tables(record, question)?)))
}
