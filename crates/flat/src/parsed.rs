//! Parsed rows of a block: numbers and dates in columns, texts as ranges of the block.

mod quoted_rows;

use memchr::{memchr, memchr2_iter};

use crate::date::days_of_date;
use crate::layout::{FieldKind, LINE_BYTES_MAX, Layout, Quote, UNDECLARED_QUOTE};
use crate::line_reader::Lines;
use crate::number::{decimal, whole};
use crate::quoted::FieldRange;
use crate::reject::{Reject, reason};

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// A 64-bit integer.
    Int(i64),
    /// A decimal number.
    Decimal {
        /// In units of the last decimal: 12.50 is 1250.
        unscaled: i64,
        /// Digits after the point.
        scale: u8,
    },
    /// A date, days since 1970-01-01.
    Date(i32),
    /// A text.
    Text(&'a str),
}

/// The rows of a block of lines. Reused for the next block, it allocates nothing per row.
#[derive(Debug, Default)]
pub struct Parsed {
    text: String,
    columns: Vec<Column>,
    rows: usize,
    rejects: Vec<Reject>,
    /// Number of the first line that is no header.
    first_line: u64,
    /// Where quotes are read, the number of the first line of each row.
    lines: Vec<u64>,
    /// The fields of one row, where quotes are read; for reuse.
    ranges: Vec<FieldRange>,
}

/// A byte that no field begins with: it is no UTF-8.
const NO_BYTE: u8 = 0xFF;

#[derive(Debug)]
enum Column {
    Int {
        digits_max: u8,
        values: Vec<i64>,
    },
    Decimal {
        precision: u8,
        scale: u8,
        values: Vec<i64>,
    },
    Date {
        values: Vec<i32>,
    },
    /// A text that begins with `refused` is not valid.
    Text {
        size: u32,
        refused: u8,
        values: Vec<Span>,
    },
}

/// Range of a text in the block, in bytes.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
}

/// Sums over rows, to compare the sent rows with those in the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Number of rows.
    pub rows: u64,
    /// Sum of each field: of integers, of units of the last decimal, of days since 1970-01-01, of characters.
    pub columns: Vec<i128>,
}

impl Sums {
    /// Adds the sums of other rows of the same layout.
    pub fn add(&mut self, other: &Sums) {
        self.rows += other.rows;
        self.columns.resize(self.columns.len().max(other.columns.len()), 0);
        self.columns.iter_mut().zip(&other.columns).for_each(|(sum, other)| *sum += other);
    }
}

/// Properties of a block.
struct Block {
    is_ascii: bool,
    has_zero: bool,
    /// Lines that are not UTF-8: their offsets, ascending, and original bytes without the line feed. In the block they
    /// have zero bytes instead, so that they are rejected.
    damaged: Vec<(usize, Vec<u8>)>,
}

impl Parsed {
    /// Parses `lines`, at most 2 GiB, replacing the previous block. Every line is a row or a reject, except the header
    /// of a file. A line may end with a carriage return and a line feed, and has more of them where quotes are read and
    /// have them.
    ///
    /// Stops after more than `rejects_max` rejects: a file of another layout would take many times its size.
    ///
    /// Returns the memory of the previous block.
    pub fn parse(&mut self, layout: &Layout, lines: Lines, rejects_max: u64) -> Vec<u8> {
        self.reset(layout);
        match layout.quoting() {
            Some(quoting) => self.parse_quoted(layout, quoting, lines, rejects_max),
            None => self.parse_plain(layout, lines, rejects_max),
        }
    }

