//! Whole numbers as people write them: `100_000`, `10k`, `1.5M` rows; `8MiB`, `1.5GB`.
//!
//! They are reckoned in whole numbers, so that `1.1G` is 1100000000 and not nearly so; what comes to a fraction is refused.

use std::ops::RangeInclusive;

use run::{Error, Result};

/// Digits that are read, at most: more are a slip of the finger.
const DIGITS_MAX: usize = 30;

/// How many `text` says: digits with `_` between them, a decimal part where the product is whole, and k, M, G, T for
/// 10^3, 10^6, 10^9, 10^12.
///
/// # Errors
/// The user's mistakes, which name `thing`, and what does not lie in `range`.
pub fn amount(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64> {
    let found = parts(text).and_then(|(number, unit)| number.times(1000u128.pow(power(unit)?)));
    let told = |number: u64| number.to_string();
    within(found, range, told, "100k or 1.5M").map_err(|Wrong { what, hint }| {
        let what = what.unwrap_or_else(|| "is not a whole number".to_owned());
        Error::user(format!("{thing} {text} {what}")).hint(hint)
    })
}

/// How many bytes `text` says: as [`amount`], `kB`, `MB`, `GB`, and `KiB`, `MiB`, `GiB` for powers of 1024.
///
/// # Errors
/// The user's mistakes, which name `thing`, and what does not lie in `range`.
pub fn bytes(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64> {
    let factor = |unit: &str| {
        let prefix = unit.strip_suffix(['B', 'b']).unwrap_or(unit);
        match prefix.strip_suffix('i') {
            Some(prefix) => power(prefix).filter(|power| *power > 0).map(|power| 1024u128.pow(power)),
            None => power(prefix).map(|power| 1000u128.pow(power)),
        }
    };
    let found = parts(text).and_then(|(number, unit)| number.times(factor(unit)?));
    within(found, range, size, "500MB, 1.5GB or 8MiB").map_err(|Wrong { what, hint }| {
        let what = what.unwrap_or_else(|| "is not a size in whole bytes".to_owned());
        Error::user(format!("{thing} {text} {what}")).hint(hint)
    })
}

/// A decimal number: `1.25` is 125 over 10^2.
struct Decimal {
    digits: u128,
    decimals: u32,
}

impl Decimal {
    /// It times `factor`; none where that is not whole. What no number of ours can be is the greatest.
    fn times(self, factor: u128) -> Option<u64> {
        let product = self.digits.saturating_mul(factor);
        let divisor = 10u128.pow(self.decimals);
        product.is_multiple_of(divisor).then(|| u64::try_from(product / divisor).unwrap_or(u64::MAX))
    }
}

/// The number in `text` and the unit behind it.
fn parts(text: &str) -> Option<(Decimal, &str)> {
    let text = text.trim();
    let end = text.find(|letter: char| !matches!(letter, '0'..='9' | '.' | '_')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number.replace('_', "");
    let (whole, decimals) = number.split_once('.').unwrap_or((&number, ""));
    let digits = [whole, decimals].concat();
    if whole.is_empty() || digits.len() > DIGITS_MAX {
        return None;
    }
    Some((Decimal { digits: digits.parse().ok()?, decimals: u32::try_from(decimals.len()).ok()? }, unit.trim()))
}

/// The power of a thousand that a prefix stands for.
fn power(prefix: &str) -> Option<u32> {
    let powers = ["", "k", "m", "g", "t", "p"];
    powers.iter().position(|known| prefix.eq_ignore_ascii_case(known)).and_then(|power| u32::try_from(power).ok())
}

/// What is wrong with a text, where it is a number at all, and what would be right.
struct Wrong {
    what: Option<String>,
    hint: String,
}

fn within(
    found: Option<u64>,
    range: RangeInclusive<u64>,
    told: impl Fn(u64) -> String,
    example: &str,
) -> std::result::Result<u64, Wrong> {
    let (least, most) = (told(*range.start()), told(*range.end()));
    let what = match found {
        Some(number) if range.contains(&number) => return Ok(number),
        Some(number) if number < *range.start() => Some(format!("is less than {least}")),
        Some(_) => Some(format!("is more than {most}")),
        None => None,
    };
    Err(Wrong { what, hint: format!("use {least} to {most}, such as {example}") })
}

/// A number of bytes as it may be written: `1KiB`, `5GB`, `7B`.
fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 10] = [
        (1 << 50, "PiB"),
        (1_000_000_000_000_000, "PB"),
        (1 << 40, "TiB"),
        (1_000_000_000_000, "TB"),
        (1 << 30, "GiB"),
        (1_000_000_000, "GB"),
        (1 << 20, "MiB"),
        (1_000_000, "MB"),
        (1 << 10, "KiB"),
        (1_000, "kB"),
    ];
    let whole = |(unit, name): (u64, &str)| {
        (bytes > 0 && bytes.is_multiple_of(unit)).then(|| format!("{}{name}", bytes / unit))
    };
    UNITS.into_iter().find_map(whole).unwrap_or_else(|| format!("{bytes}B"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOST: u64 = 1_000_000_000;

    fn rows(text: &str) -> std::result::Result<u64, String> {
        amount("rows", text, 1..=MOST).map_err(|error| error.to_string())
    }

    fn of_bytes(text: &str) -> std::result::Result<u64, String> {
        bytes("size", text, 1 << 10..=1_000_000_000_000).map_err(|error| error.to_string())
    }

    #[test]
    fn a_decimal_part_is_welcome_where_the_product_is_whole() {
        for (text, expected) in [
            ("7", 7),
            ("10k", 10_000),
            ("1.5M", 1_500_000),
            ("0.5k", 500),
            ("1_000", 1_000),
            ("2.0", 2),
            (" 1.25 k ", 1_250),
        ] {
            assert_eq!(rows(text), Ok(expected), "{text}");
        }
        for text in ["", "M", "-1", "1.2345k", "1.5", "ten", ".5k", "1e3", "1..5k", "1Mi", "1MB", "1.5.2k"] {
            let expected = format!("rows {text} is not a whole number\nhint: use 1 to {MOST}, such as 100k or 1.5M");
            assert_eq!(rows(text), Err(expected));
        }
        assert!(rows("1.1g").unwrap_err().starts_with("rows 1.1g is more than 1000000000\n"));
        assert!(rows("0").unwrap_err().starts_with("rows 0 is less than 1\n"));
        assert!(rows("99999999999999999999G").unwrap_err().starts_with("rows 99999999999999999999G is more than"));
    }

    #[test]
    fn sizes_are_exact_and_their_limits_are_told() {
        let kib = 1024.0;
        assert_eq!(of_bytes("1.5GB"), Ok(1_500_000_000));
        assert_eq!(of_bytes("1.5GiB"), Ok((1.5 * kib * kib * kib) as u64));
        assert_eq!((of_bytes("2048"), of_bytes("8MiB"), of_bytes("1.1kb")), (Ok(2_048), Ok(8 << 20), Ok(1_100)));
        let hint = "hint: use 1KiB to 1TB, such as 500MB, 1.5GB or 8MiB";
        assert_eq!(of_bytes("2TB"), Err(format!("size 2TB is more than 1TB\n{hint}")));
        assert_eq!(of_bytes("0"), Err(format!("size 0 is less than 1KiB\n{hint}")));
        for text in ["much", "", "1.5B", "1.0001KiB", "1 GBit", "1iB"] {
            assert_eq!(of_bytes(text), Err(format!("size {text} is not a size in whole bytes\n{hint}")));
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,40}", likely in "[0-9._]{0,34}[kKMGTPiBb ]{0,4}") {
            let _ = (rows(&text), of_bytes(&text), rows(&likely), of_bytes(&likely));
        }

        #[test]
        fn thousandths_of_thousands_are_whole(thousandths in 1u64..1_000_000) {
            let text = format!("{}.{:03}k", thousandths / 1_000, thousandths % 1_000);
            prop_assert_eq!(rows(&text), Ok(thousandths));
        }
    }
}
