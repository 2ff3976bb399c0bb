//! The binary form of `numeric`: groups of four decimal digits.
//!
//! Source: PostgreSQL, `src/backend/utils/adt/numeric.c`, `numeric_send` and `numeric_recv`: number of groups, weight
//! (the power of 10 000 of the first group), sign, display scale, groups; 16 bits each.

use std::io;

use bytes::BufMut;
use engine::Value;

use crate::message::Reader;
use transport::malformed;

const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;
const NOT_A_NUMBER: u16 = 0xC000;
const PLUS_INFINITY: u16 = 0xD000;
const MINUS_INFINITY: u16 = 0xF000;

/// Decimal digits in a group.
const GROUP_DIGITS: usize = 4;
const GROUP: u64 = 10_000;

/// Maximum number of digits before and after the decimal point, from `numeric.c` (131072 and 16383).
const DIGITS_MAX: usize = 131_072;

/// Writes `unscaled` · 10^-`scale`, without allocating.
pub(crate) fn encode(unscaled: i64, scale: u8, out: &mut impl BufMut) {
    let fraction_groups = usize::from(scale).div_ceil(GROUP_DIGITS);
    let padding = fraction_groups * GROUP_DIGITS - usize::from(scale);
    // At most 19 digits, and 3 more to fill the last group: six groups.
    let mut rest = u128::from(unscaled.unsigned_abs()) * 10_u128.pow(padding as u32);
    let mut groups = [0_u16; 6];
    let mut count = 0;
    while rest > 0 {
        groups[groups.len() - 1 - count] = (rest % u128::from(GROUP)) as u16;
        rest /= u128::from(GROUP);
        count += 1;
    }
    let used = &groups[groups.len() - count..];
    let significant = used.iter().rposition(|group| *group != 0).map_or(0, |last| last + 1);
    let weight = if count == 0 { 0 } else { count as i16 - 1 - fraction_groups as i16 };
    header(significant, weight, unscaled < 0, u16::from(scale), out);
    for group in &used[..significant] {
        out.put_u16(*group);
    }
}

/// Writes the decimal in `text`: an optional sign, digits, and an optional decimal point with digits.
pub(crate) fn encode_text(text: &str, out: &mut impl BufMut) -> Result<(), String> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (whole, fraction) = match digits.iter().position(|byte| *byte == b'.') {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &[][..]),
    };
    let is_number = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    if whole.len() + fraction.len() == 0 || !is_number(whole) || !is_number(fraction) {
        return Err(format!("{text:?} is not a decimal"));
    }
    let whole = &whole[whole.iter().take_while(|digit| **digit == b'0').count()..];
    if whole.len() > DIGITS_MAX || fraction.len() > DIGITS_MAX / 8 - 1 {
        return Err(format!("a decimal of {} digits is longer than numeric allows", whole.len() + fraction.len()));
    }
    let groups = groups(whole, fraction);
    let leading = groups.iter().take_while(|group| **group == 0).count();
    let significant = groups.iter().rposition(|group| *group != 0).map_or(leading, |last| last + 1);
    let used = &groups[leading..significant];
    let weight = whole.len().div_ceil(GROUP_DIGITS) as i32 - 1 - leading as i32;
    let weight = if used.is_empty() { 0 } else { weight as i16 };
    header(used.len(), weight, negative && !used.is_empty(), fraction.len() as u16, out);
    for group in used {
        out.put_u16(*group);
    }
    Ok(())
}

fn header(groups: usize, weight: i16, negative: bool, shown: u16, out: &mut impl BufMut) {
    out.put_u16(groups as u16);
    out.put_i16(weight);
    out.put_u16(if negative { NEGATIVE } else { POSITIVE });
    out.put_u16(shown);
}

/// The digits in groups of four, counted from the decimal point in both directions.
fn groups(whole: &[u8], fraction: &[u8]) -> Vec<u16> {
    let value = |digits: &[u8], missing: usize| {
        let value = digits.iter().fold(0_u16, |value, digit| value * 10 + u16::from(digit - b'0'));
        value * 10_u16.pow(missing as u32)
    };
    let (first, full) = whole.split_at(whole.len() % GROUP_DIGITS);
    let first = (!first.is_empty()).then(|| value(first, 0));
    let after = fraction.chunks(GROUP_DIGITS).map(|digits| value(digits, GROUP_DIGITS - digits.len()));
    first.into_iter().chain(full.chunks(GROUP_DIGITS).map(|digits| value(digits, 0))).chain(after).collect()
}

/// Reads a numeric: in its shortest exact form, or as a double if it is not finite.
pub(crate) fn decode(bytes: &[u8]) -> io::Result<Value<'static>> {
    let mut reader = Reader::new(bytes);
    let count = reader.count()?;
    let weight = i32::from(reader.int2()?);
    let sign = reader.int2()? as u16;
    let _shown = reader.int2()?;
    let negative = match sign {
        POSITIVE => false,
        NEGATIVE => true,
        NOT_A_NUMBER => return Ok(Value::Float(f64::NAN)),
        PLUS_INFINITY => return Ok(Value::Float(f64::INFINITY)),
        MINUS_INFINITY => return Ok(Value::Float(f64::NEG_INFINITY)),
        other => return Err(malformed(format!("a numeric with the sign {other:#06x}"))),
    };
    let groups = (0..count).map(|_| reader.int2()).collect::<io::Result<Vec<i16>>>()?;
    if let Some(group) = groups.iter().find(|group| !(0..GROUP as i16).contains(group)) {
        return Err(malformed(format!("a numeric with the group {group}")));
    }
    if !reader.is_empty() {
        return Err(malformed("a numeric with more bytes than groups"));
    }
    Ok(Value::Decimal(shortest(negative, weight, &groups).into()))
}

