//! Encoding of rows for a bulk load: directly into the send buffer, in the server's format.

use engine::{Column, ColumnType, Error, IsoDate, Kind, Result, RowSink, RowSource};

/// Encoding of rows. Each function appends; a field has the type of its column.
pub trait RowFormat {
    /// Maximum size of a row in bytes.
    const ROW_BYTES_MAX: usize = usize::MAX;

    /// Starts a row of so many fields.
    fn begin_row(_fields: usize, _out: &mut Vec<u8>) {}
    /// Separates two fields.
    fn separate(_out: &mut Vec<u8>) {}
    /// Ends a row.
    fn end_row(_out: &mut Vec<u8>) {}
    /// A 64-bit integer.
    fn int(value: i64, out: &mut Vec<u8>);
    /// A double.
    fn float(value: f64, out: &mut Vec<u8>);
    /// The exact decimal `unscaled` · 10^-`scale`.
    ///
    /// # Errors
    /// If the format cannot represent the value: the problem, as a continuation of "field 7 has".
    fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) -> std::result::Result<(), String>;
    /// A date that [`IsoDate::covers`], in days since 1970-01-01.
    fn date(days_since_epoch: i32, out: &mut Vec<u8>);
    /// Text.
    fn text(value: &str, out: &mut Vec<u8>);
}

/// Encodes rows after a header.
pub struct Encoder<F> {
    columns: Box<[ColumnType]>,
    bytes: Vec<u8>,
    /// Total number of encoded rows.
    rows: u64,
    /// Fields of the current row.
    fields: usize,
    problem: Option<String>,
    format: std::marker::PhantomData<F>,
}

impl<F: RowFormat> Encoder<F> {
    /// For rows of `columns` after the header `head`, with a capacity of so many bytes: a chunk and its last row.
    pub fn new(columns: &[Column], head: &[u8], room_bytes: usize) -> Encoder<F> {
        let mut bytes = Vec::with_capacity(room_bytes);
        bytes.extend_from_slice(head);
        let columns = columns.iter().map(|column| column.kind).collect();
        Encoder { columns, bytes, rows: 0, fields: 0, problem: None, format: std::marker::PhantomData }
    }

