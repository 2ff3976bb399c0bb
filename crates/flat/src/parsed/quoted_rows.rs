//! Rows with quoted fields.

use memchr::{memchr, memchr_iter};

use super::{Block, Column, Parsed, Span, readable, without_return};
use crate::layout::{LINE_BYTES_MAX, Layout};
use crate::line_reader::Lines;
use crate::quoted::{FieldRange, Quoting};
use crate::reject::{Reject, reason};

/// A block of rows with quotes.
struct QuotedBlock<'a> {
    quoting: Quoting,
    layout: &'a Layout,
    text: &'a str,
    block: Block,
}

impl Parsed {
    /// Parses rows whose fields may be quoted.
    pub(super) fn parse_quoted(
        &mut self,
        layout: &Layout,
        quoting: Quoting,
        lines: Lines,
        rejects_max: u64,
    ) -> Vec<u8> {
        let Lines { bytes, first_line, .. } = lines;
        let row_end = |bytes: &[u8], start: usize| quoting.row(bytes, start, &mut Vec::new());
        let (text, block) = readable(bytes, rejects_max, row_end);
        let before = std::mem::replace(&mut self.text, text);
        let quoted = QuotedBlock { quoting, layout, text: &self.text, block };
        let bytes = quoted.text.as_bytes();
        let (mut start, mut number) = (0, first_line);
        let mut is_header = layout.has_header() && first_line == 1;
        // Content with doubled quotes is behind the block.
        let mut unescaped = String::new();
        while start < bytes.len() && self.rejects.len() as u64 <= rejects_max {
            let end = quoting.row(bytes, start, &mut self.ranges);
            if is_header {
                is_header = false;
            } else if quoted.push(&mut self.columns, (start, end), &mut self.ranges, &mut unescaped).is_some() {
                self.rows += 1;
                self.lines.push(number);
            } else {
                self.columns.iter_mut().for_each(|column| column.truncate(self.rows));
                let row = quoted.block.line(bytes, start, end);
                let text = without_return(row).to_vec();
                self.rejects.push(Reject { line: number, reason: reason(layout, row), text });
            }
            number += 1 + memchr_iter(b'\n', &bytes[start..end]).count() as u64;
            start = end + 1;
        }
        self.text.push_str(&unescaped);
        before.into_bytes()
    }
}

impl QuotedBlock<'_> {
    /// Appends the fields of the row `start..end` to `columns`; none if it is not a row, and some columns may have one
    /// value more than others then.
    fn push(
        &self,
        columns: &mut [Column],
        (start, end): (usize, usize),
        ranges: &mut Vec<FieldRange>,
        unescaped: &mut String,
    ) -> Option<()> {
        if self.layout.ends_with_separator {
            ranges.pop().filter(|last| last.start == last.end && last.fault.is_none())?;
        }
        let row = &self.text.as_bytes()[start..end];
        let is_refused = row.len() > LINE_BYTES_MAX || (self.block.has_zero && memchr(0, row).is_some());
        if is_refused || ranges.len() != columns.len() {
            return None;
        }
        for (column, range) in columns.iter_mut().zip(ranges.iter()) {
            if range.fault.is_some() {
                return None;
            }
            let content = self.text.get(range.start..range.end)?;
            if !range.is_doubled {
                let span = Span { start: range.start as u32, end: range.end as u32 };
                column.push(content.as_bytes(), span, self.block.is_ascii)?;
                continue;
            }
            let from = unescaped.len();
            self.quoting.unescape(content, unescaped);
            let behind = |offset: usize| (self.text.len() + offset) as u32;
            let span = Span { start: behind(from), end: behind(unescaped.len()) };
            column.push(&unescaped.as_bytes()[from..], span, self.block.is_ascii)?;
        }
        Some(())
    }
}
