//! The line that the method is known for, with the percentiles that it never had; what an operation cost on average, as the
//! engine counts it and as the block layer saw it; the kinds of operations.

use record::Record;
use tables::Row;
use tables::blocks::{self, BlocksRow, KindRow};

use super::{cache, caches, operation};
use crate::figure::{UNKNOWN, percent_digits};
use crate::html::Cell;
use crate::layout::{Table, clean, cut};
use crate::listed_parts;
use crate::view::View;

/// Letters of a wait.
const WAIT_MAX: usize = 20;

/// The runs that are results.
pub(crate) fn rows(record: &Record) -> impl Iterator<Item = BlocksRow<'_>> {
    listed_parts(blocks::rows(record)).filter(|of| !of.is_invalid())
}

/// The kinds of operations of these.
pub(crate) fn kind_rows(record: &Record) -> impl Iterator<Item = KindRow<'_>> {
    listed_parts(blocks::kind_rows(record)).filter(|of| !of.is_invalid())
}

/// The columns of runs, with their words.
pub(crate) fn view<'a>() -> View<BlocksRow<'a>> {
    View::of(blocks::columns())
        .figure("cache_bytes", ("", "cache"), |of| Cell::Text(cache(of.of.0)))
        .words("caches", ("", ""), |of| Cell::text(caches(of.of.0)))
        .words("top_wait", ("", "top wait, %\nof session time"), |of| {
            let wait = model::top_wait(of.record, of.run);
            let said =
                |(event, share): (String, _)| format!("{} {}", cut(&clean(&event), WAIT_MAX), percent_digits(share));
            Cell::Text(wait.map_or_else(|| UNKNOWN.to_owned(), said))
        })
}

/// The columns of kinds, with their words.
pub(crate) fn kind_view<'a>() -> View<KindRow<'a>> {
    View::of(blocks::kind_columns())
        .figure("cache_bytes", ("", "cache"), |of| Cell::Text(cache(of.of.0)))
        .words("caches", ("", ""), |of| Cell::text(caches(of.of.0)))
        .words("operation", ("", "operation"), |of| Cell::text(operation(of.of.1.operation)))
}

/// A line for each run.
pub(crate) fn line(record: &Record) -> Table {
    let rates = ["window_ns", "operations_per_second", "logical_reads_per_second", "redo_bytes_per_second"];
    let keys =
        [&["run", "jobs", "cache_bytes"][..], &rates, &["service_ns_p50", "service_ns_p99", "top_wait"]].concat();
    view().only(&keys).letters(rows(record), |_| None)
}

/// A line for each run: the tiers of caches, where runs differ in the size of the engine's.
pub(crate) fn averages(record: &Record) -> Table {
    let keys = [
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
    ];
    view().only(&keys).letters(rows(record), |_| None)
}

/// A line for each kind of each run.
pub(crate) fn kinds(record: &Record) -> Table {
    let times = ["service_ns_p50", "service_ns_p99", "service_ns_p999", "service_ns_max"];
    let keys = [&["run", "cache_bytes", "operation", "steps", "rows"][..], &times].concat();
    kind_view().only(&keys).letters(kind_rows(record), |_| None)
}
