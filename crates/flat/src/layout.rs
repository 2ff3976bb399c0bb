//! The layout of a flat file.

use std::collections::BTreeSet;

use memchr::memchr_iter;
use serde::Deserialize;

use crate::number::DIGITS_MAX as INT_DIGITS_MAX;
use crate::quoted::Quoting;

/// Maximum length of a line, in bytes without the line feed. A longer one is a reject; where quotes are read, a longer row
/// is an error.
pub const LINE_BYTES_MAX: usize = 1 << 20;
/// Maximum fields of a line, the limit of columns in databases.
const FIELDS_MAX: usize = 1_000;
/// Maximum digits of a decimal number, which always fit 64 bits.
const DECIMAL_DIGITS_MAX: u8 = 18;
/// Maximum length of a name; databases truncate or refuse longer ones.
const NAME_BYTES_MAX: usize = 63;
/// The quote that is refused at the start of a field where a layout says nothing of quotes.
pub(crate) const UNDECLARED_QUOTE: u8 = b'"';

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A signed 64-bit integer.
    Int {
        /// Maximum digits, 1 to 19; with 19 of them any number that fits.
        digits_max: u8,
    },
    /// A number with a fixed count of decimals.
    Decimal {
        /// Total digits, 1 to 18.
        precision: u8,
        /// Digits after the point, at most `precision`.
        scale: u8,
    },
    /// A date, `YYYY-MM-DD`.
    Date,
    /// A UTF-8 text.
    Text {
        /// Maximum characters, not bytes.
        size: u32,
    },
}

/// One field of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the field and the column: a letter or `_`, then letters, digits and `_`.
    pub name: String,
    /// The type of the field, and its limits.
    pub kind: FieldKind,
}

/// What the first line of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// A row.
    Absent,
    /// The names of the fields, in their order. The letter case of names does not matter.
    Names,
    /// Skipped, whatever it has.
    Unread,
}

/// What a quote at the start of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// A reason to reject the line: nobody has said what it is.
    Refused,
    /// A character of the field.
    Content,
    /// The start of a quoted field as RFC 4180 has it, with this byte as the quote.
    Read(u8),
}

/// The fields of the lines of a flat file, and their separator. There is no escape for a separator other than quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The name of the table.
    pub name: String,
    /// The byte between two fields.
    pub separator: u8,
    /// Whether a separator follows the last field.
    pub ends_with_separator: bool,
    /// What the first line of a file is.
    pub header: Header,
    /// What quotes are.
    pub quote: Quote,
    /// The fields in the order of the line; at least one.
    pub fields: Vec<Field>,
}

/// Why a text is not a layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Not TOML, or unknown keys.
    #[error("layout: {0}")]
    Syntax(String),
    /// Invalid separator.
    #[error(
        "layout: separator {0:?} cannot separate fields; hint: use one character such as | or , that no field contains"
    )]
    Separator(String),
    /// Invalid quote.
    #[error(
        "layout: quote {0:?} cannot quote fields; hint: use \"\\\"\" or another punctuation mark that does not separate \
         fields, or none where quotes are content"
    )]
    Quote(String),
    /// Too few or too many fields.
    #[error("layout: {0} fields; hint: list 1 to {FIELDS_MAX} of them, each as [[fields]]")]
    FieldCount(usize),
    /// Invalid name.
    #[error(
        "layout: {0:?} is not a name of a field; hint: use a letter, then letters, digits and _, at most {NAME_BYTES_MAX}"
    )]
    Name(String),
    /// Duplicate name.
    #[error("layout: two fields have the name {0}")]
    Twice(String),
    /// A size out of range.
    #[error("layout: field {field}: {what} {value} is out of range; hint: use {min} to {max}")]
    Range {
        /// The name of the field.
        field: String,
        /// The key.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The minimum.
        min: u32,
        /// The maximum.
        max: u32,
    },
    /// A missing or unexpected key of a field.
    #[error("layout: field {field}: kind {kind} {what}")]
    Key {
        /// The name of the field.
        field: String,
        /// The kind of the field.
        kind: &'static str,
        /// The keys of this kind.
        what: &'static str,
    },
}

