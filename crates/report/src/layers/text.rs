//! The latency table on a terminal.

use std::collections::BTreeSet;

use model::LayerTable;
use record::Record;

use super::words::{cost, id, largest, missing, negative_note, passed, repeat, rung, title};
use super::{FIGURES, LayersQuestion, Source, is_aside, name, rows, sources, tables, view};
use crate::figure::count;
use crate::html::Cell;
use crate::layout::{Table, cut, paragraph, section};
use crate::style::{Ink, Style};
use crate::text::{command, word};

/// Letters of a layer's name.
const NAME_MAX: usize = 16;

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
        text.extend(body(record, table).lines(style, width));
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

fn body(record: &Record, table: &LayerTable) -> Table {
    let view = view().words("name", ("", "layer"), |of| Cell::Text(cut(&name(of), NAME_MAX)));
    let view = view.only(&[&["layer", "name"][..], &FIGURES].concat());
    view.letters(rows(record, table), |of| is_aside(of).then_some(Ink::Aside))
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
