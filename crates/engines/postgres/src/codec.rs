//! Values in the binary format of the protocol; other types use the text format.

pub(crate) mod numeric;

use std::borrow::Cow;
use std::fmt::Write;
use std::io;

use bytes::{BufMut, BytesMut};
use engine::Value;
use postgres_protocol::IsNull;

use transport::malformed;

/// Object identifiers of types, fixed by PostgreSQL's catalogue (`pg_type.dat`).
pub(crate) mod oid {
    pub(crate) const BOOL: u32 = 16;
    pub(crate) const CHAR: u32 = 18;
    pub(crate) const NAME: u32 = 19;
    pub(crate) const INT8: u32 = 20;
    pub(crate) const INT2: u32 = 21;
    pub(crate) const INT4: u32 = 23;
    pub(crate) const TEXT: u32 = 25;
    pub(crate) const OID: u32 = 26;
    pub(crate) const FLOAT4: u32 = 700;
    pub(crate) const FLOAT8: u32 = 701;
    pub(crate) const UNKNOWN: u32 = 705;
    pub(crate) const BPCHAR: u32 = 1042;
    pub(crate) const VARCHAR: u32 = 1043;
    pub(crate) const NUMERIC: u32 = 1700;
}

/// The format code of text.
const TEXT_FORMAT: i16 = 0;
/// The format code of the binary format.
pub(crate) const BINARY_FORMAT: i16 = 1;

/// The format of values of this type, in both directions.
pub(crate) fn format_of(kind: u32) -> i16 {
    match kind {
        oid::BOOL | oid::INT2 | oid::INT4 | oid::INT8 | oid::OID => BINARY_FORMAT,
        oid::FLOAT4 | oid::FLOAT8 | oid::NUMERIC => BINARY_FORMAT,
        oid::CHAR | oid::NAME | oid::TEXT | oid::BPCHAR | oid::VARCHAR | oid::UNKNOWN => BINARY_FORMAT,
        _ => TEXT_FORMAT,
    }
}

/// A value that cannot be converted to the type of a parameter.
#[derive(Debug)]
pub(crate) struct ConversionError(String);

impl std::fmt::Display for ConversionError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ConversionError {}

/// Writes `value` as a parameter of type `kind`, in the format of [`format_of`].
pub(crate) fn encode(value: &Value<'_>, kind: u32, out: &mut BytesMut) -> Result<IsNull, ConversionError> {
    match value {
        Value::Null => return Ok(IsNull::Yes),
        Value::Int(value) => encode_int(*value, kind, out)?,
        Value::Float(value) => encode_float(*value, kind, out)?,
        Value::Decimal(value) => encode_decimal(value, kind, out)?,
        Value::Text(value) => encode_text(value, kind, out)?,
    }
    Ok(IsNull::No)
}

#[inline]
fn encode_int(value: i64, kind: u32, out: &mut BytesMut) -> Result<(), ConversionError> {
    let does_not_fit = |name: &str| ConversionError(format!("integer {value} does not fit {name}"));
    match kind {
        oid::INT8 => out.put_i64(value),
        oid::INT4 => out.put_i32(i32::try_from(value).map_err(|_| does_not_fit("integer"))?),
        oid::INT2 => out.put_i16(i16::try_from(value).map_err(|_| does_not_fit("smallint"))?),
        oid::OID => out.put_u32(u32::try_from(value).map_err(|_| does_not_fit("oid"))?),
        oid::BOOL => match value {
            0 | 1 => out.put_u8(value as u8),
            _ => return Err(does_not_fit("boolean")),
        },
        oid::NUMERIC => numeric::encode(value, 0, out),
        // Every integer up to 2^53 is a double; i128 because i64::MAX as f64 is one more than i64::MAX.
        oid::FLOAT8 if (value as f64) as i128 == i128::from(value) => out.put_f64(value as f64),
        oid::FLOAT4 if (value as f32) as i128 == i128::from(value) => out.put_f32(value as f32),
        oid::FLOAT8 => return Err(does_not_fit("double precision exactly")),
        oid::FLOAT4 => return Err(does_not_fit("real exactly")),
        _ => write_text(out, format_args!("{value}")),
    }
    Ok(())
}