impl Layout {
    /// The layout of [`Cards`](crate::Cards): bars between the fields and at the end.
    pub fn cards() -> Layout {
        let field = |name: &str, kind| Field { name: name.to_owned(), kind };
        Layout {
            name: "cards".to_owned(),
            separator: b'|',
            ends_with_separator: true,
            header: Header::Absent,
            quote: Quote::Refused,
            fields: vec![
                field("card_no", FieldKind::Int { digits_max: 16 }),
                field("card_type", FieldKind::Text { size: 12 }),
                field("mcc", FieldKind::Int { digits_max: 4 }),
                field("purchase_amt", FieldKind::Decimal { precision: 10, scale: 2 }),
                field("purchase_dt", FieldKind::Date),
                field("merchant_code", FieldKind::Int { digits_max: 8 }),
                field("merchant_city", FieldKind::Text { size: 20 }),
                field("merchant_state", FieldKind::Text { size: 2 }),
                field("merchant_zip", FieldKind::Text { size: 5 }),
            ],
        }
    }

    /// The same with commas between the fields, none at the end, and a header.
    pub fn cards_csv() -> Layout {
        Layout { separator: b',', ends_with_separator: false, header: Header::Names, ..Layout::cards() }
    }

    /// The layout that `source` names, `cards` or `cards-csv`, or that it is as TOML.
    ///
    /// # Errors
    /// As [`Layout::from_toml`].
    pub fn of(source: &str) -> Result<Layout, LayoutError> {
        match source {
            "cards" => Ok(Layout::cards()),
            "cards-csv" => Ok(Layout::cards_csv()),
            text => Layout::from_toml(text),
        }
    }

    /// Parses a layout from TOML:
    ///
    /// ```toml
    /// name = "cards"
    /// separator = "|"
    /// ends_with_separator = true
    /// header = false        # true: the first line of a file has the names of the fields
    /// quote = "\""          # quoted fields are read; or none, where a quote is content
    ///
    /// [[fields]]
    /// name = "card_no"
    /// kind = "int"          # with digits; or decimal with precision and scale, date, text with size
    /// digits = 16
    /// ```
    ///
    /// # Errors
    /// If the text is not TOML of this form, or a name or a size is not valid.
    pub fn from_toml(text: &str) -> Result<Layout, LayoutError> {
        let written: Written = toml::from_str(text).map_err(|error| LayoutError::Syntax(error.message().to_owned()))?;
        let separator = match written.separator.as_bytes() {
            [byte] if is_separator(*byte) => *byte,
            _ => return Err(LayoutError::Separator(written.separator)),
        };
        let quote = quote(written.quote, separator)?;
        if !(1..=FIELDS_MAX).contains(&written.fields.len()) {
            return Err(LayoutError::FieldCount(written.fields.len()));
        }
        let fields = written.fields.into_iter().map(WrittenField::field).collect::<Result<Vec<Field>, _>>()?;
        let mut names = BTreeSet::new();
        // Column names are case-insensitive in databases.
        match fields.iter().find(|field| !names.insert(field.name.to_ascii_lowercase())) {
            Some(field) => Err(LayoutError::Twice(field.name.clone())),
            None => Ok(Layout {
                name: written.name,
                separator,
                ends_with_separator: written.ends_with_separator,
                header: if written.header { Header::Names } else { Header::Absent },
                quote,
                fields,
            }),
        }
    }

    /// Whether the first line of a file is no row.
    pub fn has_header(&self) -> bool {
        self.header != Header::Absent
    }

    /// Whether quoted fields are read.
    pub fn reads_quotes(&self) -> bool {
        self.quoting().is_some()
    }

    /// Whether a field of `lines` begins with a quote, and the layout does not say what that is.
    pub fn refuses_quote_of(&self, lines: &[u8]) -> bool {
        let begins = |at: usize| at == 0 || lines[at - 1] == self.separator || lines[at - 1] == b'\n';
        self.quote == Quote::Refused && memchr_iter(UNDECLARED_QUOTE, lines).any(begins)
    }

    /// The bytes that structure a row with quotes; none where quotes are not read.
    pub(crate) fn quoting(&self) -> Option<Quoting> {
        match self.quote {
            Quote::Read(quote) => Some(Quoting { separator: self.separator, quote }),
            Quote::Refused | Quote::Content => None,
        }
    }

