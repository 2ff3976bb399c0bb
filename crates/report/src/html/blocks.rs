//! Random blocks: what an operation reads with each size of the engine's cache, and what each kind of operation takes.

use maud::{Markup, html};
use record::{RandomBlocks, Record, Run};

use super::diagram::Diagram;
use super::table::parts;
use crate::blocks::{cache, caches, facts, kind_rows, kind_view, remarks, rows, valid, view};
use crate::chart::{Axis, Bar, BarChart, Figures, Scale, Tone};
use crate::layout::clean;

/// Runs that are drawn.
const RUNS_MAX: usize = 30;

/// What stands in the first table; as many columns fit on paper.
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

/// What the facts above the table say.
const LEFT_OUT: [&str; 7] =
    ["record", "test", "block_bytes", "blocks_per_schema", "work_unit", "operations_per_step", "invalid"];

/// Facts, picture and table; nothing of a record without such runs.
pub(super) fn blocks(record: &Record) -> Markup {
    let runs: Vec<(&Run, &RandomBlocks)> = valid(record).take(RUNS_MAX).collect();
    if runs.is_empty() {
        return Markup::default();
    }
    let tables = view().except(&[&LEFT_OUT[..], &["top_wait_ratio"]].concat()).first(&FIRST).html_parts(
        "blocks-table",
        "An operation on average",
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
