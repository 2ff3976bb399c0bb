//! Rows for the bulk path: pushed field by field, so that an engine encodes them in place without allocation per row.

use crate::Column;

/// Receives the fields of rows, in the order of the columns. Implemented by the bulk path of an engine.
pub trait RowSink {
    /// A 64-bit integer.
    fn int(&mut self, value: i64);
    /// A double.
    fn float(&mut self, value: f64);
    /// The exact decimal `unscaled` · 10^-`scale`.
    fn decimal(&mut self, unscaled: i64, scale: u8);
    /// A date, in days since 1970-01-01.
    fn date(&mut self, days_since_epoch: i32);
    /// Text.
    fn text(&mut self, value: &str);
}

/// Supplies rows, one after the other.
pub trait RowSource {
    /// The columns of each row.
    fn columns(&self) -> &[Column];

    /// Pushes the fields of the next row into `sink`; false, and nothing pushed, after the last one.
    fn next(&mut self, sink: &mut dyn RowSink) -> bool;
}
