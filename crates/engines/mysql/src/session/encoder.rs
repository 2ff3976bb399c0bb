//! Rows as LOAD DATA reads them, written where they will be sent from.

use std::io::Write;

use engine::{ColumnType, Error, IsoDate, Kind, Result, RowSink, RowSource};

/// Room for a chunk and the row that ends it.
const INITIAL_BYTES: usize = 40 * 1024;

/// Writes rows one behind the other.
pub(super) struct Encoder {
    columns: Box<[ColumnType]>,
    bytes: Vec<u8>,
    /// Fields of the row that is being written.
    fields: usize,
    wrong: Option<String>,
}

impl Encoder {
    pub(super) fn new(columns: Box<[ColumnType]>) -> Encoder {
        Encoder { columns, bytes: Vec::with_capacity(INITIAL_BYTES), fields: 0, wrong: None }
    }

    /// Writes the next row; false after the last one.
    pub(super) fn encode(&mut self, rows: &mut dyn RowSource) -> Result<bool> {
        self.fields = 0;
        if !rows.next(self) {
            return Ok(false);
        }
        self.bytes.push(b'\n');
        if self.fields != self.columns.len() {
            let (given, due) = (self.fields, self.columns.len());
            self.wrong.get_or_insert_with(|| format!("a row has {given} fields where {due} are due"));
        }
        match self.wrong.take() {
            None => Ok(true),
            Some(reason) => Err(Error::new(Kind::Statement, reason)),
        }
    }

    /// What stands here and was not sent.
    pub(super) fn rows(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets what was sent.
    pub(super) fn restart(&mut self) {
        self.bytes.clear();
    }

    /// Begins the next field; false, and noted, where it is not of the kind that its column is.
    #[inline]
    fn takes(&mut self, fits: fn(ColumnType) -> bool, kind: &str) -> bool {
        let column = self.columns.get(self.fields).copied();
        if self.fields > 0 {
            self.bytes.push(b'\t');
        }
        self.fields += 1;
        match column {
            Some(column) if fits(column) => true,
            Some(column) => self.refuse(format!("field {} is {kind} where {column:?} is due", self.fields)),
            None => self.refuse(format!("a row has more than {} fields", self.columns.len())),
        }
    }

    #[cold]
    fn refuse(&mut self, reason: String) -> bool {
        self.wrong.get_or_insert(reason);
        false
    }

    /// Writes the decimal digits of `value`, at least `least` of them.
    #[inline]
    fn digits(&mut self, mut value: u64, least: usize) {
        let mut digits = [b'0'; 20];
        let mut at = digits.len();
        while value > 0 || digits.len() - at < least.min(digits.len()) {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
        }
        self.bytes.extend_from_slice(&digits[at..]);
    }
}

impl RowSink for Encoder {
    #[inline]
    fn int(&mut self, value: i64) {
        if self.takes(|column| matches!(column, ColumnType::Int | ColumnType::Decimal { .. }), "an integer") {
            if value < 0 {
                self.bytes.push(b'-');
            }
            self.digits(value.unsigned_abs(), 1);
        }
    }

    #[inline]
    fn float(&mut self, value: f64) {
        if self.takes(|column| column == ColumnType::Float, "a double") {
            // The shortest text that reads back as this very double. A vector takes everything that is written.
            let _ = write!(self.bytes, "{value:e}");
        }
    }

    #[inline]
    fn decimal(&mut self, unscaled: i64, scale: u8) {
        if !self.takes(|column| matches!(column, ColumnType::Decimal { .. }), "a decimal") {
            return;
        }
        if unscaled < 0 {
            self.bytes.push(b'-');
        }
        match 10_u64.checked_pow(scale.into()) {
            Some(unit) => {
                self.digits(unscaled.unsigned_abs() / unit, 1);
                if scale > 0 {
                    self.bytes.push(b'.');
                    self.digits(unscaled.unsigned_abs() % unit, scale.into());
                }
            }
            None => {
                self.refuse(format!("field {} has {scale} digits behind the point", self.fields));
            }
        }
    }

