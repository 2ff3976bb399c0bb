//! Lines of a flat file for the text bulk load of an engine: unchanged, or without the trailing separator that some
//! flat files have after the last field and that no engine accepts.

use memchr::{memchr_iter, memchr2_iter};

use crate::{Error, Kind, Result};

/// Format of the lines of a flat file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineForm {
    /// The target columns, in the order of the fields.
    pub columns: Vec<String>,
    /// The separator between two fields, one ASCII byte.
    pub separator: u8,
    /// Whether the last field is followed by a separator too.
    pub ends_with_separator: bool,
}

impl LineForm {
    /// Rejects lines that an engine would not read unchanged: lines with the byte `special`, which it interprets, or a
    /// carriage return, which some engines keep, some drop and some reject.
    ///
    /// # Errors
    /// `Statement`, with line number and byte.
    pub fn refuse(&self, lines: &[u8], special: Option<u8>) -> Result<()> {
        match memchr2_iter(b'\r', special.unwrap_or(b'\r'), lines).next() {
            None => Ok(()),
            Some(at) => {
                let line = memchr_iter(b'\n', &lines[..at]).count() + 1;
                let message = format!("line {line} has the byte {:#04x}, which cannot be sent unchanged", lines[at]);
                Err(Error::new(Kind::Statement, message).hint("have the lines parsed"))
            }
        }
    }
}

/// Splits a block of lines into chunks of a byte stream. A line may span chunks.
pub struct LineChunks<'a> {
    rest: &'a [u8],
    form: &'a LineForm,
    chunk_bytes: usize,
    /// Buffer for lines without their trailing separator; unused if they have none.
    stripped: Vec<u8>,
    /// Number of complete lines so far.
    lines: u64,
    /// Whether the last returned byte ends a line.
    at_line_end: bool,
}

impl<'a> LineChunks<'a> {
    /// The chunks of `lines`, of about `chunk_bytes` each.
    pub fn new(lines: &'a [u8], form: &'a LineForm, chunk_bytes: usize) -> LineChunks<'a> {
        LineChunks { rest: lines, form, chunk_bytes, stripped: Vec::new(), lines: 0, at_line_end: true }
    }

    /// The next chunk; `None` after the last one.
    ///
    /// # Errors
    /// `Statement` if a line lacks its trailing separator.
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        if self.form.ends_with_separator {
            return self.strip().map(Some);
        }
        let (chunk, rest) = self.rest.split_at(self.chunk_bytes.min(self.rest.len()));
        self.rest = rest;
        self.lines += memchr_iter(b'\n', chunk).count() as u64;
        self.at_line_end = chunk.ends_with(b"\n");
        Ok(Some(chunk))
    }

    /// Complete lines without their trailing separator.
    fn strip(&mut self) -> Result<&[u8]> {
        self.stripped.clear();
        let mut begin = 0;
        for end in memchr_iter(b'\n', self.rest) {
            self.lines += 1;
            let fields = without_end(&self.rest[begin..end], self.form.separator, self.lines)?;
            self.stripped.extend_from_slice(fields);
            self.stripped.push(b'\n');
            begin = end + 1;
            if self.stripped.len() >= self.chunk_bytes {
                break;
            }
        }
        if self.stripped.is_empty() {
            // The last line of a file need not end with a line feed.
            let fields = without_end(self.rest, self.form.separator, self.lines + 1)?;
            self.stripped.extend_from_slice(fields);
            (begin, self.at_line_end) = (self.rest.len(), false);
        }
        self.rest = &self.rest[begin..];
        Ok(&self.stripped)
    }

    /// Number of lines returned so far.
    pub fn lines(&self) -> u64 {
        self.lines + u64::from(!self.at_line_end)
    }
}

#[inline]
fn without_end(line: &[u8], separator: u8, number: u64) -> Result<&[u8]> {
    line.strip_suffix(&[separator]).ok_or_else(|| {
        let message = format!("line {number} does not end with the separator '{}'", separator.escape_ascii());
        Error::new(Kind::Statement, message)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(ends_with_separator: bool) -> LineForm {
        LineForm { columns: vec!["a".to_owned()], separator: b'|', ends_with_separator }
    }

    /// All chunks joined, and how many lines they were.
    fn joined(lines: &[u8], form: &LineForm, chunk_bytes: usize) -> Result<(Vec<u8>, u64)> {
        let mut chunks = LineChunks::new(lines, form, chunk_bytes);
        let mut all = Vec::new();
        while let Some(chunk) = chunks.next_chunk()? {
            assert!(!chunk.is_empty());
            all.extend_from_slice(chunk);
        }
        Ok((all, chunks.lines()))
    }

    #[test]
    fn a_separator_at_the_end_is_left_out() {
        for (lines, expected, count) in
            [("a|b|\nc||\n", "a|b\nc|\n", 2), ("a|b|\nc|d|", "a|b\nc|d", 2), ("|\n", "\n", 1), ("", "", 0)]
        {
            for chunk_bytes in [1, 4, 100] {
                let found = joined(lines.as_bytes(), &form(true), chunk_bytes).expect(lines);
                assert_eq!(found, (expected.as_bytes().to_vec(), count), "{lines:?} in chunks of {chunk_bytes}");
            }
        }
    }

    #[test]
    fn a_line_without_its_separator_is_named() {
        for (lines, number) in [("a|\nb\nc|\n", 2), ("a|\nb|\nc", 3), ("\n", 1), ("a|\r\n", 1)] {
            let error = joined(lines.as_bytes(), &form(true), 1).expect_err(lines);
            assert_eq!(error.message, format!("line {number} does not end with the separator '|'"));
        }
    }

    #[test]
    fn a_byte_that_is_not_sent_is_named_with_its_line() {
        let error = form(false).refuse(b"a\nb\x01c\n", Some(1)).expect_err("a byte 1");
        assert_eq!(error.message, "line 2 has the byte 0x01, which cannot be sent unchanged");
        assert!(form(false).refuse(b"a\r\n", None).is_err());
        assert!(form(false).refuse(b"a\nb\x01c\n", None).is_ok());
    }

    proptest! {
        #[test]
        fn lines_come_out_as_they_went_in_however_they_are_cut(
            fields in proptest::collection::vec("[a-z|]{0,12}", 0..40),
            chunk_bytes in 1_usize..60,
            is_ended: bool,
        ) {
            let end = if is_ended || fields.last().is_none_or(String::is_empty) { "\n" } else { "" };
            let plain = fields.join("\n") + if fields.is_empty() { "" } else { end };
            let count = fields.len() as u64;
            prop_assert_eq!(joined(plain.as_bytes(), &form(false), chunk_bytes).unwrap(), (plain.clone().into_bytes(), count));
            let ended = plain.replace('\n', "|\n") + if plain.ends_with('\n') || plain.is_empty() { "" } else { "|" };
            prop_assert_eq!(joined(ended.as_bytes(), &form(true), chunk_bytes).unwrap(), (plain.into_bytes(), count));
        }
    }
}
