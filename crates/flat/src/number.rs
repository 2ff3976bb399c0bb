//! Exact parsing of numbers, without floating point.

/// Most digits of a signed 64-bit integer. Not every integer of so many digits fits.
pub(crate) const DIGITS_MAX: u8 = 19;
/// Digits that always fit 64 bits.
const DIGITS_SAFE: usize = 18;

const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

/// Why a text is not a number of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// Not a number.
    Form,
    /// More digits than the field, or beyond 64 bits.
    Range,
    /// More decimals than the field.
    Decimals,
}

/// The value of 1 to 18 digits; none for any other text.
#[inline]
pub(crate) fn digits(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > DIGITS_SAFE {
        return None;
    }
    let mut value = 0;
    let mut rest = text;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        value = value * 100_000_000 + eight_digits(*eight)?;
        rest = after;
    }
    if let Some((four, after)) = rest.split_first_chunk::<4>() {
        value = value * 10_000 + four_digits(*four)?;
        rest = after;
    }
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(value)
}

/// Eight digits at once: joined to pairs, pairs to fours, fours to eight, by one multiplication each (W. Mula, "SWAR
/// parsing of digits").
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<i64> {
    let bytes = u64::from_le_bytes(text);
    // The upper nibble of a digit is 3, also after adding 6.
    let all = bytes & 0xF0F0_F0F0_F0F0_F0F0;
    let sixes = bytes.wrapping_add(0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0;
    if (all, sixes) != (0x3030_3030_3030_3030, 0x3030_3030_3030_3030) {
        return None;
    }
    let ones = bytes & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = (ones.wrapping_mul((10 << 8) + 1) >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_FFFF_0000_FFFF;
    Some((fours.wrapping_mul((10_000 << 32) + 1) >> 32) as i64)
}

#[inline]
fn four_digits(text: [u8; 4]) -> Option<i64> {
    let [a, b, c, d] = text;
    eight_digits([b'0', b'0', b'0', b'0', a, b, c, d])
}

/// A signed 64-bit integer with at most `digits_max` digits, not counting leading zeros.
#[inline]
pub(crate) fn whole(text: &[u8], digits_max: u8) -> Result<i64, NumberError> {
    let (negative, text) = sign(text);
    let Some(value) = digits(text) else { return long_whole(text, negative, digits_max) };
    // Of 19 digits there is no power: any value of at most 18 is in range.
    match POWERS.get(usize::from(digits_max)).is_none_or(|end| value < *end) {
        true => Ok(if negative { -value } else { value }),
        false => Err(NumberError::Range),
    }
}

/// A number with at most `scale` decimals and `precision` digits in total, in units of the last decimal.
#[inline]
pub(crate) fn decimal(text: &[u8], precision: u8, scale: u8) -> Result<i64, NumberError> {
    let (negative, text) = sign(text);
    // The point is near the end.
    let (before, after) = match text.iter().rposition(|byte| *byte == b'.') {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &text[..0]),
    };
    if before.is_empty() && after.is_empty() {
        return Err(NumberError::Form);
    }
    let part = |text: &[u8]| match (text, digits(text)) {
        ([], _) => Ok(0),
        (_, Some(value)) => Ok(value),
        (_, None) => long(text),
    };
    let whole = part(before)?;
    if after.len() > usize::from(scale) {
        let has_digits_only = after.iter().all(u8::is_ascii_digit);
        return Err(if has_digits_only { NumberError::Decimals } else { NumberError::Form });
    }
    let decimals = part(after)? * POWERS[usize::from(scale) - after.len()];
    // Below 10^precision in total, so that nothing overflows.
    if whole >= POWERS[usize::from(precision - scale)] {
        return Err(NumberError::Range);
    }
    let value = whole * POWERS[usize::from(scale)] + decimals;
    Ok(if negative { -value } else { value })
}

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    }
}

/// A part of a decimal number that is not 1 to 18 digits: more of them with leading zeros, too many, or none.
#[cold]
fn long(text: &[u8]) -> Result<i64, NumberError> {
    match significant(text)? {
        [] => Ok(0),
        rest => digits(rest).ok_or(NumberError::Range),
    }
}

/// The same for an integer, whose 19 digits may fit.
#[cold]
fn long_whole(text: &[u8], negative: bool, digits_max: u8) -> Result<i64, NumberError> {
    let rest = significant(text)?;
    if rest.len() > usize::from(digits_max.min(DIGITS_MAX)) {
        return Err(NumberError::Range);
    }
    // 19 digits fit an unsigned number of 64 bits.
    let value = rest.iter().fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
    match (negative, value) {
        (true, 0..=0x8000_0000_0000_0000) => Ok(0_i64.wrapping_sub_unsigned(value)),
        (false, 0..=0x7FFF_FFFF_FFFF_FFFF) => Ok(value as i64),
        _ => Err(NumberError::Range),
    }
}

