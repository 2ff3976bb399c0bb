//! Rates, resource cost, table size.

use model::load::LoadFigures;
use record::{IndexTime, Record};
use tables::Row;
use tables::load::{self, LoadRow};

use super::kind;
use super::stage::slowest_stage;
use crate::document::{Cell, Table, Tone};
use crate::figure::{UNKNOWN, time, volume};
use crate::listed_parts;
use crate::view::View;

/// The columns that identify a load.
const IDENTITY: [&str; 3] = ["run", "table", "jobs"];

/// The loads that are results.
fn rows(record: &Record) -> impl Iterator<Item = LoadRow<'_>> {
    listed_parts(load::rows(record)).filter(|of| !of.is_invalid() && of.of.1 != LoadFigures::default())
}

/// The columns of loads.
fn view<'a>() -> View<LoadRow<'a>> {
    View::of(load::columns())
        .words("table", ("", "table"), |of| Cell::text(kind(of.of.0)))
        .figure("index_bytes", ("indexes", "size"), index_size)
        .figure("index_build_ns", ("indexes", "build time"), index_time)
}

/// The size of the indexes.
fn index_size(of: &LoadRow<'_>) -> Cell {
    let load = of.of.0;
    match (load.indexes, load.index_bytes) {
        (IndexTime::None, _) => Cell::text("none"),
        (_, None) => Cell::text(UNKNOWN),
        (_, Some(bytes)) => Cell::Figure(volume(bytes), Some(bytes.0 as f64)),
    }
}

/// The build time of the indexes.
fn index_time(of: &LoadRow<'_>) -> Cell {
    match of.of.0.indexes {
        IndexTime::None => Cell::text(""),
        IndexTime::Before => Cell::text("in load"),
        IndexTime::After => {
            let span = of.of.0.index_build_ns;
            Cell::Figure(time(span), span.map(|span| span.0 as f64))
        }
    }
}

/// The figures of the table of rates.
const RATES: [&str; 5] =
    ["window_ns", "rows_per_second", "flat_bytes_per_second", "flat_terabytes_per_hour", "rejected_rows"];

/// The figures of the table of resource cost.
const COSTS: [&str; 7] = [
    "client_cpu_seconds_per_terabyte",
    "server_cpu_seconds_per_terabyte",
    "client_cpus",
    "server_cpus",
    "redo_bytes_per_byte",
    "engine_write_bytes_per_byte",
    "device_write_bytes_per_byte",
];

/// The figures of the table of sizes.
const SIZES: [&str; 6] =
    ["table_bytes", "flat_over_table", "plain_over_table", "index_bytes", "index_build_ns", "first_query_ns"];

/// What the facts and the kind of table state.
const STATED: [&str; 11] = [
    "record",
    "test",
    "partitioned",
    "compressed",
    "form",
    "source",
    "compression",
    "layout",
    "batch_bytes",
    "indexes",
    "invalid",
];

/// A line for each load: rates, and all that no other table has.
pub(crate) fn rates(record: &Record) -> Table {
    let view = view()
        .words("slowest_stage", ("", "slowest stage"), |of| Cell::text(slowest_stage(of.run).unwrap_or_default()))
        .except(&[&STATED[..], &COSTS, &SIZES].concat())
        .first(&[&IDENTITY[..], &RATES].concat())
        .with_others(IDENTITY.len());
    view.table("loads-table", "Rates, per byte and second of uncompressed flat file", rows(record), |_| Tone::Plain)
}

/// A line for each load: CPU seconds per TB, processors in use, and write amplification.
pub(super) fn costs(record: &Record) -> Table {
    table(record, "load-costs", "Resource cost per TB and byte of flat file", &COSTS)
}

/// A line for each load: table size.
pub(super) fn sizes(record: &Record) -> Table {
    table(record, "load-sizes", "Table size", &SIZES)
}

fn table(record: &Record, id: &str, caption: &str, figures: &[&str]) -> Table {
    view().only(&[&IDENTITY, figures].concat()).table(id, caption, rows(record), |_| Tone::Plain)
}
