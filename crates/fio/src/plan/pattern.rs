//! `buffer_pattern`: a sequence of quoted text and numbers.

use crate::error::{Error, Result};

/// Maximum length of a pattern, like fio.
const PATTERN_BYTES_MAX: usize = 512;

/// Parses `"text"`, `0xdeadbeef`, `-12` and sequences of them.
pub(crate) fn pattern(text: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (inside, after) = quoted.split_once('"').ok_or_else(|| wrong(text))?;
                bytes.extend(inside.bytes());
                after
            }
            None if rest.starts_with('\'') => {
                let error = Error::new(format!("{text} is the name of a file"));
                return Err(error.hint("write the bytes themselves, in \"quotes\" or as 0x..."));
            }
            None => number(rest, &mut bytes).ok_or_else(|| wrong(text))?,
        };
    }
    match bytes.len() {
        0 => Err(wrong(text)),
        length if length > PATTERN_BYTES_MAX => {
            Err(Error::new(format!("of {length} bytes is too long")).hint(format!("use at most {PATTERN_BYTES_MAX}")))
        }
        _ => Ok(bytes),
    }
}

/// Parses one number: hexadecimal digits in written order, a decimal one in little endian.
fn number<'a>(text: &'a str, bytes: &mut Vec<u8>) -> Option<&'a str> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = digits.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(digits.len());
        let padded = format!("{}{}", if end % 2 == 1 { "0" } else { "" }, &digits[..end]);
        for pair in padded.as_bytes().chunks(2) {
            bytes.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
        }
        return (end > 0).then(|| &digits[end..]);
    }
    let sign = usize::from(text.starts_with('-'));
    let end = text[sign..].find(|letter: char| !letter.is_ascii_digit()).map_or(text.len(), |end| end + sign);
    let value: i64 = text[..end].parse().ok()?;
    let significant = value.to_le_bytes();
    let filler = if value < 0 { 0xff } else { 0 };
    let length = significant.iter().rposition(|byte| *byte != filler).map_or(1, |last| last + 1);
    bytes.extend(&significant[..length]);
    Some(&text[end..])
}

fn wrong(text: &str) -> Error {
    Error::new(format!("{text} is not a pattern")).hint("a pattern is \"text\" in quotes, or a number: 0xdeadbeef")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_numbers_are_concatenated() {
        assert_eq!(pattern("0xdeadbeef").unwrap(), [0xde, 0xad, 0xbe, 0xef]);
        assert_eq!(pattern("0xabc").unwrap(), [0x0a, 0xbc]);
        assert_eq!(pattern("\"abcd\"-12").unwrap(), [b'a', b'b', b'c', b'd', 0xf4]);
        assert_eq!(pattern("0").unwrap(), [0]);
        assert_eq!(pattern("65535").unwrap(), [0xff, 0xff]);
    }

    #[test]
    fn invalid_patterns_are_errors() {
        for text in ["", "abc", "\"abc", "0x", "-", "'file'", "0xé", "99999999999999999999"] {
            assert!(pattern(text).is_err(), "{text}");
        }
    }
}
