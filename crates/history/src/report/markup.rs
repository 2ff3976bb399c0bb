//! Tables of HTML, as a stream of bytes: texts between tags, rows of cells.

use std::io::BufRead;

use crate::encoding;
use crate::error::{Error, Result};
use crate::limit::{CELL_CHARACTERS_MAX, COLUMNS_MAX, FILE_BYTES_MAX};

use super::Piece;

/// Bytes of a text or tag that are kept: the rest of a text of a statement is of no interest.
const KEPT_BYTES: usize = 4 * CELL_CHARACTERS_MAX;

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    Tag,
    Comment,
    /// Within a style sheet or a script, up to its closing tag.
    Raw,
}

struct Markup<'a> {
    take: &'a mut dyn FnMut(Piece<'_>) -> Result<()>,
    state: State,
    bytes: Vec<u8>,
    /// Cells of the row, each with the number of its columns.
    cells: Vec<(String, usize)>,
    /// Within `h1` to `h6`.
    is_in_title: bool,
    is_in_cell: bool,
    is_in_row: bool,
    /// The last row that consisted of headings.
    headings: Vec<(String, usize)>,
    has_only_headings: bool,
    foreign_count: u64,
}

/// Reads HTML; returns how many texts were no UTF-8.
pub(super) fn read(mut input: impl BufRead, take: &mut dyn FnMut(Piece<'_>) -> Result<()>) -> Result<u64> {
    let mut markup = Markup {
        take,
        state: State::Text,
        bytes: Vec::new(),
        cells: Vec::new(),
        is_in_title: false,
        is_in_cell: false,
        is_in_row: false,
        headings: Vec::new(),
        has_only_headings: false,
        foreign_count: 0,
    };
    let mut read_bytes = 0u64;
    loop {
        let there = input.fill_buf()?;
        if there.is_empty() {
            break;
        }
        for byte in there {
            markup.byte(*byte)?;
        }
        let count = there.len();
        input.consume(count);
        read_bytes += count as u64;
        if read_bytes > FILE_BYTES_MAX {
            return Err(Error::new(format!("the file has more than {FILE_BYTES_MAX} bytes"), "give it in parts"));
        }
    }
    if markup.state == State::Text {
        markup.text()?;
    }
    // A row that is not complete is none.
    Ok(markup.foreign_count)
}

impl Markup<'_> {
    fn byte(&mut self, byte: u8) -> Result<()> {
        match (self.state, byte) {
            (State::Text, b'<') => {
                self.text()?;
                self.state = State::Tag;
            }
            (State::Tag, b'>') => {
                self.state = State::Text;
                let tag = std::mem::take(&mut self.bytes);
                self.tag(&tag)?;
                self.bytes = tag;
                self.bytes.clear();
            }
            (State::Comment, b'>') if self.bytes.ends_with(b"--") => {
                self.bytes.clear();
                self.state = State::Text;
            }
            (State::Raw, b'>') if self.bytes.ends_with(b"</style") || self.bytes.ends_with(b"</script") => {
                self.bytes.clear();
                self.state = State::Text;
            }
            (State::Comment | State::Raw, _) => {
                if self.bytes.len() >= 16 {
                    self.bytes.remove(0);
                }
                self.bytes.push(byte.to_ascii_lowercase());
            }
            (State::Tag, _) if self.bytes == b"!-" && byte == b'-' => {
                self.bytes.clear();
                self.state = State::Comment;
            }
            _ if self.bytes.len() < KEPT_BYTES => self.bytes.push(byte),
            _ => {}
        }
        Ok(())
    }

    /// The text since the last tag.
    fn text(&mut self) -> Result<()> {
        let (text, is_foreign) = encoding::text(cut(&self.bytes));
        self.foreign_count += u64::from(is_foreign);
        let text = unescaped(&text);
        self.bytes.clear();
        if self.is_in_cell {
            if let Some((cell, _)) = self.cells.last_mut() {
                let room = CELL_CHARACTERS_MAX.saturating_sub(cell.chars().count());
                cell.extend(text.chars().take(room));
            }
            return Ok(());
        }
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        (self.take)(Piece::Line(text))?;
        // Texts between a title and its table explain the table.
        if self.is_in_title { (self.take)(Piece::Title(text)) } else { Ok(()) }
    }

    fn tag(&mut self, tag: &[u8]) -> Result<()> {
        let (tag, _) = encoding::text(tag);
        let end = tag.find(|letter: char| letter.is_whitespace()).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(end);
        match name.to_ascii_lowercase().as_str() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.is_in_title = true,
            "/h1" | "/h2" | "/h3" | "/h4" | "/h5" | "/h6" => self.is_in_title = false,
            "style" | "script" => self.state = State::Raw,
            "table" => {
                self.row()?;
                self.headings.clear();
            }
            "tr" => {
                self.row()?;
                self.is_in_row = true;
            }
            "th" | "td" => self.cell(name.eq_ignore_ascii_case("th"), attributes)?,
            "/th" | "/td" => self.is_in_cell = false,
            "/tr" | "/table" | "/tbody" | "/thead" => self.row()?,
            "br" | "br/" | "p" | "/p" if self.is_in_cell => {
                if let Some((cell, _)) = self.cells.last_mut() {
                    cell.push(' ');
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn cell(&mut self, is_heading: bool, attributes: &str) -> Result<()> {
        if self.cells.is_empty() {
            self.has_only_headings = true;
            self.is_in_row = true;
        }
        self.has_only_headings &= is_heading;
        if self.cells.len() >= COLUMNS_MAX {
            let message = format!("a table has more than {COLUMNS_MAX} columns");
            return Err(Error::new(message, "is it the file that was meant?"));
        }
        self.cells.push((String::new(), spanned(attributes)));
        self.is_in_cell = true;
        Ok(())
    }

    /// Ends a row, if there is one.
    fn row(&mut self) -> Result<()> {
        self.is_in_cell = false;
        if !std::mem::take(&mut self.is_in_row) || self.cells.is_empty() {
            return Ok(());
        }
        let cells = std::mem::take(&mut self.cells);
        let cells: Vec<(String, usize)> = cells
            .into_iter()
            .map(|(cell, span)| (cell.split_whitespace().collect::<Vec<_>>().join(" "), span))
            .collect();
        if self.has_only_headings {
            // Of several lines of headings the last one names the columns, with those above it that span several.
            let texts: Vec<String> = below(&self.headings, &cells);
            self.headings = texts.iter().map(|text| (text.clone(), 1)).collect();
            return (self.take)(Piece::Headings(&texts));
        }
        let texts: Vec<String> = cells.into_iter().map(|(cell, _)| cell).collect();
        (self.take)(Piece::Line(&texts.join("  ")))?;
        (self.take)(Piece::Row(&texts))
    }
}

/// The headings of `row`, each after the one above it in `above`, where both have as many columns.
fn below(above: &[(String, usize)], row: &[(String, usize)]) -> Vec<String> {
    let spread = |cells: &[(String, usize)]| -> Vec<String> {
        cells.iter().flat_map(|(cell, span)| std::iter::repeat_n(cell.clone(), *span)).take(COLUMNS_MAX).collect()
    };
    let (above, row) = (spread(above), spread(row));
    if above.len() != row.len() {
        return row;
    }
    above.iter().zip(&row).map(|(above, heading)| format!("{above} {heading}").trim().to_owned()).collect()
}

/// The number of columns of a cell.
fn spanned(attributes: &str) -> usize {
    let lower = attributes.to_ascii_lowercase();
    let span = lower.split_once("colspan").and_then(|(_, rest)| {
        let digits: String =
            rest.trim_start_matches([' ', '=', '"', '\'']).chars().take_while(char::is_ascii_digit).take(4).collect();
        digits.parse().ok()
    });
    span.unwrap_or(1).clamp(1, 64)
}

/// Bytes without the part of a character at their end, where a text was cut.
fn cut(bytes: &[u8]) -> &[u8] {
    if bytes.len() < KEPT_BYTES {
        return bytes;
    }
    let end = bytes.iter().rposition(|byte| byte & 0xc0 != 0x80).unwrap_or(0);
    &bytes[..end]
}

/// A text with its entities as characters.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find('&') {
        plain.push_str(&rest[..begin]);
        rest = &rest[begin..];
        let end = rest.find(';').filter(|end| *end <= 10);
        match end.and_then(|end| Some((entity(&rest[1..end])?, end + 1))) {
            Some((letter, length)) => {
                plain.push(letter);
                rest = &rest[length..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn entity(name: &str) -> Option<char> {
    match name {
        "nbsp" => Some('\u{a0}'),
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut take = |piece: Piece<'_>| {
            found.extend(piece.shown());
            Ok(())
        };
        read(text.as_bytes(), &mut take).unwrap();
        found
    }

    #[test]
    fn tables_are_rows_with_headings() {
        let found = pieces(
            "<style>td {}</style><H3>Time<!-- <b> --> Model</H3><TABLE><tr><th></th><th colspan=2>Time (s)</th></tr>\n\
             <tr><th>I#</th><th>Busy</th><th>Idle</th></tr><tr><td align=right>1<td>&nbsp;1&#8239;234,5</td><td>a &amp; b</td>\
             </TABLE><p>end",
        );
        assert_eq!(
            found,
            [
                "title Time",
                "title Model",
                "headings |Time (s)|Time (s)",
                "headings I#|Time (s) Busy|Time (s) Idle",
                "row 1|1 234,5|a & b",
            ]
        );
    }

    #[test]
    fn a_row_that_is_cut_is_none() {
        assert_eq!(pieces("<table><tr><td>a</td></tr><tr><td>12"), ["row a"]);
    }
}
