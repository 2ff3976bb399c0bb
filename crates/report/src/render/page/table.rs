//! Tables: headings for screen readers, sortable columns, a scrolling frame.

use std::borrow::Cow;

use maud::{Markup, html};

use super::text::words;
use crate::document::{self, BarRole, Extent, Tone};
use crate::layout::clean;

/// The width of a bar, in units of its drawing.
const BAR_WIDTH: f64 = 100.0;

/// A table.
pub(crate) struct Table {
    /// Unique on the page.
    pub(crate) id: String,
    /// The caption.
    pub(crate) caption: String,
    /// Headings over several columns, with the number of columns; empty where there are none. The numbers add up to all
    /// columns.
    pub(crate) spans: Vec<(&'static str, usize)>,
    /// The columns; the first one names the row.
    pub(crate) columns: Vec<Column>,
    /// The lines.
    pub(crate) rows: Vec<Row>,
    /// Whether the reader may sort it.
    pub(crate) sortable: bool,
    /// Whether cells without a class are figures, which makes the HTML of a large table a third smaller.
    pub(crate) is_dense: bool,
}

/// A column.
#[derive(Clone)]
pub(crate) struct Column {
    /// Its heading.
    pub(crate) head: Cow<'static, str>,
    /// Whether its cells are figures, which are aligned to the right.
    pub(crate) figures: bool,
}

/// A line.
pub(crate) struct Row {
    /// The CSS class; empty for a plain row.
    pub(crate) class: &'static str,
    /// One for each column; the heading of a group has one, as wide as the table.
    pub(crate) cells: Vec<Cell>,
}

/// The content of a cell.
pub(crate) enum Cell {
    /// Words.
    Text(String),
    /// A figure as it is shown, and the value by which it is sorted; unknown where there is none.
    Figure(String, Option<f64>),
    /// Markup.
    Markup(Markup),
}

impl Column {
    /// A column of words.
    pub(crate) const fn text(head: &'static str) -> Column {
        Column { head: Cow::Borrowed(head), figures: false }
    }

    /// A column of figures.
    pub(crate) const fn figures(head: &'static str) -> Column {
        Column { head: Cow::Borrowed(head), figures: true }
    }
}

/// From this number of columns on a table is set in small letters.
const DENSE: usize = 8;

/// From this number of columns on a table is broad.
const BROAD: usize = 4;

/// The class of a group heading.
const GROUP: &str = "group";

impl Row {
    /// A plain line.
    pub(crate) fn new(cells: Vec<Cell>) -> Row {
        Row { class: "", cells }
    }

    /// The heading of the following lines.
    pub(crate) fn group(head: impl Into<String>) -> Row {
        Row { class: GROUP, cells: vec![Cell::text(head)] }
    }
}

impl Cell {
    /// Words.
    pub(crate) fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }
}

impl Table {
    /// A table without lines that is not sorted.
    pub(crate) fn new(id: impl Into<String>, caption: impl Into<String>, columns: &[Column]) -> Table {
        Table {
            id: id.into(),
            caption: caption.into(),
            spans: Vec::new(),
            columns: columns.to_vec(),
            rows: Vec::new(),
            sortable: false,
            is_dense: false,
        }
    }

    /// The table in its frame; nothing where it has no lines.
    pub(crate) fn html(&self) -> Markup {
        if self.rows.is_empty() {
            return Markup::default();
        }
        html! {
            div class="scroll" role="group" tabindex="0" aria-labelledby={ (self.id) "-caption" } {
                table id=(self.id) class=[self.class()] {
                    caption id={ (self.id) "-caption" } { (self.caption) }
                    thead {
                        @if !self.spans.is_empty() {
                            tr class="spans" {
                                @for (title, columns) in &self.spans {
                                    @if title.is_empty() { td colspan=(columns) {} }
                                    @else { th scope="colgroup" colspan=(columns) { (title) } }
                                }
                            }
                        }
                        tr {
                            @for column in &self.columns {
                                th scope="col" class=[column.figures.then_some("figure")] { (column.head) }
                            }
                        }
                    }
                    @for group in self.rows.chunk_by(|_, next| next.class != GROUP) {
                        tbody { @for row in group { (self.line(row)) } }
                    }
                }
            }
        }
    }

