//! Text in columns and paragraphs. A width is a number of letters: one letter, one column of the terminal.

use std::ops::Range;

use crate::style::{Ink, Style};

/// What the later lines of a row are set in by, where one line is too narrow.
pub(crate) const FOLDED_INDENT: usize = 6;

/// A text that came from outside, safe to print: a record may be anybody's, and an escape sequence in the name of a
/// device must not reach the terminal. Control characters and line ends become spaces, runs of spaces one; what turns
/// the direction of writing, and would show other words than there are, is dropped.
pub fn clean(text: &str) -> String {
    // A hint has a line of its own where there are lines.
    let text = text.replace("\nhint: ", "; hint: ");
    let told = text.chars().filter(|letter| !turns(*letter));
    let spaced: String = told.map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether `letter` is a control of the direction of writing (property Bidi_Control of Unicode).
fn turns(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` with at most `width` letters; what is cut is shown as `…`.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut shown: String = text.chars().take(width.saturating_sub(1)).collect();
    shown.push('…');
    shown
}

/// `text` broken at spaces into lines of at most `width` letters; a longer word is broken where the line ends.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + letters.len() > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for (index, piece) in letters.chunks(width).enumerate() {
            if index > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.extend(piece);
            used += piece.len();
        }
    }
    if used > 0 || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A paragraph: `label` in front of the first line, the others indented to the same column.
pub(crate) fn paragraph(label: &str, indent: usize, text: &str, width: usize) -> Vec<String> {
    wrap(&clean(text), width.saturating_sub(indent).max(16))
        .into_iter()
        .enumerate()
        .map(|(index, line)| {
            let label = if index == 0 { cut(label, indent.saturating_sub(1)) } else { String::new() };
            format!("{label:<indent$}{line}").trim_end().to_owned()
        })
        .collect()
}

/// `text` from column `indent` on, with the blanks that it has where it fits; otherwise as a paragraph.
pub(crate) fn spaced(text: &str, indent: usize, width: usize) -> Vec<String> {
    match indent + text.chars().count() <= width {
        true => vec![format!("{:indent$}{text}", "")],
        false => paragraph("", indent, text, width),
    }
}

/// The head of a section, with a rule to the end of the line; on several lines where the title is too long for one.
pub(crate) fn section(title: &str, style: Style, width: usize) -> String {
    if title.chars().count() > width {
        return style.paint(&wrap(title, width).join("\n"), Ink::Head);
    }
    let rule = "─".repeat(width.saturating_sub(title.chars().count() + 1));
    format!("{} {}", style.paint(title, Ink::Head), style.paint(&rule, Ink::Aside)).trim_end().to_owned()
}

/// A bar from zero of at most `width` letters, in half letters, so that a small change looks small.
pub(crate) fn bar(value: f64, most: f64, width: usize) -> String {
    if most <= 0.0 {
        return String::new();
    }
    let halves = (value / most * (2 * width) as f64).round() as usize;
    format!("{}{}", "█".repeat(halves / 2), if halves % 2 == 1 { "▌" } else { "" })
}

/// Which end of a cell is flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A head that stands above several columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Index of the first column.
    pub first: usize,
    /// Number of columns, at least 1.
    pub columns: usize,
    /// What they have in common.
    pub title: &'static str,
}

/// Which columns of these `widths`, `gap` letters apart, stand on the first line of a row of at most `width` letters,
/// which on the second, and so on, each with its indent. One that alone is too wide has a line of its own.
pub(crate) fn folded(widths: &[usize], gap: usize, width: usize) -> Vec<(Range<usize>, usize)> {
    let mut parts: Vec<(Range<usize>, usize)> = Vec::new();
    let mut used = 0;
    for (index, column) in widths.iter().enumerate() {
        match parts.last_mut() {
            Some((columns, _)) if used + gap + column <= width => {
                columns.end = index + 1;
                used += gap + column;
            }
            before => {
                let indent = if before.is_some() { FOLDED_INDENT } else { 0 };
                parts.push((index..index + 1, indent));
                used = indent + column;
            }
        }
    }
    parts
}

/// The head of one column, line by line, and how the column is aligned.
pub(crate) type Head = (&'static [&'static str], Align);

/// A table without frames: heads, then rows; each column as wide as its widest cell, one space between.
pub(crate) struct Table {
    columns: Vec<(Align, usize)>,
    spans: Vec<Span>,
    head_lines: usize,
    rows: Vec<(Vec<String>, Option<Ink>)>,
}

impl Table {
    /// An empty table with these columns, and `spans` above them.
    pub(crate) fn new(heads: &[Head], spans: &[Span]) -> Table {
        let columns = heads.iter().map(|(_, align)| (*align, 0)).collect();
        let lines = heads.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
        let mut table = Table { columns, spans: spans.to_vec(), head_lines: lines, rows: Vec::new() };
        for line in 0..lines {
            // Heads stand at the foot of their space, so that the last line is the one above the figures.
            let cell = |head: &[&str]| (line + head.len()).checked_sub(lines).map_or("", |at| head[at]).to_owned();
            table.push(heads.iter().map(|(head, _)| cell(head)).collect(), Some(Ink::Head));
        }
        for span in spans {
            let end = (span.first + span.columns).min(table.columns.len());
            let covered = table.columns.get_mut(span.first..end).unwrap_or_default();
            let room = covered.iter().map(|(_, width)| width + 1).sum::<usize>().saturating_sub(1);
            if let Some((_, last)) = covered.last_mut() {
                *last += span.title.chars().count().saturating_sub(room);
            }
        }
        table
    }

    /// Appends a row; missing cells are empty, surplus ones are dropped.
    pub(crate) fn push(&mut self, mut cells: Vec<String>, ink: Option<Ink>) {
        cells.resize(self.columns.len(), String::new());
        for (cell, (_, width)) in cells.iter().zip(&mut self.columns) {
            *width = (*width).max(cell.chars().count());
        }
        self.rows.push((cells, ink));
    }

    /// Whether there is no row below the heads.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.len() == self.head_lines
    }

    /// The lines of the table. Spare room, up to one more space between two columns, is used; where there is too little,
    /// each row takes several lines.
    pub(crate) fn lines(&self, style: Style, width: usize) -> Vec<String> {
        let used: usize = self.columns.iter().map(|(_, width)| width + 1).sum::<usize>().saturating_sub(1);
        let gap = if used + self.columns.len().saturating_sub(1) <= width { "  " } else { " " };
        let widths: Vec<usize> = self.columns.iter().map(|(_, width)| *width).collect();
        let parts = folded(&widths, gap.len(), width);
        let lines = |(cells, ink): &(Vec<String>, Option<Ink>)| {
            let padded: Vec<String> = cells
                .iter()
                .zip(&self.columns)
                .map(|(cell, (align, width))| match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                })
                .collect();
            let part = |(columns, indent): &(Range<usize>, usize)| {
                let line = format!("{:indent$}{}", "", padded[columns.clone()].join(gap));
                let line = cut(line.trim_end(), width);
                ink.map_or(line.clone(), |ink| style.paint(&line, ink))
            };
            // What has nothing to say in the later columns needs no line for them.
            let told: Vec<String> = parts.iter().map(part).collect();
            told.into_iter().enumerate().filter(|(index, line)| *index == 0 || !line.is_empty()).map(|(_, line)| line)
        };
        // Above columns that lie below each other nothing can be drawn out over several.
        let has_spans = !self.spans.is_empty() && parts.len() == 1;
        let spans = has_spans.then(|| style.paint(&cut(&self.span_line(gap.len()), width), Ink::Head));
        spans.into_iter().chain(self.rows.iter().flat_map(lines)).collect()
    }

    /// The spans, each drawn out over its columns.
    fn span_line(&self, gap: usize) -> String {
        let mut line = String::new();
        let mut used = 0;
        for span in &self.spans {
            let before: usize = self.columns.iter().take(span.first).map(|(_, width)| width + gap).sum();
            let widths = self.columns.iter().skip(span.first).take(span.columns);
            let room = (widths.map(|(_, width)| width + gap).sum::<usize>()).saturating_sub(gap);
            let rule = room.saturating_sub(span.title.chars().count() + 1);
            let drawn =
                if rule == 0 { cut(span.title, room) } else { format!("{} {}", span.title, "─".repeat(rule)) };
            line.push_str(&" ".repeat(before.saturating_sub(used)));
            line.push_str(&drawn);
            used = before + drawn.chars().count();
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&[(&["test"], Align::Left), (&["rows", "1/s"], Align::Right)], &[]);
        table.push(vec!["T611".to_owned(), "13.6 k".to_owned()], None);
        table.push(vec!["T1".to_owned()], None);
        assert_eq!(table.lines(Style::default(), 80), ["        rows", "test     1/s", "T611  13.6 k", "T1"]);
    }

    #[test]
    fn a_row_that_is_too_wide_takes_several_lines_and_its_columns_stay_below_each_other() {
        let heads: [Head; 4] = [
            (&["test"], Align::Left),
            (&["rows"], Align::Right),
            (&["long head"], Align::Right),
            (&["x"], Align::Left),
        ];
        let spans = [Span { first: 1, columns: 2, title: "I/O" }];
        let mut table = Table::new(&heads, &spans);
        table.push(["T611", "13.6 k", "1", "y"].map(str::to_owned).to_vec(), None);
        table.push(["T1", "7"].map(str::to_owned).to_vec(), None);
        assert_eq!(
            table.lines(Style::default(), 18),
            ["test   rows", "      long head x", "T611 13.6 k", "              1 y", "T1        7"]
        );
        assert_eq!(table.lines(Style::default(), 80).len(), 4, "with room, a line each and the span above");
    }

    #[test]
    fn a_span_covers_its_columns() {
        let heads: [Head; 4] =
            [(&["a"], Align::Left), (&["read"], Align::Right), (&["write"], Align::Right), (&["b"], Align::Right)];
        let spans = [Span { first: 1, columns: 2, title: "I/O" }, Span { first: 3, columns: 1, title: "n" }];
        let table = Table::new(&heads, &spans);
        assert_eq!(table.lines(Style::default(), 14), ["  I/O ────── n", "a read write b"]);
        assert_eq!(table.lines(Style::default(), 80), ["   I/O ───────  n", "a  read  write  b"]);
    }

    #[test]
    fn a_text_from_outside_cannot_command_the_terminal() {
        assert_eq!(clean("disk\u{1b}[2J\u{7} \n\t9"), "disk [2J 9");
        assert_eq!(clean("disk is full\nhint: free space"), "disk is full; hint: free space");
        assert_eq!(clean("a\u{202e}b\u{2066}c\u{2069}\u{200f}d\u{61c}e"), "abcde");
    }

    #[test]
    fn a_paragraph_hangs_below_its_first_word() {
        let lines = paragraph("  T626", 8, "the block layer saw 3 % of what the engine read", 30);
        assert_eq!(lines, ["  T626  the block layer saw 3", "        % of what the engine", "        read"]);
    }

    proptest! {
        #[test]
        fn a_table_fits_its_page_and_loses_no_cell(cells in prop::collection::vec("[a-z]{1,8}", 4), width in 16usize..60) {
            let heads: [Head; 4] = [(&["a"], Align::Left), (&["b"], Align::Right), (&["c"], Align::Left), (&["d"], Align::Right)];
            let mut table = Table::new(&heads, &[]);
            table.push(cells.clone(), None);
            let lines = table.lines(Style::default(), width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            let shown: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
            prop_assert!(cells.iter().all(|cell| shown.contains(&cell.as_str())), "{lines:?}");
        }

        #[test]
        fn no_line_is_longer_than_asked_and_no_letter_is_lost(text in "[ a-zµ]{0,80}", width in 1usize..30) {
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            let letters = |text: &str| text.chars().filter(|letter| *letter != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.join(" ")), letters(&text));
        }
    }
}
