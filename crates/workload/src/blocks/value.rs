//! The values of settings: numbers, sizes, times and words.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use record::Nanos;

use super::settings::{BLOCK, RedoStress, SCALE_MAX, Wrong};

/// Fewer blocks make no scan.
const SCAN_TABLE_MIN: u64 = 4;

/// The longest length of time.
const SECONDS_MAX: f64 = 7.0 * 86_400.0;

/// `value` as an error names it: nothing at all is two quotes.
fn said(value: &str) -> String {
    match value.trim() {
        "" => "\"\"".to_owned(),
        value => value.escape_debug().to_string(),
    }
}

pub(super) fn number<T>(shown: &str, value: &str, range: RangeInclusive<T>, what: &str) -> Result<T, Wrong>
where
    T: FromStr + PartialOrd + Display + Copy,
{
    let hint = || format!("give {what}, {} to {}", range.start(), range.end());
    match value.trim().parse::<T>() {
        Ok(number) if range.contains(&number) => Ok(number),
        Ok(number) => Err(Wrong::new(format!("{shown} {number} is out of range"), hint())),
        Err(_) => Err(Wrong::new(format!("{shown} {} is not a whole number", said(value)), hint())),
    }
}

pub(super) fn frequency(shown: &str, value: &str, least: u64) -> Result<u64, Wrong> {
    number(shown, value, least..=1_000_000_000, "in how many operations one is meant")
}

/// Blocks, or a size with M, G or T, which stands for so many blocks of 8 KiB.
pub(super) fn blocks(shown: &str, value: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let (least, most) = (range.start(), range.end());
    let hint = || format!("give {least} to {most} blocks, or a size such as 80M, 2G or 1T, in blocks of 8 KiB");
    let text = value.trim();
    let shift = match text.chars().last() {
        Some('m' | 'M') => Some(20),
        Some('g' | 'G') => Some(30),
        Some('t' | 'T') => Some(40),
        _ => None,
    };
    let digits = if shift.is_some() { &text[..text.len() - 1] } else { text };
    let number = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let Some(number) = number else {
        let message = format!("{shown} {} is neither a number of blocks nor a size", said(text));
        return Err(Wrong::new(message, hint()));
    };
    let blocks = match shift {
        Some(shift) => number.saturating_mul((1 << shift) / BLOCK.0),
        None => number,
    };
    match range.contains(&blocks) {
        true => Ok(blocks),
        false => Err(Wrong::new(format!("{shown} {text} is out of range: {blocks} blocks"), hint())),
    }
}

/// Blocks of the scan table; 0 for none.
pub(super) fn scan_table(shown: &str, value: &str) -> Result<u64, Wrong> {
    match value.trim() {
        "0" => Ok(0),
        value => blocks(shown, value, SCAN_TABLE_MIN..=SCALE_MAX),
    }
}

/// The size that `word` means: digits, and k, M, G or T for units of 1024, with or without `iB` or `B`.
pub fn size(word: &str) -> Option<u64> {
    let text = word.trim().to_ascii_lowercase();
    let text = text.strip_suffix("ib").or_else(|| text.strip_suffix('b')).unwrap_or(&text);
    let (digits, shift) = match text.chars().last()? {
        'k' => (&text[..text.len() - 1], 10),
        'm' => (&text[..text.len() - 1], 20),
        'g' => (&text[..text.len() - 1], 30),
        't' => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let number = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    number.checked_mul(1 << shift)
}

pub(super) fn seconds(shown: &str, value: &str, least: f64) -> Result<Nanos, Wrong> {
    match value.trim().parse::<f64>() {
        Ok(seconds) if (least..=SECONDS_MAX).contains(&seconds) => Ok(Nanos::from_seconds(seconds)),
        _ => {
            let message = format!("{shown} {} is not a length of time in seconds", said(value));
            Err(Wrong::new(message, format!("give a number from {least} to {SECONDS_MAX}")))
        }
    }
}

pub(super) fn redo_stress(shown: &str, value: &str) -> Result<RedoStress, Wrong> {
    match value.trim().to_ascii_uppercase().as_str() {
        "LITE" => Ok(RedoStress::Lite),
        "HEAVY" => Ok(RedoStress::Heavy),
        _ => Err(Wrong::new(
            format!("{shown} {} is neither LITE nor HEAVY", said(value)),
            "LITE changes 2 of 19 columns, HEAVY all of them",
        )),
    }
}

pub(super) fn switch(shown: &str, value: &str) -> Result<bool, Wrong> {
    match value.trim().to_ascii_uppercase().as_str() {
        "TRUE" => Ok(true),
        "FALSE" | "" => Ok(false),
        _ => {
            Err(Wrong::new(format!("{shown} {} is neither TRUE nor FALSE", value.escape_debug()), "give TRUE or FALSE"))
        }
    }
}