    #[inline]
    fn date(&mut self, days_since_epoch: i32) {
        if !self.takes(|column| column == ColumnType::Date, "a date") {
            return;
        }
        match IsoDate::of(days_since_epoch) {
            Some(date) => self.bytes.extend_from_slice(date.as_bytes()),
            None => {
                self.refuse(format!("field {} is day {days_since_epoch} after 1970-01-01, out of range", self.fields));
            }
        }
    }

    #[inline]
    fn text(&mut self, value: &str) {
        if !self.takes(|column| matches!(column, ColumnType::Text { .. }), "text") {
            return;
        }
        let mut rest = value.as_bytes();
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\t' | b'\n' | b'\\' | 0)) {
            self.bytes.extend_from_slice(&rest[..at]);
            // Behind a backslash a zero is the digit, tab and new line are themselves.
            let letter = if rest[at] == 0 { b'0' } else { rest[at] };
            self.bytes.extend_from_slice(&[b'\\', letter]);
            rest = &rest[at + 1..];
        }
        self.bytes.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Column;

    /// Pushes what each closure says, a row each.
    struct Rows {
        columns: Vec<Column>,
        rows: Vec<fn(&mut dyn RowSink)>,
    }

    impl RowSource for Rows {
        fn columns(&self) -> &[Column] {
            &self.columns
        }
        fn next(&mut self, sink: &mut dyn RowSink) -> bool {
            if self.rows.is_empty() {
                return false;
            }
            self.rows.remove(0)(sink);
            true
        }
    }

    type Row = fn(&mut dyn RowSink);

    fn encode(kinds: &[ColumnType], rows: Vec<Row>) -> Result<String> {
        let mut encoder = Encoder::new(kinds.into());
        let mut rows = Rows { columns: Vec::new(), rows };
        while encoder.encode(&mut rows)? {}
        Ok(String::from_utf8(encoder.rows().to_vec()).unwrap())
    }

    const DECIMAL: ColumnType = ColumnType::Decimal { precision: 9, scale: 2 };
    const TEXT: ColumnType = ColumnType::Text { size: 9 };

    #[test]
    fn rows_are_written_as_the_server_reads_them() {
        let kinds = [ColumnType::Int, ColumnType::Float, DECIMAL, ColumnType::Date, TEXT];
        let rows: Vec<Row> = vec![
            |sink| {
                sink.int(i64::MIN);
                sink.float(0.5);
                sink.decimal(-1205, 2);
                sink.date(14_641);
                sink.text("a\tb\nc\\N\0");
            },
            |sink| {
                sink.int(0);
                sink.float(f64::MAX);
                sink.decimal(5, 2);
                sink.date(-1);
                sink.text("");
            },
        ];
        let expected = "-9223372036854775808\t5e-1\t-12.05\t2010-02-01\ta\\\tb\\\nc\\\\N\\0\n\
                        0\t1.7976931348623157e308\t0.05\t1969-12-31\t\n";
        assert_eq!(encode(&kinds, rows).unwrap(), expected);
    }

    #[test]
    fn a_row_that_does_not_fit_its_columns_is_refused() {
        let wrong: [(&[ColumnType], Row); 8] = [
            (&[ColumnType::Int], |_| {}),
            (&[ColumnType::Int], |sink| {
                sink.int(1);
                sink.int(2);
            }),
            (&[ColumnType::Int], |sink| sink.text("1")),
            (&[TEXT], |sink| sink.float(1.0)),
            (&[ColumnType::Float], |sink| sink.decimal(1, 0)),
            (&[DECIMAL], |sink| sink.decimal(1, 20)),
            (&[TEXT], |sink| sink.date(1)),
            (&[ColumnType::Date], |sink| sink.date(i32::MIN)),
        ];
        for (kinds, row) in wrong {
            assert_eq!(encode(kinds, vec![row]).unwrap_err().kind, Kind::Statement);
        }
        let whole = encode(&[DECIMAL], vec![|sink| sink.int(5)]).unwrap();
        assert_eq!(whole, encode(&[DECIMAL], vec![|sink| sink.decimal(5, 0)]).unwrap());
    }
}