/// Digits of `groups`; the first group has the weight 10 000^`weight`.
fn shortest(negative: bool, weight: i32, groups: &[i16]) -> String {
    let mut digits = String::new();
    for index in 0..=weight.max(-1) {
        let group = groups.get(index as usize).copied().unwrap_or(0);
        digits.push_str(&format!("{group:04}"));
    }
    let whole = digits.trim_start_matches('0');
    let mut fraction = "0000".repeat((-1 - weight).max(0) as usize);
    for group in groups.iter().skip((weight + 1).max(0) as usize) {
        fraction.push_str(&format!("{group:04}"));
    }
    let fraction = fraction.trim_end_matches('0');
    match (whole.is_empty(), fraction.is_empty()) {
        (true, true) => "0".to_owned(),
        (_, true) => format!("{}{whole}", if negative { "-" } else { "" }),
        (_, false) => {
            let whole = if whole.is_empty() { "0" } else { whole };
            format!("{}{whole}.{fraction}", if negative { "-" } else { "" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: &[u8]) -> String {
        match decode(bytes).unwrap() {
            Value::Decimal(text) => text.into_owned(),
            other => panic!("{other:?}"),
        }
    }

    fn of_text(source: &str) -> Vec<u8> {
        let mut out = Vec::new();
        encode_text(source, &mut out).unwrap();
        out
    }

    fn of_parts(unscaled: i64, scale: u8) -> Vec<u8> {
        let mut out = Vec::new();
        encode(unscaled, scale, &mut out);
        out
    }

    #[test]
    fn the_bytes_are_those_that_the_server_sends() {
        // select numeric_send(...) on PostgreSQL 15.
        let cases: [(&str, &[u8]); 6] = [
            ("0", &[0, 0, 0, 0, 0, 0, 0, 0]),
            ("-12.5", &[0, 2, 0, 0, 0x40, 0, 0, 1, 0, 12, 0x13, 0x88]),
            ("10000", &[0, 1, 0, 1, 0, 0, 0, 0, 0, 1]),
            ("0.0001", &[0, 1, 0xff, 0xff, 0, 0, 0, 4, 0, 1]),
            ("0.00001", &[0, 1, 0xff, 0xfe, 0, 0, 0, 5, 0x03, 0xe8]),
            ("12345.6789", &[0, 3, 0, 1, 0, 0, 0, 4, 0, 1, 0x09, 0x29, 0x1a, 0x85]),
        ];
        for (source, bytes) in cases {
            assert_eq!(of_text(source), bytes, "{source}");
            assert_eq!(text(bytes), source);
        }
        assert_eq!(of_parts(-125, 1), of_text("-12.5"));
        assert_eq!(of_parts(0, 2), of_text("0.00"));
    }

    #[test]
    fn the_shortest_form_has_no_redundant_zeros() {
        for (source, shortest) in [
            ("007.500", "7.5"),
            ("-0.0", "0"),
            (".5", "0.5"),
            ("5.", "5"),
            ("100000000", "100000000"),
            ("0.00000000000000000001", "0.00000000000000000001"),
            ("123456789012345678901234567890.5", "123456789012345678901234567890.5"),
        ] {
            assert_eq!(text(&of_text(source)), shortest);
        }
        for problem in ["", ".", "-", "1e5", "1.2.3", " 1", "NaN", "١"] {
            assert!(encode_text(problem, &mut Vec::new()).is_err(), "{problem}");
        }
        assert!(encode_text(&"9".repeat(200_000), &mut Vec::new()).is_err());
        assert_eq!(text(&of_text(&"9".repeat(131_072))).len(), 131_072);
    }

    #[test]
    fn what_is_not_a_number_is_a_double() {
        let special = |sign: [u8; 2]| decode(&[0, 0, 0, 0, sign[0], sign[1], 0, 0]).unwrap();
        assert!(matches!(special([0xc0, 0]), Value::Float(value) if value.is_nan()));
        assert_eq!(special([0xd0, 0]), Value::Float(f64::INFINITY));
        assert_eq!(special([0xf0, 0]), Value::Float(f64::NEG_INFINITY));
        assert!(decode(&[0, 0, 0, 0, 0x12, 0, 0, 0]).is_err());
        assert!(decode(&[0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10]).is_err(), "a group of 10000");
        assert!(decode(&[0, 2, 0, 0, 0, 0, 0, 0, 0, 1]).is_err(), "a missing group");
    }

    proptest! {
        #[test]
        fn both_encoders_agree_and_the_decoder_gives_it_back(unscaled in any::<i64>(), scale in 0_u8..40) {
            let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = usize::from(scale) + 1);
            let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
            let source = format!("{}{whole}.{fraction}", if unscaled < 0 { "-" } else { "" });
            prop_assert_eq!(of_parts(unscaled, scale), of_text(&source));
            let trimmed = source.trim_end_matches('0').trim_end_matches('.');
            let expected = if unscaled == 0 { "0" } else { trimmed };
            prop_assert_eq!(text(&of_parts(unscaled, scale)), expected);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = decode(&bytes);
        }
    }
}
