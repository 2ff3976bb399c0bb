//! Latency by layer: a table for each test, from the client down to the device, then the sources of the figures.

use std::collections::BTreeSet;

use model::{LayerLine, LayerTable, LayerTables};
use record::Record;
use tables::layer::LayerRow;

use super::table::{FIGURES, is_aside, name, point, rows, view};
use super::words::{cost, largest, missing, negative_note, rejected_tracers, repeat, title, tracer};
use super::{LayersQuery, Source, sources, tables};
use crate::document::{Bar, BarRole, Block, Cell, Column, Command, Document, Extent, Row, Section, Table, Tone};
use crate::figure::{UNKNOWN, count, nanos};
use crate::shell_word::shell_word;

/// Tables of the view of a whole record.
const TABLES_MAX: usize = 30;

/// How to read the figures.
const READING: [&str; 4] = [
    "Per step: time of all operations of the layer, of all sessions, over the steps of the test. These times add up: \
     each layer is its unaccounted part plus the next layer that has a source.",
    "Fan-out: operations per operation of the layer above that causes them (block layer writes: per sync).",
    "Unaccounted: per step, a layer less the next one. Means can be subtracted, percentiles cannot.",
    "Waits are timed by the engine and include its background processes; they are waits for I/O, not device latency. \
     The block layer counts the I/O of all programs on the device.",
];

/// The latency tables of `record` that `query` selects, then the sources of the figures, and the layers without a source with
/// a hint. `path` is the path of the record.
///
/// # Errors
/// Why there is no table, in words.
pub fn layers(record: &Record, query: &LayersQuery, path: &str) -> Result<Document, String> {
    let tables = tables(record, query)?;
    let csv = Command {
        label: "as CSV",
        verb: "dbdyno report".to_owned(),
        word: shell_word(path),
        options: "--layers --format csv".to_owned(),
    };
    let document = Document::new("Latency by layer", vec![Section::new("layers", "", body(record, &tables))]);
    Ok(Document { foot: vec![Block::Commands(vec![csv])], ..document })
}

/// A table for each test of `record` that does I/O or commits, with their sources; nothing where there is no such test.
pub(crate) fn of_record(record: &Record) -> Vec<Block> {
    let of_runs = LayerTables::of(record);
    let tables: Vec<LayerTable> =
        model::layered_runs(record).into_iter().filter_map(|run| of_runs.table(run)).collect();
    let shown = &tables[..tables.len().min(TABLES_MAX)];
    let mut blocks = body(record, shown);
    if tables.len() > shown.len() {
        let words = format!("The tables of {} of {} tests are shown; ", shown.len(), tables.len());
        let text = crate::document::Text::from(words).code("dbdyno report RECORD --layers TEST").plain(" prints any.");
        blocks.push(Block::text(text));
    }
    blocks
}

fn body(record: &Record, tables: &[LayerTable]) -> Vec<Block> {
    if tables.is_empty() {
        return Vec::new();
    }
    let known = |table: &LayerTable| table.layers.iter().filter(|layer| layer.missing.is_none()).count();
    // The first one with the most layers is open.
    let open = tables.iter().enumerate().rev().max_by_key(|(_, table)| known(table)).map_or(0, |(index, _)| index);
    let folds = tables.iter().enumerate().map(|(index, table)| Block::Fold {
        summary: format!("{}: {} per step", title(table), table.whole_ns().map_or_else(|| UNKNOWN.to_owned(), nanos)),
        is_open: index == open,
        body: one(record, index, table),
    });
    let mut blocks: Vec<Block> = folds.collect();
    blocks.push(Block::Heading("Sources of the figures".to_owned()));
    blocks.push(measured(tables).into());
    blocks.push(Block::Heading("Layers without a source".to_owned()));
    blocks.push(not_measured(tables));
    blocks.extend(READING.into_iter().chain(negative_note(tables)).map(Block::aside));
    blocks
}

/// One table, with the lines above it.
fn one(record: &Record, index: usize, table: &LayerTable) -> Vec<Block> {
    let steps = format!("{}, {} steps", repeat(table), count(table.steps));
    let head = [Some(steps), cost(table), tracer(table)].into_iter().flatten().collect::<Vec<_>>().join("; ");
    let mut blocks: Vec<Block> = [Some(head), largest(table)].into_iter().flatten().map(Block::text).collect();
    let view = view()
        .words("name", ("", "layer"), |of| Cell::text(format!("{} {}", point(of), name(of)).trim_start()))
        .words("bar", ("", "time per step"), |of| bar(of).map_or_else(Cell::empty, Cell::Bar))
        .only(&[&["name", "bar"][..], &FIGURES].concat());
    let tone = |of: &LayerRow<'_>| if is_aside(of) { Tone::Aside } else { Tone::Plain };
    let drawn = view.table(format!("layers-{}", index + 1), "", rows(record, table), tone);
    let mut drawn = Table { is_sortable: false, flexible: Some(0), ..drawn };
    if let Some(column) = drawn.columns.get_mut(1) {
        column.extent = Extent::Whole;
    }
    blocks.push(drawn.into());
    blocks
}

/// The time of a line relative to the longest layer.
fn bar(of: &LayerRow<'_>) -> Option<Bar> {
    let longest_ns = of.table.layers.iter().filter_map(|layer| layer.per_step_ns).fold(0.0, f64::max);
    let (role, from_ns, to_ns) = match of.line {
        LayerLine::Row(layer, row) => {
            // Rows of one layer are stacked.
            let before = layer.rows.iter().take_while(|one| !std::ptr::eq(*one, row));
            let from_ns: f64 = before.map(|row| row.per_step_ns).sum();
            (BarRole::Own, from_ns, from_ns + row.per_step_ns)
        }
        LayerLine::Unaccounted(found, part) => {
            let own = found.per_step_ns.unwrap_or(0.0);
            let below = own - part.per_step_ns;
            let role = if part.per_step_ns < 0.0 { BarRole::Less } else { BarRole::Gap };
            (role, own.min(below), own.max(below))
        }
        LayerLine::Nothing(_) | LayerLine::Missing(_) => return None,
    };
    (longest_ns > 0.0).then(|| Bar { from: from_ns / longest_ns, to: to_ns / longest_ns, role })
}

/// The source of each kind of figure.
fn measured(tables: &[LayerTable]) -> Table {
    let columns = ["layer", "interval", "method", "source"].map(Column::text).to_vec();
    let row = |source: Source| {
        let name = format!("{} {}", source.id, source.label);
        Row::new(vec![
            Cell::text(name.trim_start()),
            Cell::text(source.interval),
            Cell::text(source.method),
            Cell::text(source.source),
        ])
    };
    Table::new("layer-sources", "", columns).with(sources(tables).into_iter().map(row))
}

fn not_measured(tables: &[LayerTable]) -> Block {
    let layers = tables.iter().flat_map(|table| &table.layers).filter_map(missing);
    let tracers = tables.iter().flat_map(rejected_tracers).map(|words| ("", words));
    let absent: BTreeSet<(&str, String)> = layers.chain(tracers).collect();
    Block::list(absent.iter().map(|(id, words)| format!("{id} {words}").trim_start().to_owned()))
}
