//! `buffer_pattern`, `verify_pattern`: a sequence of quoted text, numbers, files and, to verify, block offsets.
//!
//! The grammar is that of fio's lib/pattern.c.

use std::path::Path;

use crate::error::{Error, Result};

/// Maximum length of a pattern, like fio.
const PATTERN_BYTES_MAX: usize = 512;
/// Bytes of a block offset, `%o`.
const OFFSET_BYTES: usize = 8;

/// What a pattern may have besides text and numbers.
#[derive(Clone, Copy)]
pub(crate) struct Extras<'a> {
    /// Reads the file of `'name'`.
    pub(crate) content: &'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
    /// Whether `%o` stands for the offset of the block.
    pub(crate) has_offsets: bool,
}

/// Parses `"text"`, `0xdeadbeef`, `-12`, `'file'`, `%o` and sequences of them. Bytes of an offset are zeros.
pub(crate) fn pattern(text: &str, extras: Extras<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let before = bytes.len();
        let after = match rest.as_bytes()[0] {
            b'"' => quoted(rest, '"').map(|(inside, after)| {
                bytes.extend(inside.bytes());
                after
            }),
            b'\'' => match quoted(rest, '\'') {
                Some((name, after)) => {
                    let room = PATTERN_BYTES_MAX.saturating_sub(bytes.len());
                    bytes.extend(of_file(name, extras)?.into_iter().take(room));
                    Some(after)
                }
                None => None,
            },
            b'%' if rest.starts_with("%o") && extras.has_offsets => {
                bytes.extend([0; OFFSET_BYTES]);
                Some(&rest[2..])
            }
            _ => number(rest, &mut bytes),
        };
        let after = after.filter(|_| bytes.len() > before).ok_or_else(|| wrong(text, rest, extras))?;
        // Blanks before a number are skipped.
        rest = match after.trim_start() {
            "" => "",
            next if next.starts_with(|letter: char| letter.is_ascii_digit() || "+-".contains(letter)) => next,
            _ => after,
        };
    }
    match bytes.len() {
        0 => Err(wrong(text, "", extras)),
        length if length > PATTERN_BYTES_MAX => {
            Err(Error::new(format!("of {length} bytes is too long")).hint(format!("use at most {PATTERN_BYTES_MAX}")))
        }
        _ => Ok(bytes),
    }
}

/// The text between two quotes, and what follows them. A quote cannot be escaped.
fn quoted(text: &str, quote: char) -> Option<(&str, &str)> {
    text.strip_prefix(quote)?.split_once(quote)
}

fn of_file(name: &str, extras: Extras<'_>) -> Result<Vec<u8>> {
    let content = (extras.content)(Path::new(name)).map_err(|error| {
        Error::new(format!("'{name}' cannot be read: {error}"))
            .hint("single quotes have the name of a file, double quotes have text")
    })?;
    match content.is_empty() {
        true => Err(Error::new(format!("'{name}' is an empty file")).hint("name a file with the bytes of the pattern")),
        false => Ok(content),
    }
}

/// Parses one number, and returns what follows it: hexadecimal digits in written order, a decimal number of 32 bits in
/// little endian without its leading zeros. Either ends where the `0x` of another one begins.
fn number<'a>(text: &'a str, bytes: &mut Vec<u8>) -> Option<&'a str> {
    let is_prefix = |at: usize| text.get(at..at + 2).is_some_and(|two| two.eq_ignore_ascii_case("0x"));
    if is_prefix(0) {
        let run = text[2..].find(|letter: char| !letter.is_ascii_hexdigit()).map_or(text.len(), |end| end + 2);
        let end = if run > 2 && is_prefix(run - 1) { run - 1 } else { run };
        let digits = &text[2..end];
        let padded = format!("{}{digits}", if digits.len() % 2 == 1 { "0" } else { "" });
        for pair in padded.as_bytes().chunks(2) {
            bytes.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
        }
        return (!digits.is_empty()).then(|| &text[end..]);
    }
    let sign = usize::from(text.starts_with(['-', '+']));
    let run = text[sign..].find(|letter: char| !letter.is_ascii_digit()).map_or(text.len(), |end| end + sign);
    let end = if run > sign + 1 && is_prefix(run - 1) { run - 1 } else { run };
    let value: i32 = text[..end].parse().ok()?;
    let all = value.to_le_bytes();
    let length = all.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1);
    bytes.extend(&all[..length]);
    Some(&text[end..])
}

fn wrong(text: &str, rest: &str, extras: Extras<'_>) -> Error {
    let what = match rest == text || rest.is_empty() {
        true => format!("{text} is not a pattern"),
        false => format!("{text} is not a pattern from {rest} on"),
    };
    let offset = if extras.has_offsets { ", %o for the offset of the block" } else { "" };
    Error::new(what).hint(format!(
        "a pattern is \"text\" in quotes, 0xdeadbeef, a decimal number from {} to {}, the 'name' of a file{offset}, or \
         several of them",
        i32::MIN,
        i32::MAX
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<u8>> {
        pattern(text, Extras { content: &content, has_offsets: false })
    }

    fn content(path: &Path) -> std::io::Result<Vec<u8>> {
        match path.to_str() {
            Some("pat") => Ok(b"PAT".to_vec()),
            Some("long") => Ok(vec![b'x'; 600]),
            Some("empty") => Ok(Vec::new()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        }
    }

    /// The bytes are those that fio 3.33 wrote to a file.
    #[test]
    fn patterns_are_those_of_fio() {
        for (text, hex) in [
            ("\"abcd\"-120xdeadface", "61626364f4ffffffdeadface"),
            ("0xdeadface\"abcd\"-12", "deadface61626364f4ffffff"),
            ("-12", "f4ffffff"),
            ("0", "00"),
            ("256", "0001"),
            ("65535", "ffff"),
            ("+5", "05"),
            ("2147483647", "ffffff7f"),
            ("-2147483648", "00000080"),
            ("0xdeadbeef", "deadbeef"),
            ("0xabc", "0abc"),
            ("0xff0x14", "ff14"),
            ("120xab", "0cab"),
            ("00x12", "0012"),
            ("12\"a\"0xff", "0c61ff"),
            ("1 2", "0102"),
            ("\"a\" 5", "6105"),
            ("'pat'", "504154"),
            ("0x01'pat'\"b\"", "0150415462"),
        ] {
            let written: String = read(text).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(written, hex, "{text}");
        }
        assert_eq!(read("'long'").unwrap().len(), PATTERN_BYTES_MAX, "a longer file is cut");
    }

    #[test]
    fn an_offset_is_of_a_verified_block() {
        let verified = |text| pattern(text, Extras { content: &content, has_offsets: true });
        assert_eq!(verified("%o0xff").unwrap(), [0, 0, 0, 0, 0, 0, 0, 0, 0xff]);
        assert!(read("%o").is_err(), "fio refuses it in buffer_pattern");
        assert!(verified("%x").is_err());
    }

    #[test]
    fn invalid_patterns_are_errors() {
        for text in [
            "",
            "abc",
            "12abc",
            "100x",
            "\"abc",
            "0x",
            "0x0x14",
            "-",
            "'pat",
            "'none'",
            "'empty'",
            "0xé",
            "\"\"",
            "é",
            "4294967295",
            "99999999999999999999",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let message = read("\"abcd\"-12x").unwrap_err().message;
        assert_eq!(message, "\"abcd\"-12x is not a pattern from x on");
    }
}
