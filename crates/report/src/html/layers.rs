//! Where the time goes: the latency table of each test, from the client down to the device.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::{LatencyLayer, LayerLine, LayerRow, LayerTable, LayerTables, layer_lines};
use record::{Nanos, Record};

use super::table::{Cell, Column, Row, Table};
use crate::figure::{UNKNOWN, count, duration, nanos, three_digits};
use crate::layers::{
    cost, id, label, largest, layer, missing, negative_note, passed, repeat, rung, sources, span, title,
};
use crate::layout::clean;

/// Tables of a page.
const TABLES_MAX: usize = 30;

/// What a bar is as wide as, in units of its drawing.
const BAR_WIDTH: f64 = 100.0;

const COLUMNS: [Column; 10] = [
    Column::text("layer"),
    Column::text("time per step"),
    Column::figures("per step"),
    Column::figures("count"),
    Column::figures("fan-out"),
    Column::figures("mean"),
    Column::figures("p50"),
    Column::figures("p90"),
    Column::figures("p99"),
    Column::figures("max"),
];

/// A table for each test that does I/O or commits, then where each figure was measured and what was not seen; nothing
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
    // The one that tells most is open; of equal ones the first.
    let open = shown.iter().enumerate().rev().max_by_key(|(_, table)| known(table)).map_or(0, |(index, _)| index);
    html! {
        p {
            "Each layer from the client down to the device, timed by a source of its own. Time per step is that of all \
             operations of a layer, of all sessions together, over the steps of the test: so far layers can be added up. \
             Each layer is its unaccounted part and the next layer that has a source. Means subtract, percentiles never do."
        }
        @if let Some(note) = negative_note(shown) { p { (note) } }
        @for (index, table) in shown.iter().enumerate() { (one(index, table, index == open)) }
        @if tables.len() > shown.len() {
            p class="note" { "The tables of " (shown.len()) " of " (tables.len()) " tests are shown; " code { "dbdyno report RECORD --layers TEST" } " prints any." }
        }
        (measured(shown))
        (not_seen(shown))
    }
}

/// One table.
fn one(index: usize, table: &LayerTable, is_open: bool) -> Markup {
    let whole = table.whole_ns().map_or_else(|| UNKNOWN.to_owned(), nanos);
    let steps = format!("{}, {} steps", repeat(table), count(table.steps));
    let head = [Some(steps), cost(table), rung(table), largest(table)];
    let head = head.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let mut drawn =
        Table::new(format!("layers-{}", index + 1), format!("Latency by layer, {}", title(table)), &COLUMNS);
    drawn.rows = rows(table);
    html! {
        details class="layers" open=[is_open.then_some("open")] {
            summary { (title(table)) ": " (whole) " per step" }
            p { (head) "." }
            div class="compact" { (drawn.html()) }
        }
    }
}

fn rows(table: &LayerTable) -> Vec<Row> {
    let longest = table.layers.iter().filter_map(|layer| layer.per_step_ns).fold(0.0, f64::max);
    let mut from_ns = 0.0;
    let mut point = None;
    let row = |line: &LayerLine<'_>| match line {
        LayerLine::Row(layer, row) => {
            // Rows of one layer stand one behind the other.
            if point != Some(layer.point) {
                (point, from_ns) = (Some(layer.point), 0.0);
            }
            let drawn = bar("own", from_ns, from_ns + row.per_step_ns, longest);
            from_ns += row.per_step_ns;
            Row::new(figures(layer, row, drawn))
        }
        LayerLine::Nothing(found) => {
            let name = format!("{} no {}", id(found.point), layer(found.point));
            Row::new(with_bar(name, Markup::default(), Some(0.0), Some(0)))
        }
        LayerLine::Unaccounted(found, part) => {
            let own = found.per_step_ns.unwrap_or(0.0);
            let below = own - part.per_step_ns;
            let class = if part.per_step_ns < 0.0 { "less" } else { "gap" };
            let drawn = bar(class, own.min(below), own.max(below), longest);
            let cells = with_bar("unaccounted".to_owned(), drawn, Some(part.per_step_ns), None);
            Row { class: "unaccounted", cells }
        }
        LayerLine::Missing(found) => {
            let mut cells =
                with_bar(format!("{} {}", id(found.point), layer(found.point)), Markup::default(), None, None);
            cells[2] = Cell::Figure("n.d.".to_owned(), None);
            Row { class: "unaccounted", cells }
        }
    };
    layer_lines(table).iter().map(row).collect()
}

