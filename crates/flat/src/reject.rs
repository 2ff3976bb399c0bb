//! Rejected lines, and the reasons.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr_iter;

use crate::layout::{FieldKind, LINE_BYTES_MAX, Layout, Quote, UNDECLARED_QUOTE};
use crate::number::{DIGITS_MAX, NumberError, decimal, whole};
use crate::quoted::{FieldRange, QuoteFault, Quoting};

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
        /// Carriage returns before the end of the line: it may be several lines of another system.
        returns: usize,
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
    /// Begins with a quote, and the layout does not say what that is.
    Quote,
    /// Its quote is not closed.
    QuoteOpen,
    /// Something follows its closing quote.
    QuoteInside,
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
            Reason::FieldCount { found, expected, returns, .. } => {
                let noun = if *found == 1 { "field" } else { "fields" };
                write!(formatter, "{found} {noun} instead of {expected}")?;
                match returns {
                    0 => Ok(()),
                    1 => formatter.write_str("; the line has 1 carriage return before its end"),
                    returns => write!(formatter, "; the line has {returns} carriage returns before its end"),
                }
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
            Wrong::Quote => formatter.write_str(
                "begins with a quote; quote = \"\\\"\" in the layout reads quoted fields, quote = \"none\" loads quotes as content",
            ),
            Wrong::QuoteOpen => formatter.write_str("has a quote that is not closed"),
            Wrong::QuoteInside => {
                formatter.write_str("is followed by more than a separator or the end of the line; a quote within is doubled")
            }
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

/// Why `line`, without its line feed, is not a row of `layout`; with its carriage return where quotes are read, which may
/// be content there. Slow; the parser only detects *that* it is not.
#[cold]
pub(crate) fn reason(layout: &Layout, line: &[u8]) -> Reason {
    if line.len() > LINE_BYTES_MAX {
        return Reason::LineTooLong;
    }
    let (mut fields, faults) = match layout.quoting() {
        Some(quoting) => of_quoted(quoting, line),
        None => of_plain(layout, line),
    };
    let field_reason = |index: usize, wrong: Wrong, text: &[u8]| Reason::Field {
        number: index + 1,
        name: layout.fields.get(index).map_or_else(String::new, |field| field.name.clone()),
        text: String::from_utf8_lossy(text).chars().take(SHOWN_CHARS_MAX).collect(),
        wrong,
    };
    // Quotes that are not read as such change the number of fields.
    if let Some((index, wrong)) = faults {
        return field_reason(index, wrong, &fields[index]);
    }
    let expected = layout.fields.len();
    let end_missing =
        layout.ends_with_separator && !fields.last().is_some_and(|last| last.is_empty() && fields.len() > 1);
    if layout.ends_with_separator && !end_missing {
        fields.pop();
    }
    let found = fields.len();
    let line = if layout.reads_quotes() { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
    let returns = memchr_iter(b'\r', line).count();
    if found != expected || end_missing {
        return Reason::FieldCount { found, expected, end_missing: end_missing && found == expected, returns };
    }
    let wrong = fields
        .iter()
        .zip(&layout.fields)
        .enumerate()
        .find_map(|(index, (text, field))| Some(field_reason(index, wrong(field.kind, text)?, text)));
    // The parser rejected the line, so a field is not valid.
    wrong.unwrap_or(Reason::FieldCount { found, expected, end_missing: false, returns })
}

/// The fields of a line, and the first one whose quotes are wrong.
type Split<'a> = (Vec<Cow<'a, [u8]>>, Option<(usize, Wrong)>);

/// The fields of a line without quotes; one that begins with a quote is wrong if the layout does not say what that is.
fn of_plain<'a>(layout: &Layout, line: &'a [u8]) -> Split<'a> {
    let fields: Vec<Cow<'a, [u8]>> = line.split(|byte| *byte == layout.separator).map(Cow::Borrowed).collect();
    let is_quoted = |field: &Cow<'_, [u8]>| layout.quote == Quote::Refused && field.first() == Some(&UNDECLARED_QUOTE);
    let quoted = fields.iter().position(is_quoted);
    (fields, quoted.map(|index| (index, Wrong::Quote)))
}

/// The fields of a row with quotes.
fn of_quoted(quoting: Quoting, line: &[u8]) -> Split<'_> {
    let mut ranges = Vec::new();
    quoting.row(line, 0, &mut ranges);
    let fault = ranges.iter().enumerate().find_map(|(index, range)| match range.fault? {
        QuoteFault::Open => Some((index, Wrong::QuoteOpen)),
        QuoteFault::TextAfter => Some((index, Wrong::QuoteInside)),
    });
    let content = |range: &FieldRange| {
        let bytes = &line[range.start..range.end];
        match (range.is_doubled, std::str::from_utf8(bytes)) {
            (true, Ok(text)) => {
                let mut unescaped = String::new();
                quoting.unescape(text, &mut unescaped);
                Cow::Owned(unescaped.into_bytes())
            }
            // Invalid UTF-8 is what the reason says.
            _ => Cow::Borrowed(bytes),
        }
    };
    (ranges.iter().map(content).collect(), fault)
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
