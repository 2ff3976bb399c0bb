//! Counts, sizes, times, rates and shares as text: parser and formatter.
//!
//! A number has digits with optional `_`, a decimal part, and an exponent (`1_000`, `1.5`, `2e3`). A unit follows,
//! after an optional blank; case is ignored except in units of time:
//!
//! | | unit | such as |
//! |---|---|---|
//! | prefix | `k`, `M`, `G`, `T`, `P`: powers of 1000; `Ki`, `Mi`, `Gi`, `Ti`, `Pi`: powers of 1024 | |
//! | count | none, or a prefix of 1000 | `100000`, `10k`, `1.5M` |
//! | size | none, or any prefix, with `B` or without | `8192`, `8KiB`, `500MB`, `1.5G` |
//! | time | `ns`, `us`, `ms`, `s`, `m` or `min`, `h`, `d`, `w`; several in sequence; seconds without a unit | `5ms`, `1h 30min` |
//! | rate | as a count, then `/s`, `/min`, `/h` or `/d`; without one per second | `500`, `6000/min`, `7M` |
//! | share | `%` | `50%` |
//!
//! Counts and sizes are computed in integers, so that `1.1G` is exactly 1100000000; fractions are errors. Formats of
//! other programs (fio job files, slob.conf, the kernel) have separate tables of units on top of [`Written`].

use std::ops::RangeInclusive;

/// Maximum number of digits.
const DIGITS_MAX: usize = 30;
/// Maximum absolute exponent in integer arithmetic, decimals included.
const EXPONENT_MAX: u32 = 38;

/// The prefixes of the International System of Units, and those of IEC 80000-13.
const PREFIXES: [(&str, u64); 11] = [
    ("", 1),
    ("k", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("Pi", 1 << 50),
];

/// Number of [`PREFIXES`] that are powers of 1000.
const DECIMAL_PREFIXES: usize = 6;

/// Units of time in nanoseconds; the first name of each is used for output.
const TIMES: [(&[&str], u64); 8] = [
    (&["ns", "nsec"], 1),
    (&["us", "µs", "usec"], 1_000),
    (&["ms", "msec"], 1_000_000),
    (&["s", "sec", "secs", "second", "seconds"], SECOND_NS),
    (&["m", "min", "mins", "minute", "minutes"], 60 * SECOND_NS),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600 * SECOND_NS),
    (&["d", "day", "days"], 86_400 * SECOND_NS),
    (&["w", "week", "weeks"], 7 * 86_400 * SECOND_NS),
];

const SECOND_NS: u64 = 1_000_000_000;

/// An invalid text, with a hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\nhint: {hint}")]
pub struct Wrong {
    /// Thing, value and limit.
    pub message: String,
    /// The hint.
    pub hint: String,
}

impl Wrong {
    /// `thing` has the invalid value `text`, because of `what`.
    pub fn new(thing: &str, text: &str, what: &str, hint: impl Into<String>) -> Wrong {
        Wrong { message: format!("{thing} {} {what}", printable(text)), hint: hint.into() }
    }
}

/// `text` for an error: an empty text as two quotes, control characters escaped.
fn printable(text: &str) -> String {
    match text.trim() {
        "" => "\"\"".to_owned(),
        _ => text
            .chars()
            .flat_map(|letter| if letter.is_control() { letter.escape_debug().collect() } else { vec![letter] })
            .collect(),
    }
}

/// A number as text, and its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written<'a> {
    /// Digits, `_`, a decimal point, an exponent.
    pub number: &'a str,
    /// The rest, without surrounding blanks.
    pub unit: &'a str,
}

impl<'a> Written<'a> {
    /// Splits `text`; the number may be empty.
    pub fn of(text: &'a str) -> Written<'a> {
        let text = text.trim();
        let is_of_number = |letter: char| matches!(letter, '0'..='9' | '.' | '_');
        let digits = text.find(|letter| !is_of_number(letter)).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits + exponent_bytes(&text[digits..]));
        Written { number, unit: unit.trim() }
    }

