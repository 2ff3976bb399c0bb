//! Eight digits at once in one register, the first one in the lowest byte.

/// The character `0` in every byte.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The eight decimal digits of `value`, below 10^8, as the numbers 0 to 9. Divisions by 100 and by 10 are
/// multiplications of two and four parts at once (P. Khuong, "How to print integers really fast").
#[inline]
pub(super) fn eight_digits(value: u32) -> u64 {
    let fours = u64::from(value / 10_000) | (u64::from(value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    tens | ((pairs - 10 * tens) << 8)
}

/// The check digit of a card number (ISO/IEC 7812-1, the Luhn algorithm): `first` and `last` are eight digits each, and
/// the very last one is 0.
#[inline]
pub(super) fn check_digit(first: u64, last: u64) -> u64 {
    // Every second digit, starting with the first, is doubled; the digits of two-digit results are added.
    let doubled = |digits: u64| {
        let twice = (digits & 0x00FF_00FF_00FF_00FF) * 2;
        let has_two = ((twice + 0x0076_0076_0076_0076) >> 7) & 0x0001_0001_0001_0001;
        (digits & 0xFF00_FF00_FF00_FF00) + twice - 9 * has_two
    };
    let sum = (doubled(first) + doubled(last)).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    (10 - sum % 10) % 10
}

/// `cents`, below 10^7, as a number with two decimals and no leading zeros: its characters and their number, at most 8.
#[inline]
pub(super) fn amount(cents: u32) -> ([u8; 8], usize) {
    let digits = eight_digits(cents);
    // At least one digit before the point.
    let zeros = (digits.trailing_zeros() / 8).min(5);
    let text = (digits | ZEROS) >> (8 * zeros);
    let whole_bits = 8 * (6 - zeros);
    let whole = text & ((1 << whole_bits) - 1);
    let decimals = (text >> whole_bits) << whole_bits;
    let point = u64::from(b'.') << whole_bits;
    ((whole | point | (decimals << 8)).to_le_bytes(), 9 - zeros as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn luhn_holds(number: &str) -> bool {
        let digits = number.bytes().rev().map(|byte| u32::from(byte - b'0'));
        let sum: u32 = digits.enumerate().map(|(i, d)| if i % 2 == 0 { d } else { d * 2 / 10 + d * 2 % 10 }).sum();
        sum.is_multiple_of(10)
    }

    #[test]
    fn check_digits_of_published_test_numbers() {
        for number in ["4111111111111111", "5555555555554444", "6011111111111117", "3530111333300000"] {
            assert!(luhn_holds(number), "{number}");
            let part = |text: &str| eight_digits(text.parse().unwrap());
            let check = check_digit(part(&number[..8]), part(&format!("{}0", &number[8..15])));
            assert_eq!(check.to_string(), number[15..], "{number}");
        }
    }

    #[test]
    fn amounts_have_two_decimals() {
        for (cents, text) in [
            (0, "0.00"),
            (5, "0.05"),
            (99, "0.99"),
            (100, "1.00"),
            (4_327, "43.27"),
            (1_000_000, "10000.00"),
            (9_999_999, "99999.99"),
        ] {
            let (bytes, length) = amount(cents);
            assert_eq!(std::str::from_utf8(&bytes[..length]), Ok(text));
        }
    }

    proptest! {
        #[test]
        fn digits_are_those_of_the_standard_library(value in 0..100_000_000u32) {
            let text = (eight_digits(value) | ZEROS).to_le_bytes();
            prop_assert_eq!(std::str::from_utf8(&text).unwrap(), format!("{value:08}"));
        }

        #[test]
        fn amounts_are_those_of_the_standard_library(cents in 0..10_000_000u32) {
            let (bytes, length) = amount(cents);
            prop_assert_eq!(std::str::from_utf8(&bytes[..length]).unwrap(), format!("{}.{:02}", cents / 100, cents % 100));
        }

        #[test]
        fn check_digits_pass_the_luhn_check(first in 0..100_000_000u32, last in 0..10_000_000u32) {
            let check = check_digit(eight_digits(first), eight_digits(last * 10));
            let number = format!("{first:08}{last:07}{check}");
            prop_assert!(luhn_holds(&number), "{}", number);
        }
    }
}
