//! A table of a document on a terminal.

use super::{Terminal, ink};
use crate::document::{BarRole, Cell, Extent, Row, Table, Tone};
use crate::layout::{self, Align, Span, bar, clean, cut, first_line_in, paragraph};
use crate::style::Ink;
use crate::words::list;

/// Characters of a cell of words.
const TEXT_MAX: usize = 40;

/// Characters of a cell of words in the column that gives way to the others, at least: on a screen, where it is cut, and in
/// details, where it is continued below the row.
const FLEXIBLE_MIN: usize = 8;
const CONTINUED_MIN: usize = 12;

/// The indent of what stands below a row.
const BELOW_INDENT: usize = 4;

/// Columns of the name of a row that is written as a paragraph.
const LABEL_MAX: usize = 26;

/// Characters of a whole bar.
const BAR_WIDTH: usize = 12;

impl Terminal {
    /// The caption, where there is one, and the lines of the table. Rows that are too wide take several lines; groups of rows have
    /// their heading in a line of its own.
    pub(super) fn table(&self, table: &Table) -> Vec<String> {
        if table.rows.is_empty() {
            return Vec::new();
        }
        let caption = (!table.caption.is_empty()).then(|| paragraph("", 0, &table.caption, self.width));
        let caption = caption.into_iter().flatten().map(|line| self.style.paint(&line, Ink::Aside));
        caption.chain(self.rows(table)).collect()
    }

    fn rows(&self, table: &Table) -> Vec<String> {
        let shown = table.shown(self.extent);
        if let Some(lines) = self.paragraphs(table, &shown) {
            return lines;
        }
        let used = self.laid_out(table, &shown, None).1;
        let room = table.flexible.filter(|_| used.0 > self.width).map(|_| used.1.saturating_sub(used.0 - self.width));
        let least = if self.cuts(table) { FLEXIBLE_MIN } else { CONTINUED_MIN };
        let room = room.map(|room| room.max(least));
        let (drawn, _) = self.laid_out(table, &shown, room);
        let (heads, mut rows) = drawn.row_lines(self.style, self.width);
        rows.reverse();
        let mut lines = heads;
        for row in &table.rows {
            if table.is_group(row) {
                let head = row.cells.first().map(Cell::words).unwrap_or_default();
                lines.push(self.style.paint(&cut(&clean(&head), self.width), Ink::Head));
            } else {
                lines.extend(rows.pop().unwrap_or_default());
                lines.extend(self.continued(table, row, room));
            }
        }
        lines
    }

    /// The words of the flexible cell of `row` that its line has no room for, and what else is known of the row.
    fn continued(&self, table: &Table, row: &Row, room: Option<usize>) -> Vec<String> {
        if self.cuts(table) {
            return Vec::new();
        }
        let name = self.name(table, row).unwrap_or_default();
        let rest = room.map(|room| parted(&name, room).1.to_owned()).filter(|rest| !rest.is_empty());
        let has_notes = self.extent >= Extent::Details;
        let notes = list(row.notes.iter().filter(|_| has_notes).map(|note| clean(note)));
        let notes = (!notes.is_empty()).then_some(notes);
        let line = |text: String, ink| {
            let lines = paragraph("", BELOW_INDENT, &text, self.width);
            lines.into_iter().map(move |line| self.style.paint(&line, ink))
        };
        let rest = rest.into_iter().flat_map(|text| paragraph("", BELOW_INDENT, &text, self.width));
        rest.chain(notes.into_iter().flat_map(|text| line(text, Ink::Aside))).collect()
    }

    /// The rows of a table of words that are too long for a line, as paragraphs: what names the row, and beside it the rest.
    fn paragraphs(&self, table: &Table, shown: &[usize]) -> Option<Vec<String>> {
        let is_words = shown.iter().filter_map(|index| table.columns.get(*index)).all(|column| !column.is_figure);
        let labelled = |index: usize, words: String| match table.columns.get(index) {
            Some(column) if table.is_labelled && index > 0 && !words.is_empty() => format!("{} {words}", column.head),
            _ => words,
        };
        let cell = |row: &Row, index: usize| row.cells.get(index).map_or_else(String::new, |cell| clean(&cell.words()));
        let words =
            |row: &Row| -> Vec<String> { shown.iter().map(|index| labelled(*index, cell(row, *index))).collect() };
        let rows: Vec<Vec<String>> = table.rows.iter().map(words).collect();
        let widest =
            |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let used: usize = (0..shown.len()).map(|at| widest(at) + 1).sum();
        let is_long = (0..shown.len()).any(|at| widest(at) > TEXT_MAX);
        if !is_words || shown.len() < 2 || (used <= self.width && !is_long) {
            return None;
        }
        let indent = (widest(0) + 2).min(LABEL_MAX);
        let line = |(row, of): (&Vec<String>, &Row)| {
            let (name, rest) = row.split_first().map_or(("", Vec::new()), |(name, rest)| {
                (name.as_str(), rest.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>())
            });
            let lines = match name.chars().count() < indent {
                true => paragraph(name, indent, &rest.join("; "), self.width),
                false => [vec![cut(name, self.width)], paragraph("", indent, &rest.join("; "), self.width)].concat(),
            };
            first_line_in(ink(weight(of)), lines, self.style)
        };
        Some(rows.iter().zip(&table.rows).flat_map(line).collect())
    }

