//! The layout of a flat file.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::number::DIGITS_MAX as INT_DIGITS_MAX;

/// Maximum fields of a line, the limit of columns in databases.
const FIELDS_MAX: usize = 1_000;
/// Maximum digits of a decimal number, which always fit 64 bits.
const DECIMAL_DIGITS_MAX: u8 = 18;
/// Maximum length of a name; databases truncate or refuse longer ones.
const NAME_BYTES_MAX: usize = 63;

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

/// The fields of the lines of a flat file, and their separator. There is no escape for a separator, and no quoting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The name of the table.
    pub name: String,
    /// The byte between two fields.
    pub separator: u8,
    /// Whether a separator follows the last field.
    pub ends_with_separator: bool,
    /// Whether the first line of a file has the names of the fields.
    pub header: bool,
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
            header: false,
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
        Layout { separator: b',', ends_with_separator: false, header: true, ..Layout::cards() }
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
                header: written.header,
                fields,
            }),
        }
    }

    /// The header of a file with this layout, with its line feed, if there is one.
    pub fn header_line(&self) -> Option<Vec<u8>> {
        let names: Vec<&[u8]> = self.fields.iter().map(|field| field.name.as_bytes()).collect();
        let mut line = names.join(&self.separator);
        line.extend(self.ends_with_separator.then_some(self.separator));
        line.push(b'\n');
        self.header.then_some(line)
    }
}

/// Any character that is not part of lines, numbers, dates and names.
fn is_separator(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\n\r\0-+.\"_".contains(&byte)
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
                FieldKind::Text { size: self.within("size", size, 1, crate::LINE_BYTES_MAX as u32)? }
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
