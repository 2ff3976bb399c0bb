//! Tables: headings for screen readers, sortable columns, a scrolling frame.

use maud::{Markup, html};

use super::form;
use super::text::words;
use crate::document::{Bar, BarRole, Cell, Column, Extent, Row, Table, Tone};
use crate::layout::clean;

/// The width of a bar, in units of its drawing.
const BAR_WIDTH: f64 = 100.0;

/// From this number of columns on a table is set in small letters.
const DENSE: usize = 8;

/// From this number of columns on a table is broad.
const BROAD: usize = 4;

/// The markup of a table: in parts where it has too many columns, of which the first is shown.
pub(super) fn table(table: &Table) -> Markup {
    match parts(table).as_slice() {
        [whole] if whole.shown.len() < DENSE => whole.html(),
        [whole] => html! { div class="compact" { (whole.html()) } },
        [first, others @ ..] => html! {
            div class="compact" { (first.html()) }
            details {
                summary { "The other columns" }
                @for table in others { div class="compact" { (table.html()) } }
            }
        },
        [] => Markup::default(),
    }
}

/// Some of the columns of a table.
struct Part<'a> {
    table: &'a Table,
    id: String,
    caption: String,
    /// The indices of its columns; the first one names the row.
    shown: Vec<usize>,
    /// Whether the reader may sort it.
    is_sortable: bool,
    /// Whether cells without a class are figures, which makes the HTML of a large table a third smaller.
    is_dense: bool,
}

/// A table in as many parts as needed for none to have too many columns.
fn parts(table: &Table) -> Vec<Part<'_>> {
    let columns = table.shown(Extent::Whole);
    let part = |shown: Vec<usize>, number: usize| Part {
        table,
        id: if number == 1 { table.id.clone() } else { format!("{}-{number}", table.id) },
        caption: if number == 1 { clean(&table.caption) } else { format!("{}, part {number}", clean(&table.caption)) },
        shown,
        is_sortable: table.is_sortable && number == 1,
        is_dense: number > 1,
    };
    let Some((about, columns_max)) = table.parts.filter(|(_, most)| columns.len() > *most) else {
        return vec![part(columns, 1)];
    };
    let (about, figures) = columns.split_at(about.min(columns.len()));
    let chunks = figures.chunks(columns_max.saturating_sub(about.len()).max(1));
    chunks.zip(1..).map(|(chunk, number)| part([about, chunk].concat(), number)).collect()
}

