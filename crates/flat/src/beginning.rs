//! The beginning of a file: a byte order mark, other encodings and line ends, and a header against the names of the
//! layout.

use std::collections::BTreeSet;
use std::fmt;

use memchr::{memchr, memchr_iter};

use crate::layout::{Header, Layout, Quote};
use crate::quoted::{FieldRange, Quoting};

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// Marks of other encodings: first bytes, as text, and the name for `iconv`. Longer ones first.
const OTHER_MARKS: [(&[u8], &str, &str); 4] = [
    (b"\xFF\xFE\0\0", "FF FE 00 00", "UTF-32"),
    (b"\0\0\xFE\xFF", "00 00 FE FF", "UTF-32"),
    (b"\xFF\xFE", "FF FE", "UTF-16"),
    (b"\xFE\xFF", "FE FF", "UTF-16"),
];
/// Bytes that are searched for zeros.
const ZEROS_SEARCHED: usize = 4 << 10;
/// Most names of a list in a message.
const NAMES_SHOWN_MAX: usize = 30;
/// Most characters of a name of a file in a message.
const NAME_SHOWN_CHARS_MAX: usize = 60;

/// Why a file is not one of its layout, seen at its beginning. A mistake of who gave the two.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeginningError {
    /// Not UTF-8.
    #[error("it is {encoding} ({sign}), not UTF-8; hint: `iconv -f {encoding} -t UTF-8` converts it")]
    Encoding {
        /// The encoding, as `iconv` calls it.
        encoding: &'static str,
        /// What tells it.
        sign: String,
    },
    /// Lines end with carriage returns alone.
    #[error(
        "it has no line feed{within}, but {returns} carriage return{}; hint: `tr '\\r' '\\n'` makes lines of it",
        if *returns == 1 { "" } else { "s" }
    )]
    ReturnsOnly {
        /// Number of carriage returns.
        returns: usize,
        /// Where none was found, if not in the whole file.
        within: &'static str,
    },
    /// The first line does not have the names of the layout.
    #[error("{0}")]
    Header(HeaderMismatch),
}

/// Names of the first line of a file that are not those of its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderMismatch {
    /// The name of the layout.
    pub layout: String,
    /// The names of the first line.
    pub found: Vec<String>,
    /// The names of the layout.
    pub expected: Vec<String>,
    /// Whether a name of the first line is quoted, and the layout does not say what quotes are.
    pub has_unread_quotes: bool,
}

/// Length of the byte order mark of UTF-8 that `bytes` begin with; 0 without.
pub(crate) fn mark_length(bytes: &[u8]) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// Checks the beginning of a file with `layout`, without its byte order mark: at least the first line, or all of it if it
/// `is_all`.
pub(crate) fn check(bytes: &[u8], is_all: bool, layout: &Layout) -> Result<(), BeginningError> {
    check_encoding(bytes)?;
    let row_end = match layout.quoting() {
        Some(quoting) => quoting.row(bytes, 0, &mut Vec::new()),
        None => memchr(b'\n', bytes).unwrap_or(bytes.len()),
    };
    let row = &bytes[..row_end];
    if row_end == bytes.len() {
        check_returns(row, is_all, layout.quoting())?;
    }
    match layout.header {
        Header::Names if !bytes.is_empty() => check_names(row, layout).map_err(BeginningError::Header),
        _ => Ok(()),
    }
}

fn check_encoding(bytes: &[u8]) -> Result<(), BeginningError> {
    if let Some((_, mark, encoding)) = OTHER_MARKS.into_iter().find(|(mark, ..)| bytes.starts_with(mark)) {
        return Err(BeginningError::Encoding { encoding, sign: format!("its first bytes are {mark}") });
    }
    // Latin letters, digits and separators have a zero byte beside the one that they have in UTF-8.
    let searched = &bytes[..bytes.len().min(ZEROS_SEARCHED)];
    let zeros = |first: usize| searched.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count();
    let many = searched.len().div_ceil(4).max(2);
    let found = match (zeros(0), zeros(1)) {
        (0, odd) if odd >= many => Some(("UTF-16LE", odd)),
        (even, 0) if even >= many => Some(("UTF-16BE", even)),
        _ => None,
    };
    match found {
        Some((encoding, count)) => {
            let sign = format!("{count} of its first {} bytes are zero, all at every other place", searched.len());
            Err(BeginningError::Encoding { encoding, sign })
        }
        None => Ok(()),
    }
}

