//! Rows in the binary format of COPY, encoded where they will be sent from.

use engine::{ColumnType, Error, IsoDate, Kind, Result, RowSink, RowSource};

use crate::codec::numeric;
use crate::wire::MESSAGE_BYTES_MAX;

/// Room for a chunk and the row that ends it.
const INITIAL_BYTES: usize = 288 * 1024;

/// Tag and length of a CopyData message.
const COPY_DATA: [u8; 5] = [b'd', 0, 0, 0, 0];

/// The same for a body of so many bytes.
pub(super) fn head_of(body_bytes: usize) -> [u8; COPY_DATA.len()] {
    // The length counts itself; a chunk is closed at its size or one row later, and no row is longer than a message may be.
    let [a, b, c, d] = (body_bytes as u32 + 4).to_be_bytes();
    [COPY_DATA[0], a, b, c, d]
}

/// PostgreSQL counts days from 2000-01-01: so many after 1970-01-01 (`POSTGRES_EPOCH_JDATE` in its `timestamp.h`).
const FIRST_DAY: i32 = 10_957;

/// Signature, no flags, no extension (PostgreSQL manual, COPY, "Binary Format").
const FILE_HEADER: [u8; 19] = *b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// Ends the rows.
const FILE_TRAILER: i16 = -1;

/// Encodes rows behind the header of the message that will carry them.
pub(super) struct Encoder {
    columns: Box<[ColumnType]>,
    bytes: Vec<u8>,
    /// Fields of the row that is being written.
    fields: usize,
    wrong: Option<String>,
}

impl Encoder {
    pub(super) fn new(columns: Box<[ColumnType]>) -> Encoder {
        let mut bytes = Vec::with_capacity(INITIAL_BYTES);
        bytes.extend_from_slice(&COPY_DATA);
        bytes.extend_from_slice(&FILE_HEADER);
        Encoder { columns, bytes, fields: 0, wrong: None }
    }

    /// Writes the next row; false after the last one.
    pub(super) fn encode(&mut self, rows: &mut dyn RowSource) -> Result<bool> {
        let begin = self.bytes.len();
        self.fields = 0;
        self.bytes.extend_from_slice(&(self.columns.len() as i16).to_be_bytes());
        if !rows.next(self) {
            self.bytes.truncate(begin);
            return Ok(false);
        }
        if self.fields != self.columns.len() {
            let (given, due) = (self.fields, self.columns.len());
            self.wrong.get_or_insert_with(|| format!("a row has {given} fields where {due} are due"));
        }
        if self.bytes.len() - begin > MESSAGE_BYTES_MAX {
            self.wrong.get_or_insert_with(|| "a row is longer than PostgreSQL takes".to_owned());
        }
        match self.wrong.take() {
            None => Ok(true),
            Some(reason) => Err(Error::new(Kind::Statement, reason)),
        }
    }

    /// The message as it is to be sent.
    pub(super) fn framed(&mut self) -> &[u8] {
        let head = head_of(self.bytes.len() - COPY_DATA.len());
        self.bytes[..COPY_DATA.len()].copy_from_slice(&head);
        &self.bytes
    }

    /// What stands here and was not sent.
    pub(super) fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Writes the end of the rows.
    pub(super) fn end(&mut self) {
        self.bytes.extend_from_slice(&FILE_TRAILER.to_be_bytes());
    }

    pub(super) fn restart(&mut self) {
        self.bytes.truncate(COPY_DATA.len());
    }

    /// Counts the next field; false, and noted, where it is not of the kind that its column is.
    #[inline]
    fn takes(&mut self, fits: fn(ColumnType) -> bool, kind: &str) -> bool {
        let column = self.columns.get(self.fields).copied();
        self.fields += 1;
        match column {
            Some(column) if fits(column) => true,
            Some(column) => self.refuse(format!("field {} is {kind} where {column:?} is due", self.fields)),
            None => self.refuse(format!("a row has more than {} fields", self.columns.len())),
        }
    }

    fn refuse(&mut self, reason: String) -> bool {
        self.wrong.get_or_insert(reason);
        false
    }

    /// Writes a field of a length that is known only behind it.
    #[inline]
    fn field(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        write(&mut self.bytes);
        let length = self.bytes.len() - begin - 4;
        self.bytes[begin..begin + 4].copy_from_slice(&(length as u32).to_be_bytes());
    }
}

