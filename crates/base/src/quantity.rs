//! Counts, sizes, times, rates and shares as people write them, read and written in this one place.
//!
//! A number is digits with `_` between them, a decimal part, and an exponent (`1_000`, `1.5`, `2e3`). Behind it stands
//! a unit, with a blank before it or not; capitals do not matter but in those of time:
//!
//! | | unit | such as |
//! |---|---|---|
//! | prefix | `k`, `M`, `G`, `T`, `P`: powers of 1000; `Ki`, `Mi`, `Gi`, `Ti`, `Pi`: powers of 1024 | |
//! | count | none, or a prefix of 1000 | `100000`, `10k`, `1.5M` |
//! | size | none, or any prefix, with `B` or without | `8192`, `8KiB`, `500MB`, `1.5G` |
//! | time | `ns`, `us`, `ms`, `s`, `m` or `min`, `h`, `d`, `w`; one behind the other; without a unit seconds | `5ms`, `1h 30min` |
//! | rate | as a count, then `/s`, `/min`, `/h` or `/d`; without one per second | `500`, `6000/min`, `7M` |
//! | share | `%` | `50%` |
//!
//! Counts and sizes are reckoned in whole numbers, so that `1.1G` is 1100000000 and not nearly so; what comes to a
//! fraction is refused. Who writes for another program keeps its meaning: the grammars of job files of fio, of
//! slob.conf and of the kernel are tables of their own on [`Written`].

use std::ops::RangeInclusive;

/// Digits that are read, at most: more are a slip of the finger.
const DIGITS_MAX: usize = 30;
/// The largest exponent that is reckoned with in whole numbers, of either sign, that of the decimals included.
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

/// How many of [`PREFIXES`] are powers of 1000.
const DECIMAL_PREFIXES: usize = 6;

/// Units of time in nanoseconds; the first name of each is the one that is written.
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

/// What is wrong with a text, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\nhint: {hint}")]
pub struct Wrong {
    /// Thing, value and limit.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Wrong {
    /// That `thing` cannot be `text`, because of `what`.
    pub fn new(thing: &str, text: &str, what: &str, hint: impl Into<String>) -> Wrong {
        Wrong { message: format!("{thing} {} {what}", said(text)), hint: hint.into() }
    }
}

/// `text` as an error names it: nothing at all is two quotes, and no sign moves the cursor.
fn said(text: &str) -> String {
    match text.trim() {
        "" => "\"\"".to_owned(),
        _ => text
            .chars()
            .flat_map(|letter| if letter.is_control() { letter.escape_debug().collect() } else { vec![letter] })
            .collect(),
    }
}

/// A number as it is written, and the unit behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written<'a> {
    /// Digits, `_`, a point, an exponent.
    pub number: &'a str,
    /// What stands behind, without blanks around it.
    pub unit: &'a str,
}

impl<'a> Written<'a> {
    /// `text` in its two parts; the number may be none.
    pub fn of(text: &'a str) -> Written<'a> {
        let text = text.trim();
        let is_of_number = |letter: char| matches!(letter, '0'..='9' | '.' | '_');
        let digits = text.find(|letter| !is_of_number(letter)).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits + exponent_bytes(&text[digits..]));
        Written { number, unit: unit.trim() }
    }

    /// The number times `factor`, as the only whole number that it is; none where it is none. What is beyond all numbers
    /// of ours is the greatest.
    pub fn times(&self, factor: u64) -> Option<u64> {
        let (product, divisor) = self.fraction(factor)?;
        product.is_multiple_of(divisor).then(|| u64::try_from(product / divisor).unwrap_or(u64::MAX))
    }

    /// The same, and what comes to a fraction is rounded down.
    pub fn about(&self, factor: u64) -> Option<u64> {
        let (product, divisor) = self.fraction(factor)?;
        Some(u64::try_from(product / divisor).unwrap_or(u64::MAX))
    }

    /// The number itself, as near as a floating point number is to it.
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