    /// Appends `text` as a field, quoted where it has to be.
    pub fn write_field(&self, text: &str, into: &mut Vec<u8>) {
        match self.quoting() {
            Some(quoting) => quoting.escape(text, into),
            None => into.extend_from_slice(text.as_bytes()),
        }
    }

    /// The header of a file with this layout, with its line feed, if there is one.
    pub fn header_line(&self) -> Option<Vec<u8>> {
        let names: Vec<&[u8]> = self.fields.iter().map(|field| field.name.as_bytes()).collect();
        let mut line = names.join(&self.separator);
        line.extend(self.ends_with_separator.then_some(self.separator));
        line.push(b'\n');
        self.has_header().then_some(line)
    }
}

/// Any character that is not part of lines, numbers, dates and names.
fn is_separator(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\n\r\0-+.\"_".contains(&byte)
}

/// The quote that a layout writes.
fn quote(written: Option<String>, separator: u8) -> Result<Quote, LayoutError> {
    let Some(text) = written else { return Ok(Quote::Refused) };
    match text.as_bytes() {
        b"none" => Ok(Quote::Content),
        [UNDECLARED_QUOTE] => Ok(Quote::Read(UNDECLARED_QUOTE)),
        [byte] if is_separator(*byte) && !byte.is_ascii_whitespace() && *byte != separator => Ok(Quote::Read(*byte)),
        _ => Err(LayoutError::Quote(text)),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(default = "bar")]
    separator: String,
    #[serde(default)]
    ends_with_separator: bool,
    #[serde(default)]
    header: bool,
    quote: Option<String>,
    fields: Vec<WrittenField>,
}

fn bar() -> String {
    "|".to_owned()
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum WrittenKind {
    Int,
    Decimal,
    Date,
    Text,
}

impl WrittenKind {
    fn name(self) -> &'static str {
        match self {
            WrittenKind::Int => "int",
            WrittenKind::Decimal => "decimal",
            WrittenKind::Date => "date",
            WrittenKind::Text => "text",
        }
    }

    fn keys(self) -> &'static str {
        match self {
            WrittenKind::Int => "has only the key digits (default 19)",
            WrittenKind::Decimal => "requires the keys precision and scale only",
            WrittenKind::Date => "has no further keys",
            WrittenKind::Text => "requires the key size only",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenField {
    name: String,
    kind: WrittenKind,
    digits: Option<u32>,
    precision: Option<u32>,
    scale: Option<u32>,
    size: Option<u32>,
}

impl WrittenField {
    fn field(self) -> Result<Field, LayoutError> {
        if !is_name(&self.name) {
            return Err(LayoutError::Name(self.name));
        }
        let kind = match (self.kind, self.digits, self.precision, self.scale, self.size) {
            (WrittenKind::Int, digits, None, None, None) => {
                let digits = digits.unwrap_or(u32::from(INT_DIGITS_MAX));
                FieldKind::Int { digits_max: self.within("digits", digits, 1, u32::from(INT_DIGITS_MAX))? as u8 }
            }
            (WrittenKind::Decimal, None, Some(precision), Some(scale), None) => FieldKind::Decimal {
                precision: self.within("precision", precision, 1, u32::from(DECIMAL_DIGITS_MAX))? as u8,
                scale: self.within("scale", scale, 0, precision)? as u8,
            },
            (WrittenKind::Date, None, None, None, None) => FieldKind::Date,
            (WrittenKind::Text, None, None, None, Some(size)) => {
                FieldKind::Text { size: self.within("size", size, 1, LINE_BYTES_MAX as u32)? }
            }
            (kind, ..) => {
                return Err(LayoutError::Key { field: self.name, kind: kind.name(), what: kind.keys() });
            }
        };
        Ok(Field { name: self.name, kind })
    }

    fn within(&self, what: &'static str, value: u32, min: u32, max: u32) -> Result<u32, LayoutError> {
        match (min..=max).contains(&value) {
            true => Ok(value),
            false => Err(LayoutError::Range { field: self.name.clone(), what, value, min, max }),
        }
    }
}

fn is_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && name.len() <= NAME_BYTES_MAX && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests;
