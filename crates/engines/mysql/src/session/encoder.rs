//! Rows in the format of LOAD DATA, encoded into the send buffer.

use std::io::Write;

use engine::IsoDate;
use transport::RowFormat;

/// Capacity for a chunk and its last row.
pub(super) const INITIAL_BYTES: usize = 40 * 1024;

/// Lines of text with tab-separated fields, and special characters escaped by a backslash.
pub(super) struct Lines;

/// Writes the decimal digits of `value`, at least `least` of them.
#[inline]
fn digits(mut value: u64, least: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while value > 0 || digits.len() - at < least.min(digits.len()) {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

impl RowFormat for Lines {
    #[inline]
    fn separate(out: &mut Vec<u8>) {
        out.push(b'\t');
    }

    #[inline]
    fn end_row(out: &mut Vec<u8>) {
        out.push(b'\n');
    }

    #[inline]
    fn int(value: i64, out: &mut Vec<u8>) {
        if value < 0 {
            out.push(b'-');
        }
        digits(value.unsigned_abs(), 1, out);
    }

    #[inline]
    fn float(value: f64, out: &mut Vec<u8>) {
        // The shortest text that parses to the same double. Writing into a vector does not fail.
        let _ = write!(out, "{value:e}");
    }

    #[inline]
    fn decimal(unscaled: i64, scale: u8, out: &mut Vec<u8>) -> Result<(), String> {
        if scale == 0 {
            Lines::int(unscaled, out);
            return Ok(());
        }
        let unit = 10_u64.checked_pow(scale.into()).ok_or_else(|| format!("{scale} digits after the decimal point"))?;
        if unscaled < 0 {
            out.push(b'-');
        }
        digits(unscaled.unsigned_abs() / unit, 1, out);
        out.push(b'.');
        digits(unscaled.unsigned_abs() % unit, scale.into(), out);
        Ok(())
    }

    #[inline]
    fn date(days_since_epoch: i32, out: &mut Vec<u8>) {
        if let Some(date) = IsoDate::of(days_since_epoch) {
            out.extend_from_slice(date.as_bytes());
        }
    }

    #[inline]
    fn text(value: &str, out: &mut Vec<u8>) {
        let mut rest = value.as_bytes();
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\t' | b'\n' | b'\\' | 0)) {
            out.extend_from_slice(&rest[..at]);
            // A zero byte is escaped as the digit 0, tab and line feed as themselves.
            let letter = if rest[at] == 0 { b'0' } else { rest[at] };
            out.extend_from_slice(&[b'\\', letter]);
            rest = &rest[at + 1..];
        }
        out.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use engine::{ColumnType, Kind, RowSource};
    use engine_kit::sample::{RawRows, Row};
    use transport::Encoder;

    use super::*;

    fn encode(kinds: &[ColumnType], rows: Vec<Row>) -> engine::Result<String> {
        let mut rows = RawRows::new(kinds, rows);
        let mut encoder = Encoder::<Lines>::new(rows.columns(), &[], INITIAL_BYTES);
        encoder.fill(&mut rows, usize::MAX)?;
        Ok(String::from_utf8(encoder.bytes().clone()).unwrap())
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
    fn a_decimal_has_a_point_only_with_a_scale() {
        let error = encode(&[DECIMAL], vec![|sink| sink.decimal(1, 20)]).unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (Kind::Statement, "field 1 has 20 digits after the decimal point")
        );
        let whole: Vec<Row> = vec![|sink| sink.decimal(i64::MIN, 0), |sink| sink.decimal(-5, 19)];
        assert_eq!(encode(&[DECIMAL], whole).unwrap(), "-9223372036854775808\n-0.0000000000000000005\n");
    }
}
