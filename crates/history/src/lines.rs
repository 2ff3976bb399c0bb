//! The lines of a file, one at a time.

use std::io::BufRead;

use crate::encoding::{self, BYTE_ORDER_MARK};
use crate::error::{Error, Result};
use crate::limit::{FILE_BYTES_MAX, LINE_BYTES_MAX};

/// Reads lines without their ends; one buffer serves all.
pub(crate) struct Lines<R> {
    input: R,
    bytes: Vec<u8>,
    text: String,
    /// The line that was read last, from 1.
    number: u64,
    read_bytes: u64,
    /// Lines that were no UTF-8.
    foreign_count: u64,
    is_complete: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines {
            input,
            bytes: Vec::new(),
            text: String::new(),
            number: 0,
            read_bytes: 0,
            foreign_count: 0,
            is_complete: true,
        }
    }

    /// The next line; nothing at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<&str>> {
        if !self.fill()? {
            return Ok(None);
        }
        let mut bytes = self.bytes.as_slice();
        if self.number == 1 {
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        let (text, is_foreign) = encoding::text(bytes);
        self.foreign_count += u64::from(is_foreign);
        self.text.clear();
        self.text.push_str(&text);
        Ok(Some(&self.text))
    }

    /// Reads a line into the buffer, without its end; false at the end of the file.
    fn fill(&mut self) -> Result<bool> {
        self.bytes.clear();
        loop {
            let there = self.input.fill_buf()?;
            if there.is_empty() {
                self.is_complete &= self.bytes.is_empty();
                break;
            }
            let end = there.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(there.len(), |end| end + 1);
            self.bytes.extend_from_slice(&there[..taken]);
            self.input.consume(taken);
            self.read_bytes += taken as u64;
            self.check()?;
            if end.is_some() {
                break;
            }
        }
        if self.bytes.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        for end in [b'\n', b'\r'] {
            self.bytes.pop_if(|byte| *byte == end);
        }
        Ok(true)
    }

    fn check(&self) -> Result<()> {
        let hint = "is it the file that was meant?";
        if self.bytes.len() > LINE_BYTES_MAX {
            let message = format!("a line has more than {LINE_BYTES_MAX} bytes");
            return Err(Error::new(message, hint).at(self.number + 1));
        }
        if self.read_bytes > FILE_BYTES_MAX {
            return Err(Error::new(format!("the file has more than {FILE_BYTES_MAX} bytes"), "give it in parts"));
        }
        Ok(())
    }

    /// The line that was read last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Lines that were no UTF-8, and were read as ISO 8859-1.
    pub(crate) fn foreign_count(&self) -> u64 {
        self.foreign_count
    }

    /// Whether the last line had its end.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (Vec<String>, u64, bool) {
        let mut lines = Lines::new(bytes);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(line.to_owned());
        }
        (found, lines.foreign_count(), lines.is_complete())
    }

    #[test]
    fn lines_end_as_on_either_system_and_begin_after_a_mark() {
        assert_eq!(all(b"\xef\xbb\xbfa\r\n\r\nb\n"), (vec!["a".into(), "".into(), "b".into()], 0, true));
        assert_eq!(all(b"a\nb"), (vec!["a".into(), "b".into()], 0, false));
    }

    #[test]
    fn what_is_no_utf_8_is_read_as_iso_8859_1() {
        assert_eq!(all(b"M\xe4rz 1\xa0234\n"), (vec!["März 1\u{a0}234".into()], 1, true));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let long = vec![b'x'; LINE_BYTES_MAX + 1];
        let error = Lines::new(long.as_slice()).next().unwrap_err();
        assert_eq!(error.line, Some(1));
        assert!(error.message.contains("more than 1048576 bytes"), "{error}");
    }
}
