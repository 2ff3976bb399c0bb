//! Tables: columns with their headings, rows with their role, and what a cell says.

use std::borrow::Cow;

use super::{Extent, Pick, Text, Tone};

/// A table.
pub(crate) struct Table {
    /// Unique in the document.
    pub(crate) id: String,
    /// What it shows.
    pub(crate) caption: String,
    /// The columns; the first one names the row.
    pub(crate) columns: Vec<Column>,
    /// The lines.
    pub(crate) rows: Vec<Row>,
    /// Whether the reader of a page may sort it.
    pub(crate) is_sortable: bool,
    /// How a page that has no room for all columns divides them: so many columns that name the row are repeated, and at
    /// most so many stand in one table.
    pub(crate) parts: Option<(usize, usize)>,
    /// The column whose cells give way where a terminal has no room for a whole row: a screen cuts them, details
    /// continue them below. None of them where there is none.
    pub(crate) flexible: Option<usize>,
    /// Whether also a screen continues them below, because none of their words may be missing.
    pub(crate) is_whole: bool,
    /// Whether each cell has the heading of its column before it where a terminal writes the rows as paragraphs.
    pub(crate) is_labelled: bool,
}

/// A column.
#[derive(Clone)]
pub(crate) struct Column {
    /// Its heading; lines are for media that stack them.
    pub(crate) head: Cow<'static, str>,
    /// What it has in common with the columns beside it; may be empty.
    pub(crate) group: &'static str,
    /// Whether its cells are figures, which are aligned to the right.
    pub(crate) is_figure: bool,
    /// From which extent on it is shown.
    pub(crate) extent: Extent,
}

/// A line.
pub(crate) struct Row {
    /// Its role.
    pub(crate) tone: Tone,
    /// One for each column. A row of one cell in a table of several columns is the heading of the following lines.
    pub(crate) cells: Vec<Cell>,
    /// What else is known of it, below its name; shown from the details on.
    pub(crate) notes: Vec<String>,
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Words.
    Text(Text),
    /// A figure as it is shown, and the value by which it is sorted; unknown where there is none.
    Figure(String, Option<f64>),
    /// A word with its role: a verdict.
    Word(String, Tone),
    /// A bar.
    Bar(Bar),
    /// A check box; only pages have it.
    Pick(Pick),
}

/// A part of a whole, drawn from one share of it to another. Its figures are in other cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Where it begins, in [0, 1].
    pub(crate) from: f64,
    /// Where it ends, in [0, 1].
    pub(crate) to: f64,
    /// What is drawn.
    pub(crate) role: BarRole,
}

/// What a bar stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarRole {
    /// A measured part.
    Own,
    /// A part that nothing accounts for.
    Gap,
    /// What the parts have too much.
    Less,
}

impl Column {
    /// A column of words.
    pub(crate) const fn text(head: &'static str) -> Column {
        Column { head: Cow::Borrowed(head), group: "", is_figure: false, extent: Extent::Screen }
    }

    /// A column of figures.
    pub(crate) const fn figure(head: &'static str) -> Column {
        Column { head: Cow::Borrowed(head), group: "", is_figure: true, extent: Extent::Screen }
    }

    /// The heading in one line; a word that is parted over lines is whole.
    pub(crate) fn heading(&self) -> String {
        self.head.replace("-\n", "").replace('\n', " ")
    }

    /// The same column, with what it shares with those beside it.
    #[must_use]
    pub(crate) fn in_group(self, group: &'static str) -> Column {
        Column { group, ..self }
    }

    /// The same column, shown from `extent` on.
    #[must_use]
    pub(crate) fn from(self, extent: Extent) -> Column {
        Column { extent, ..self }
    }
}

impl Row {
    /// A plain line.
    pub(crate) fn new(cells: Vec<Cell>) -> Row {
        Row { tone: Tone::Plain, cells, notes: Vec::new() }
    }

    /// The heading of the following lines.
    pub(crate) fn group(head: impl Into<Text>) -> Row {
        Row::new(vec![Cell::text(head)])
    }

    /// The same line in another role.
    #[must_use]
    pub(crate) fn in_tone(self, tone: Tone) -> Row {
        Row { tone, ..self }
    }

    /// The same line with what else is known of it.
    #[must_use]
    pub(crate) fn noted(self, notes: Vec<String>) -> Row {
        Row { notes, ..self }
    }
}

impl Cell {
    /// Words.
    pub(crate) fn text(text: impl Into<Text>) -> Cell {
        Cell::Text(text.into())
    }

    /// A figure that is known or not: `shown` writes it.
    pub(crate) fn figure(value: Option<f64>, shown: impl Fn(f64) -> String) -> Cell {
        let value = value.filter(|value| value.is_finite());
        Cell::Figure(value.map_or_else(|| crate::figure::UNKNOWN.to_owned(), shown), value)
    }

    /// A whole number.
    pub(crate) fn count(count: u64) -> Cell {
        Cell::Figure(crate::figure::count(count), Some(count as f64))
    }

    /// Nothing.
    pub(crate) fn empty() -> Cell {
        Cell::Text(Text::default())
    }

    /// Its words.
    pub(crate) fn words(&self) -> String {
        match self {
            Cell::Text(text) => text.words(),
            Cell::Figure(text, _) | Cell::Word(text, _) => text.clone(),
            Cell::Bar(_) | Cell::Pick(_) => String::new(),
        }
    }
}

impl Table {
    /// A table without lines that is not sorted.
    pub(crate) fn new(id: impl Into<String>, caption: impl Into<String>, columns: Vec<Column>) -> Table {
        Table {
            id: id.into(),
            caption: caption.into(),
            columns,
            rows: Vec::new(),
            is_sortable: false,
            parts: None,
            flexible: None,
            is_whole: false,
            is_labelled: false,
        }
    }

    /// The same table with these lines.
    #[must_use]
    pub(crate) fn with(self, rows: impl IntoIterator<Item = Row>) -> Table {
        Table { rows: rows.into_iter().collect(), ..self }
    }

    /// The same table without columns of words that are empty in all lines, of a table without a flexible column.
    #[must_use]
    pub(crate) fn without_empty(mut self) -> Table {
        let is_empty = |cell: &Cell| matches!(cell, Cell::Text(text) if text.is_empty());
        let is_kept =
            |index: usize| self.rows.iter().any(|row| row.cells.get(index).is_none_or(|cell| !is_empty(cell)));
        let kept: Vec<bool> = (0..self.columns.len()).map(is_kept).collect();
        let is_kept = |index: usize| kept.get(index).copied().unwrap_or(true);
        self.columns =
            self.columns.into_iter().enumerate().filter(|(index, _)| is_kept(*index)).map(|(_, one)| one).collect();
        for row in &mut self.rows {
            let cells = std::mem::take(&mut row.cells).into_iter().enumerate();
            row.cells = cells.filter(|(index, _)| is_kept(*index)).map(|(_, cell)| cell).collect();
        }
        self
    }

    /// The indices of the columns that are shown at `extent`.
    pub(crate) fn shown(&self, extent: Extent) -> Vec<usize> {
        let shown = self.columns.iter().enumerate().filter(|(_, column)| column.extent <= extent);
        shown.map(|(index, _)| index).collect()
    }

    /// Whether a row is the heading of the following ones.
    pub(crate) fn is_group(&self, row: &Row) -> bool {
        row.cells.len() == 1 && self.columns.len() > 1
    }
}
