//! Which fields a line has.

use std::collections::BTreeSet;

use serde::Deserialize;

/// Most fields of a line; databases have no more columns.
const FIELDS_MAX: usize = 1_000;
/// Most digits of a number: those that fit 64 bits.
const DIGITS_MAX: u8 = 18;
/// Longest name; what databases cut off or refuse begins here.
const NAME_BYTES_MAX: usize = 63;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A whole number of 64 bits, with a sign.
    Int {
        /// Most digits, 1 to 18.
        digits_max: u8,
    },
    /// A number with a fixed count of decimals.
    Decimal {
        /// Digits in all, 1 to 18.
        precision: u8,
        /// Those behind the point, at most `precision`.
        scale: u8,
    },
    /// A day of the calendar, `YYYY-MM-DD`.
    Date,
    /// A text of UTF-8.
    Text {
        /// Most characters, not bytes.
        size: u32,
    },
}

/// One field of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, which is that of the column: a letter or `_`, then letters, digits and `_`.
    pub name: String,
    /// What the field holds, and its limits.
    pub kind: FieldKind,
}

/// Which fields the lines of a flat file have, and how they are told apart. A separator has no escape: a text that
/// holds one is two fields, and a quotation mark is a character like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The name of the table.
    pub name: String,
    /// The byte between two fields.
    pub separator: u8,
    /// Whether a separator stands behind the last field too.
    pub ends_with_separator: bool,
    /// Whether the first line of a file names the fields and is no row.
    pub header: bool,
    /// The fields in the order of the line; at least one.
    pub fields: Vec<Field>,
}

/// Why a text is no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// It is not TOML, or has keys that are not known.
    #[error("layout: {0}")]
    Syntax(String),
    /// The separator is none.
    #[error(
        "layout: separator {0:?} cannot separate fields; hint: use one character such as | or , that no field holds"
    )]
    Separator(String),
    /// Too few or too many fields.
    #[error("layout: {0} fields; hint: name 1 to {FIELDS_MAX} of them, each as [[fields]]")]
    FieldCount(usize),
    /// A name that is none.
    #[error(
        "layout: {0:?} is not a name of a field; hint: use a letter, then letters, digits and _, at most {NAME_BYTES_MAX}"
    )]
    Name(String),
    /// Two fields of one name.
    #[error("layout: two fields are called {0}")]
    Twice(String),
    /// A size that is out of range.
    #[error("layout: field {field}: {what} {value} is out of range; hint: use {least} to {most}")]
    Range {
        /// The name of the field.
        field: String,
        /// The key of the layout file that is out of range.
        what: &'static str,
        /// What the key is set to.
        value: u32,
        /// The least that can be.
        least: u32,
        /// The most that can be.
        most: u32,
    },
    /// A key that the kind of a field needs, or must not have.
    #[error("layout: field {field}: kind {kind} {what}")]
    Key {
        /// The name of the field.
        field: String,
        /// The kind of the field, which has no such key.
        kind: &'static str,
        /// What is missing or too much.
        what: &'static str,
    },
}

impl Layout {
    /// The layout of the card transactions that [`Cards`](crate::Cards) makes: bars, one at the end too.
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

    /// The same with commas between the fields, none at the end, and a first line of names.
    pub fn cards_csv() -> Layout {
        Layout { separator: b',', ends_with_separator: false, header: true, ..Layout::cards() }
    }

    /// Reads a layout from TOML:
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
    /// Where the text is no TOML of this form, and where a name or a size cannot be.
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
        // Databases do not tell capitals from small letters.
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

    /// The first line of a file with this layout, if it is one of names: the names and the end of the line.
    pub fn header_line(&self) -> Option<Vec<u8>> {
        let names: Vec<&[u8]> = self.fields.iter().map(|field| field.name.as_bytes()).collect();
        let mut line = names.join(&self.separator);
        line.extend(self.ends_with_separator.then_some(self.separator));
        line.push(b'\n');
        self.header.then_some(line)
    }
}

/// Anything but what lines, numbers, dates and letters are made of.
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

    fn needs(self) -> &'static str {
        match self {
            WrittenKind::Int => "has digits (default 18) and nothing else",
            WrittenKind::Decimal => "needs precision and scale and has nothing else",
            WrittenKind::Date => "has nothing else",
            WrittenKind::Text => "needs size and has nothing else",
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
                let digits = digits.unwrap_or(u32::from(DIGITS_MAX));
                FieldKind::Int { digits_max: self.within("digits", digits, 1, u32::from(DIGITS_MAX))? as u8 }
            }
            (WrittenKind::Decimal, None, Some(precision), Some(scale), None) => FieldKind::Decimal {
                precision: self.within("precision", precision, 1, u32::from(DIGITS_MAX))? as u8,
                scale: self.within("scale", scale, 0, precision)? as u8,
            },
            (WrittenKind::Date, None, None, None, None) => FieldKind::Date,
            (WrittenKind::Text, None, None, None, Some(size)) => {
                FieldKind::Text { size: self.within("size", size, 1, crate::LINE_BYTES_MAX as u32)? }
            }
            (kind, ..) => {
                return Err(LayoutError::Key { field: self.name, kind: kind.name(), what: kind.needs() });
            }
        };
        Ok(Field { name: self.name, kind })
    }

    fn within(&self, what: &'static str, value: u32, least: u32, most: u32) -> Result<u32, LayoutError> {
        match (least..=most).contains(&value) {
            true => Ok(value),
            false => Err(LayoutError::Range { field: self.name.clone(), what, value, least, most }),
        }
    }
}

fn is_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && name.len() <= NAME_BYTES_MAX && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests;
