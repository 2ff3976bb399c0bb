//! The SLOB-style summary with percentiles; per-operation averages of the engine and the block layer; the kinds of
//! operations; the cache tiers as bars.

use record::Record;
use tables::Row;
use tables::blocks::{self, BlocksRow, KindRow};

use super::{cache, caches, operation, valid};
use crate::document::Cell;
use crate::figure::{UNKNOWN, percent_digits, three_digits};
use crate::layout::{Table, bar, clean, cut};
use crate::listed_parts;
use crate::view::View;

/// Characters of a wait.
const WAIT_MAX: usize = 20;

/// The runs that are results.
pub(crate) fn rows(record: &Record) -> impl Iterator<Item = BlocksRow<'_>> {
    listed_parts(blocks::rows(record)).filter(|of| !of.is_invalid())
}

/// The kinds of operations of these runs.
pub(crate) fn kind_rows(record: &Record) -> impl Iterator<Item = KindRow<'_>> {
    listed_parts(blocks::kind_rows(record)).filter(|of| !of.is_invalid())
}

/// The columns of runs.
pub(crate) fn view<'a>() -> View<BlocksRow<'a>> {
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
pub(crate) fn kind_view<'a>() -> View<KindRow<'a>> {
    View::of(blocks::kind_columns())
        .figure("cache_bytes", ("", "cache"), |of| Cell::text(cache(of.of.0)))
        .words("caches", ("", ""), |of| Cell::text(caches(of.of.0)))
        .words("operation", ("", "operation"), |of| Cell::text(operation(of.of.1.operation)))
}

/// A line for each run.
pub(crate) fn line(record: &Record) -> Table {
    let rates = ["window_ns", "operations_per_second", "logical_reads_per_second", "redo_bytes_per_second"];
    let keys =
        [&["run", "jobs", "cache_bytes"][..], &rates, &["service_ns_p50", "service_ns_p99", "top_wait"]].concat();
    view().only(&keys).text_table(rows(record), |_| None)
}

/// A line for each run: the cache tiers, where runs differ in the size of the engine's cache.
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
    view().only(&keys).text_table(rows(record), |_| None)
}

/// A line for each kind of each run.
pub(crate) fn kinds(record: &Record) -> Table {
    let times = ["service_ns_p50", "service_ns_p99", "service_ns_p999", "service_ns_max"];
    let keys = [&["run", "cache_bytes", "operation", "steps", "rows"][..], &times].concat();
    kind_view().only(&keys).text_table(kind_rows(record), |_| None)
}

/// Characters of the name of a run.
const LABEL_WIDTH: usize = 20;

/// Characters of a line without its bar.
const BESIDE: usize = 40;

/// Two bars for each run: reads requested by the engine, and those that reached the device. Nothing for a single run.
pub(crate) fn chart(record: &Record, width: usize) -> Vec<String> {
    let runs: Vec<_> = valid(record).filter_map(|(run, blocks)| Some((blocks, model::per_operation(run)?))).collect();
    if runs.len() < 2 {
        return Vec::new();
    }
    let reads = runs.iter().flat_map(|(_, each)| [each.physical_reads, each.device_reads]).flatten();
    let most = reads.fold(0.0, f64::max);
    let mut lines = Vec::new();
    for (blocks, each) in &runs {
        let label = cut(&format!("{} {}", cache(blocks), caches(blocks)), LABEL_WIDTH);
        for (label, who, reads) in [(label.as_str(), "engine", each.physical_reads), ("", "device", each.device_reads)]
        {
            let Some(reads) = reads else { continue };
            let drawn = bar(reads, most, width.saturating_sub(BESIDE));
            lines.push(format!("{label:<LABEL_WIDTH$} {who:<6} {drawn} {}", three_digits(reads)));
        }
    }
    lines
}
