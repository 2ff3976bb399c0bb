//! How fast files go in and out, and what a megabyte costs.

use model::StreamFigures;
use record::Record;
use tables::Row;
use tables::file_stream::{self, FileStreamRow};

use crate::layout::Table;
use crate::listed_parts;
use crate::view::View;

/// What tells one run from another.
const IDENTITY: [&str; 4] = ["run", "form", "direction", "streams"];

/// The runs of file streams that are results.
pub(crate) fn rows(record: &Record) -> impl Iterator<Item = FileStreamRow<'_>> {
    listed_parts(file_stream::rows(record)).filter(|of| !of.is_invalid() && of.of.1 != StreamFigures::default())
}

/// Bytes and requests per second, the time of a request and of a commit.
pub(crate) fn rates(record: &Record) -> Table {
    let figures = ["bytes_per_second", "over_file_system_ratio", "requests_per_second", "request_ns_p50"];
    table(record, &[&figures[..], &["request_ns_p99", "open_ns_p50", "commit_ns_p50"]].concat())
}

/// Processor time of both sides, and what the engine and the device transfer.
pub(crate) fn costs(record: &Record) -> Table {
    let time = ["client_cpu_ns_per_byte", "server_cpu_ns_per_byte"];
    let bytes = ["redo_bytes_per_byte", "engine_bytes_per_byte", "device_bytes_per_byte", "page_cached_ratio"];
    table(record, &[&time[..], &bytes].concat())
}

fn table(record: &Record, figures: &[&str]) -> Table {
    View::of(file_stream::columns()).only(&[&IDENTITY, figures].concat()).letters(rows(record), |_| None)
}