    /// Parses lines without quotes.
    fn parse_plain(&mut self, layout: &Layout, lines: Lines, rejects_max: u64) -> Vec<u8> {
        let Lines { bytes, first_line, .. } = lines;
        let line_end = |bytes: &[u8], start: usize| memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let (text, block) = readable(bytes, rejects_max, line_end);
        let before = std::mem::replace(&mut self.text, text);
        let bytes = self.text.as_bytes();
        let header_end = match layout.has_header() && first_line == 1 {
            true => memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1),
            false => 0,
        };
        let mut start = header_end;
        self.first_line = first_line + u64::from(header_end > 0);
        let mut number = self.first_line;
        let mut delimiters = memchr2_iter(layout.separator, b'\n', &bytes[start..]).map(|at| header_end + at);
        while start < bytes.len() && self.rejects.len() as u64 <= rejects_max {
            let end = match push_row(&mut self.columns, layout, bytes, start, &mut delimiters, &block) {
                Ok(end) => {
                    self.rows += 1;
                    end
                }
                Err(reached) => {
                    self.columns.iter_mut().for_each(|column| column.truncate(self.rows));
                    let is_end = |at: &usize| bytes[*at] == b'\n';
                    let end = reached.filter(is_end).or_else(|| delimiters.find(is_end)).unwrap_or(bytes.len());
                    let line = without_return(block.line(bytes, start, end));
                    self.rejects.push(Reject { line: number, reason: reason(layout, line), text: line.to_vec() });
                    end
                }
            };
            start = end + 1;
            number += 1;
        }
        before.into_bytes()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number in its file of the first line of a row.
    pub fn line(&self, row: usize) -> u64 {
        if let Some(line) = self.lines.get(row) {
            return *line;
        }
        // The lines are rows and rejects.
        self.rejects.iter().fold(self.first_line + row as u64, |line, reject| line + u64::from(reject.line <= line))
    }

    /// Rejected lines, in order.
    pub fn rejects(&self) -> &[Reject] {
        &self.rejects
    }

    /// The value of a field.
    ///
    /// # Panics
    /// If `row` or `column` is out of range.
    #[inline]
    pub fn field(&self, row: usize, column: usize) -> FieldValue<'_> {
        match &self.columns[column] {
            Column::Int { values, .. } => FieldValue::Int(values[row]),
            Column::Decimal { values, scale, .. } => FieldValue::Decimal { unscaled: values[row], scale: *scale },
            Column::Date { values } => FieldValue::Date(values[row]),
            Column::Text { values, .. } => {
                let Span { start, end } = values[row];
                FieldValue::Text(&self.text[start as usize..end as usize])
            }
        }
    }

    /// Sums over all rows.
    pub fn sums(&self) -> Sums {
        let columns = self.columns.iter().map(|column| match column {
            Column::Int { values, .. } | Column::Decimal { values, .. } => values.iter().map(|v| i128::from(*v)).sum(),
            Column::Date { values } => values.iter().map(|days| i128::from(*days)).sum(),
            Column::Text { values, .. } => values.iter().map(|span| self.characters(*span)).sum(),
        });
        Sums { rows: self.rows as u64, columns: columns.collect() }
    }

    fn characters(&self, span: Span) -> i128 {
        characters(&self.text.as_bytes()[span.start as usize..span.end as usize]) as i128
    }

    /// Removes all rows, and keeps the memory if the layout is the same.
    fn reset(&mut self, layout: &Layout) {
        let same = self.columns.len() == layout.fields.len()
            && self.columns.iter().zip(&layout.fields).all(|(column, field)| column.kind() == field.kind);
        if !same {
            self.columns = layout.fields.iter().map(|field| Column::of(field.kind)).collect();
        }
        self.columns.iter_mut().for_each(|column| column.truncate(0));
        let refuses = layout.quote == Quote::Refused;
        for column in &mut self.columns {
            if let Column::Text { refused, .. } = column {
                *refused = if refuses { UNDECLARED_QUOTE } else { NO_BYTE };
            }
        }
        self.lines.clear();
        self.rows = 0;
        self.rejects.clear();
    }
}

impl Column {
    fn of(kind: FieldKind) -> Column {
        match kind {
            FieldKind::Int { digits_max } => Column::Int { digits_max, values: Vec::new() },
            FieldKind::Decimal { precision, scale } => Column::Decimal { precision, scale, values: Vec::new() },
            FieldKind::Date => Column::Date { values: Vec::new() },
            FieldKind::Text { size } => Column::Text { size, refused: NO_BYTE, values: Vec::new() },
        }
    }

    fn kind(&self) -> FieldKind {
        match *self {
            Column::Int { digits_max, .. } => FieldKind::Int { digits_max },
            Column::Decimal { precision, scale, .. } => FieldKind::Decimal { precision, scale },
            Column::Date { .. } => FieldKind::Date,
            Column::Text { size, .. } => FieldKind::Text { size },
        }
    }

