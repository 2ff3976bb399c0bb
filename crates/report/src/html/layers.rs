//! Latency by layer: a table for each test, from the client down to the device.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::{LayerLine, LayerTable, LayerTables};
use record::Record;
use tables::layer::LayerRow;

use super::table::{Cell, Column, Row, Table};
use crate::figure::{UNKNOWN, count, nanos};
use crate::layers::{
    FIGURES, cost, is_aside, largest, missing, name, negative_note, point, rejected_tracers, repeat, rows, sources,
    title, tracer, view,
};
use crate::layout::clean;

/// Tables of a page.
const TABLES_MAX: usize = 30;

/// The width of a bar, in units of its drawing.
const BAR_WIDTH: f64 = 100.0;

/// A table for each test that does I/O or commits, then the sources of the figures and the layers without one; nothing
/// where there is no such test.
pub(super) fn layers(record: &Record) -> Markup {
    let of_runs = LayerTables::of(record);
    let tables: Vec<LayerTable> =
        model::layered_runs(record).into_iter().filter_map(|run| of_runs.table(run)).collect();
    if tables.is_empty() {
        return Markup::default();
    }
    let shown = &tables[..tables.len().min(TABLES_MAX)];
    let known = |table: &LayerTable| table.layers.iter().filter(|layer| layer.missing.is_none()).count();
    // The first one with the most layers is open.
    let open = shown.iter().enumerate().rev().max_by_key(|(_, table)| known(table)).map_or(0, |(index, _)| index);
    html! {
        p {
            "Each layer from the client down to the device, timed by its own source. Time per step is the time of all \
             operations of a layer, of all sessions, over the steps of the test; these times add up: each layer is its \
             unaccounted part plus the next layer that has a source. Means can be subtracted, percentiles cannot."
        }
        @if let Some(note) = negative_note(shown) { p { (note) } }
        @for (index, table) in shown.iter().enumerate() { (one(record, index, table, index == open)) }
        @if tables.len() > shown.len() {
            p class="note" { "The tables of " (shown.len()) " of " (tables.len()) " tests are shown; " code { "dbdyno report RECORD --layers TEST" } " prints any." }
        }
        (measured(shown))
        (not_measured(shown))
    }
}

/// One table.
fn one(record: &Record, index: usize, table: &LayerTable, is_open: bool) -> Markup {
    let whole = table.whole_ns().map_or_else(|| UNKNOWN.to_owned(), nanos);
    let steps = format!("{}, {} steps", repeat(table), count(table.steps));
    let head = [Some(steps), cost(table), tracer(table), largest(table)];
    let head = head.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let view = view()
        .words("name", ("", "layer"), |of| Cell::text(format!("{} {}", point(of), name(of)).trim_start()))
        .words("bar", ("", "time per step"), |of| Cell::Markup(bar(of)))
        .only(&[&["name", "bar"][..], &FIGURES].concat());
    let class = |of: &LayerRow<'_>| if is_aside(of) { "unaccounted" } else { "" };
    let caption = format!("Latency by layer, {}", title(table));
    let mut drawn = view.html(&format!("layers-{}", index + 1), &caption, rows(record, table), class);
    drawn.sortable = false;
    html! {
        details class="layers" open=[is_open.then_some("open")] {
            summary { (title(table)) ": " (whole) " per step" }
            p { (head) "." }
            div class="compact" { (drawn.html()) }
        }
    }
}

/// The time of a line relative to the longest layer. The figures are in other columns, so it is hidden from screen
/// readers.
fn bar(of: &LayerRow<'_>) -> Markup {
    let longest_ns = of.table.layers.iter().filter_map(|layer| layer.per_step_ns).fold(0.0, f64::max);
    let (class, from_ns, to_ns) = match of.line {
        LayerLine::Row(layer, row) => {
            // Rows of one layer are stacked.
            let before = layer.rows.iter().take_while(|one| !std::ptr::eq(*one, row));
            let from_ns: f64 = before.map(|row| row.per_step_ns).sum();
            ("own", from_ns, from_ns + row.per_step_ns)
        }
        LayerLine::Unaccounted(found, part) => {
            let own = found.per_step_ns.unwrap_or(0.0);
            let below = own - part.per_step_ns;
            (if part.per_step_ns < 0.0 { "less" } else { "gap" }, own.min(below), own.max(below))
        }
        LayerLine::Nothing(_) | LayerLine::Missing(_) => return Markup::default(),
    };
    if longest_ns <= 0.0 {
        return Markup::default();
    }
    let position = |value: f64| (value / longest_ns * BAR_WIDTH).clamp(0.0, BAR_WIDTH);
    let (from, to) = (position(from_ns), position(to_ns));
    let (x, width) = (format!("{from:.2}"), format!("{:.2}", to - from));
    html! {
        svg class="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            rect class=(class) x=(x) y="0" width=(width) height="10" {}
        }
    }
}

/// The source of each kind of figure.
fn measured(tables: &[LayerTable]) -> Markup {
    let columns = [Column::text("layer"), Column::text("interval"), Column::text("method"), Column::text("source")];
    let mut table = Table::new("layer-sources", "Sources of the figures", &columns);
    table.rows = sources(tables)
        .into_iter()
        .map(|source| {
            let name = format!("{} {}", source.id, source.label);
            Row::new(
                [name.trim_start().to_owned(), source.interval, source.method, source.source].map(Cell::text).into(),
            )
        })
        .collect();
    table.html()
}

fn not_measured(tables: &[LayerTable]) -> Markup {
    let layers = tables.iter().flat_map(|table| &table.layers).filter_map(missing);
    let tracers = tables.iter().flat_map(rejected_tracers).map(|words| ("", words));
    let absent: BTreeSet<(&str, String)> = layers.chain(tracers).collect();
    html! {
        @if !absent.is_empty() {
            h3 { "Layers without a source" }
            ul { @for (id, words) in &absent { li { (format!("{id} {}", clean(words)).trim_start()) "." } } }
        }
    }
}