    /// The number times `factor`, if it is an integer; saturates at the maximum.
    pub fn times(&self, factor: u64) -> Option<u64> {
        let (product, divisor) = self.fraction(factor)?;
        product.is_multiple_of(divisor).then(|| u64::try_from(product / divisor).unwrap_or(u64::MAX))
    }

    /// The same, rounded down.
    pub fn about(&self, factor: u64) -> Option<u64> {
        let (product, divisor) = self.fraction(factor)?;
        Some(u64::try_from(product / divisor).unwrap_or(u64::MAX))
    }

    /// The number as floating point.
    pub fn float(&self) -> Option<f64> {
        self.decimal()?;
        self.number.replace('_', "").parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The number times `factor`, as a numerator and a denominator.
    fn fraction(&self, factor: u64) -> Option<(u128, u128)> {
        let (digits, exponent) = self.decimal().filter(|(_, exponent)| exponent.unsigned_abs() <= EXPONENT_MAX)?;
        let power = |exponent: i32| 10u128.saturating_pow(exponent.unsigned_abs());
        let product = digits.saturating_mul(u128::from(factor));
        Some(match exponent {
            0.. => (product.saturating_mul(power(exponent)), 1),
            _ => (product, power(exponent)),
        })
    }

    /// Its digits, and the power of ten to multiply them by.
    fn decimal(&self) -> Option<(u128, i32)> {
        let number = self.number.replace('_', "");
        let (number, exponent) = match number.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (number.as_str(), 0),
        };
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let digits = [whole, decimals].concat();
        if digits.is_empty() || digits.len() > DIGITS_MAX {
            return None;
        }
        Some((digits.parse().ok()?, exponent.saturating_sub(i32::try_from(decimals.len()).ok()?)))
    }
}

/// Length of the exponent at the start of `text`: `e3`, `E-7`.
fn exponent_bytes(text: &str) -> usize {
    let Some(after) = text.strip_prefix(['e', 'E']) else { return 0 };
    let unsigned = after.strip_prefix(['+', '-']).unwrap_or(after);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { 0 } else { text.len() - unsigned.len() + digits }
}

/// The factor of a prefix, and whether its base is 1024.
pub(crate) fn prefix(text: &str) -> Option<(u64, bool)> {
    let found = PREFIXES.iter().position(|(known, _)| known.eq_ignore_ascii_case(text))?;
    Some((PREFIXES[found].1, found >= DECIMAL_PREFIXES))
}

/// A count: `100_000`, `1.5M`.
pub fn count(text: &str) -> Option<u64> {
    let written = Written::of(text);
    let (factor, _) = prefix(written.unit).filter(|(_, is_binary)| !is_binary)?;
    written.times(factor)
}

/// A number of bytes: `8KiB`, `500MB`.
pub fn size(text: &str) -> Option<u64> {
    let written = Written::of(text);
    written.times(size_factor(written.unit)?.0)
}

/// The bytes of a unit of size, and whether its base is 1024.
pub(crate) fn size_factor(unit: &str) -> Option<(u64, bool)> {
    let bare = unit.strip_suffix(['B', 'b']).unwrap_or(unit);
    prefix(bare)
}

/// Nanoseconds of a duration, rounded down: `5ms`, `1h 30min`, or a plain number of seconds.
pub fn time_ns(text: &str) -> Option<u64> {
    let text = text.trim();
    let written = Written::of(text);
    if written.unit.is_empty() {
        return written.about(SECOND_NS);
    }
    let (mut sum_ns, mut rest) = (0u64, text);
    while !rest.is_empty() {
        let number = Written::of(rest).number;
        let after = rest[number.len()..].trim_start();
        let end = after.find(|letter: char| letter.is_ascii_digit() || letter.is_whitespace()).unwrap_or(after.len());
        let (unit, more) = after.split_at(end);
        let (_, unit_ns) = TIMES.iter().find(|(names, _)| names.contains(&unit))?;
        sum_ns = sum_ns.saturating_add(Written { number, unit }.about(*unit_ns)?);
        rest = more.trim_start();
    }
    Some(sum_ns)
}