    fn truncate(&mut self, rows: usize) {
        match self {
            Column::Int { values, .. } | Column::Decimal { values, .. } => values.truncate(rows),
            Column::Date { values } => values.truncate(rows),
            Column::Text { values, .. } => values.truncate(rows),
        }
    }

    /// Appends the field `field`, which is at `span` if it is a text; none if it is not valid.
    #[inline]
    fn push(&mut self, field: &[u8], span: Span, is_ascii: bool) -> Option<()> {
        match self {
            Column::Int { digits_max, values } => values.push(whole(field, *digits_max).ok()?),
            Column::Decimal { precision, scale, values } => values.push(decimal(field, *precision, *scale).ok()?),
            Column::Date { values } => values.push(days_of_date(field)?),
            Column::Text { size, refused, values } => {
                let fits = field.len() <= *size as usize || (!is_ascii && characters(field) <= *size as usize);
                let is_valid = fits && field.first() != Some(refused);
                values.push(is_valid.then_some(span)?);
            }
        }
        Some(())
    }
}

impl Block {
    /// The original bytes of the line `start..end`.
    fn line<'a>(&'a self, bytes: &'a [u8], start: usize, end: usize) -> &'a [u8] {
        match self.damaged.binary_search_by_key(&start, |(start, _)| *start) {
            Ok(found) => &self.damaged[found].1,
            Err(_) => &bytes[start..end],
        }
    }
}

/// Appends the fields of the line at `start` to `columns`, and returns its end.
#[inline]
fn push_row(
    columns: &mut [Column],
    layout: &Layout,
    bytes: &[u8],
    start: usize,
    delimiters: &mut impl Iterator<Item = usize>,
    block: &Block,
) -> Result<usize, Option<usize>> {
    let mut from = start;
    let last = columns.len() - 1;
    let mut end = 0;
    for (index, column) in columns.iter_mut().enumerate() {
        let hit = delimiters.next().ok_or(None)?;
        let ends_line = index == last && !layout.ends_with_separator;
        if (bytes[hit] == b'\n') != ends_line {
            return Err(Some(hit));
        }
        end = hit;
        let field_end = if ends_line && hit > from && bytes[hit - 1] == b'\r' { hit - 1 } else { hit };
        let span = Span { start: from as u32, end: field_end as u32 };
        column.push(&bytes[from..field_end], span, block.is_ascii).ok_or(Some(hit))?;
        from = hit + 1;
    }
    if layout.ends_with_separator {
        end = delimiters.next().ok_or(None)?;
        let has_return = end == from + 1 && bytes[from] == b'\r';
        if bytes[end] != b'\n' || (end != from && !has_return) {
            return Err(Some(end));
        }
    }
    let line = &bytes[start..end];
    match line.len() > LINE_BYTES_MAX || (block.has_zero && memchr(0, line).is_some()) {
        true => Err(Some(end)),
        false => Ok(end),
    }
}

/// The bytes of a block as text; truncated after more than `damaged_max` lines that are not UTF-8. In these each byte that
/// is not ASCII is overwritten. `line_end` is the end of the line that starts at an offset.
fn readable(bytes: Vec<u8>, damaged_max: u64, line_end: impl Fn(&[u8], usize) -> usize) -> (String, Block) {
    let mut damaged = Vec::new();
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut bytes = error.into_bytes();
        let mut start = 0;
        while start < bytes.len() {
            let end = line_end(&bytes, start);
            if std::str::from_utf8(&bytes[start..end]).is_err() {
                damaged.push((start, bytes[start..end].to_vec()));
                bytes[start..end].iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = 0);
                if damaged.len() as u64 > damaged_max {
                    bytes.truncate(end);
                }
            }
            start = end + 1;
        }
        // A line feed is never part of another character: if every line is UTF-8, the block is.
        String::from_utf8(bytes).unwrap_or_default()
    });
    let block = Block { is_ascii: text.is_ascii(), has_zero: memchr(0, text.as_bytes()).is_some(), damaged };
    (text, block)
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Number of characters of UTF-8 `text`: bytes that are not continuation bytes.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests;
