//! The SLOB-style summary with percentiles; per-operation averages of the engine and the block layer; the kinds of
//! operations.

use record::Record;
use tables::Row;
use tables::blocks::{self, BlocksRow, KindRow};

use super::{cache, caches, operation};
use crate::document::{Cell, Table, Tone};
use crate::figure::{UNKNOWN, percent_digits};
use crate::layout::{clean, cut};
use crate::listed_parts;
use crate::view::View;

/// Characters of a wait.
const WAIT_MAX: usize = 20;

/// The runs that are results.
fn rows(record: &Record) -> impl Iterator<Item = BlocksRow<'_>> {
    listed_parts(blocks::rows(record)).filter(|of| !of.is_invalid())
}

/// The kinds of operations of these runs.
fn kind_rows(record: &Record) -> impl Iterator<Item = KindRow<'_>> {
    listed_parts(blocks::kind_rows(record)).filter(|of| !of.is_invalid())
}

/// The columns of runs.
fn view<'a>() -> View<BlocksRow<'a>> {
    View::of(blocks::columns())
        .figure("cache_bytes", ("", "cache"), |of| Cell::text(cache(of.of.0)))
        .words("caches", ("", ""), |of| Cell::text(caches(of.of.0)))
        .words("top_wait", ("", "top wait, %\nof session time"), |of| {
            let wait = model::top_wait(of.record, of.run);
            let text =
                |(event, share): (String, _)| format!("{} {}", cut(&clean(&event), WAIT_MAX), percent_digits(share));
            Cell::text(wait.map_or_else(|| UNKNOWN.to_owned(), text))
        })
}

/// The columns of kinds.
fn kind_view<'a>() -> View<KindRow<'a>> {
    View::of(blocks::kind_columns())
        .figure("cache_bytes", ("", "cache"), |of| Cell::text(cache(of.of.0)))
        .words("caches", ("", ""), |of| Cell::text(caches(of.of.0)))
        .words("operation", ("", "operation"), |of| Cell::text(operation(of.of.1.operation)))
}

/// The figures of the summary.
const SUMMARY: [&str; 9] = [
    "run",
    "jobs",
    "cache_bytes",
    "window_ns",
    "operations_per_second",
    "logical_reads_per_second",
    "redo_bytes_per_second",
    "service_ns_*",
    "top_wait",
];

/// The figures of the table of averages.
const AVERAGES: [&str; 8] = [
    "logical_reads_per_operation",
    "engine_reads_per_operation",
    "engine_reads_of_unit_ratio",
    "engine_writes_per_operation",
    "device_reads_per_operation",
    "device_writes_per_operation",
    "rows_changed_per_operation",
    "reads_per_write",
];

/// What the facts above the table and the top wait state.
const STATED: [&str; 8] = [
    "record",
    "test",
    "block_bytes",
    "blocks_per_schema",
    "work_unit",
    "operations_per_step",
    "top_wait_ratio",
    "invalid",
];

/// A line for each run, with all that no other table has.
pub(crate) fn summary(record: &Record) -> Table {
    let view = view().except(&[&STATED[..], &AVERAGES].concat()).first(&SUMMARY).with_others(3);
    view.table("blocks-table", "SLOB-style summary", rows(record), |_| Tone::Plain)
}

/// A line for each run: the cache tiers, where runs differ in the size of the engine's cache.
pub(super) fn averages(record: &Record) -> Table {
    let view = view().only(&[&["run", "cache_bytes", "caches"][..], &AVERAGES].concat());
    view.table("blocks-averages", "Per-operation averages", rows(record), |_| Tone::Plain)
}

/// A line for each kind of each run.
pub(super) fn kinds(record: &Record) -> Table {
    let times = ["service_ns_p50", "service_ns_p99", "service_ns_p999", "service_ns_max"];
    let first = [&["run", "cache_bytes", "operation", "steps", "rows"][..], &times].concat();
    let view = kind_view().except(&["record", "test", "invalid"]).first(&first).with_others(3);
    view.table("block-kinds-table", "Kinds of operations: service times", kind_rows(record), |_| Tone::Plain)
}