/// A text of at least one digit, and of nothing else, without its leading zeros.
fn significant(text: &[u8]) -> Result<&[u8], NumberError> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(NumberError::Form);
    }
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    Ok(&text[zeros..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn whole_numbers() {
        assert_eq!(whole(b"0", 1), Ok(0));
        assert_eq!(whole(b"-0", 1), Ok(0));
        assert_eq!(whole(b"007", 1), Ok(7));
        assert_eq!(whole(b"-42", 2), Ok(-42));
        assert_eq!(whole(b"4929123456789012", 16), Ok(4_929_123_456_789_012));
        assert_eq!(whole(b"999999999999999999", 18), Ok(999_999_999_999_999_999));
        assert_eq!(whole(b"0000000000000000000000000001", 1), Ok(1));
        assert_eq!(whole(b"1000000000000000000", 18), Err(NumberError::Range));
        assert_eq!(whole(b"99999999999999999999999", 18), Err(NumberError::Range));
        assert_eq!(whole(b"12345", 4), Err(NumberError::Range));
        assert_eq!(whole(b"1000000000000000000", 19), Ok(1_000_000_000_000_000_000));
        assert_eq!(whole(b"9223372036854775807", 19), Ok(i64::MAX));
        assert_eq!(whole(b"-9223372036854775808", 19), Ok(i64::MIN));
        assert_eq!(whole(b"-0009223372036854775808", 19), Ok(i64::MIN));
        for text in ["9223372036854775808", "-9223372036854775809", "9999999999999999999", "18446744073709551616"] {
            assert_eq!(whole(text.as_bytes(), 19), Err(NumberError::Range), "{text}");
        }
        for text in ["", "-", "--1", "+1", "1 ", " 1", "1.0", "1e3", "0x1", "12345678a", "1234567:", "\u{661}"] {
            assert_eq!(whole(text.as_bytes(), 18), Err(NumberError::Form), "{text}");
            assert_eq!(whole(text.as_bytes(), 19), Err(NumberError::Form), "{text}");
        }
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal(b"43.27", 10, 2), Ok(4327));
        assert_eq!(decimal(b"-0.05", 10, 2), Ok(-5));
        assert_eq!(decimal(b"43", 10, 2), Ok(4300));
        assert_eq!(decimal(b"43.2", 10, 2), Ok(4320));
        assert_eq!(decimal(b".5", 10, 2), Ok(50));
        assert_eq!(decimal(b"5.", 10, 2), Ok(500));
        assert_eq!(decimal(b"9999999999999999.99", 18, 2), Ok(999_999_999_999_999_999));
        assert_eq!(decimal(b"99999999.99", 10, 2), Ok(9_999_999_999));
        assert_eq!(decimal(b"100000000.00", 10, 2), Err(NumberError::Range));
        assert_eq!(decimal(b"1.234", 10, 2), Err(NumberError::Decimals));
        assert_eq!(decimal(b"0.1", 1, 1), Ok(1));
        assert_eq!(decimal(b"1.0", 1, 1), Err(NumberError::Range));
        for text in ["", ".", "-", "-.", "1.2.3", "1,5", "1.x", "1.2345x", "NaN", "1e5", "--1.0", "1.-5"] {
            assert_eq!(decimal(text.as_bytes(), 10, 2), Err(NumberError::Form), "{text}");
        }
    }

    proptest! {
        #[test]
        fn numbers_round_trip(value in -999_999_999_999_999_999i64..=999_999_999_999_999_999) {
            prop_assert_eq!(whole(value.to_string().as_bytes(), 18), Ok(value));
            let sign = if value < 0 { "-" } else { "" };
            let text = format!("{sign}{}.{:03}", value.abs() / 1000, value.abs() % 1000);
            prop_assert_eq!(decimal(text.as_bytes(), 18, 3), Ok(value));
        }

        #[test]
        fn integers_are_those_of_the_standard_library(text in prop_oneof!["-?[0-9a.:/]{0,20}", "-?[0-9]{17,21}"]) {
            let theirs = text.parse::<i64>().ok();
            prop_assert_eq!(whole(text.as_bytes(), 19).ok(), theirs);
            let below = theirs.filter(|value| value.unsigned_abs() < 1_000_000_000_000_000_000);
            prop_assert_eq!(whole(text.as_bytes(), 18).ok(), below);
        }

        #[test]
        fn all_integers_round_trip(value: i64) {
            prop_assert_eq!(whole(value.to_string().as_bytes(), 19), Ok(value));
        }

        #[test]
        fn any_bytes_are_a_number_or_none(text in proptest::collection::vec(any::<u8>(), 0..24), precision in 1..=18u8) {
            let _ = (whole(&text, precision), whole(&text, 19), decimal(&text, precision, precision / 2));
        }
    }
}
