//! Results of statements: a count of changed rows, or rows in data chunks.

use std::hint::black_box;

use engine::{Error, IsoDate, Kind, Result, Value};

use super::function::{Functions, RawChunk, RawHuge, RawResult, SUCCESS, copied, kind, returns};
use crate::failure;
use crate::number::Exact;

/// Memory layout of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Bool,
    Int { bytes: u8, signed: bool },
    Float { bytes: u8 },
    Decimal { bytes: u8, scale: u8 },
    Date,
    Timestamp,
    Text,
    Nothing,
}

/// A value in a chunk.
enum Field<'a> {
    Null,
    Int(i128),
    Float(f64),
    Decimal(Exact),
    /// In days since 1970-01-01.
    Date(i32),
    /// In microseconds since 1970-01-01.
    Timestamp(i64),
    Text(&'a [u8]),
}

/// The result of one statement.
pub(crate) struct Outcome {
    functions: &'static Functions,
    raw: RawResult,
}

impl Outcome {
    /// The result of a call that returned `state`.
    ///
    /// # Safety
    /// `raw` was written by that call and is used by nobody else.
    pub(super) unsafe fn new(functions: &'static Functions, raw: RawResult, state: u32) -> Result<Outcome> {
        let mut outcome = Outcome { functions, raw };
        if state == SUCCESS {
            return Ok(outcome);
        }
        // SAFETY: the result is one of a statement that failed; the text lives as long as it, and is copied.
        Err(failure::of(&unsafe { copied((functions.result_error)(&raw mut outcome.raw)) }))
    }

    /// Rows that the statement changed; `None` if it returns rows instead.
    pub(crate) fn changed(&mut self) -> Option<u64> {
        // SAFETY: the result is that of a statement that succeeded.
        unsafe {
            match (self.functions.result_return_type)(self.raw) {
                returns::QUERY_RESULT => None,
                returns::CHANGED_ROWS => Some((self.functions.rows_changed)(&raw mut self.raw)),
                _ => Some(0),
            }
        }
    }

    /// Reads every field completely, like a client that uses the rows, and counts the rows. `column_kinds` is a
    /// reusable buffer.
    pub(crate) fn read(&mut self, column_kinds: &mut Vec<ColumnKind>) -> Result<u64> {
        self.column_kinds(column_kinds)?;
        let mut rows = 0;
        let mut sum: u64 = 0;
        while let Some(chunk) = self.next_chunk() {
            for (index, column_kind) in (0..).zip(column_kinds.iter()) {
                let column = chunk.column(index, *column_kind);
                for row in 0..chunk.rows {
                    sum = sum.wrapping_add(match column.field(row) {
                        Field::Null => 0,
                        Field::Int(value) => value as u64,
                        Field::Float(value) => value.to_bits(),
                        Field::Decimal(value) => value.unscaled as u64,
                        Field::Date(days) => days as u64,
                        Field::Timestamp(micros) => micros as u64,
                        Field::Text(bytes) => bytes.iter().map(|byte| u64::from(*byte)).sum(),
                    });
                }
            }
            rows += chunk.rows as u64;
        }
        black_box(sum);
        Ok(rows)
    }

