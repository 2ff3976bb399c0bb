//! Numbers of reports: which of comma and point is decimal is told by the file, not by a number.

use std::collections::BTreeMap;

use crate::error::{Error, Result, shown};

/// What stands before the decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Notation {
    /// `1,234.5`.
    Point,
    /// `1.234,5` and `1 234,5`.
    Comma,
}

/// Numbers of a file that tell its notation.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// The first number that can be read in one notation only.
    found: BTreeMap<Notation, String>,
}

impl Evidence {
    /// Takes `text` as evidence, if it is a number.
    pub(crate) fn see(&mut self, text: &str) {
        if let Some(notation) = told_notation(text) {
            self.found.entry(notation).or_insert_with(|| shown(text));
        }
    }

    /// The notation of the file; nothing where no number tells.
    ///
    /// # Errors
    /// Where two numbers contradict each other.
    pub(crate) fn notation(&self) -> Result<Option<Notation>> {
        match (self.found.get(&Notation::Point), self.found.get(&Notation::Comma)) {
            (Some(one), Some(other)) => {
                let message = format!("numbers are written in two notations, such as {one} and {other}");
                Err(Error::new(message, "give a file that was written in one"))
            }
            (Some(_), None) => Ok(Some(Notation::Point)),
            (None, Some(_)) => Ok(Some(Notation::Comma)),
            (None, None) => Ok(None),
        }
    }
}

/// A blank within a number: some are written between groups of digits.
fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' | '\'')
}

/// Digits with separators, and what follows them: a letter for thousands, a unit, an exponent.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || is_blank(letter));
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = unsigned
        .find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | ',') && !is_blank(letter))
        .unwrap_or(unsigned.len());
    let (digits, suffix) = unsigned.split_at(end);
    let digits = digits.trim_end_matches(is_blank);
    digits.bytes().any(|byte| byte.is_ascii_digit()).then_some((digits, suffix.trim()))
}

/// The notation that `text` alone tells.
fn told_notation(text: &str) -> Option<Notation> {
    let (digits, suffix) = split(text)?;
    if !is_unit(suffix) {
        return None;
    }
    let of = |separator: char| if separator == '.' { Notation::Point } else { Notation::Comma };
    let other = |separator: char| if separator == '.' { Notation::Comma } else { Notation::Point };
    let last = digits.rfind(['.', ','])?;
    let separator = digits[last..].chars().next()?;
    let (before, after) = (&digits[..last], &digits[last + 1..]);
    let found = match before.rfind(['.', ',']) {
        // Two of a kind are between groups.
        Some(_) if before.contains(separator) => other(separator),
        Some(_) => of(separator),
        // A group has three digits, and the first of several groups one to three and no zero at its beginning.
        None if after.len() != 3 || before.is_empty() || before.len() > 3 || before.starts_with('0') => of(separator),
        None => return None,
    };
    read(digits, found).map(|_| found)
}

/// The value of digits with separators.
fn read(digits: &str, notation: Notation) -> Option<f64> {
    let (decimal, group) = match notation {
        Notation::Point => ('.', ','),
        Notation::Comma => (',', '.'),
    };
    let (whole, decimals) = digits.split_once(decimal).unwrap_or((digits, ""));
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) || (whole.is_empty() && decimals.is_empty()) {
        return None;
    }
    let groups: Vec<&str> = whole.split(|letter| letter == group || is_blank(letter)).collect();
    let is_grouped =
        groups.len() == 1 || ((1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|group| group.len() == 3));
    if !is_grouped {
        return None;
    }
    format!("{}.{decimals}0", groups.concat()).parse().ok()
}

/// What may follow the digits of a number of a report.
fn is_unit(suffix: &str) -> bool {
    factor(suffix).is_some() || seconds(suffix).is_some()
}

/// The factor of a letter for thousands, or of an exponent.
fn factor(suffix: &str) -> Option<f64> {
    match suffix {
        "" => Some(1.0),
        "K" | "k" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        "T" => Some(1e12),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['E', 'e'])?.parse().ok()?;
            (exponent.abs() <= 30).then(|| 10f64.powi(exponent))
        }
    }
}

/// The seconds of a unit of time.
fn seconds(suffix: &str) -> Option<f64> {
    match suffix {
        "ns" => Some(1e-9),
        "us" => Some(1e-6),
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        _ => None,
    }
}

/// The sign of `text`, and the value of its digits.
fn signed(text: &str, notation: Option<Notation>) -> Option<(f64, &str)> {
    let (digits, suffix) = split(text)?;
    // Without separators every notation reads the same.
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = read(digits, if is_plain { Notation::Point } else { notation? })?;
    let sign = if text.trim_start().starts_with('-') { -1.0 } else { 1.0 };
    Some((sign * value, suffix))
}

/// A number, in units of a thousand where a letter says so: `1,234.5`, `321.5K`, `4.8E+08`. Nothing where it is none, or has
/// separators of a notation that is not known.
pub(crate) fn number(text: &str, notation: Option<Notation>) -> Option<f64> {
    let (value, suffix) = signed(text, notation)?;
    Some(value * factor(suffix)?).filter(|value| value.is_finite())
}

/// A size in bytes, in units of 1024: `424M`, `5,424K`.
pub(crate) fn size_bytes(text: &str, notation: Option<Notation>) -> Option<u64> {
    let (value, suffix) = signed(text, notation)?;
    let power = match suffix {
        "" | "B" => 0,
        "K" | "KB" => 1,
        "M" | "MB" => 2,
        "G" | "GB" => 3,
        "T" | "TB" => 4,
        _ => return None,
    };
    whole(value * 1024f64.powi(power))
}

/// A time with its unit: `353.90us`; nothing without a unit.
pub(crate) fn duration_seconds(text: &str, notation: Option<Notation>) -> Option<f64> {
    let (value, suffix) = signed(text, notation)?;
    Some(value * seconds(suffix)?).filter(|value| value.is_finite())
}

/// A count or size of a number that is none below 0 and not too large for one.
pub(crate) fn whole(value: f64) -> Option<u64> {
    // Above 2^53 numbers that are written with thousands are no longer exact, but as good as their digits.
    (0.0..9.2e18).contains(&value).then(|| value.round() as u64)
}

/// A number with a decimal point or comma and nothing between groups, as programs write that have no thousands.
pub(crate) fn plain(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = !text.is_empty()
        && text.len() <= 40
        && text
            .bytes()
            .enumerate()
            .all(|(index, byte)| byte.is_ascii_digit() || matches!(byte, b'.' | b',') || (byte == b'-' && index == 0));
    if !is_plain {
        return exponential(text);
    }
    match text.contains(',') {
        true => text.replace(',', ".").parse().ok(),
        false => text.parse().ok(),
    }
}

/// `1.2e+06`.
fn exponential(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['e', 'E'])?;
    let digits = plain(digits)?;
    let exponent: i32 = exponent.parse().ok()?;
    (exponent.abs() <= 30).then(|| digits * 10f64.powi(exponent)).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests;