fn encode_float(value: f64, kind: u32, out: &mut BytesMut) -> Result<(), ConversionError> {
    match kind {
        oid::FLOAT8 => out.put_f64(value),
        oid::FLOAT4 => {
            let narrow = value as f32;
            if narrow.is_infinite() && value.is_finite() {
                return Err(ConversionError(format!("double {value:e} does not fit real")));
            }
            out.put_f32(narrow);
        }
        oid::NUMERIC if value.is_finite() => {
            numeric::encode_text(&format!("{value}"), out).map_err(ConversionError)?;
        }
        oid::BOOL | oid::INT2 | oid::INT4 | oid::INT8 | oid::OID | oid::NUMERIC => {
            return Err(ConversionError(format!("double {value} is given for a parameter of type {kind}")));
        }
        _ => write_text(out, format_args!("{value}")),
    }
    Ok(())
}

fn encode_decimal(value: &str, kind: u32, out: &mut BytesMut) -> Result<(), ConversionError> {
    let does_not_fit = |name: &str| ConversionError(format!("decimal {value} does not fit {name}"));
    match kind {
        oid::NUMERIC => numeric::encode_text(value, out).map_err(ConversionError)?,
        oid::FLOAT8 => out.put_f64(value.parse().map_err(|_| does_not_fit("double precision"))?),
        oid::FLOAT4 => out.put_f32(value.parse().map_err(|_| does_not_fit("real"))?),
        oid::BOOL | oid::INT2 | oid::INT4 | oid::INT8 | oid::OID => {
            encode_int(value.parse().map_err(|_| does_not_fit("an integer type"))?, kind, out)?;
        }
        _ => out.put_slice(value.as_bytes()),
    }
    Ok(())
}

fn encode_text(value: &str, kind: u32, out: &mut BytesMut) -> Result<(), ConversionError> {
    match kind {
        oid::BOOL | oid::INT2 | oid::INT4 | oid::INT8 | oid::OID | oid::FLOAT4 | oid::FLOAT8 | oid::NUMERIC => {
            Err(ConversionError(format!("text is given for a numeric parameter of type {kind}")))
        }
        _ => {
            out.put_slice(value.as_bytes());
            Ok(())
        }
    }
}

fn write_text(out: &mut BytesMut, text: std::fmt::Arguments<'_>) {
    // Writing into a growable buffer does not fail.
    let _ = out.write_fmt(text);
}

/// Reads a field of type `kind` in the format of [`format_of`].
pub(crate) fn decode(kind: u32, field: Option<&[u8]>) -> io::Result<Value<'static>> {
    let Some(bytes) = field else { return Ok(Value::Null) };
    Ok(match kind {
        oid::BOOL => Value::Int(i64::from(fixed::<1>(bytes)?[0] != 0)),
        oid::INT2 => Value::Int(i16::from_be_bytes(fixed(bytes)?).into()),
        oid::INT4 => Value::Int(i32::from_be_bytes(fixed(bytes)?).into()),
        oid::INT8 => Value::Int(i64::from_be_bytes(fixed(bytes)?)),
        oid::OID => Value::Int(u32::from_be_bytes(fixed(bytes)?).into()),
        oid::FLOAT4 => Value::Float(f32::from_be_bytes(fixed(bytes)?).into()),
        oid::FLOAT8 => Value::Float(f64::from_be_bytes(fixed(bytes)?)),
        oid::NUMERIC => numeric::decode(bytes)?,
        _ => {
            let text = std::str::from_utf8(bytes).map_err(|_| malformed("a text that is not UTF-8"))?;
            Value::Text(Cow::Owned(text.to_owned()))
        }
    })
}