/// Refuses a beginning without a line feed that has carriage returns before its end, outside of quotes.
fn check_returns(bytes: &[u8], is_all: bool, quoting: Option<Quoting>) -> Result<(), BeginningError> {
    let count = |bytes: &[u8]| memchr_iter(b'\r', bytes).count();
    let returns = match quoting {
        None => count(bytes),
        Some(Quoting { quote, .. }) => bytes.split(|byte| *byte == quote).step_by(2).map(count).sum(),
    };
    let is_end = returns == 1 && bytes.ends_with(b"\r");
    match returns == 0 || is_end {
        true => Ok(()),
        false => Err(BeginningError::ReturnsOnly { returns, within: if is_all { "" } else { " in its first MiB" } }),
    }
}

/// Compares the names of `row`, the first of a file, with those of `layout`. Their case is that of a column in a
/// database: it does not matter. Neither do blanks around them.
fn check_names(row: &[u8], layout: &Layout) -> Result<(), HeaderMismatch> {
    let mut found = names(row, layout);
    if layout.ends_with_separator && found.len() > 1 && found.last().is_some_and(String::is_empty) {
        found.pop();
    }
    let expected: Vec<String> = layout.fields.iter().map(|field| field.name.clone()).collect();
    let is_same = |(found, expected): (&String, &String)| found.eq_ignore_ascii_case(expected);
    if found.len() == expected.len() && found.iter().zip(&expected).all(is_same) {
        return Ok(());
    }
    let has_unread_quotes = layout.quote == Quote::Refused && found.iter().any(|name| name.starts_with('"'));
    Err(HeaderMismatch { layout: layout.name.clone(), found, expected, has_unread_quotes })
}

fn names(row: &[u8], layout: &Layout) -> Vec<String> {
    let trimmed = |name: &[u8]| String::from_utf8_lossy(name).trim().to_owned();
    let Some(quoting) = layout.quoting() else {
        return row.split(|byte| *byte == layout.separator).map(trimmed).collect();
    };
    let mut ranges = Vec::new();
    quoting.row(row, 0, &mut ranges);
    let name = |content: &[u8]| {
        let mut name = String::new();
        quoting.unescape(&String::from_utf8_lossy(content), &mut name);
        name.trim().to_owned()
    };
    let of_range = |range: &FieldRange| match range.is_doubled {
        true => name(&row[range.start..range.end]),
        false => trimmed(&row[range.start..range.end]),
    };
    ranges.iter().map(of_range).collect()
}

impl fmt::Display for HeaderMismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeaderMismatch { layout, found, expected, .. } = self;
        let (shown, hint) = (self.difference(), self.hint());
        write!(
            formatter,
            "line 1 does not have the names of layout {layout}: {shown}; the line has {}; the layout has {}; hint: {hint}",
            list(found),
            list(expected),
        )
    }
}

impl HeaderMismatch {
    /// Names of the layout that the line does not have, and the other way round.
    fn missing_and_unknown(&self) -> (Vec<String>, Vec<String>) {
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect::<BTreeSet<_>>();
        let without = |names: &[String], known: &BTreeSet<String>| {
            names.iter().filter(|name| !known.contains(&name.to_ascii_lowercase())).cloned().collect()
        };
        (without(&self.expected, &lower(&self.found)), without(&self.found, &lower(&self.expected)))
    }

    fn difference(&self) -> String {
        let (missing, unknown) = self.missing_and_unknown();
        let mut seen = BTreeSet::new();
        let is_again = |name: &&String| !seen.insert(name.to_ascii_lowercase());
        let twice: Vec<String> = self.found.iter().filter(is_again).cloned().collect();
        let parts: Vec<String> = [("missing", &missing), ("unknown", &unknown), ("more than once", &twice)]
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what}: {}", list(names)))
            .collect();
        if parts.is_empty() { "they are in another order".to_owned() } else { parts.join(", ") }
    }

    fn hint(&self) -> &'static str {
        let (missing, unknown) = self.missing_and_unknown();
        match () {
            () if self.has_unread_quotes => r#"quote = "\"" in the layout reads quoted names and fields"#,
            () if missing.len() == self.expected.len() => {
                "if line 1 is a row, set header = false in the layout; --header ignore skips the line unread"
            }
            () if missing.is_empty() && unknown.is_empty() => {
                "put the fields of the layout in the order of the file; --header ignore skips the line unread"
            }
            () => "name the fields of the layout as the file does; --header ignore skips the line unread",
        }
    }
}

/// Names with commas, the first of many; what is no name of a field in quotes.
fn list(names: &[String]) -> String {
    let shown = |name: &String| {
        let is_plain = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let short: String = name.chars().take(NAME_SHOWN_CHARS_MAX).collect();
        if is_plain { short } else { format!("{short:?}") }
    };
    let mut shown: Vec<String> = names.iter().take(NAMES_SHOWN_MAX).map(shown).collect();
    if names.len() > NAMES_SHOWN_MAX {
        shown.push(format!("and {} more", names.len() - NAMES_SHOWN_MAX));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests;
