//! Lines that a host says, of any length and of any bytes: what is read of them is bounded.

use std::io::{self, BufRead};

/// A line, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// At most as much as was asked for; what is no UTF-8 is replaced.
    pub text: String,
    /// Whether it was longer; the rest was passed over.
    pub is_cut: bool,
}

/// The next line of `input`, of which at most `bytes_max` are kept; None at its end.
pub(crate) fn next_line(input: &mut impl BufRead, bytes_max: usize) -> io::Result<Option<Line>> {
    let (mut kept, mut is_cut, mut has_begun) = (Vec::new(), false, false);
    loop {
        let piece = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        if piece.is_empty() && !has_begun {
            return Ok(None);
        }
        has_begun = true;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let of_line = &piece[..end.unwrap_or(piece.len())];
        let room = of_line.len().min(bytes_max - kept.len());
        kept.extend_from_slice(&of_line[..room]);
        is_cut |= room < of_line.len();
        let (is_whole, read) = (end.is_some() || piece.is_empty(), end.map_or(piece.len(), |end| end + 1));
        input.consume(read);
        if is_whole {
            return Ok(Some(Line { text: String::from_utf8_lossy(&kept).trim().to_owned(), is_cut }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn lines(input: &[u8], bytes_max: usize) -> Vec<(String, bool)> {
        // Pieces are smaller than lines.
        let mut input = BufReader::with_capacity(3, input);
        let next = || next_line(&mut input, bytes_max).unwrap().map(|line| (line.text, line.is_cut));
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn lines_are_read_whole_and_trimmed() {
        let found = lines(b"one\r\n\n  two \nthe last", 10);
        assert_eq!(found, [("one", false), ("", false), ("two", false), ("the last", false)].map(own));
        assert_eq!(lines(b"", 10), []);
        assert_eq!(
            lines(b"10 letters\n11 letters!\nx", 10),
            [("10 letters", false), ("11 letters", true), ("x", false)].map(own)
        );
    }

    #[test]
    fn what_is_no_utf_8_is_no_end() {
        assert_eq!(lines(b"gr\xfc\xdfe\nready\n", 10), [("gr\u{fffd}\u{fffd}e", false), ("ready", false)].map(own));
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut input = BufReader::new(io::repeat(0).take(300_000_000));
        let line = next_line(&mut input, 1_000).unwrap().unwrap();
        assert!(line.is_cut && line.text.len() == 1_000);
        assert!(line.text.capacity() < 10_000, "{}", line.text.capacity());
        assert_eq!(next_line(&mut input, 1_000).unwrap(), None);
    }

    fn own((text, is_cut): (&str, bool)) -> (String, bool) {
        (text.to_owned(), is_cut)
    }
}