    /// The rows, copied.
    pub(crate) fn rows(&mut self) -> Result<Vec<Vec<Value<'static>>>> {
        let mut column_kinds = Vec::new();
        self.column_kinds(&mut column_kinds)?;
        let mut rows = Vec::new();
        while let Some(chunk) = self.next_chunk() {
            let columns: Vec<Column<'_>> =
                (0..).zip(&column_kinds).map(|(index, column_kind)| chunk.column(index, *column_kind)).collect();
            let row = |row| columns.iter().map(|column| column.field(row).value()).collect();
            rows.extend((0..chunk.rows).map(row));
        }
        Ok(rows)
    }

    /// The names of the columns.
    pub(crate) fn column_names(&mut self) -> Vec<String> {
        // SAFETY: the result is that of a statement that succeeded; columns are counted from zero, and a name lives as long as it,
        // and is copied.
        unsafe {
            let count = (self.functions.column_count)(&raw mut self.raw);
            (0..count).map(|index| copied((self.functions.column_name)(&raw mut self.raw, index))).collect()
        }
    }

    /// The forms of the columns, which can differ from one execution of a statement to the next.
    fn column_kinds(&mut self, column_kinds: &mut Vec<ColumnKind>) -> Result<()> {
        column_kinds.clear();
        // SAFETY: the result is that of a statement that succeeded; columns are counted from zero.
        unsafe {
            for index in 0..(self.functions.column_count)(&raw mut self.raw) {
                let column = (self.functions.column_type)(&raw mut self.raw, index);
                let column_kind = if column == kind::DECIMAL { self.decimal(index) } else { column_kind(column) };
                column_kinds.push(column_kind.ok_or_else(|| {
                    let message = format!("column {} has type {column}, which is not supported", index + 1);
                    Error::new(Kind::Statement, message).hint("cast it to a number or to varchar")
                })?);
            }
        }
        Ok(())
    }

    /// # Safety
    /// Column `index` is there and a decimal.
    unsafe fn decimal(&mut self, index: u64) -> Option<ColumnKind> {
        // SAFETY: as the caller promises; the type is destroyed once, after its last use.
        unsafe {
            let mut logical = (self.functions.column_logical_type)(&raw mut self.raw, index);
            let stored = column_kind((self.functions.decimal_internal_type)(logical));
            let scale = (self.functions.decimal_scale)(logical);
            (self.functions.destroy_logical_type)(&raw mut logical);
            match stored {
                Some(ColumnKind::Int { bytes, signed: true }) => Some(ColumnKind::Decimal { bytes, scale }),
                _ => None,
            }
        }
    }

    fn next_chunk(&mut self) -> Option<Chunk> {
        // SAFETY: the result is that of a statement that succeeded; null is the end of its rows.
        unsafe {
            let raw = (self.functions.fetch_chunk)(self.raw);
            if raw.is_null() {
                return None;
            }
            let rows = (self.functions.data_chunk_get_size)(raw) as usize;
            Some(Chunk { functions: self.functions, raw, rows })
        }
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        // SAFETY: the result is not used any more; also one of a statement that failed is to be destroyed.
        unsafe { (self.functions.destroy_result)(&raw mut self.raw) };
    }
}

fn column_kind(column: u32) -> Option<ColumnKind> {
    let int = |bytes, signed| Some(ColumnKind::Int { bytes, signed });
    match column {
        kind::BOOLEAN => Some(ColumnKind::Bool),
        kind::TINYINT => int(1, true),
        kind::SMALLINT => int(2, true),
        kind::INTEGER => int(4, true),
        kind::BIGINT => int(8, true),
        kind::HUGEINT => int(16, true),
        kind::UTINYINT => int(1, false),
        kind::USMALLINT => int(2, false),
        kind::UINTEGER => int(4, false),
        kind::UBIGINT => int(8, false),
        kind::FLOAT => Some(ColumnKind::Float { bytes: 4 }),
        kind::DOUBLE => Some(ColumnKind::Float { bytes: 8 }),
        kind::DATE => Some(ColumnKind::Date),
        // With a time zone they are kept in UTC.
        kind::TIMESTAMP | kind::TIMESTAMP_TZ => Some(ColumnKind::Timestamp),
        kind::VARCHAR => Some(ColumnKind::Text),
        kind::SQLNULL => Some(ColumnKind::Nothing),
        _ => None,
    }
}

/// A data chunk of a result.
struct Chunk {
    functions: &'static Functions,
    raw: RawChunk,
    rows: usize,
}

impl Chunk {
    fn column(&self, index: u64, column_kind: ColumnKind) -> Column<'_> {
        // SAFETY: the chunk has as many columns as the result it is of, whose forms these are.
        unsafe {
            let vector = (self.functions.data_chunk_get_vector)(self.raw, index);
            let data = (self.functions.vector_get_data)(vector).cast::<u8>();
            let validity = (self.functions.vector_get_validity)(vector);
            Column { column_kind, data, validity, rows: self.rows, _chunk: self }
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: no column of it is used any more.
        unsafe { (self.functions.destroy_data_chunk)(&raw mut self.raw) };
    }
}

/// A column of a chunk.
struct Column<'a> {
    column_kind: ColumnKind,
    data: *const u8,
    /// Validity bitmap, or null if no value is null.
    validity: *const u64,
    rows: usize,
    _chunk: &'a Chunk,
}

