//! Fields of comma-separated values that a spreadsheet opens.

use std::borrow::Cow;

/// What a formula of a spreadsheet begins with; the wide forms count in some of them.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// `field` as a spreadsheet shows it and does not run it: a text that begins like a formula has an apostrophe before it. Names of
/// hosts, settings, tests and messages were given by others; a number is a number.
pub fn field_text(field: &str) -> Cow<'_, str> {
    let is_formula = field.starts_with(FORMULA) && field.chars().nth(1).is_some();
    match is_formula && field.parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{field}")),
        false => Cow::Borrowed(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_begins_like_a_formula_is_text() {
        for text in ["=1+2", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\u{ff1d}1+1", "-host"] {
            assert_eq!(field_text(text), format!("'{text}"));
        }
        for text in ["", "db1", "-1.5", "-3e-9", "+5", "-", "a=b", "T611", "12 %"] {
            assert_eq!(field_text(text), text);
        }
    }
}
