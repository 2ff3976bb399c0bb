//! Rows of a block, parsed: numbers and dates in columns, texts as ranges of the block.

use memchr::{memchr, memchr2_iter};

use crate::date::days_of_date;
use crate::layout::{FieldKind, Layout};
use crate::line_reader::{LINE_BYTES_MAX, Lines};
use crate::number::{decimal, whole};
use crate::reject::{Reject, reason};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// A whole number of 64 bits.
    Int(i64),
    /// A number of units of the last decimal.
    Decimal {
        /// The number in units of its last decimal: 12.50 is 1250.
        unscaled: i64,
        /// Decimals behind the point.
        scale: u8,
    },
    /// A date, days since 1970-01-01.
    Date(i32),
    /// A text, as it lies in the line.
    Text(&'a str),
}

/// The rows of a block of lines. Used again for the next block, it allocates nothing for a row.
#[derive(Debug, Default)]
pub struct Parsed {
    text: String,
    columns: Vec<Column>,
    rows: usize,
    rejects: Vec<Reject>,
}

#[derive(Debug)]
enum Column {
    Int { digits_max: u8, values: Vec<i64> },
    Decimal { precision: u8, scale: u8, values: Vec<i64> },
    Date { values: Vec<i32> },
    Text { size: u32, values: Vec<Span> },
}

/// Where a text lies in the block, in bytes.
#[derive(Clone, Copy, Debug)]
struct Span {
    begin: u32,
    end: u32,
}

/// Sums over rows, to compare what was sent with what is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How many rows there are.
    pub rows: u64,
    /// For each field its sum: of whole numbers, of units of the last decimal, of days since 1970-01-01, of characters.
    pub columns: Vec<i128>,
}

impl Sums {
    /// Adds the sums over other rows of the same layout.
    pub fn add(&mut self, other: &Sums) {
        self.rows += other.rows;
        self.columns.resize(self.columns.len().max(other.columns.len()), 0);
        self.columns.iter_mut().zip(&other.columns).for_each(|(sum, other)| *sum += other);
    }
}

/// What is known of a whole block before its lines are looked at.
struct Block {
    is_ascii: bool,
    has_zero: bool,
    /// Lines that are no UTF-8, as they were: where they begin, ascending, and their bytes without the end. In the block
    /// they are overwritten with zeros, for which they are refused.
    damaged: Vec<(usize, Vec<u8>)>,
}

impl Parsed {
    /// Parses `lines`, at most 4 GiB of them, in place of what was parsed before. Every line is a row or a reject, but
    /// for the first one of a file whose layout has a header. A line may end with a carriage return and a line feed.
    ///
    /// Ends early where more than `rejects_max` lines are none: a file of another layout would take many times its size.
    ///
    /// Returns the memory of the lines that were parsed before.
    pub fn parse(&mut self, layout: &Layout, lines: Lines, rejects_max: u64) -> Vec<u8> {
        self.begin(layout);
        let Lines { bytes, first_line, .. } = lines;
        let (text, block) = readable(bytes, rejects_max);
        let before = std::mem::replace(&mut self.text, text);
        let mut number = first_line;
        let bytes = self.text.as_bytes();
        let header_end = match layout.header && first_line == 1 {
            true => memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1),
            false => 0,
        };
        let mut begin = header_end;
        number += u64::from(header_end > 0);
        let mut hits = memchr2_iter(layout.separator, b'\n', &bytes[begin..]).map(|hit| header_end + hit);
        while begin < bytes.len() && self.rejects.len() as u64 <= rejects_max {
            let end = match push_row(&mut self.columns, layout, bytes, begin, &mut hits, &block) {
                Ok(end) => {
                    self.rows += 1;
                    end
                }
                Err(reached) => {
                    self.columns.iter_mut().for_each(|column| column.truncate(self.rows));
                    let is_end = |hit: &usize| bytes[*hit] == b'\n';
                    let end = reached.filter(is_end).or_else(|| hits.find(is_end)).unwrap_or(bytes.len());
                    let line = without_return(block.line(bytes, begin, end));
                    self.rejects.push(Reject { line: number, reason: reason(layout, line), text: line.to_vec() });
                    end
                }
            };
            begin = end + 1;
            number += 1;
        }
        before.into_bytes()
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Lines that are no rows, in their order.
    pub fn rejects(&self) -> &[Reject] {
        &self.rejects
    }

