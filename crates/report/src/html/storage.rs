//! Storage runs: the streams of I/O, with all figures.

use maud::Markup;
use record::Record;
use tables::Row;
use tables::io_stream::{self, StreamRow};

use crate::render::page::parts;
use crate::storage::{job_and_rates, view};

/// Streams that are listed.
const STREAMS_MAX: usize = 500;

/// The columns that other parts of the page show.
const LEFT_OUT: [&str; 14] = [
    "record",
    "test",
    "title",
    "started_at",
    "verdict",
    "report_group",
    "clone",
    "kind",
    "random",
    "pace",
    "invalid",
    "mark",
    "block_bytes_min",
    "block_bytes_max",
];

/// A line for each stream; nothing without streams.
pub(super) fn storage(record: &Record) -> Markup {
    let streams = io_stream::rows(record).take(STREAMS_MAX);
    let class = |of: &StreamRow<'_>| if of.is_invalid() { "invalid" } else { "" };
    // As many columns as fit on paper.
    let first = [&["run"], &job_and_rates(record)[..], &["throughput", "service_ns_p50", "service_ns_p99", "failures"]]
        .concat();
    let view = view().except(&LEFT_OUT).first(&first);
    let tables =
        view.html_parts("io-streams-table", "One line per job and kind of I/O", (3, first.len()), streams, class);
    parts(&tables, "All other figures of the streams")
}