/// A line with a bar and with no figures but these.
fn with_bar(name: String, bar: Markup, per_step_ns: Option<f64>, count: Option<u64>) -> Vec<Cell> {
    let empty = || Cell::Figure(String::new(), None);
    let mut cells = vec![
        Cell::text(name),
        Cell::Markup(bar),
        Cell::Figure(per_step_ns.map(span).unwrap_or_default(), per_step_ns),
        Cell::Figure(count.map(|count| count.to_string()).unwrap_or_default(), count.map(|count| count as f64)),
    ];
    cells.resize_with(COLUMNS.len(), empty);
    cells
}

fn figures(layer: &LatencyLayer, row: &LayerRow, bar: Markup) -> Vec<Cell> {
    let figure = |value: Option<f64>, shown: fn(f64) -> String| {
        Cell::Figure(value.map_or_else(|| UNKNOWN.to_owned(), shown), value)
    };
    let quantiles = row.quantiles;
    let time = |time: Option<Nanos>| {
        Cell::Figure(time.map_or_else(|| UNKNOWN.to_owned(), duration), time.map(|time| time.0 as f64))
    };
    let counted = row.count.map(|count| count as f64);
    vec![
        Cell::text(format!("{} {}", id(layer.point), label(layer.point, row))),
        Cell::Markup(bar),
        figure(Some(row.per_step_ns), nanos),
        Cell::Figure(row.count.map_or_else(|| UNKNOWN.to_owned(), count), counted),
        figure(row.fan_out, three_digits),
        figure(row.mean_ns(), nanos),
        time(quantiles.map(|quantiles| quantiles.p50_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p90_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p99_ns)),
        time(quantiles.map(|quantiles| quantiles.max_ns)),
    ]
}

/// From `from_ns` to `to_ns` of `longest_ns`. The figures stand beside it: nothing to read aloud.
fn bar(class: &str, from_ns: f64, to_ns: f64, longest_ns: f64) -> Markup {
    if longest_ns <= 0.0 {
        return Markup::default();
    }
    let place = |value: f64| (value / longest_ns * BAR_WIDTH).clamp(0.0, BAR_WIDTH);
    let (from, to) = (place(from_ns), place(to_ns));
    let (x, width) = (format!("{from:.2}"), format!("{:.2}", to - from));
    html! {
        svg class="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            rect class=(class) x=(x) y="0" width=(width) height="10" {}
        }
    }
}

/// Each kind of figure once.
fn measured(tables: &[LayerTable]) -> Markup {
    let columns =
        [Column::text("layer"), Column::text("from when to when"), Column::text("method"), Column::text("source")];
    let mut table = Table::new("layer-sources", "Where each figure was measured", &columns);
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

fn not_seen(tables: &[LayerTable]) -> Markup {
    let layers = tables.iter().flat_map(|table| &table.layers).filter_map(|layer| layer.missing.as_ref());
    let rungs = tables.iter().flat_map(passed).map(|words| ("", words));
    let absent: BTreeSet<(&str, String)> =
        layers.map(|absent| (id(absent.point), missing(absent))).chain(rungs).collect();
    html! {
        @if !absent.is_empty() {
            h3 { "Layers without a source" }
            ul { @for (id, words) in &absent { li { (format!("{id} {}", clean(words)).trim_start()) "." } } }
        }
    }
}