impl Part<'_> {
    fn html(&self) -> Markup {
        html! {
            div class="scroll" role="group" tabindex="0" aria-labelledby={ (self.id) "-caption" } {
                table id=(self.id) class=[self.class()] {
                    caption id={ (self.id) "-caption" } { (self.caption) }
                    thead {
                        (self.groups())
                        tr {
                            @for column in self.columns() {
                                th scope="col" class=[column.is_figure.then_some("figure")] { (clean(&column.heading())) }
                            }
                        }
                    }
                    @for group in self.table.rows.chunk_by(|_, next| !self.table.is_group(next)) {
                        tbody { @for row in group { (self.row(row)) } }
                    }
                }
            }
        }
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        self.shown.iter().filter_map(|index| self.table.columns.get(*index))
    }

    /// The headings over several columns; nothing where there are none.
    fn groups(&self) -> Markup {
        let columns: Vec<&Column> = self.columns().collect();
        let groups: Vec<(&str, usize)> = columns
            .chunk_by(|one, next| one.group == next.group)
            .map(|group| (group.first().map_or("", |column| column.group), group.len()))
            .collect();
        html! {
            @if groups.iter().any(|(title, _)| !title.is_empty()) {
                tr class="spans" {
                    @for (title, columns) in &groups {
                        @if title.is_empty() { td colspan=(columns) {} }
                        @else { th scope="colgroup" colspan=(columns) { (title) } }
                    }
                }
            }
        }
    }

    /// A broad table is wider than a phone; the frame scrolls.
    fn class(&self) -> Option<&'static str> {
        match (self.is_sortable, self.shown.len() >= BROAD) {
            _ if self.is_dense => Some("dense broad"),
            (true, true) => Some("sortable broad"),
            (true, false) => Some("sortable"),
            (false, true) => Some("broad"),
            (false, false) => None,
        }
    }

    fn row(&self, row: &Row) -> Markup {
        if self.table.is_group(row) {
            let head = row.cells.first().map(Cell::words).unwrap_or_default();
            return html! { tr class="group" { th scope="rowgroup" colspan=(self.shown.len()) { (clean(&head)) } } };
        }
        html! {
            tr class=[row_class(row.tone)] {
                @for (place, column) in self.shown.iter().enumerate() {
                    @let value = row.cells.get(*column).and_then(value).filter(|_| self.is_sortable);
                    @let class = self.cell_class(*column);
                    @if place == 0 { th scope="row" class=[class] data-v=[value] { (self.cell(row, *column)) } }
                    @else { td class=[class] data-v=[value] { (self.cell(row, *column)) } }
                }
            }
        }
    }

    fn cell_class(&self, column: usize) -> Option<&'static str> {
        match (self.is_dense, self.table.columns.get(column).is_some_and(|column| column.is_figure)) {
            (true, false) => Some("words"),
            (false, true) => Some("figure"),
            _ => None,
        }
    }

    /// The content of a cell; that which names the row has what else is known of it.
    fn cell(&self, row: &Row, column: usize) -> Markup {
        let is_name = column == self.table.flexible.unwrap_or(0);
        html! {
            @if let Some(cell) = row.cells.get(column) { (self::cell(cell)) }
            @for note in row.notes.iter().filter(|_| is_name) { span class="aside" { (clean(note)) } }
        }
    }
}

/// The value that a figure is sorted by, where it differs from the shown one; text is sorted as it is.
fn value(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Figure(shown, value) => {
            let value = value.filter(|value| value.is_finite() && shown.parse() != Ok(*value));
            value.map(|value| value.to_string())
        }
        Cell::Text(_) | Cell::Word(..) | Cell::Bar(_) | Cell::Pick(_) => None,
    }
}

fn row_class(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain | Tone::Good | Tone::Unknown => None,
        Tone::Aside => Some("unaccounted"),
        Tone::Warning => Some("warn"),
        Tone::Invalid => Some("invalid"),
    }
}

fn cell(cell: &Cell) -> Markup {
    match cell {
        Cell::Text(text) => words(text),
        Cell::Figure(text, _) => html! { (clean(text)) },
        Cell::Word(text, tone) => html! { span class=(word_class(*tone)) { (clean(text)) } },
        Cell::Bar(bar) => self::bar(bar),
        Cell::Pick(pick) => form::pick(pick),
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
fn bar(bar: &Bar) -> Markup {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped_and_figures_keep_their_value() {
        let columns = vec![Column::text("name"), Column::figure("rate")];
        let row =
            |name: &str, figure: &str, value| Row::new(vec![Cell::text(name), Cell::Figure(figure.to_owned(), value)]);
        let rows = [
            row("<script>", "52.31 k", Some(52_312.5)),
            row("b", "-", None).in_tone(Tone::Invalid),
            row("c", "7.50", Some(7.5)),
        ];
        let html = table(&Table { is_sortable: true, ..Table::new("t", "<b>", columns).with(rows) }).into_string();
        assert!(html.contains("&lt;b&gt;") && html.contains("<th scope=\"row\">&lt;script&gt;</th>"), "{html}");
        assert!(html.contains("<td class=\"figure\" data-v=\"52312.5\">52.31 k</td>"), "{html}");
        assert!(html.contains("<td class=\"figure\">7.50</td>"), "{html}");
        assert!(html.contains("<tr class=\"invalid\">") && html.contains("<td class=\"figure\">-</td>"), "{html}");
    }
}