    /// Encodes rows until `chunk_bytes` are buffered; false after the last row.
    ///
    /// # Errors
    /// `Statement` if a row does not match its columns.
    pub fn fill(&mut self, rows: &mut dyn RowSource, chunk_bytes: usize) -> Result<bool> {
        while self.bytes.len() < chunk_bytes {
            if !self.encode(rows)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Encodes the next row; false after the last one.
    fn encode(&mut self, rows: &mut dyn RowSource) -> Result<bool> {
        let begin = self.bytes.len();
        self.fields = 0;
        F::begin_row(self.columns.len(), &mut self.bytes);
        if !rows.next(self) {
            self.bytes.truncate(begin);
            return Ok(false);
        }
        F::end_row(&mut self.bytes);
        if self.fields != self.columns.len() {
            let (found, expected) = (self.fields, self.columns.len());
            self.problem.get_or_insert_with(|| format!("a row has {found} fields, expected {expected}"));
        }
        if self.bytes.len() - begin > F::ROW_BYTES_MAX {
            self.refuse(format!("a row is longer than {} bytes", F::ROW_BYTES_MAX));
        }
        self.rows += 1;
        match self.problem.take() {
            None => Ok(true),
            Some(reason) => Err(Error::new(Kind::Statement, reason)),
        }
    }

    /// Number of encoded rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The buffered bytes.
    #[inline]
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Discards the buffered bytes after the first `head_bytes`.
    pub fn restart(&mut self, head_bytes: usize) {
        self.bytes.truncate(head_bytes);
    }

    /// Starts the next field; false, with the problem recorded, if it does not have the type of its column.
    #[inline]
    fn takes(&mut self, fits: fn(ColumnType) -> bool, kind: &str) -> bool {
        let column = self.columns.get(self.fields).copied();
        if self.fields > 0 {
            F::separate(&mut self.bytes);
        }
        self.fields += 1;
        match column {
            Some(column) if fits(column) => true,
            Some(column) => self.refuse(format!("field {} is {kind}, expected {column:?}", self.fields)),
            None => self.refuse(format!("a row has more than {} fields", self.columns.len())),
        }
    }

    #[cold]
    fn refuse(&mut self, reason: String) -> bool {
        self.problem.get_or_insert(reason);
        false
    }
}

impl<F: RowFormat> RowSink for Encoder<F> {
    #[inline]
    fn int(&mut self, value: i64) {
        match self.columns.get(self.fields).copied() {
            Some(ColumnType::Decimal { .. }) => self.decimal(value, 0),
            _ if self.takes(|column| column == ColumnType::Int, "an integer") => F::int(value, &mut self.bytes),
            _ => {}
        }
    }

    #[inline]
    fn float(&mut self, value: f64) {
        if self.takes(|column| column == ColumnType::Float, "a double") {
            F::float(value, &mut self.bytes);
        }
    }

    #[inline]
    fn decimal(&mut self, unscaled: i64, scale: u8) {
        if self.takes(|column| matches!(column, ColumnType::Decimal { .. }), "a decimal")
            && let Err(problem) = F::decimal(unscaled, scale, &mut self.bytes)
        {
            self.refuse(format!("field {} has {problem}", self.fields));
        }
    }

    #[inline]
    fn date(&mut self, days_since_epoch: i32) {
        if !self.takes(|column| column == ColumnType::Date, "a date") {
            return;
        }
        match IsoDate::covers(days_since_epoch) {
            true => F::date(days_since_epoch, &mut self.bytes),
            false => {
                self.refuse(format!("field {} is day {days_since_epoch} after 1970-01-01, out of range", self.fields));
            }
        }
    }

    #[inline]
    fn text(&mut self, value: &str) {
        if !self.takes(|column| matches!(column, ColumnType::Text { .. }), "text") {
            return;
        }
        if value.len() > F::ROW_BYTES_MAX {
            self.refuse(format!("a text of {} bytes is longer than {} bytes", value.len(), F::ROW_BYTES_MAX));
            return;
        }
        F::text(value, &mut self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use engine_kit::sample::{RawRows, Row};

    use super::*;

    /// Fields as text, separated by commas, rows ended by semicolons.
    struct TextFormat;

    impl RowFormat for TextFormat {
        const ROW_BYTES_MAX: usize = 20;

        fn begin_row(fields: usize, out: &mut Vec<u8>) {
            out.extend_from_slice(format!("{fields}:").as_bytes());
        }
        fn separate(out: &mut Vec<u8>) {
            out.push(b',');
        }
        fn end_row(out: &mut Vec<u8>) {
            out.push(b';');
        }
        fn int(value: i64, out: &mut Vec<u8>) {
            out.extend_from_slice(value.to_string().as_bytes());
        }
        fn float(value: f64, out: &mut Vec<u8>) {
            out.extend_from_slice(value.to_string().as_bytes());
        }
        fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) -> std::result::Result<(), String> {
            out.extend_from_slice(format!("{unscaled}e-{scale}").as_bytes());
            if scale < 20 { Ok(()) } else { Err("no such scale".to_owned()) }
        }
        fn date(days_since_epoch: i32, out: &mut Vec<u8>) {
            out.extend_from_slice(format!("day {days_since_epoch}").as_bytes());
        }
        fn text(value: &str, out: &mut Vec<u8>) {
            out.extend_from_slice(value.as_bytes());
        }
    }

    const DECIMAL: ColumnType = ColumnType::Decimal { precision: 9, scale: 2 };
    const TEXT: ColumnType = ColumnType::Text { size: 9 };

    fn encoded(kinds: &[ColumnType], rows: Vec<Row>) -> Result<String> {
        let mut rows = RawRows::new(kinds, rows);
        let mut encoder = Encoder::<TextFormat>::new(rows.columns(), b"head ", 64);
        assert!(!encoder.fill(&mut rows, usize::MAX)?);
        Ok(String::from_utf8(encoder.bytes().clone()).expect("text"))
    }

    #[test]
    fn rows_are_encoded_up_to_a_chunk_after_the_header() {
        let row: Row = |sink| {
            sink.int(7);
            sink.text("ab");
        };
        let mut rows = RawRows::new(&[ColumnType::Int, TEXT], vec![row; 5]);
        let mut encoder = Encoder::<TextFormat>::new(rows.columns(), b"head ", 64);
        assert!(encoder.fill(&mut rows, "head 2:7,ab;2".len()).expect("rows"), "more rows may follow");
        assert_eq!((encoder.rows(), encoder.bytes().as_slice()), (2, &b"head 2:7,ab;2:7,ab;"[..]));
        encoder.restart(4);
        assert!(!encoder.fill(&mut rows, usize::MAX).expect("rows"), "these were the last");
        assert_eq!((encoder.rows(), encoder.bytes().as_slice()), (5, &b"head2:7,ab;2:7,ab;2:7,ab;"[..]));
        encoder.restart(0);
        assert!(!encoder.fill(&mut rows, usize::MAX).expect("no row"));
        assert!(encoder.bytes().is_empty());
    }

    #[test]
    fn a_row_that_does_not_match_its_columns_is_rejected() {
        let invalid: [(&[ColumnType], Row, &str); 11] = [
            (&[ColumnType::Int], |_| {}, "a row has 0 fields, expected 1"),
            (
                &[ColumnType::Int],
                |sink| {
                    sink.int(1);
                    sink.int(2);
                },
                "a row has more than 1 fields",
            ),
            (&[ColumnType::Int], |sink| sink.text("1"), "field 1 is text, expected Int"),
            (&[TEXT], |sink| sink.float(1.0), "field 1 is a double, expected"),
            (&[ColumnType::Float], |sink| sink.decimal(1, 0), "field 1 is a decimal, expected Float"),
            (&[ColumnType::Float], |sink| sink.int(1), "field 1 is an integer, expected Float"),
            (&[DECIMAL], |sink| sink.decimal(1, 20), "field 1 has no such scale"),
            (&[TEXT], |sink| sink.date(1), "field 1 is a date, expected"),
            (&[ColumnType::Date], |sink| sink.date(i32::MAX), "field 1 is day 2147483647 after 1970-01-01"),
            (&[TEXT], |sink| sink.text("abcdefghijklmnopqrstu"), "a text of 21 bytes is longer than 20 bytes"),
            (
                &[TEXT, TEXT],
                |sink| {
                    sink.text("abcdefghij");
                    sink.text("abcdefghij");
                },
                "a row is longer than 20 bytes",
            ),
        ];
        for (kinds, row, words) in invalid {
            let error = encoded(kinds, vec![row]).expect_err(words);
            assert_eq!(error.kind, Kind::Statement);
            assert!(error.message.starts_with(words), "{error}");
        }
        let whole = encoded(&[DECIMAL], vec![|sink| sink.int(5)]).expect("a whole number is a decimal");
        assert_eq!(whole, encoded(&[DECIMAL], vec![|sink| sink.decimal(5, 0)]).expect("a decimal"));
    }
}