    /// A field.
    ///
    /// # Panics
    /// Where `row` or `column` is none of the block.
    #[inline]
    pub fn field(&self, row: usize, column: usize) -> FieldValue<'_> {
        match &self.columns[column] {
            Column::Int { values, .. } => FieldValue::Int(values[row]),
            Column::Decimal { values, scale, .. } => FieldValue::Decimal { unscaled: values[row], scale: *scale },
            Column::Date { values } => FieldValue::Date(values[row]),
            Column::Text { values, .. } => {
                let Span { begin, end } = values[row];
                FieldValue::Text(&self.text[begin as usize..end as usize])
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
        characters(&self.text.as_bytes()[span.begin as usize..span.end as usize]) as i128
    }

    /// Forgets what was parsed, and keeps its memory where the layout is the same.
    fn begin(&mut self, layout: &Layout) {
        let same = self.columns.len() == layout.fields.len()
            && self.columns.iter().zip(&layout.fields).all(|(column, field)| column.kind() == field.kind);
        if !same {
            self.columns = layout.fields.iter().map(|field| Column::of(field.kind)).collect();
        }
        self.columns.iter_mut().for_each(|column| column.truncate(0));
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
            FieldKind::Text { size } => Column::Text { size, values: Vec::new() },
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

    /// Appends the field at `begin..end`; none where it is wrong.
    #[inline]
    fn push(&mut self, bytes: &[u8], begin: usize, end: usize, is_ascii: bool) -> Option<()> {
        let field = &bytes[begin..end];
        match self {
            Column::Int { digits_max, values } => values.push(whole(field, *digits_max).ok()?),
            Column::Decimal { precision, scale, values } => values.push(decimal(field, *precision, *scale).ok()?),
            Column::Date { values } => values.push(days_of_date(field)?),
            Column::Text { size, values } => {
                let fits = field.len() <= *size as usize || (!is_ascii && characters(field) <= *size as usize);
                values.push(fits.then_some(Span { begin: begin as u32, end: end as u32 })?);
            }
        }
        Some(())
    }
}

impl Block {
    /// The line between two places, as it came.
    fn line<'a>(&'a self, bytes: &'a [u8], begin: usize, end: usize) -> &'a [u8] {
        match self.damaged.binary_search_by_key(&begin, |(begin, _)| *begin) {
            Ok(found) => &self.damaged[found].1,
            Err(_) => &bytes[begin..end],
        }
    }
}

/// Appends the fields of the line at `begin` to `columns`, and returns where it ends.
///
/// # Errors
/// Where it is no row: the last place of `hits` that was taken, if there was one. Then some columns may have a value
/// more than others.
#[inline]
fn push_row(
    columns: &mut [Column],
    layout: &Layout,
    bytes: &[u8],
    begin: usize,
    hits: &mut impl Iterator<Item = usize>,
    block: &Block,
) -> Result<usize, Option<usize>> {
    let mut from = begin;
    let last = columns.len() - 1;
    let mut end = 0;
    for (index, column) in columns.iter_mut().enumerate() {
        let hit = hits.next().ok_or(None)?;
        let ends_line = index == last && !layout.ends_with_separator;
        if (bytes[hit] == b'\n') != ends_line {
            return Err(Some(hit));
        }
        end = hit;
        let field_end = if ends_line && hit > from && bytes[hit - 1] == b'\r' { hit - 1 } else { hit };
        column.push(bytes, from, field_end, block.is_ascii).ok_or(Some(hit))?;
        from = hit + 1;
    }
    if layout.ends_with_separator {
        end = hits.next().ok_or(None)?;
        let has_return = end == from + 1 && bytes[from] == b'\r';
        if bytes[end] != b'\n' || (end != from && !has_return) {
            return Err(Some(end));
        }
    }
    let line = &bytes[begin..end];
    match line.len() > LINE_BYTES_MAX || (block.has_zero && memchr(0, line).is_some()) {
        true => Err(Some(end)),
        false => Ok(end),
    }
}

/// The bytes of a block as text, with the lines that are none overwritten; without what follows more than `damaged_max` of
/// them.
fn readable(bytes: Vec<u8>, damaged_max: u64) -> (String, Block) {
    let mut damaged = Vec::new();
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut bytes = error.into_bytes();
        let mut begin = 0;
        while begin < bytes.len() {
            let end = memchr(b'\n', &bytes[begin..]).map_or(bytes.len(), |length| begin + length);
            if std::str::from_utf8(&bytes[begin..end]).is_err() {
                damaged.push((begin, bytes[begin..end].to_vec()));
                bytes[begin..end].fill(0);
                if damaged.len() as u64 > damaged_max {
                    bytes.truncate(end);
                }
            }
            begin = end + 1;
        }
        // A line feed is no part of another character, so the whole is text where every line is.
        String::from_utf8(bytes).unwrap_or_default()
    });
    let block = Block { is_ascii: text.is_ascii(), has_zero: memchr(0, text.as_bytes()).is_some(), damaged };
    (text, block)
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Characters of `text`: the bytes that do not continue one.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests;
