//! How fast, at what price, and what the table came to.

use model::load::LoadFigures;
use record::{IndexTime, Record};
use tables::Row;
use tables::load::{self, LoadRow};

use super::kind;
use crate::figure::{UNKNOWN, time, volume};
use crate::html::Cell;
use crate::layout::Table;
use crate::listed_parts;
use crate::view::View;

/// What tells one load from another.
const IDENTITY: [&str; 3] = ["run", "table", "jobs"];

/// The loads that are results.
pub(crate) fn rows(record: &Record) -> impl Iterator<Item = LoadRow<'_>> {
    listed_parts(load::rows(record)).filter(|of| !of.is_invalid() && of.of.1 != LoadFigures::default())
}

/// The columns of loads, with the kind of table in words.
pub(crate) fn view<'a>() -> View<LoadRow<'a>> {
    View::of(load::columns())
        .words("table", ("", "table"), |of| Cell::Text(kind(of.of.0)))
        .figure("index_bytes", ("indexes", "size"), index_size)
        .figure("index_build_ns", ("indexes", "made in"), index_time)
}

/// The size of the indexes, as far as there are any.
fn index_size(of: &LoadRow<'_>) -> Cell {
    let load = of.of.0;
    match (load.indexes, load.index_bytes) {
        (IndexTime::None, _) => Cell::text("none"),
        (_, None) => Cell::text(UNKNOWN),
        (_, Some(bytes)) => Cell::Figure(volume(bytes), Some(bytes.0 as f64)),
    }
}

/// How long it took to make them.
fn index_time(of: &LoadRow<'_>) -> Cell {
    match of.of.0.indexes {
        IndexTime::None => Cell::text(""),
        IndexTime::Before => Cell::text("the load"),
        IndexTime::After => {
            let span = of.of.0.index_build_ns;
            Cell::Figure(time(span), span.map(|span| span.0 as f64))
        }
    }
}

/// A line for each load: how fast.
pub(crate) fn rates(record: &Record) -> Table {
    let figures = ["window_ns", "rows_per_second", "flat_bytes_per_second", "flat_terabytes_per_hour"];
    table(record, &[&IDENTITY[..], &figures, &["rejected_rows"]].concat())
}

/// A line for each load: processor time of a terabyte, processors in use, and bytes written for each that was loaded.
pub(crate) fn costs(record: &Record) -> Table {
    let time = ["client_cpu_seconds_per_terabyte", "server_cpu_seconds_per_terabyte", "client_cpus", "server_cpus"];
    let written = ["redo_bytes_per_byte", "engine_write_bytes_per_byte", "device_write_bytes_per_byte"];
    table(record, &[&IDENTITY[..], &time, &written].concat())
}

/// A line for each load: what the table came to.
pub(crate) fn tables(record: &Record) -> Table {
    let sizes = ["table_bytes", "flat_over_table", "plain_over_table", "index_bytes", "index_build_ns"];
    table(record, &[&IDENTITY[..2], &sizes, &["first_query_ns"]].concat())
}

fn table(record: &Record, keys: &[&str]) -> Table {
    view().only(keys).letters(rows(record), |_| None)
}
