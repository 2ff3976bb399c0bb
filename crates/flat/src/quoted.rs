//! Quoted fields as RFC 4180 has them: a quote opens at the start of a field only, a doubled quote within is one quote,
//! and separators and line feeds within belong to the field. Within other fields a quote is a character like any other.

use memchr::{memchr, memchr2, memrchr};

/// The bytes that structure the rows of a layout that reads quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoting {
    /// Between two fields.
    pub(crate) separator: u8,
    /// Around a quoted field.
    pub(crate) quote: u8,
}

/// A field of a row, by the range of its content without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldRange {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether quotes in the content are doubled.
    pub(crate) is_doubled: bool,
    pub(crate) fault: Option<QuoteFault>,
}

/// What is wrong with the quotes of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteFault {
    /// Something other than a separator or the end of the line follows the closing quote.
    TextAfter,
    /// The quote is not closed.
    Open,
}

impl Quoting {
    /// The fields of the row at `start`, into `fields`; returns its end, that of its line feed or of `bytes`. A carriage
    /// return before it is part of the end.
    pub(crate) fn row(self, bytes: &[u8], start: usize, fields: &mut Vec<FieldRange>) -> usize {
        fields.clear();
        let mut from = start;
        loop {
            let (mut field, end) = self.field(bytes, from);
            if bytes.get(end) == Some(&self.separator) {
                fields.push(field);
                from = end + 1;
                continue;
            }
            // The content of a quoted field ends at its quote.
            if field.end == end && field.fault.is_none() && bytes[field.start..end].ends_with(b"\r") {
                field.end -= 1;
            }
            fields.push(field);
            return end;
        }
    }

    /// The field at `from`, and its end: the next separator or line feed outside of quotes, or the end of `bytes`.
    fn field(self, bytes: &[u8], from: usize) -> (FieldRange, usize) {
        let delimiter =
            |from: usize| memchr2(self.separator, b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at);
        let mut field = FieldRange { start: from, end: from, is_doubled: false, fault: None };
        if bytes.get(from) != Some(&self.quote) {
            field.end = delimiter(from);
            return (field, field.end);
        }
        field.start += 1;
        let mut searched = field.start;
        loop {
            let Some(quote) = memchr(self.quote, &bytes[searched..]).map(|at| searched + at) else {
                (field.end, field.fault) = (bytes.len(), Some(QuoteFault::Open));
                return (field, field.end);
            };
            if bytes.get(quote + 1) == Some(&self.quote) {
                field.is_doubled = true;
                searched = quote + 2;
                continue;
            }
            let end = delimiter(quote + 1);
            let is_last = bytes.get(end) != Some(&self.separator);
            let is_closed = end == quote + 1 || (is_last && bytes[quote + 1..end] == *b"\r");
            field.end = quote;
            field.fault = (!is_closed).then_some(QuoteFault::TextAfter);
            return (field, end);
        }
    }

    /// Appends `content`, the text of a field, with one quote for each doubled one.
    pub(crate) fn unescape(self, content: &str, into: &mut String) {
        let mut rest = content;
        while let Some(quote) = memchr(self.quote, rest.as_bytes()) {
            into.push_str(&rest[..=quote]);
            rest = rest.get(quote + 2..).unwrap_or_default();
        }
        into.push_str(rest);
    }

    /// Appends `text` as a field: quoted where it would not be read as itself otherwise.
    pub(crate) fn escape(self, text: &str, into: &mut Vec<u8>) {
        if memchr2(self.separator, self.quote, text.as_bytes()).is_none() && !text.contains(['\n', '\r']) {
            into.extend_from_slice(text.as_bytes());
            return;
        }
        into.push(self.quote);
        for byte in text.bytes() {
            into.extend(std::iter::repeat_n(byte, if byte == self.quote { 2 } else { 1 }));
        }
        into.push(self.quote);
    }
}

/// Finds the ends of rows in bytes that grow, from the start of a row on. Where no quote occurs it costs a search for
/// one.
#[derive(Debug)]
pub(crate) struct RowEnds {
    quoting: Quoting,
    /// Bytes before it are known.
    searched: usize,
    /// Offset of the quote that is open there.
    open: Option<usize>,
    last: Option<usize>,
}

impl RowEnds {
    pub(crate) fn new(quoting: Quoting) -> RowEnds {
        RowEnds { quoting, searched: 0, open: None, last: None }
    }

    /// The end of the last complete row of `bytes`, behind its line feed. `bytes` are those of the last call, and more
    /// unless `is_all`.
    pub(crate) fn last_in(&mut self, bytes: &[u8], is_all: bool) -> Option<usize> {
        let Quoting { separator, quote } = self.quoting;
        while self.searched < bytes.len() {
            let next = memchr(quote, &bytes[self.searched..]).map(|at| self.searched + at);
            if self.open.is_none() {
                let until = next.unwrap_or(bytes.len());
                let feed = memrchr(b'\n', &bytes[self.searched..until]);
                self.last = feed.map(|at| self.searched + at + 1).or(self.last);
                let begins = |at: usize| at == 0 || bytes[at - 1] == separator || bytes[at - 1] == b'\n';
                self.open = next.filter(|at| begins(*at));
                self.searched = next.map_or(bytes.len(), |at| at + 1);
                continue;
            }
            match next.map(|at| (at, bytes.get(at + 1))) {
                None => self.searched = bytes.len(),
                // Whether it closes is known with the next byte.
                Some((at, None)) if !is_all => {
                    self.searched = at;
                    break;
                }
                Some((at, Some(after))) if *after == quote => self.searched = at + 2,
                Some((at, _)) => (self.open, self.searched) = (None, at + 1),
            }
        }
        self.last
    }

