//! Rejected lines, and the reasons.

use std::fmt;

use crate::layout::{FieldKind, Layout};
use crate::line_reader::LINE_BYTES_MAX;
use crate::number::{DIGITS_MAX, NumberError, decimal, whole};

/// Maximum characters of a field in a reason; the whole line is stored beside it.
const SHOWN_CHARS_MAX: usize = 60;

/// A line that is not a row of its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// Its number in the file, from 1.
    pub line: u64,
    /// The first error from the left.
    pub reason: Reason,
    /// The line, without its line feed.
    pub text: Vec<u8>,
}

/// Why a line is not a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Too few or too many fields.
    FieldCount {
        /// Fields of the line.
        found: usize,
        /// Fields of the layout.
        expected: usize,
        /// Whether the separator at the end is missing.
        end_missing: bool,
    },
    /// The line is longer than [`LINE_BYTES_MAX`].
    LineTooLong,
    /// A field is not valid.
    Field {
        /// Its number, from 1.
        number: usize,
        /// The name of the field.
        name: String,
        /// Its text, shortened, with U+FFFD for invalid UTF-8.
        text: String,
        /// The error.
        wrong: Wrong,
    },
}

/// The error of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Not UTF-8.
    NotUtf8,
    /// Contains a zero byte, which not every database can store.
    ZeroByte,
    /// Not an integer.
    NotInt,
    /// Not a decimal number.
    NotDecimal,
    /// Not a date `YYYY-MM-DD`.
    NotDate,
    /// Nothing, where a number or a date is.
    Empty,
    /// More digits of an integer than this.
    Digits(u8),
    /// An integer that does not fit 64 bits.
    BeyondInt,
    /// More digits before the point of a decimal number than this.
    WholeDigits(u8),
    /// More decimals than this.
    Decimals(u8),
    /// More characters than this.
    TooLong(u32),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::FieldCount { end_missing: true, .. } => formatter.write_str("no separator at the end of the line"),
            Reason::FieldCount { found, expected, .. } => {
                let noun = if *found == 1 { "field" } else { "fields" };
                write!(formatter, "{found} {noun} instead of {expected}")
            }
            Reason::LineTooLong => write!(formatter, "the line has more than {LINE_BYTES_MAX} bytes, and is truncated"),
            Reason::Field { number, name, wrong: Wrong::Empty, .. } => {
                write!(formatter, "field {number} {name}: {}", Wrong::Empty)
            }
            Reason::Field { number, name, text, wrong } => write!(formatter, "field {number} {name}: {text:?} {wrong}"),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::NotUtf8 => formatter.write_str("is not UTF-8"),
            Wrong::ZeroByte => formatter.write_str("contains a zero byte"),
            Wrong::NotInt => formatter.write_str("is not a whole number"),
            Wrong::NotDecimal => formatter.write_str("is not a decimal number"),
            Wrong::NotDate => formatter.write_str("is not a date"),
            Wrong::Empty => formatter.write_str("the field is empty; nulls are not supported"),
            Wrong::Digits(1) => formatter.write_str("has more than 1 digit"),
            Wrong::Digits(max) => write!(formatter, "has more than {max} digits"),
            Wrong::BeyondInt => {
                let (min, max) = (i64::MIN, i64::MAX);
                write!(formatter, "does not fit an int of 64 bits, {min} to {max}; kind text holds any digits")
            }
            Wrong::WholeDigits(1) => formatter.write_str("has more than 1 digit before the point"),
            Wrong::WholeDigits(max) => write!(formatter, "has more than {max} digits before the point"),
            Wrong::Decimals(1) => formatter.write_str("has more than 1 decimal"),
            Wrong::Decimals(max) => write!(formatter, "has more than {max} decimals"),
            Wrong::TooLong(1) => formatter.write_str("has more than 1 character"),
            Wrong::TooLong(max) => write!(formatter, "has more than {max} characters"),
        }
    }
}

/// Why `line`, without its line feed, is not a row of `layout`. Slow; the parser only detects *that* it is not.
#[cold]
pub(crate) fn reason(layout: &Layout, line: &[u8]) -> Reason {
    if line.len() > LINE_BYTES_MAX {
        return Reason::LineTooLong;
    }
    let mut fields: Vec<&[u8]> = line.split(|byte| *byte == layout.separator).collect();
    let expected = layout.fields.len();
    let end_missing = layout.ends_with_separator && !line.ends_with(&[layout.separator]);
    if layout.ends_with_separator && !end_missing {
        fields.pop();
    }
    let found = fields.len();
    if found != expected || end_missing {
        return Reason::FieldCount { found, expected, end_missing: end_missing && found == expected };
    }
    let wrong = fields.iter().zip(&layout.fields).enumerate().find_map(|(index, (text, field))| {
        let wrong = wrong(field.kind, text)?;
        let shown = String::from_utf8_lossy(text).chars().take(SHOWN_CHARS_MAX).collect();
        Some(Reason::Field { number: index + 1, name: field.name.clone(), text: shown, wrong })
    });
    // The parser rejected the line, so a field is not valid.
    wrong.unwrap_or(Reason::FieldCount { found, expected, end_missing: false })
}

/// The error of `text` as a field of `kind`.
fn wrong(kind: FieldKind, text: &[u8]) -> Option<Wrong> {
    let Ok(characters) = std::str::from_utf8(text) else { return Some(Wrong::NotUtf8) };
    if text.contains(&0) {
        return Some(Wrong::ZeroByte);
    }
    match kind {
        FieldKind::Int { .. } | FieldKind::Decimal { .. } | FieldKind::Date if text.is_empty() => Some(Wrong::Empty),
        FieldKind::Int { digits_max } => match whole(text, digits_max) {
            Ok(_) => None,
            Err(NumberError::Range) if digits_max >= DIGITS_MAX => Some(Wrong::BeyondInt),
            Err(NumberError::Range) => Some(Wrong::Digits(digits_max)),
            Err(_) => Some(Wrong::NotInt),
        },
        FieldKind::Decimal { precision, scale } => match decimal(text, precision, scale) {
            Ok(_) => None,
            Err(NumberError::Range) => Some(Wrong::WholeDigits(precision - scale)),
            Err(NumberError::Decimals) => Some(Wrong::Decimals(scale)),
            Err(NumberError::Form) => Some(Wrong::NotDecimal),
        },
        FieldKind::Date => crate::date::days_of_date(text).is_none().then_some(Wrong::NotDate),
        FieldKind::Text { size } => (characters.chars().count() > size as usize).then_some(Wrong::TooLong(size)),
    }
}
