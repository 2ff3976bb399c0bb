//! Text tables: headings, headings that span several columns, rows on several lines where the page is too narrow.

use std::ops::Range;

use super::cut;
use crate::style::{Ink, Style};

/// The indent of the later lines of a row that takes several.
const FOLDED_INDENT: usize = 6;

/// The alignment of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A heading above several columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Index of the first column.
    pub first: usize,
    /// Number of columns, at least 1.
    pub columns: usize,
    /// What they have in common.
    pub title: &'static str,
}

/// The columns of these `widths`, `gap` characters apart, that share the first line of a row of at most `width`
/// characters, the second, and so on, each with its indent. A column that is too wide has a line of its own.
fn folded(widths: &[usize], gap: usize, width: usize) -> Vec<(Range<usize>, usize)> {
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

/// The heading of a column, line by line, and the alignment of the column.
pub(crate) type Head = (&'static [&'static str], Align);

/// Characters that a cell of a flexible column keeps.
const FLEXIBLE_MIN: usize = 8;

/// A table without borders: headings, then rows; each column as wide as its widest cell, one space between.
pub(crate) struct Table {
    columns: Vec<(Align, usize)>,
    spans: Vec<Span>,
    head_lines: usize,
    rows: Vec<(Vec<String>, Option<Ink>)>,
}