fn fixed<const N: usize>(bytes: &[u8]) -> io::Result<[u8; N]> {
    bytes.try_into().map_err(|_| malformed(format!("a field of {} bytes, expected {N}", bytes.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(value: &Value<'static>, kind: u32) -> Result<Value<'static>, ConversionError> {
        let mut out = BytesMut::new();
        Ok(match encode(value, kind, &mut out)? {
            IsNull::Yes => decode(kind, None).unwrap(),
            IsNull::No => decode(kind, Some(&out)).unwrap(),
        })
    }

    #[test]
    fn an_integer_goes_where_it_fits_and_nowhere_else() {
        let fits = [
            (oid::INT2, i64::from(i16::MIN)),
            (oid::INT2, i64::from(i16::MAX)),
            (oid::INT4, i64::from(i32::MIN)),
            (oid::INT8, i64::MAX),
            (oid::OID, i64::from(u32::MAX)),
            (oid::BOOL, 1),
        ];
        for (kind, value) in fits {
            assert_eq!(round(&Value::Int(value), kind).unwrap(), Value::Int(value), "{kind}");
        }
        let misfits = [
            (oid::INT2, 32_768),
            (oid::INT4, -2_147_483_649),
            (oid::OID, -1),
            (oid::BOOL, 2),
            (oid::FLOAT8, i64::MAX),
            (oid::FLOAT8, (1 << 53) + 1),
            (oid::FLOAT4, (1 << 24) + 1),
        ];
        for (kind, value) in misfits {
            assert!(round(&Value::Int(value), kind).is_err(), "{value} as {kind}");
        }
        assert_eq!(round(&Value::Int(1 << 53), oid::FLOAT8).unwrap(), Value::Float((1_u64 << 53) as f64));
        assert_eq!(round(&Value::Int(-1_200), oid::NUMERIC).unwrap(), Value::Decimal("-1200".into()));
        assert_eq!(round(&Value::Int(-7), oid::TEXT).unwrap(), Value::Text("-7".into()));
    }

    #[test]
    fn numbers_and_text_are_not_mistaken_for_each_other() {
        assert!(round(&Value::Text("1".into()), oid::INT8).is_err());
        assert!(round(&Value::Float(1.5), oid::INT8).is_err());
        assert!(round(&Value::Float(f64::NAN), oid::NUMERIC).is_err());
        assert!(round(&Value::Float(1e300), oid::FLOAT4).is_err());
        assert!(round(&Value::Decimal("1.5".into()), oid::INT4).is_err());
        assert!(round(&Value::Decimal("x".into()), oid::NUMERIC).is_err());
        assert_eq!(round(&Value::Decimal("15".into()), oid::INT4).unwrap(), Value::Int(15));
        assert_eq!(round(&Value::Float(0.1), oid::NUMERIC).unwrap(), Value::Decimal("0.1".into()));
        assert_eq!(round(&Value::Null, oid::INT4).unwrap(), Value::Null);
    }

    #[test]
    fn a_date_travels_as_text() {
        assert_eq!(format_of(1082), TEXT_FORMAT);
        assert_eq!(round(&Value::Text("2026-01-31".into()), 1082).unwrap(), Value::Text("2026-01-31".into()));
    }

    proptest! {
        #[test]
        fn arbitrary_fields_never_panic(kind in 0_u32..2000, bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = decode(kind, Some(&bytes));
            let _ = decode(oid::NUMERIC, Some(&bytes));
        }

        #[test]
        fn doubles_come_back_bit_by_bit(value in any::<f64>()) {
            let mut out = BytesMut::new();
            encode(&Value::Float(value), oid::FLOAT8, &mut out).unwrap();
            let Value::Float(back) = decode(oid::FLOAT8, Some(&out)).unwrap() else { panic!("a double") };
            prop_assert_eq!(back.to_bits(), value.to_bits());
        }
    }
}
