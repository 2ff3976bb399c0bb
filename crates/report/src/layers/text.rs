//! The latency table on a terminal.

use std::collections::BTreeSet;

use model::LayerTable;
use record::Record;

use super::words::{cost, largest, missing, negative_note, rejected_tracers, repeat, title, tracer};
use super::{FIGURES, LayersQuery, Source, is_aside, name, rows, sources, tables, view};
use crate::figure::count;
use crate::html::Cell;
use crate::layout::{Table, cut, paragraph, section};
use crate::shell_word::shell_word;
use crate::style::{Ink, Style};
use crate::text::command;

/// Characters of a layer's name.
const NAME_MAX: usize = 16;

/// Column of the description of a source.
const SOURCE_INDENT: usize = 21;

/// How to read the figures.
const READING: [&str; 4] = [
    "Per step: time of all operations of the layer, of all sessions, over the steps of the test. These times add up: \
     each layer is its unaccounted part plus the next layer that has a source.",
    "Fan-out: operations per operation of the layer above that causes them (block layer writes: per sync).",
    "Unaccounted: per step, a layer less the next one. Means can be subtracted, percentiles cannot.",
    "Waits are timed by the engine and include its background processes; they are waits for I/O, not device latency. \
     The block layer counts the I/O of all programs on the device.",
];

/// The latency tables of `record` that `query` selects, laid out for `width` columns, then the sources of the
/// figures, and the layers without a source with a hint. `path` is the path of the record.
///
/// # Errors
/// Why there is no table, in words.
pub fn layers_text(
    record: &Record,
    query: &LayersQuery,
    path: &str,
    style: Style,
    width: usize,
) -> Result<String, String> {
    let tables = tables(record, query)?;
    let width = crate::page_width(width);
    let mut text = Vec::new();
    for table in &tables {
        text.push(section(&cut(&title(table), width), style, width));
        text.extend(head(table, width));
        text.extend(body(record, table).lines(style, width));
        text.push(String::new());
    }
    text.push(section("SOURCES OF THE FIGURES", style, width));
    text.extend(measured(&tables, width));
    let absent: BTreeSet<(&str, String)> = tables.iter().flat_map(absent).collect();
    if !absent.is_empty() {
        text.push(String::new());
        text.push(section("NOT MEASURED", style, width));
        text.extend(absent.iter().flat_map(|(id, words)| paragraph(id, 3, words, width)));
    }
    text.push(String::new());
    let notes = READING.into_iter().chain(negative_note(&tables));
    text.extend(notes.flat_map(|note| paragraph("", 0, note, width)));
    text.push(String::new());
    text.extend(command("as CSV", "dbdyno report", &shell_word(path), "--layers --format csv", width));
    Ok(style.encoded(text.join("\n") + "\n"))
}

/// The lines above a table.
fn head(table: &LayerTable, width: usize) -> Vec<String> {
    let run = [Some(format!("{}, {} steps", repeat(table), count(table.steps))), cost(table), tracer(table)];
    let run = run.into_iter().flatten().collect::<Vec<_>>().join("; ");
    [Some(run), largest(table)].into_iter().flatten().flat_map(|words| paragraph("", 0, &words, width)).collect()
}

fn body(record: &Record, table: &LayerTable) -> Table {
    let view = view().words("name", ("", "layer"), |of| Cell::Text(cut(&name(of), NAME_MAX)));
    let view = view.only(&[&["layer", "name"][..], &FIGURES].concat());
    view.text_table(rows(record, table), |of| is_aside(of).then_some(Ink::Aside))
}

/// The sources of the figures, a paragraph each.
fn measured(tables: &[LayerTable], width: usize) -> Vec<String> {
    let lines = |source: Source| {
        let label = format!("{:<3}{}", source.id, cut(&source.label, NAME_MAX));
        let words = format!("{}, {}: {}", source.method, source.interval, source.source);
        paragraph(&label, SOURCE_INDENT, &words, width)
    };
    sources(tables).into_iter().flat_map(lines).collect()
}

fn absent(table: &LayerTable) -> Vec<(&'static str, String)> {
    let tracers = rejected_tracers(table).into_iter().map(|words| ("", words));
    table.layers.iter().filter_map(missing).chain(tracers).collect()
}
