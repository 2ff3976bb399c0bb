//! Rows in the binary format of COPY, encoded into the send buffer.

use engine::Column;
use transport::{Encoder, MESSAGE_BYTES_MAX, RowFormat};

use crate::codec::numeric;

/// Capacity for a chunk and its last row.
const INITIAL_BYTES: usize = 288 * 1024;

/// Tag and length of a CopyData message.
const COPY_DATA: [u8; 5] = [b'd', 0, 0, 0, 0];

/// The same for a body of so many bytes.
pub(super) fn head_of(body_bytes: usize) -> [u8; COPY_DATA.len()] {
    // The length includes itself; a chunk exceeds its size by at most one row, and no row exceeds a message.
    let [a, b, c, d] = (body_bytes as u32 + 4).to_be_bytes();
    [COPY_DATA[0], a, b, c, d]
}

/// PostgreSQL's epoch 2000-01-01 in days since 1970-01-01 (`POSTGRES_EPOCH_JDATE` in its `timestamp.h`).
const FIRST_DAY: i32 = 10_957;

/// Signature, no flags, no extension (PostgreSQL manual, COPY, "Binary Format").
const FILE_HEADER: [u8; 19] = *b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// Ends the rows.
const FILE_TRAILER: i16 = -1;

/// Rows of the binary format: the number of fields, and each field after its length.
pub(super) struct CopyRows;

/// Encodes rows of `columns` after the header of their message.
pub(super) fn encoder(columns: &[Column]) -> Encoder<CopyRows> {
    Encoder::new(columns, &[&COPY_DATA[..], &FILE_HEADER].concat(), INITIAL_BYTES)
}

/// The message, with its length.
pub(super) fn framed(encoder: &mut Encoder<CopyRows>) -> &[u8] {
    let bytes = encoder.bytes();
    let head = head_of(bytes.len() - COPY_DATA.len());
    bytes[..COPY_DATA.len()].copy_from_slice(&head);
    bytes
}

/// Writes the end of the rows.
pub(super) fn end(encoder: &mut Encoder<CopyRows>) {
    encoder.bytes().extend_from_slice(&FILE_TRAILER.to_be_bytes());
}

/// Discards the sent message.
pub(super) fn restart(encoder: &mut Encoder<CopyRows>) {
    encoder.restart(COPY_DATA.len());
}

/// Writes a field whose length is known only afterwards.
#[inline]
fn field(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let begin = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    let length = out.len() - begin - 4;
    out[begin..begin + 4].copy_from_slice(&(length as u32).to_be_bytes());
}

impl RowFormat for CopyRows {
    const ROW_BYTES_MAX: usize = MESSAGE_BYTES_MAX;

    #[inline]
    fn begin_row(fields: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&(fields as i16).to_be_bytes());
    }

    #[inline]
    fn int(value: i64, out: &mut Vec<u8>) {
        out.extend_from_slice(&8_i32.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }

    #[inline]
    fn float(value: f64, out: &mut Vec<u8>) {
        out.extend_from_slice(&8_i32.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }

    #[inline]
    fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) -> Result<(), String> {
        field(out, |out| numeric::encode(unscaled, scale, out));
        Ok(())
    }

    #[inline]
    fn date(days_since_epoch: i32, out: &mut Vec<u8>) {
        out.extend_from_slice(&4_i32.to_be_bytes());
        out.extend_from_slice(&(days_since_epoch - FIRST_DAY).to_be_bytes());
    }

    #[inline]
    fn text(value: &str, out: &mut Vec<u8>) {
        field(out, |out| out.extend_from_slice(value.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use engine::{ColumnType, RowSource};
    use engine_kit::sample::{RawRows, Row};

    use super::*;

    fn encode(kinds: &[ColumnType], rows: Vec<Row>) -> engine::Result<Vec<u8>> {
        let mut rows = RawRows::new(kinds, rows);
        let mut encoder = encoder(rows.columns());
        encoder.fill(&mut rows, usize::MAX)?;
        Ok(framed(&mut encoder).to_vec())
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
}
