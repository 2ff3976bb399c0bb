//! Random blocks: what an operation reads with each size of the engine's cache, and what each kind of operation takes.

use maud::{Markup, html};
use record::{RandomBlocks, Record, Run};

use super::diagram::Diagram;
use super::runs::{span, time};
use super::table::{Cell, Column, Row, Table};
use crate::blocks::{cache, caches, facts, operation, remarks, valid};
use crate::chart::{Axis, Bar, BarChart, Figures, Scale, Tone};
use crate::figure::{UNKNOWN, three_digits};
use crate::layout::clean;

/// Runs that are drawn.
const RUNS_MAX: usize = 30;

const COLUMNS: [Column; 11] = [
    Column::figures("run"),
    Column::text("engine's cache"),
    Column::figures("logical reads"),
    Column::figures("engine reads"),
    Column::figures("engine writes"),
    Column::figures("device reads"),
    Column::figures("device writes"),
    Column::figures("rows changed"),
    Column::figures("p50"),
    Column::figures("p99"),
    Column::figures("longest"),
];

/// Facts, picture and table; nothing of a record without such runs.
pub(super) fn blocks(record: &Record) -> Markup {
    let runs: Vec<(&Run, &RandomBlocks)> = valid(record).take(RUNS_MAX).collect();
    if runs.is_empty() {
        return Markup::default();
    }
    let mut table = Table::new("blocks-table", "An operation on average, and its kinds", &COLUMNS);
    table.rows = runs.iter().flat_map(|(run, blocks)| rows(run, blocks)).collect();
    html! {
        ul { @for fact in facts(record).into_iter().chain(remarks(record)) { li { (clean(&fact)) "." } } }
        (picture(&runs).html())
        div class="compact" { (table.html()) }
    }
}

/// Two bars for each run: what the engine asked for, and what reached the device.
fn picture(runs: &[(&Run, &RandomBlocks)]) -> Diagram {
    let bars = runs.iter().flat_map(|(run, blocks)| {
        let each = model::per_operation(run).unwrap_or_default();
        let bar = |who: &str, value: Option<f64>, note: &str| Bar {
            label: format!("{} {}: {who}", cache(blocks), caches(blocks)),
            value: value.unwrap_or(f64::NAN),
            interval: None,
            note: note.to_owned(),
            tone: Tone::Plain,
        };
        [
            bar("logical", each.logical_reads, "asked of the engine's cache"),
            bar("engine", each.physical_reads, "asked of the operating system"),
            bar("device", each.device_reads, "seen by the block layer"),
        ]
    });
    let chart = BarChart {
        title: "Reads of an operation, by size of the engine's cache".to_owned(),
        description: "What does not reach the operating system lay in the engine's cache; what does not reach the \
                      device lay in the page cache."
            .to_owned(),
        axis: Axis::new("reads of an operation", Scale::FromZero, Figures::Plain),
        base: 0.0,
        bars: bars.collect(),
        marks: Vec::new(),
    };
    Diagram::new("blocks", chart)
}

/// The line of the run, then one for each kind of operation.
fn rows(run: &Run, blocks: &RandomBlocks) -> Vec<Row> {
    let each = model::per_operation(run).unwrap_or_default();
    let figure = |value: Option<f64>| Cell::Figure(value.map_or_else(|| UNKNOWN.to_owned(), three_digits), value);
    let nothing = || Cell::Figure(String::new(), None);
    let times = |latency: &record::Latency| {
        let quantiles = model::quantiles(latency);
        let p50 = time(quantiles, |quantiles| Some(quantiles.p50_ns));
        [p50, time(quantiles, |quantiles| quantiles.p99_ns), span(latency.max_ns)]
    };
    let number = Cell::Figure(run.number.to_string(), Some(f64::from(run.number)));
    let mut cells = vec![number, Cell::text(format!("{} {}", cache(blocks), caches(blocks)))];
    let averages = [
        each.logical_reads,
        each.physical_reads,
        each.physical_writes,
        each.device_reads,
        each.device_writes,
        each.changes,
    ];
    cells.extend(averages.map(figure));
    cells.extend(times(&run.service));
    let of_kind = |kind: &record::BlockOperations| {
        let mut cells = vec![nothing(), Cell::text(format!("{}s: {}", operation(kind.operation), kind.steps))];
        cells.extend((0..6).map(|_| nothing()));
        cells.extend(times(&kind.service));
        Row::new(cells)
    };
    std::iter::once(Row::new(cells)).chain(blocks.operations.iter().map(of_kind)).collect()
}