impl<'a> Column<'a> {
    #[inline]
    fn field(&self, row: usize) -> Field<'a> {
        assert!(row < self.rows, "a row of the chunk");
        // SAFETY: the row is one of the chunk's, so its bit is there where bits are, and so is its value, of the form
        // that the column was said to have; the library aligns values to their size.
        unsafe {
            if !self.validity.is_null() && *self.validity.add(row / 64) >> (row % 64) & 1 == 0 {
                return Field::Null;
            }
            match self.column_kind {
                ColumnKind::Bool => Field::Int(i128::from(*self.data.add(row) != 0)),
                ColumnKind::Int { bytes, signed } => Field::Int(self.int(row, bytes, signed)),
                ColumnKind::Float { bytes: 4 } => Field::Float(f64::from(*self.data.cast::<f32>().add(row))),
                ColumnKind::Float { .. } => Field::Float(*self.data.cast::<f64>().add(row)),
                ColumnKind::Decimal { bytes, scale } => {
                    Field::Decimal(Exact { unscaled: self.int(row, bytes, true), scale })
                }
                ColumnKind::Date => Field::Date(*self.data.cast::<i32>().add(row)),
                ColumnKind::Timestamp => Field::Timestamp(*self.data.cast::<i64>().add(row)),
                ColumnKind::Text => Field::Text(self.text(row)),
                ColumnKind::Nothing => Field::Null,
            }
        }
    }

    /// # Safety
    /// The row is one of the chunk's, and its values are integers of so many bytes.
    unsafe fn int(&self, row: usize, bytes: u8, signed: bool) -> i128 {
        // SAFETY: as the caller promises.
        unsafe {
            match (bytes, signed) {
                (1, true) => i128::from(*self.data.cast::<i8>().add(row)),
                (1, false) => i128::from(*self.data.add(row)),
                (2, true) => i128::from(*self.data.cast::<i16>().add(row)),
                (2, false) => i128::from(*self.data.cast::<u16>().add(row)),
                (4, true) => i128::from(*self.data.cast::<i32>().add(row)),
                (4, false) => i128::from(*self.data.cast::<u32>().add(row)),
                (8, true) => i128::from(*self.data.cast::<i64>().add(row)),
                (8, false) => i128::from(*self.data.cast::<u64>().add(row)),
                _ => {
                    let RawHuge { lower, upper } = *self.data.cast::<RawHuge>().add(row);
                    i128::from(upper) << 64 | i128::from(lower)
                }
            }
        }
    }

    /// `duckdb_string_t`: the size, and up to 12 inlined bytes or else, after a prefix, an address.
    ///
    /// # Safety
    /// The row is one of the chunk's, and its values are texts.
    unsafe fn text(&self, row: usize) -> &'a [u8] {
        // SAFETY: as the caller promises; the text lives as long as the chunk.
        unsafe {
            let value = self.data.add(16 * row);
            let size = *value.cast::<u32>() as usize;
            let start = if size <= 12 { value.add(4) } else { *value.add(8).cast::<*const u8>() };
            std::slice::from_raw_parts(start, size)
        }
    }
}

/// The timestamp `micros` microseconds after 1970-01-01, as `2010-02-28 13:05:00.000001`, without a fraction that is 0.
fn timestamp(micros: i64) -> String {
    const DAY: i64 = 86_400_000_000;
    let (days, time) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let Some(date) = i32::try_from(days).ok().and_then(IsoDate::of) else {
        // Outside of the supported range, or infinity.
        return format!("{micros} microseconds after 1970-01-01");
    };
    let (seconds, fraction) = (time / 1_000_000, time % 1_000_000);
    let text = format!("{date} {:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 { text } else { format!("{text}.{fraction:06}") }
}

impl Field<'_> {
    fn value(self) -> Value<'static> {
        match self {
            Field::Null => Value::Null,
            // Sums of integers have 128 bits; one that does not fit into 64 is still exact as a decimal.
            Field::Int(value) => {
                i64::try_from(value).map_or_else(|_| Value::Decimal(value.to_string().into()), Value::Int)
            }
            Field::Float(value) => Value::Float(value),
            Field::Decimal(value) => Value::Decimal(value.to_string().into()),
            // A date outside the supported range, or infinity.
            Field::Date(days) => match IsoDate::of(days) {
                Some(date) => Value::Text(date.to_string().into()),
                None => Value::Text(format!("day {days} after 1970-01-01").into()),
            },
            Field::Timestamp(micros) => Value::Text(timestamp(micros).into()),
            Field::Text(bytes) => Value::Text(String::from_utf8_lossy(bytes).into_owned().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_days_and_times_on_either_side_of_1970() {
        assert_eq!(timestamp(0), "1970-01-01 00:00:00");
        assert_eq!(timestamp(-1), "1969-12-31 23:59:59.999999");
        assert_eq!(timestamp(951_782_400_000_000 + 47_105_000_120), "2000-02-29 13:05:05.000120");
        assert_eq!(timestamp(i64::MAX), "9223372036854775807 microseconds after 1970-01-01");
    }
}