    /// A broad table is wider than a phone; the frame scrolls.
    fn class(&self) -> Option<&'static str> {
        if self.is_dense {
            return Some("dense broad");
        }
        match (self.sortable, self.columns.len() >= BROAD) {
            (true, true) => Some("sortable broad"),
            (true, false) => Some("sortable"),
            (false, true) => Some("broad"),
            (false, false) => None,
        }
    }

    fn class_of(&self, column: &Column) -> Option<&'static str> {
        match (self.is_dense, column.figures) {
            (true, false) => Some("words"),
            (false, true) => Some("figure"),
            _ => None,
        }
    }

    fn line(&self, row: &Row) -> Markup {
        if let ([cell], GROUP) = (row.cells.as_slice(), row.class) {
            return html! {
                tr class=(GROUP) { th scope="rowgroup" colspan=(self.columns.len()) { (inside(cell)) } }
            };
        }
        html! {
            tr class=[Some(row.class).filter(|class| !class.is_empty())] {
                @for (index, (cell, column)) in row.cells.iter().zip(&self.columns).enumerate() {
                    @let value = value(cell).filter(|_| self.sortable);
                    @let class = self.class_of(column);
                    @if index == 0 { th scope="row" class=[class] data-v=[value] { (inside(cell)) } }
                    @else { td class=[class] data-v=[value] { (inside(cell)) } }
                }
            }
        }
    }
}

fn inside(cell: &Cell) -> Markup {
    match cell {
        Cell::Text(text) | Cell::Figure(text, _) => html! { (text) },
        Cell::Markup(markup) => markup.clone(),
    }
}

/// The value that a figure is sorted by, where it differs from the shown one; text is sorted as it is.
fn value(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Figure(shown, value) => {
            let value = value.filter(|value| value.is_finite() && shown.parse() != Ok(*value));
            value.map(|value| value.to_string())
        }
        Cell::Text(_) | Cell::Markup(_) => None,
    }
}

/// The markup of a table of a document: in parts where it has too many columns, of which the first is shown.
pub(super) fn drawn(table: &document::Table) -> Markup {
    match table_parts(table).as_slice() {
        [whole] if whole.columns.len() >= DENSE => html! { div class="compact" { (whole.html()) } },
        [whole] => whole.html(),
        tables => parts(tables, "The other columns"),
    }
}

/// All columns of a table of a document.
pub(crate) fn whole_table(table: &document::Table) -> Table {
    of(table, &table.id, &table.caption, &table.shown(Extent::Whole))
}

/// A table of a document in as many parts as needed for none to have too many columns.
pub(crate) fn table_parts(table: &document::Table) -> Vec<Table> {
    let columns = table.shown(Extent::Whole);
    let Some((about, columns_max)) = table.parts.filter(|(_, most)| columns.len() > *most) else {
        return vec![whole_table(table)];
    };
    let (about, figures) = columns.split_at(about.min(columns.len()));
    let chunks = figures.chunks(columns_max.saturating_sub(about.len()).max(1)).zip(1..);
    let part = |(chunk, number): (&[usize], u32)| {
        let (id, caption) = match number {
            1 => (table.id.clone(), table.caption.clone()),
            _ => (format!("{}-{number}", table.id), format!("{}, part {number}", table.caption)),
        };
        let part = of(table, &id, &caption, &[about, chunk].concat());
        Table { sortable: table.is_sortable && number == 1, is_dense: number > 1, ..part }
    };
    chunks.map(part).collect()
}