    /// The offset of the quote that the bytes so far leave open.
    pub(crate) fn open(&self) -> Option<usize> {
        self.open
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COMMAS: Quoting = Quoting { separator: b',', quote: b'"' };

    /// The fields of the first row, unescaped, with their faults, and the rest of `text`.
    fn first_row(text: &str) -> (Vec<(String, Option<QuoteFault>)>, &str) {
        let mut ranges = Vec::new();
        let end = COMMAS.row(text.as_bytes(), 0, &mut ranges);
        let field = |range: &FieldRange| {
            let mut field = String::new();
            match range.is_doubled {
                true => COMMAS.unescape(&text[range.start..range.end], &mut field),
                false => field.push_str(&text[range.start..range.end]),
            }
            (field, range.fault)
        };
        (ranges.iter().map(field).collect(), &text[end..])
    }

    fn fields(text: &str) -> Vec<String> {
        let (fields, rest) = first_row(text);
        assert!(rest.is_empty() || rest.starts_with('\n'), "{rest:?}");
        assert!(fields.iter().all(|(_, fault)| fault.is_none()), "{fields:?}");
        fields.into_iter().map(|(field, _)| field).collect()
    }

    #[test]
    fn quoted_fields_are_read() {
        assert_eq!(fields("a,b\nc"), ["a", "b"]);
        assert_eq!(fields("\"a\",\"b\"\n"), ["a", "b"]);
        assert_eq!(fields("\"a,b\",\"c\nd\"\n"), ["a,b", "c\nd"]);
        assert_eq!(fields("\"\",\"\"\"\",\"a\"\"b\"\"\"\n"), ["", "\"", "a\"b\""]);
        assert_eq!(fields("\"a\"\r\n"), ["a"]);
        assert_eq!(fields("a\r\n"), ["a"]);
        assert_eq!(fields("\"a\r\"\r\n"), ["a\r"], "within quotes it is content");
        assert_eq!(fields("5\" pipe,a\"b\"\n"), ["5\" pipe", "a\"b\""], "within other fields it is content");
        assert_eq!(fields(""), [""]);
        assert_eq!(fields("\"a\","), ["a", ""]);
        assert_eq!(fields("\"a\",\r\n"), ["a", ""]);
    }

    #[test]
    fn faults_of_quotes_are_found() {
        let text_after = Some(QuoteFault::TextAfter);
        assert_eq!(first_row("\"a\"b,c\n").0, [("a".to_owned(), text_after), ("c".to_owned(), None)]);
        assert_eq!(first_row("\"a\" ,c\n").0[0].1, text_after);
        assert_eq!(first_row("\"a\"\r,c\n").0[0].1, text_after);
        assert_eq!(first_row("x,\"a\n,c\n").0[1], ("a\n,c\n".to_owned(), Some(QuoteFault::Open)));
    }

    #[test]
    fn rows_end_at_line_feeds_outside_of_quotes() {
        let ends = |text: &str| RowEnds::new(COMMAS).last_in(text.as_bytes(), true);
        assert_eq!(ends("a\nb"), Some(2));
        assert_eq!(ends("a\n\"b\n"), Some(2));
        assert_eq!(ends("\"a\nb\"\nc"), Some(6));
        assert_eq!(ends("\"a\"\"\nb\"\nc"), Some(8));
        assert_eq!(ends("a,5\" x\nb"), Some(7), "no quote at the start of a field");
        assert_eq!(ends("\"a\nb"), None);
        let mut open = RowEnds::new(COMMAS);
        assert_eq!((open.last_in(b"a\n1,\"b\n", true), open.open()), (Some(2), Some(4)));
    }

    proptest! {
        #[test]
        fn a_field_is_read_as_it_was_written(text in "[ab,\"\n\r\u{e4}]{0,12}") {
            let mut row = Vec::new();
            COMMAS.escape(&text, &mut row);
            row.extend(b",x\n");
            let row = String::from_utf8(row).unwrap();
            prop_assert_eq!(fields(&row), [text, "x".to_owned()]);
        }

        #[test]
        fn ends_of_rows_are_those_of_the_scanner_whatever_the_reads(
            text in "[a,\"\n\r]{0,60}",
            lengths in proptest::collection::vec(1..9usize, 1..20),
        ) {
            let bytes = text.as_bytes();
            let (mut known, mut ends) = (0, RowEnds::new(COMMAS));
            for length in lengths {
                known = (known + length).min(bytes.len());
                ends.last_in(&bytes[..known], false);
            }
            let found = ends.last_in(bytes, true);
            let (mut start, mut last, mut ranges) = (0, None, Vec::new());
            while start < bytes.len() {
                let end = COMMAS.row(bytes, start, &mut ranges);
                start = end + 1;
                if end < bytes.len() {
                    last = Some(start);
                }
            }
            prop_assert_eq!(found, last);
        }
    }
}
