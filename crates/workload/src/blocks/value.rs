//! The values of settings: numbers, sizes, times and words.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use base::quantity::{self, Written};
use record::{Bytes, Nanos};

/// The block size in which sizes are counted, whatever the block size of the engine.
pub(super) const BLOCK: Bytes = Bytes(8192);

/// Blocks of a table, at most.
pub(super) const SCALE_MAX: u64 = 1 << 40;

/// How much each updated row changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RedoStress {
    /// Two of its 19 columns.
    #[default]
    Lite,
    /// All 19.
    Heavy,
}

/// An invalid setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Wrong {
    /// Thing, value and limit.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Wrong {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), hint: hint.into() }
    }
}

/// The least blocks of a scan.
const SCAN_TABLE_MIN: u64 = 4;

/// The longest length of time.
const SECONDS_MAX: f64 = 7.0 * 86_400.0;

/// `value` in an error message: an empty value is two quotes.
fn quoted(value: &str) -> String {
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
        Err(_) => Err(Wrong::new(format!("{shown} {} is not a whole number", quoted(value)), hint())),
    }
}

pub(super) fn frequency(shown: &str, value: &str, least: u64) -> Result<u64, Wrong> {
    number(shown, value, least..=1_000_000_000, "one operation in how many")
}

/// Blocks, or a size in blocks of 8 KiB. In the files of this method M, G and T are powers of 1024; MiB, GiB and TiB
/// are the same.
pub(super) fn blocks(shown: &str, value: &str, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
    let (least, most) = (range.start(), range.end());
    let hint = || format!("give {least} to {most} blocks, or a size such as 80M, 2G or 1T, in blocks of 8 KiB");
    let written = Written::of(value);
    let unit = written.unit.to_ascii_lowercase();
    let blocks_of_unit = match unit.strip_suffix("ib").unwrap_or(&unit) {
        "" if unit.is_empty() => Some(1),
        "m" => Some((1 << 20) / BLOCK.0),
        "g" => Some((1 << 30) / BLOCK.0),
        "t" => Some((1 << 40) / BLOCK.0),
        _ => None,
    };
    let is_whole = written.number.bytes().all(|letter| letter.is_ascii_digit());
    let blocks = blocks_of_unit.filter(|_| is_whole).and_then(|blocks| written.times(blocks));
    let Some(blocks) = blocks else {
        let message = format!("{shown} {} is neither a number of blocks nor a size", quoted(value));
        return Err(Wrong::new(message, hint()));
    };
    match range.contains(&blocks) {
        true => Ok(blocks),
        false => Err(Wrong::new(format!("{shown} {} is out of range: {blocks} blocks", value.trim()), hint())),
    }
}

/// Blocks of the scan table; 0 for none.
pub(super) fn scan_table(shown: &str, value: &str) -> Result<u64, Wrong> {
    match value.trim() {
        "0" => Ok(0),
        value => blocks(shown, value, SCAN_TABLE_MIN..=SCALE_MAX),
    }
}

/// A time, in seconds without a unit.
pub(super) fn seconds(shown: &str, value: &str, least: f64) -> Result<Nanos, Wrong> {
    match quantity::time_ns(value).map(Nanos) {
        Some(time) if (least..=SECONDS_MAX).contains(&time.seconds()) => Ok(time),
        _ => {
            let message = format!("{shown} {} is not a length of time in seconds", quoted(value));
            Err(Wrong::new(message, format!("give a number from {least} to {SECONDS_MAX}, or a time such as 5min")))
        }
    }
}

pub(super) fn redo_stress(shown: &str, value: &str) -> Result<RedoStress, Wrong> {
    match value.trim().to_ascii_uppercase().as_str() {
        "LITE" => Ok(RedoStress::Lite),
        "HEAVY" => Ok(RedoStress::Heavy),
        _ => Err(Wrong::new(
            format!("{shown} {} is neither LITE nor HEAVY", quoted(value)),
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