    /// Its digits, and by which power of ten they are to be multiplied.
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

/// How many bytes at the beginning of `text` are an exponent: `e3`, `E-7`.
fn exponent_bytes(text: &str) -> usize {
    let Some(behind) = text.strip_prefix(['e', 'E']) else { return 0 };
    let unsigned = behind.strip_prefix(['+', '-']).unwrap_or(behind);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 { 0 } else { text.len() - unsigned.len() + digits }
}

/// What a prefix stands for, and whether it is one of 1024.
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

/// The bytes of a unit of size, and whether its steps are of 1024.
pub(crate) fn size_factor(unit: &str) -> Option<(u64, bool)> {
    let bare = unit.strip_suffix(['B', 'b']).unwrap_or(unit);
    prefix(bare)
}

/// Nanoseconds of a length of time, rounded down: `5ms`, `1h 30min`, or a plain number of seconds.
pub fn time_ns(text: &str) -> Option<u64> {
    let text = text.trim();
    let written = Written::of(text);
    if written.unit.is_empty() {
        return written.about(SECOND_NS);
    }
    let (mut sum_ns, mut rest) = (0u64, text);
    while !rest.is_empty() {
        let number = Written::of(rest).number;
        let behind = rest[number.len()..].trim_start();
        let end = behind.find(|letter: char| letter.is_ascii_digit() || letter.is_whitespace()).unwrap_or(behind.len());
        let (unit, more) = behind.split_at(end);
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
    // Weeks are read, and not written.
    let whole = |(names, unit_ns): &(&[&str], u64)| {
        (time_ns > 0 && time_ns.is_multiple_of(*unit_ns)).then(|| format!("{}{}", time_ns / unit_ns, names[0]))
    };
    TIMES[..TIMES.len() - 1].iter().rev().find_map(whole).unwrap_or_else(|| "0".to_owned())
}

/// How many `text` says, within `range`.
///
/// # Errors
/// Names `thing`, the text and the limits.
pub fn count_within(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let example = if *range.end() < 10_000 { "" } else { ", such as 100k or 1.5M" };
    within(thing, text, count(text), "is not a whole number", range, |number| number.to_string(), example)
}

/// How many bytes `text` says, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn size_within(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let example = ", such as 500MB, 1.5GB or 8MiB";
    within(thing, text, size(text), "is not a size in whole bytes", range, |bytes| size_text(*bytes), example)
}

/// How many nanoseconds `text` says, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn time_ns_within(thing: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let example = ", a number of seconds or a time such as 500ms or 5min";
    within(thing, text, time_ns(text), "is not a length of time", range, |time| time_text(*time), example)
}

/// How many per second `text` says, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn rate_within(thing: &str, text: &str, range: RangeInclusive<f64>) -> Result<f64, Wrong> {
    let example = " per second, such as 500, 6000/min or 7M";
    within(thing, text, rate(text), "is not a rate", range, f64::to_string, example)
}

/// The number that `text` says, within `range`.
///
/// # Errors
/// As [`count_within`].
pub fn number_within(thing: &str, text: &str, range: RangeInclusive<f64>) -> Result<f64, Wrong> {
    within(thing, text, number(text), "is not a number", range, f64::to_string, "")
}

/// What was found in `text`, if it lies in `range`.
fn within<T: PartialOrd>(
    thing: &str,
    text: &str,
    found: Option<T>,
    is_none: &str,
    range: RangeInclusive<T>,
    told: impl Fn(&T) -> String,
    example: &str,
) -> Result<T, Wrong> {
    let (least, most) = (told(range.start()), told(range.end()));
    let what = match found {
        Some(value) if range.contains(&value) => return Ok(value),
        Some(value) if value < *range.start() => format!("is less than {least}"),
        Some(_) => format!("is more than {most}"),
        None => is_none.to_owned(),
    };
    Err(Wrong::new(thing, text, &what, format!("use {least} to {most}{example}")))
}

#[cfg(test)]
mod tests;
