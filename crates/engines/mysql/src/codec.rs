//! Values in the binary format of prepared statements.

use std::borrow::Cow;
use std::io;

use engine::Value;

use crate::message::{Reader, ResultColumn};
use transport::malformed;

/// `enum_field_types` of the protocol.
pub(crate) mod kind {
    pub(crate) const TINY: u8 = 1;
    pub(crate) const SHORT: u8 = 2;
    pub(crate) const LONG: u8 = 3;
    pub(crate) const FLOAT: u8 = 4;
    pub(crate) const DOUBLE: u8 = 5;
    pub(crate) const NULL: u8 = 6;
    pub(crate) const TIMESTAMP: u8 = 7;
    pub(crate) const LONGLONG: u8 = 8;
    pub(crate) const INT24: u8 = 9;
    pub(crate) const DATE: u8 = 10;
    pub(crate) const TIME: u8 = 11;
    pub(crate) const DATETIME: u8 = 12;
    pub(crate) const YEAR: u8 = 13;
    pub(crate) const DECIMAL: u8 = 0;
    pub(crate) const NEWDECIMAL: u8 = 246;
    pub(crate) const BLOB: u8 = 252;
    pub(crate) const VAR_STRING: u8 = 253;
}

/// The type of `value` as a parameter.
#[inline]
pub(crate) fn kind_of(value: &Value<'_>) -> u8 {
    match value {
        Value::Null => kind::NULL,
        Value::Int(_) => kind::LONGLONG,
        Value::Float(_) => kind::DOUBLE,
        Value::Decimal(_) => kind::NEWDECIMAL,
        Value::Text(_) => kind::VAR_STRING,
    }
}

/// Writes `value` as a parameter; nulls are in the null bitmap only.
#[inline]
pub(crate) fn encode(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => {}
        Value::Int(value) => out.extend_from_slice(&value.to_le_bytes()),
        Value::Float(value) => out.extend_from_slice(&value.to_le_bytes()),
        Value::Decimal(text) | Value::Text(text) => encode_bytes(text.as_bytes(), out),
    }
}

/// Writes length-encoded bytes.
#[inline]
pub(crate) fn encode_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    encode_length(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Writes a length-encoded integer.
#[inline]
pub(crate) fn encode_length(length: u64, out: &mut Vec<u8>) {
    match length {
        0..=0xfa => out.push(length as u8),
        0xfb..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&(length as u16).to_le_bytes());
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&(length as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&length.to_le_bytes());
        }
    }
}

/// The values of a binary row.
pub(crate) fn row(body: &[u8], columns: &[ResultColumn]) -> io::Result<Vec<Value<'static>>> {
    let mut reader = Reader::new(body);
    if reader.byte()? != 0 {
        return Err(malformed("a row that does not start with zero"));
    }
    // The first two bits are reserved.
    let nulls = reader.take((columns.len() + 9) / 8)?;
    let is_null = |index: usize| nulls[(index + 2) / 8] & 1 << ((index + 2) % 8) != 0;
    let values = columns.iter().enumerate().map(|(index, column)| match is_null(index) {
        true => Ok(Value::Null),
        false => decode(*column, &mut reader),
    });
    values.collect()
}

/// Stands for NULL among the texts of a row.
const NULL: u8 = 0xfb;

/// The values of a row of a statement that was sent as text.
pub(crate) fn text_row(body: &[u8]) -> io::Result<Vec<Value<'static>>> {
    let (mut reader, mut values) = (Reader::new(body), Vec::new());
    while !reader.is_empty() {
        values.push(match reader.rest().first() {
            Some(&NULL) => {
                reader.byte()?;
                Value::Null
            }
            _ => Value::Text(Cow::Owned(text(reader.bytes()?)?.to_owned())),
        });
    }
    Ok(values)
}

fn decode(column: ResultColumn, reader: &mut Reader<'_>) -> io::Result<Value<'static>> {
    Ok(match column.kind {
        kind::TINY => {
            let byte = reader.byte()?;
            Value::Int(if column.unsigned { byte.into() } else { (byte as i8).into() })
        }
        kind::SHORT | kind::YEAR => {
            let word = reader.int2()?;
            Value::Int(if column.unsigned { word.into() } else { (word as i16).into() })
        }
        kind::LONG | kind::INT24 => {
            let word = reader.int4()?;
            Value::Int(if column.unsigned { word.into() } else { (word as i32).into() })
        }
        kind::LONGLONG => {
            let word = u64::from_le_bytes(reader.chunk()?);
            match i64::try_from(word) {
                Err(_) if column.unsigned => Value::Decimal(word.to_string().into()),
                _ => Value::Int(word as i64),
            }
        }
        kind::FLOAT => Value::Float(f32::from_le_bytes(reader.chunk()?).into()),
        kind::DOUBLE => Value::Float(f64::from_le_bytes(reader.chunk()?)),
        kind::DECIMAL | kind::NEWDECIMAL => Value::Decimal(shortest(text(reader.bytes()?)?).into()),
        kind::DATE | kind::DATETIME | kind::TIMESTAMP => Value::Text(moment(reader.bytes()?)?.into()),
        kind::TIME => Value::Text(duration(reader.bytes()?)?.into()),
        kind::NULL => Value::Null,
        // Text, and types with the same encoding: sets, JSON, blobs.
        _ => Value::Text(Cow::Owned(String::from_utf8_lossy(reader.bytes()?).into_owned())),
    })
}

fn text(bytes: &[u8]) -> io::Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| malformed("a number that is not text"))
}