/// The columns `shown` of a table of a document.
fn of(table: &document::Table, id: &str, caption: &str, shown: &[usize]) -> Table {
    let columns: Vec<&document::Column> = shown.iter().filter_map(|index| table.columns.get(*index)).collect();
    let groups: Vec<(&'static str, usize)> = columns
        .chunk_by(|one, next| one.group == next.group)
        .map(|group| (group.first().map_or("", |column| column.group), group.len()))
        .collect();
    let row = |row: &document::Row| match table.is_group(row) {
        true => Row::group(row.cells.first().map(document::Cell::words).unwrap_or_default()),
        false => Row {
            class: class(row.tone),
            cells: shown.iter().map(|index| row.cells.get(*index).map_or_else(|| Cell::text(""), cell)).collect(),
        },
    };
    Table {
        id: id.to_owned(),
        caption: clean(caption),
        spans: if groups.iter().any(|(title, _)| !title.is_empty()) { groups } else { Vec::new() },
        columns: columns.into_iter().map(column).collect(),
        rows: table.rows.iter().map(row).collect(),
        sortable: table.is_sortable,
        is_dense: false,
    }
}

fn column(column: &document::Column) -> Column {
    // The heading has one line.
    Column { head: column.head.replace('\n', " ").into(), figures: column.is_figure }
}

/// The class of a row.
fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain | Tone::Good | Tone::Unknown => "",
        Tone::Aside => "unaccounted",
        Tone::Warning => "warn",
        Tone::Invalid => "invalid",
    }
}

fn cell(cell: &document::Cell) -> Cell {
    match cell {
        document::Cell::Text(text) => Cell::Markup(words(text)),
        document::Cell::Figure(text, value) => Cell::Figure(clean(text), *value),
        document::Cell::Word(text, tone) => Cell::Markup(html! { span class=(word_class(*tone)) { (clean(text)) } }),
        document::Cell::Bar(bar) => Cell::Markup(self::bar(bar)),
    }
}

/// The class of a word.
pub(crate) fn word_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain | Tone::Aside => "word",
        Tone::Good => "word pass",
        Tone::Unknown => "word unknown",
        Tone::Warning => "word warn",
        Tone::Invalid => "word fail",
    }
}

/// The figures of a bar are in other columns, so it is hidden from screen readers.
fn bar(bar: &document::Bar) -> Markup {
    let class = match bar.role {
        BarRole::Own => "own",
        BarRole::Gap => "gap",
        BarRole::Less => "less",
    };
    let position = |share: f64| (share * BAR_WIDTH).clamp(0.0, BAR_WIDTH);
    let (from, to) = (position(bar.from), position(bar.to));
    let (x, width) = (format!("{from:.2}"), format!("{:.2}", to - from));
    html! {
        svg class="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            rect class=(class) x=(x) y="0" width=(width) height="10" {}
        }
    }
}

/// The first of `tables`, and the rest collapsed under `others`.
pub(crate) fn parts(tables: &[Table], others: &str) -> Markup {
    html! {
        @if let Some((first, more)) = tables.split_first() {
            div class="compact" { (first.html()) }
            @if !more.is_empty() {
                details {
                    summary { (others) }
                    @for table in more { div class="compact" { (table.html()) } }
                }
            }
        }
    }
}

/// Facts: names with their values.
pub(crate) fn facts(facts: &[(String, String)]) -> Markup {
    html! {
        dl class="facts" {
            @for (name, value) in facts { div { dt { (name) } dd { (value) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped_and_figures_keep_their_value() {
        let mut table = Table::new("t", "<b>", &[Column::text("name"), Column::figures("rate")]);
        assert_eq!(table.html().0, "", "nothing to show");
        table.sortable = true;
        table.rows.push(Row::new(vec![Cell::text("<script>"), Cell::Figure("52.31 k".to_owned(), Some(52_312.5))]));
        table.rows.push(Row { class: "invalid", cells: vec![Cell::text("b"), Cell::Figure("-".to_owned(), None)] });
        table.rows.push(Row::new(vec![Cell::text("c"), Cell::Figure("7.50".to_owned(), Some(7.5))]));
        let html = table.html().into_string();
        assert!(html.contains("&lt;b&gt;") && html.contains("<th scope=\"row\">&lt;script&gt;</th>"), "{html}");
        assert!(html.contains("<td class=\"figure\" data-v=\"52312.5\">52.31 k</td>"), "{html}");
        assert!(html.contains("<td class=\"figure\">7.50</td>"), "{html}");
        assert!(html.contains("<tr class=\"invalid\">") && html.contains("<td class=\"figure\">-</td>"), "{html}");
    }
}
