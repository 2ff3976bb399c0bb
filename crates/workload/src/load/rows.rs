//! Parsed rows as a source of the bulk path.

use std::ops::Range;

use engine::{Column, RowSink, RowSource};
use flat::{FieldValue, Parsed};

/// The rows of a range of a batch, except those that the engine refuses.
pub(super) struct BatchRows<'a> {
    columns: &'a [Column],
    parsed: &'a Parsed,
    next: usize,
    end: usize,
    /// Rows that are skipped, ascending.
    left_out: &'a [usize],
}

impl<'a> BatchRows<'a> {
    /// Rows `begin..end` of `parsed`, without those in `left_out`.
    pub(super) fn new(
        columns: &'a [Column],
        parsed: &'a Parsed,
        rows: Range<usize>,
        left_out: &'a [usize],
    ) -> BatchRows<'a> {
        let before = left_out.partition_point(|row| *row < rows.start);
        BatchRows { columns, parsed, next: rows.start, end: rows.end, left_out: &left_out[before..] }
    }
}

impl RowSource for BatchRows<'_> {
    fn columns(&self) -> &[Column] {
        self.columns
    }

    #[inline]
    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        while self.left_out.first() == Some(&self.next) {
            (self.left_out, self.next) = (&self.left_out[1..], self.next + 1);
        }
        if self.next >= self.end {
            return false;
        }
        for column in 0..self.columns.len() {
            match self.parsed.field(self.next, column) {
                FieldValue::Int(value) => sink.int(value),
                FieldValue::Decimal { unscaled, scale } => sink.decimal(unscaled, scale),
                FieldValue::Date(day) => sink.date(day),
                FieldValue::Text(text) => sink.text(text),
            }
        }
        self.next += 1;
        true
    }
}