impl RowSink for Encoder {
    #[inline]
    fn int(&mut self, value: i64) {
        match self.columns.get(self.fields).copied() {
            Some(ColumnType::Decimal { .. }) => self.decimal(value, 0),
            _ if self.takes(|column| column == ColumnType::Int, "an integer") => {
                self.bytes.extend_from_slice(&8_i32.to_be_bytes());
                self.bytes.extend_from_slice(&value.to_be_bytes());
            }
            _ => {}
        }
    }

    #[inline]
    fn float(&mut self, value: f64) {
        if self.takes(|column| column == ColumnType::Float, "a double") {
            self.bytes.extend_from_slice(&8_i32.to_be_bytes());
            self.bytes.extend_from_slice(&value.to_be_bytes());
        }
    }

    #[inline]
    fn decimal(&mut self, unscaled: i64, scale: u8) {
        if self.takes(|column| matches!(column, ColumnType::Decimal { .. }), "a decimal") {
            self.field(|out| numeric::encode(unscaled, scale, out));
        }
    }

    #[inline]
    fn date(&mut self, days_since_epoch: i32) {
        if !self.takes(|column| column == ColumnType::Date, "a date") {
            return;
        }
        if !IsoDate::covers(days_since_epoch) {
            self.refuse(format!("field {} is day {days_since_epoch} after 1970-01-01, out of range", self.fields));
            return;
        }
        self.bytes.extend_from_slice(&4_i32.to_be_bytes());
        self.bytes.extend_from_slice(&(days_since_epoch - FIRST_DAY).to_be_bytes());
    }

    #[inline]
    fn text(&mut self, value: &str) {
        if !self.takes(|column| matches!(column, ColumnType::Text { .. }), "text") {
            return;
        }
        if value.len() > MESSAGE_BYTES_MAX {
            self.refuse(format!("a text of {} bytes is longer than PostgreSQL takes", value.len()));
            return;
        }
        self.field(|out| out.extend_from_slice(value.as_bytes()));
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

    fn encode(kinds: &[ColumnType], rows: Vec<Row>) -> Result<Vec<u8>> {
        let mut encoder = Encoder::new(kinds.into());
        let mut rows = Rows { columns: Vec::new(), rows };
        while encoder.encode(&mut rows)? {}
        Ok(encoder.framed().to_vec())
    }

    const DECIMAL: ColumnType = ColumnType::Decimal { precision: 9, scale: 2 };
    const TEXT: ColumnType = ColumnType::Text { size: 9 };

    #[test]
    fn rows_are_encoded_as_the_server_reads_them() {
        let kinds = [ColumnType::Int, ColumnType::Float, DECIMAL, ColumnType::Date, TEXT];
        let bytes = encode(
            &kinds,
            vec![|sink| {
                sink.int(-2);
                sink.float(0.5);
                sink.decimal(1250, 2);
                sink.date(10_958);
                sink.text("ab");
            }],
        )
        .unwrap();
        let mut expected = vec![b'd', 0, 0, 0, 0];
        expected.extend_from_slice(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
        expected.extend_from_slice(&[0, 5, 0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254]);
        expected.extend_from_slice(&[0, 0, 0, 8, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0]);
        expected.extend_from_slice(&[0, 0, 0, 12, 0, 2, 0, 0, 0, 0, 0, 2, 0, 12, 0x13, 0x88]);
        expected.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 1]);
        expected.extend_from_slice(&[0, 0, 0, 2, b'a', b'b']);
        let length = (expected.len() as u32 - 1).to_be_bytes();
        expected[1..5].copy_from_slice(&length);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_row_that_does_not_fit_its_columns_is_refused() {
        let wrong: [(&[ColumnType], Row); 7] = [
            (&[ColumnType::Int], |_| {}),
            (&[ColumnType::Int], |sink| {
                sink.int(1);
                sink.int(2);
            }),
            (&[ColumnType::Int], |sink| sink.text("1")),
            (&[TEXT], |sink| sink.float(1.0)),
            (&[ColumnType::Float], |sink| sink.decimal(1, 0)),
            (&[ColumnType::Int], |sink| sink.date(1)),
            (&[ColumnType::Date], |sink| sink.date(i32::MAX)),
        ];
        for (kinds, row) in wrong {
            assert_eq!(encode(kinds, vec![row]).unwrap_err().kind, Kind::Statement);
        }
        let whole = encode(&[DECIMAL], vec![|sink| sink.int(5)]).unwrap();
        assert_eq!(whole, encode(&[DECIMAL], vec![|sink| sink.decimal(5, 0)]).unwrap());
    }
}
