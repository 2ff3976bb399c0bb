//! Random blocks: reads per operation with each size of the engine's cache, and service times of the kinds of
//! operations.

use maud::{Markup, html};
use record::{RandomBlocks, Record, Run};

use crate::blocks::{cache, caches, facts, kind_rows, kind_view, remarks, rows, valid, view};
use crate::chart::{Axis, Bar, BarChart, Figures, Scale, Tone};
use crate::document::Diagram;
use crate::layout::clean;
use crate::render::page::parts;

/// Runs that are shown.
const RUNS_MAX: usize = 30;

/// The columns of the first table; as many fit on paper.
const FIRST: [&str; 14] = [
    "run",
    "cache_bytes",
    "caches",
    "logical_reads_per_operation",
    "engine_reads_per_operation",
    "engine_reads_of_unit_ratio",
    "engine_writes_per_operation",
    "device_reads_per_operation",
    "device_writes_per_operation",
    "rows_changed_per_operation",
    "reads_per_write",
    "service_ns_p50",
    "service_ns_p99",
    "service_ns_max",
];

/// The columns that the facts above the table state.
const LEFT_OUT: [&str; 7] =
    ["record", "test", "block_bytes", "blocks_per_schema", "work_unit", "operations_per_step", "invalid"];

/// Facts, picture and table; nothing without such runs.
pub(super) fn blocks(record: &Record) -> Markup {
    let runs: Vec<(&Run, &RandomBlocks)> = valid(record).take(RUNS_MAX).collect();
    if runs.is_empty() {
        return Markup::default();
    }
    let tables = view().except(&[&LEFT_OUT[..], &["top_wait_ratio"]].concat()).first(&FIRST).html_parts(
        "blocks-table",
        "Per-operation averages",
        (3, FIRST.len()),
        rows(record).take(RUNS_MAX),
        |_| "",
    );
    let kinds = kind_view().except(&["record", "test", "invalid"]).html(
        "block-kinds-table",
        "Kinds of operations: service times",
        kind_rows(record).take_while(|of| of.place < RUNS_MAX),
        |_| "",
    );
    html! {
        ul { @for fact in facts(record).into_iter().chain(remarks(record)) { li { (clean(&fact)) "." } } }
        (picture(&runs).html())
        (parts(&tables, "All other figures of the runs"))
        div class="compact" { (kinds.html()) }
    }
}

/// Bars for each run: logical reads, reads requested by the engine, and reads that reached the device.
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
            bar("logical", each.logical_reads, "from the engine's cache"),
            bar("engine", each.physical_reads, "from the operating system"),
            bar("device", each.device_reads, "at the block layer"),
        ]
    });
    let chart = BarChart {
        title: "Reads per operation, by size of the engine's cache".to_owned(),
        description:
            "Reads that do not reach the operating system were in the engine's cache; reads that do not reach the \
                      device were in the page cache."
                .to_owned(),
        axis: Axis::new("reads per operation", Scale::FromZero, Figures::Plain),
        base: 0.0,
        bars: bars.collect(),
        marks: Vec::new(),
    };
    Diagram::new("blocks", chart)
}