impl Table {
    /// An empty table with these columns, and `spans` above them.
    pub(crate) fn new(heads: &[(&[&str], Align)], spans: &[Span]) -> Table {
        let columns = heads.iter().map(|(_, align)| (*align, 0)).collect();
        let lines = heads.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
        let mut table = Table { columns, spans: spans.to_vec(), head_lines: lines, rows: Vec::new() };
        for line in 0..lines {
            // Headings are aligned at the bottom.
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

    /// A table of `rows` whose lines are at most `width` characters: the cells of the column `flexible` are cut to fit.
    pub(crate) fn fitted(
        heads: &[Head],
        rows: Vec<(Vec<String>, Option<Ink>)>,
        flexible: usize,
        width: usize,
    ) -> Table {
        let mut table = Table::new(heads, &[]);
        for (cells, ink) in &rows {
            let mut cells = cells.clone();
            cells[flexible].clear();
            table.push(cells, *ink);
        }
        let used: usize = table.columns.iter().map(|(_, width)| width + 1).sum();
        let room = (width + 1).saturating_sub(used).max(FLEXIBLE_MIN);
        table.rows.truncate(table.head_lines);
        for (mut cells, ink) in rows {
            cells[flexible] = cut(&cells[flexible], room);
            table.push(cells, ink);
        }
        table
    }

    /// The lines of the headings and those of each row.
    pub(crate) fn row_lines(&self, style: Style, width: usize) -> (Vec<String>, Vec<Vec<String>>) {
        let part = |spans: &[Span], head_lines: usize, rows: &[(Vec<String>, Option<Ink>)]| {
            let (columns, spans) = (self.columns.clone(), spans.to_vec());
            Table { columns, spans, head_lines, rows: rows.to_vec() }.lines(style, width)
        };
        let (heads, rows) = self.rows.split_at(self.head_lines);
        let heads = part(&self.spans, self.head_lines, heads);
        (heads, rows.iter().map(|row| part(&[], 0, std::slice::from_ref(row))).collect())
    }

    /// Characters of a row in one line.
    pub(crate) fn width(&self) -> usize {
        self.columns.iter().map(|(_, width)| width + 1).sum::<usize>().saturating_sub(1)
    }

    /// The lines of the table, with up to one more space between two columns where there is room. Where there is too
    /// little, each row takes several lines, and so do the headings: those of the columns that share a line are
    /// together.
    pub(crate) fn lines(&self, style: Style, width: usize) -> Vec<String> {
        let used = self.width();
        let gap = if used + self.columns.len().saturating_sub(1) <= width { "  " } else { " " };
        let widths: Vec<usize> = self.columns.iter().map(|(_, width)| *width).collect();
        let parts = folded(&widths, gap.len(), width);
        let line = |cells: &[String], (columns, indent): &(Range<usize>, usize)| {
            let padded = cells[columns.clone()].iter().zip(&self.columns[columns.clone()]);
            let padded: Vec<String> = padded
                .map(|(cell, (align, width))| match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                })
                .collect();
            cut(format!("{:indent$}{}", "", padded.join(gap)).trim_end(), width)
        };
        let (heads, rows) = self.rows.split_at(self.head_lines);
        let above = |part: &(Range<usize>, usize)| {
            let spans = self.span_line(part, gap.len(), width);
            let heads = heads.iter().map(|(cells, _)| line(cells, part));
            [spans].into_iter().chain(heads).filter(|line| !line.is_empty()).collect::<Vec<String>>()
        };
        let heads = parts.iter().flat_map(above).map(|line| style.paint(&line, Ink::Head));
        let lines = |(cells, ink): &(Vec<String>, Option<Ink>)| {
            let lines: Vec<String> = parts.iter().map(|part| line(cells, part)).collect();
            // A later line without a value is left out.
            let shown = lines.into_iter().enumerate().filter(|(index, line)| *index == 0 || !line.is_empty());
            shown.map(|(_, line)| ink.map_or(line.clone(), |ink| style.paint(&line, ink))).collect::<Vec<String>>()
        };
        heads.chain(rows.iter().flat_map(lines)).collect()
    }

    /// The spans above the columns that share a line, each over those of its columns that are among them. One that is
    /// longer than they are wide uses the free space after them.
    fn span_line(&self, (columns, indent): &(Range<usize>, usize), gap: usize, width: usize) -> String {
        let left_of = |column: usize| {
            let before = self.columns[columns.start..column].iter();
            indent + before.map(|(_, width)| width + gap).sum::<usize>()
        };
        let covered = |span: &Span| {
            let first = span.first.max(columns.start);
            let end = (span.first + span.columns).min(columns.end);
            (first < end).then(|| (span.title, left_of(first), left_of(end) - gap))
        };
        let spans: Vec<(&str, usize, usize)> = self.spans.iter().filter_map(covered).collect();
        let mut line = String::new();
        for (index, (title, left, right)) in spans.iter().enumerate() {
            let free = spans.get(index + 1).map_or(width, |(_, next, _)| next - gap);
            let room = right - left;
            let rule = room.saturating_sub(title.chars().count() + 1);
            let drawn = match rule {
                0 => cut(title, free.saturating_sub(*left).max(room)),
                _ => format!("{title} {}", "─".repeat(rule)),
            };
            line.push_str(&" ".repeat(left.saturating_sub(line.chars().count())));
            line.push_str(&drawn);
        }
        cut(&line, width)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_flexible_column_is_cut_so_that_each_row_has_one_line() {
        let heads: [Head; 3] = [(&["test"], Align::Left), (&[""], Align::Left), (&["best"], Align::Right)];
        let row = |title: &str| (vec!["T611".to_owned(), title.to_owned(), "1.926 M".to_owned()], None);
        let table = Table::fitted(&heads, vec![row("primary key access, 1 row"), row("short")], 1, 30);
        let (head, rows) = table.row_lines(Style::default(), 30);
        assert_eq!(head, ["test                      best"]);
        assert_eq!(rows, [["T611 primary key acce… 1.926 M"], ["T611 short             1.926 M"]]);
    }

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
            [
                "     I/O ──",
                "test   rows",
                "      I/O ─────",
                "      long head x",
                "T611 13.6 k",
                "              1 y",
                "T1        7"
            ]
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
    fn heads_of_columns_that_share_a_line_stand_together_with_the_span_above_them() {
        let heads: [Head; 3] =
            [(&["a"], Align::Left), (&["read", "1/s"], Align::Right), (&["write", "1/s"], Align::Right)];
        let spans = [Span { first: 1, columns: 1, title: "engine" }, Span { first: 2, columns: 1, title: "device" }];
        let mut table = Table::new(&heads, &spans);
        table.push(["T1", "13.6 k", "7"].map(str::to_owned).to_vec(), None);
        assert_eq!(
            table.lines(Style::default(), 12),
            [
                "   engine",
                "     read",
                "a     1/s",
                "      device",
                "       write",
                "         1/s",
                "T1 13.6 k",
                "           7"
            ]
        );
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
    }
}