/// A decimal without redundant zeros: `-12.50` is `-12.5`, `0.00` is `0`.
fn shortest(text: &str) -> String {
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    if short.is_empty() || short == "-" || short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A date with optional time, in the server's text format.
fn moment(bytes: &[u8]) -> io::Result<String> {
    let mut reader = Reader::new(bytes);
    if reader.is_empty() {
        return Ok("0000-00-00".to_owned());
    }
    let (year, month, day) = (reader.int2()?, reader.byte()?, reader.byte()?);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if reader.is_empty() {
        return Ok(date);
    }
    Ok(format!("{date} {}", time_of_day(&mut reader, 0)?))
}

fn duration(bytes: &[u8]) -> io::Result<String> {
    let mut reader = Reader::new(bytes);
    if reader.is_empty() {
        return Ok("00:00:00".to_owned());
    }
    let sign = if reader.byte()? == 0 { "" } else { "-" };
    let days = reader.int4()?;
    Ok(format!("{sign}{}", time_of_day(&mut reader, u64::from(days) * 24)?))
}

/// Hours, minutes, seconds, and microseconds if there are any.
fn time_of_day(reader: &mut Reader<'_>, hours_before: u64) -> io::Result<String> {
    let (hour, minute, second) = (reader.byte()?, reader.byte()?, reader.byte()?);
    let whole = format!("{:02}:{minute:02}:{second:02}", hours_before + u64::from(hour));
    Ok(if reader.is_empty() { whole } else { format!("{whole}.{:06}", reader.int4()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(kind: u8) -> ResultColumn {
        ResultColumn { kind, unsigned: false }
    }

    #[test]
    fn a_row_gives_its_values_and_nulls() {
        let columns = [of(kind::LONGLONG), of(kind::DOUBLE), of(kind::NEWDECIMAL), of(kind::VAR_STRING)];
        let mut body = vec![0, 0b0000_1000];
        body.extend_from_slice(&(-5_i64).to_le_bytes());
        body.extend_from_slice(b"\x0512.50\x02ab");
        let expected = [Value::Int(-5), Value::Null, Value::Decimal("12.5".into()), Value::Text("ab".into())];
        assert_eq!(row(&body, &columns).unwrap(), expected);
        assert!(row(&body[..body.len() - 1], &columns).is_err());
        assert!(row(&[1, 0], &[]).is_err());
    }

    #[test]
    fn a_row_of_texts_gives_them_and_nulls() {
        let body = [&[2][..], b"ok", &[0xfb, 0, 1], b"7"].concat();
        let expected = vec![Value::Text("ok".into()), Value::Null, Value::Text("".into()), Value::Text("7".into())];
        assert_eq!(text_row(&body).unwrap(), expected);
        assert!(text_row(&[3, b'a']).is_err());
    }

    #[test]
    fn an_integer_has_its_width_and_sign() {
        let bits = |kind, unsigned, body: &[u8]| {
            let row = row(&[&[0, 0], body].concat(), &[ResultColumn { kind, unsigned }]).unwrap();
            row[0].clone()
        };
        assert_eq!(bits(kind::TINY, false, &[0xff]), Value::Int(-1));
        assert_eq!(bits(kind::TINY, true, &[0xff]), Value::Int(255));
        assert_eq!(bits(kind::SHORT, false, &[0xff, 0xff]), Value::Int(-1));
        assert_eq!(bits(kind::LONG, true, &[0xff; 4]), Value::Int(u32::MAX.into()));
        assert_eq!(bits(kind::LONGLONG, false, &[0xff; 8]), Value::Int(-1));
        assert_eq!(bits(kind::LONGLONG, true, &[0xff; 8]), Value::Decimal("18446744073709551615".into()));
    }

    #[test]
    fn decimals_and_times_have_their_shortest_form() {
        for (long, short) in [("0.00", "0"), ("-0.0", "0"), ("100", "100"), ("-12.50", "-12.5"), ("0.05", "0.05")] {
            assert_eq!(shortest(long), short);
        }
        assert_eq!(moment(&[0xea, 7, 11, 21]).unwrap(), "2026-11-21");
        assert_eq!(moment(&[0xea, 7, 11, 21, 9, 8, 7]).unwrap(), "2026-11-21 09:08:07");
        assert_eq!(duration(&[1, 1, 0, 0, 0, 2, 3, 4]).unwrap(), "-26:03:04");
        assert_eq!(duration(&[]).unwrap(), "00:00:00");
    }

    #[test]
    fn bytes_are_length_encoded() {
        for length in [0, 250, 251, 65_535, 65_536] {
            let (bytes, mut out) = (vec![7; length], Vec::new());
            encode_bytes(&bytes, &mut out);
            assert_eq!(Reader::new(&out).bytes().unwrap(), bytes, "{length}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_rows_never_panic(
            body in proptest::collection::vec(any::<u8>(), 0..100),
            kinds in proptest::collection::vec((any::<u8>(), any::<bool>()), 0..12),
        ) {
            let columns: Vec<ResultColumn> =
                kinds.into_iter().map(|(kind, unsigned)| ResultColumn { kind, unsigned }).collect();
            let _ = row(&body, &columns);
        }
    }
}
