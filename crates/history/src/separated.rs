//! Records of separated values: quoted fields may contain separators, quotes that are doubled, and line feeds.

use std::io::BufRead;

use crate::error::{Error, Result};
use crate::limit::{COLUMNS_MAX, LINE_BYTES_MAX};
use crate::lines::Lines;

/// What may separate values; a header tells which of them does.
pub(crate) const SEPARATORS: [char; 4] = [',', '\t', ';', '|'];

/// Reads records one at a time, as text that [`split`] cuts.
pub(crate) struct Records<R> {
    lines: Lines<R>,
    record: String,
    line: u64,
    is_cut: bool,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(input: R) -> Records<R> {
        Records { lines: Lines::new(input), record: String::new(), line: 0, is_cut: false }
    }

    /// The next record that is not empty, and its first line; nothing at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<(&str, u64)>> {
        self.record.clear();
        let mut is_quoted = false;
        while let Some(line) = self.lines.next()? {
            is_quoted ^= line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
            if self.record.is_empty() && !is_quoted && line.trim().is_empty() {
                continue;
            }
            let is_first = self.record.is_empty();
            self.record.push_str(line);
            if is_first {
                self.line = self.lines.number();
            }
            if self.record.len() > LINE_BYTES_MAX {
                let message = format!("a record has more than {LINE_BYTES_MAX} bytes");
                return Err(Error::new(message, "is a quote missing?").at(self.line));
            }
            if !is_quoted {
                return Ok(Some((&self.record, self.line)));
            }
            self.record.push('\n');
        }
        self.is_cut = is_quoted;
        Ok(None)
    }

    /// Whether the file ends within a record or without the end of its last line.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut || !self.lines.is_complete()
    }

    /// Lines that were no UTF-8.
    pub(crate) fn foreign_count(&self) -> u64 {
        self.lines.foreign_count()
    }
}

/// Cuts a record into `fields`.
///
/// # Errors
/// Where it has too many.
pub(crate) fn split(record: &str, separator: char, fields: &mut Vec<String>) -> Result<()> {
    if !record.contains('"') {
        let mut count = 0;
        for value in record.split(separator) {
            check(count)?;
            match fields.get_mut(count) {
                Some(field) => {
                    field.clear();
                    field.push_str(value);
                }
                None => fields.push(value.to_owned()),
            }
            count += 1;
        }
        fields.truncate(count);
        return Ok(());
    }
    let mut letters = record.chars().peekable();
    let mut count = 0;
    loop {
        check(count)?;
        if fields.len() == count {
            fields.push(String::new());
        }
        let field = &mut fields[count];
        field.clear();
        count += 1;
        let mut is_quoted = false;
        let has_more = loop {
            match letters.next() {
                None => break false,
                Some('"') if is_quoted && letters.peek() == Some(&'"') => {
                    letters.next();
                    field.push('"');
                }
                Some('"') => is_quoted = !is_quoted,
                Some(letter) if letter == separator && !is_quoted => break true,
                Some(letter) => field.push(letter),
            }
        };
        if !has_more {
            break;
        }
    }
    fields.truncate(count);
    Ok(())
}

/// Refuses one more field than there may be.
fn check(count: usize) -> Result<()> {
    if count < COLUMNS_MAX {
        return Ok(());
    }
    let hint = "is it the file that was meant?";
    Err(Error::new(format!("a record has more than {COLUMNS_MAX} fields"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hide_separators_and_line_feeds() {
        let mut records = Records::new(b"a,\"b,\"\"c\"\"\n d\",\n\n1,2\n".as_slice());
        let mut fields = Vec::new();
        split(records.next().unwrap().unwrap().0, ',', &mut fields).unwrap();
        assert_eq!(fields, ["a", "b,\"c\"\n d", ""]);
        let (record, line) = records.next().unwrap().unwrap();
        assert_eq!((record, line), ("1,2", 4));
        assert!(records.next().unwrap().is_none() && !records.is_cut());
    }

    #[test]
    fn a_quote_without_end_is_a_cut_file() {
        let mut records = Records::new(b"a,\"b\nc\n".as_slice());
        assert!(records.next().unwrap().is_none() && records.is_cut());
        let endless = [b"\"".as_slice(), &b"x\n".repeat(LINE_BYTES_MAX)].concat();
        assert!(Records::new(endless.as_slice()).next().is_err());
    }
}
