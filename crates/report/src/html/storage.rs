//! Storage runs: the streams of I/O, with all figures.

use maud::Markup;
use record::Record;
use tables::Row;
use tables::io_stream::{self, StreamRow};

use super::table::parts;
use crate::storage::view;

/// Streams that are listed.
const STREAMS_MAX: usize = 500;

/// The columns of the first table; as many fit on paper.
const FIRST: [&str; 12] = [
    "run",
    "job",
    "profile",
    "block",
    "clones",
    "depth",
    "operations_per_second",
    "bytes_per_second",
    "throughput",
    "service_ns_p50",
    "service_ns_p99",
    "failures",
];

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
    let view = view().except(&LEFT_OUT).first(&FIRST);
    let tables = view.html_parts("io-streams-table", "Streams of I/O", (3, FIRST.len()), streams, class);
    parts(&tables, "All other figures of the streams")
}
