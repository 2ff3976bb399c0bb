//! The latency table on a terminal.

use std::collections::BTreeSet;

use model::{LatencyLayer, LayerLine, LayerRow, LayerTable, layer_lines};
use record::Record;

use super::words::{cost, id, label, largest, layer, missing, negative_note, passed, repeat, rung, span, title};
use super::{LayersQuestion, Source, sources, tables};
use crate::figure::{UNKNOWN, count, duration, nanos, number, three_digits};
use crate::layout::{Align, Head, Table, cut, paragraph, section};
use crate::style::{Ink, Style};
use crate::text::{command, word};

/// Letters of a layer's name.
const NAME_MAX: usize = 16;

const HEADS: [Head; 10] = [
    (&[""], Align::Left),
    (&["layer"], Align::Left),
    (&["per", "step"], Align::Right),
    (&["count"], Align::Right),
    (&["fan-", "out"], Align::Right),
    (&["mean"], Align::Right),
    (&["p50"], Align::Right),
    (&["p90"], Align::Right),
    (&["p99"], Align::Right),
    (&["max"], Align::Right),
];

/// Where the words of a source begin.
const SOURCE_INDENT: usize = 21;

/// How the figures are to be read.
const READING: [&str; 4] = [
    "Per step: time of all operations of the layer, of all sessions together, over the steps of the test. These add up: \
     each layer is its unaccounted part and the next layer that has a source.",
    "Fan-out: operations for each one of the layer above that leads to them (a write of the block layer: for each sync).",
    "Unaccounted: per step, a layer less the next one. Means subtract, percentiles never do.",
    "Waits are timed by the engine, of its background processes too; they are waits for I/O and no latency of a device. \
     The block layer counts everybody on the device.",
];

/// The latency tables of `record` that `question` is about, laid out for `width` columns: one after the other, then
/// where each figure was measured, which layers have no source and how to get one. `place` is the path of the record as
/// the user may type it.
///
/// # Errors
/// What is wrong with the question, in words.
pub fn layers_text(
    record: &Record,
    question: &LayersQuestion,
    place: &str,
    style: Style,
    width: usize,
) -> Result<String, String> {
    let tables = tables(record, question)?;
    let width = crate::page_width(width);
    let mut text = Vec::new();
    for table in &tables {
        text.push(section(&cut(&title(table), width), style, width));
        text.extend(head(table, width));
        text.extend(body(table).lines(style, width));
        text.push(String::new());
    }
    text.push(section("WHERE EACH FIGURE WAS MEASURED", style, width));
    text.extend(measured(&tables, width));
    let absent: BTreeSet<(&str, String)> = tables.iter().flat_map(absent).collect();
    if !absent.is_empty() {
        text.push(String::new());
        text.push(section("NOT SEEN", style, width));
        text.extend(absent.iter().flat_map(|(id, words)| paragraph(id, 3, words, width)));
    }
    text.push(String::new());
    let notes = READING.into_iter().chain(negative_note(&tables));
    text.extend(notes.flat_map(|note| paragraph("", 0, note, width)));
    text.push(String::new());
    text.extend(command("as CSV", "dbdyno report", &word(place), "--layers --format csv", width));
    Ok(style.letters(text.join("\n") + "\n"))
}

/// What stands above a table.
fn head(table: &LayerTable, width: usize) -> Vec<String> {
    let run = [Some(format!("{}, {} steps", repeat(table), count(table.steps))), cost(table), rung(table)];
    let run = run.into_iter().flatten().collect::<Vec<_>>().join("; ");
    [Some(run), largest(table)].into_iter().flatten().flat_map(|words| paragraph("", 0, &words, width)).collect()
}

fn body(table: &LayerTable) -> Table {
    let mut drawn = Table::new(&HEADS, &[]);
    for line in layer_lines(table) {
        match line {
            LayerLine::Row(layer, row) => drawn.push(cells(layer, row), None),
            LayerLine::Nothing(found) => {
                let name = format!("no {}", layer(found.point));
                drawn.push(vec![id(found.point).to_owned(), name, "0 ns".to_owned(), "0".to_owned()], None);
            }
            LayerLine::Unaccounted(_, part) => {
                let cells = vec![String::new(), "unaccounted".to_owned(), span(part.per_step_ns)];
                drawn.push(cells, Some(Ink::Aside));
            }
            LayerLine::Missing(found) => {
                let cells = vec![id(found.point).to_owned(), layer(found.point).to_owned(), "n.d.".to_owned()];
                drawn.push(cells, Some(Ink::Aside));
            }
        }
    }
    drawn
}

fn cells(layer: &LatencyLayer, row: &LayerRow) -> Vec<String> {
    let unknown = || UNKNOWN.to_owned();
    let quantiles = row.quantiles;
    let time = |value: Option<record::Nanos>| value.map_or_else(unknown, duration);
    vec![
        id(layer.point).to_owned(),
        cut(&label(layer.point, row), NAME_MAX),
        nanos(row.per_step_ns),
        row.count.map_or_else(unknown, short_count),
        row.fan_out.map_or_else(unknown, three_digits),
        row.mean_ns().map_or_else(unknown, nanos),
        time(quantiles.map(|quantiles| quantiles.p50_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p90_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p99_ns)),
        time(quantiles.map(|quantiles| quantiles.max_ns)),
    ]
}

/// A count in at most seven letters.
fn short_count(value: u64) -> String {
    if value < 1_000_000 { value.to_string() } else { number(value as f64) }
}

/// Where each figure was measured, a paragraph each.
fn measured(tables: &[LayerTable], width: usize) -> Vec<String> {
    let told = |source: Source| {
        let label = format!("{:<3}{}", source.id, cut(&source.label, NAME_MAX));
        let words = format!("{}, {}: {}", source.method, source.interval, source.source);
        paragraph(&label, SOURCE_INDENT, &words, width)
    };
    sources(tables).into_iter().flat_map(told).collect()
}

fn absent(table: &LayerTable) -> Vec<(&'static str, String)> {
    let layers = table.layers.iter().filter_map(|layer| layer.missing.as_ref());
    let rungs = passed(table).into_iter().map(|words| ("", words));
    layers.map(|absent| (id(absent.point), missing(absent))).chain(rungs).collect()
}