    /// The columns `shown`, the flexible one with at most `room` characters; and the characters of a whole row with those of
    /// the widest flexible cell.
    fn laid_out(&self, table: &Table, shown: &[usize], room: Option<usize>) -> (layout::Table, (usize, usize)) {
        let columns = || shown.iter().filter_map(|index| table.columns.get(*index));
        let head = |line: &str| cut(&clean(line), TEXT_MAX);
        let heads: Vec<Vec<String>> = columns().map(|column| column.head.split('\n').map(head).collect()).collect();
        let heads: Vec<Vec<&str>> = heads.iter().map(|lines| lines.iter().map(String::as_str).collect()).collect();
        let align = |is_figure: bool| if is_figure { Align::Right } else { Align::Left };
        let heads: Vec<(&[&str], Align)> =
            heads.iter().zip(columns()).map(|(lines, column)| (lines.as_slice(), align(column.is_figure))).collect();
        let mut spans = Vec::new();
        let mut first = 0;
        for group in columns().collect::<Vec<_>>().chunk_by(|one, next| one.group == next.group) {
            let title = group.first().map_or("", |column| column.group);
            if !title.is_empty() {
                spans.push(Span { first, columns: group.len(), title });
            }
            first += group.len();
        }
        let mut drawn = layout::Table::new(&heads, &spans);
        let mut widest = 0;
        for row in table.rows.iter().filter(|row| !table.is_group(row)) {
            let mut cells: Vec<String> =
                shown.iter().map(|index| row.cells.get(*index).map_or_else(String::new, text)).collect();
            let flexible = table.flexible.and_then(|at| shown.iter().position(|index| *index == at));
            if let Some(cell) = flexible.and_then(|at| cells.get_mut(at)) {
                if let Some(whole) = self.name(table, row) {
                    *cell = whole;
                }
                widest = widest.max(cell.chars().count());
                *cell = room.map_or_else(|| cell.clone(), |room| self.fitted(table, cell, room));
            }
            drawn.push(cells, ink(weight(row)));
        }
        let used = drawn.width();
        (drawn, (used, widest))
    }

    /// The flexible cell of `row`; details have all of its words.
    fn name(&self, table: &Table, row: &Row) -> Option<String> {
        let cell = table.flexible.and_then(|at| row.cells.get(at))?;
        Some(if self.cuts(table) { text(cell) } else { clean(&cell.words()) })
    }

    /// Whether cells of the flexible column are cut, and not continued below.
    fn cuts(&self, table: &Table) -> bool {
        self.extent < Extent::Details && !table.is_whole
    }

    /// A cell of the flexible column of `table` in `room` characters.
    fn fitted(&self, table: &Table, cell: &str, room: usize) -> String {
        match self.cuts(table) {
            true => cut(last_parts(cell, room), room),
            false => cut(last_parts(parted(cell, room).0, room), room),
        }
    }
}

/// The words of `name` that fit into `room` characters, and the others; a name of one word is not parted.
fn parted(name: &str, room: usize) -> (&str, &str) {
    let fits = |(at, _): &(usize, &str)| name[..*at].chars().count() <= room;
    match name.chars().count() > room {
        true => name.rmatch_indices(' ').find(fits).map_or((name, ""), |(at, _)| (&name[..at], &name[at + 1..])),
        false => (name, ""),
    }
}

/// The role of a row, or else that of its first word with one.
fn weight(row: &Row) -> Tone {
    let of_word = |cell: &Cell| match cell {
        Cell::Word(_, tone) => Some(*tone),
        _ => None,
    };
    match row.tone {
        Tone::Plain => row.cells.iter().find_map(of_word).unwrap_or_default(),
        tone => tone,
    }
}

/// A path that is longer than `room` without its first parts; words are left as they are.
fn last_parts(mut path: &str, room: usize) -> &str {
    while !path.contains(' ')
        && path.chars().count() > room
        && let Some((_, rest)) = path.split_once('/')
    {
        path = rest;
    }
    path
}

/// A cell as it stands in a line.
fn text(cell: &Cell) -> String {
    match cell {
        Cell::Bar(of) => {
            let share = (of.to - of.from).clamp(0.0, 1.0);
            let drawn = bar(share, 1.0, BAR_WIDTH);
            let before = (of.from.clamp(0.0, 1.0) * BAR_WIDTH as f64).floor() as usize;
            match of.role {
                BarRole::Own => format!("{}{drawn}", " ".repeat(before)),
                BarRole::Gap | BarRole::Less => format!("{}{}", " ".repeat(before), "·".repeat(drawn.chars().count())),
            }
        }
        Cell::Figure(text, _) | Cell::Word(text, _) => clean(text),
        Cell::Text(words) => cut(&clean(&words.words()), TEXT_MAX),
        Cell::Pick(_) => String::new(),
    }
}