/// A rate per second: `500`, `6000/min`, `7M`.
pub fn rate(text: &str) -> Option<f64> {
    let (number, seconds) = match text.split_once('/') {
        Some((number, time)) => (number, unit_seconds(time.trim())?),
        None => (text, 1.0),
    };
    let written = Written::of(number);
    let (factor, _) = prefix(written.unit).filter(|(_, is_binary)| !is_binary)?;
    Some(written.float()? * factor as f64 / seconds)
}

/// The seconds of a unit of time.
pub(crate) fn unit_seconds(unit: &str) -> Option<f64> {
    TIMES.iter().find(|(names, _)| names.contains(&unit)).map(|(_, unit_ns)| *unit_ns as f64 / SECOND_NS as f64)
}

/// A plain number: `0.7`, `1_500`.
pub fn number(text: &str) -> Option<f64> {
    let written = Written::of(text);
    written.float().filter(|_| written.unit.is_empty())
}

/// A share: `50%` is 0.5.
pub fn share(text: &str) -> Option<f64> {
    Some(number(text.trim().strip_suffix('%')?)? / 100.0)
}

/// Bytes, as [`size`] reads them: `1KiB`, `5GB`, `7B`.
pub fn size_text(bytes: u64) -> String {
    let whole = |(name, unit): &(&str, u64)| {
        (bytes > 0 && bytes.is_multiple_of(*unit)).then(|| (bytes / unit, format!("{}{name}B", bytes / unit)))
    };
    PREFIXES
        .iter()
        .filter_map(whole)
        .min_by_key(|(number, _)| *number)
        .map_or_else(|| "0B".to_owned(), |(_, text)| text)
}

/// Nanoseconds, as [`time_ns`] reads them: `5ms`, `90s`, `7d`.
pub fn time_text(time_ns: u64) -> String {
    // Weeks are parsed, but not used for output.
    let whole = |(names, unit_ns): &(&[&str], u64)| {
        (time_ns > 0 && time_ns.is_multiple_of(*unit_ns)).then(|| format!("{}{}", time_ns / unit_ns, names[0]))
    };
    TIMES[..TIMES.len() - 1].iter().rev().find_map(whole).unwrap_or_else(|| "0".to_owned())
}

/// The count in `text`, within `range`.
///
/// # Errors
/// Names `thing`, the text and the limits.
pub fn count_within(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let example = if *range.end() < 1_500_000 { "" } else { ", such as 100k or 1.5M" };
    within(thing, text, count(text), "is not a whole number", range, |number| number.to_string(), example)
}

/// The bytes in `text`, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn size_within(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let example = ", such as 500MB, 1.5GB or 8MiB";
    within(thing, text, size(text), "is not a size in whole bytes", range, |bytes| size_text(*bytes), example)
}

/// The nanoseconds in `text`, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn time_ns_within(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let example = ", a number of seconds or a time such as 500ms or 5min";
    within(thing, text, time_ns(text), "is not a length of time", range, |time| time_text(*time), example)
}

/// The rate per second in `text`, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn rate_within(thing: &str, text: &str, range: RangeInclusive<f64>) -> Result<f64, Wrong> {
    let example = " per second, such as 500, 6000/min or 7M";
    within(thing, text, rate(text), "is not a rate", range, f64::to_string, example)
}

/// The number in `text`, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn number_within(thing: &str, text: &str, range: RangeInclusive<f64>) -> Result<f64, Wrong> {
    within(thing, text, number(text), "is not a number", range, f64::to_string, "")
}

/// The parsed value, if it is in `range`.
fn within<T: PartialOrd>(
    thing: &str,
    text: &str,
    found: Option<T>,
    invalid: &str,
    range: RangeInclusive<T>,
    format: impl Fn(&T) -> String,
    example: &str,
) -> Result<T, Wrong> {
    let (least, most) = (format(range.start()), format(range.end()));
    let what = match found {
        Some(value) if range.contains(&value) => return Ok(value),
        Some(value) if value < *range.start() => format!("is less than {least}"),
        Some(_) => format!("is more than {most}"),
        None => invalid.to_owned(),
    };
    Err(Wrong::new(thing, text, &what, format!("use {least} to {most}{example}")))
}

#[cfg(test)]
mod tests;
