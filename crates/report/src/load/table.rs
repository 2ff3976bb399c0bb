//! Rates, resource cost as a table and as bars, table size.

use model::load::LoadFigures;
use record::{IndexTime, Record};
use tables::Row;
use tables::load::{self, LoadRow};

use super::{kind, valid};
use crate::document::Cell;
use crate::figure::{UNKNOWN, count, time, volume};
use crate::layout::{Table, bar, cut};
use crate::listed_parts;
use crate::view::View;

/// The columns that identify a load.
const IDENTITY: [&str; 3] = ["run", "table", "jobs"];

/// The loads that are results.
pub(crate) fn rows(record: &Record) -> impl Iterator<Item = LoadRow<'_>> {
    listed_parts(load::rows(record)).filter(|of| !of.is_invalid() && of.of.1 != LoadFigures::default())
}

/// The columns of loads.
pub(crate) fn view<'a>() -> View<LoadRow<'a>> {
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

/// A line for each load: rates.
pub(crate) fn rates(record: &Record) -> Table {
    let figures = ["window_ns", "rows_per_second", "flat_bytes_per_second", "flat_terabytes_per_hour"];
    table(record, &[&IDENTITY[..], &figures, &["rejected_rows"]].concat())
}

/// A line for each load: CPU seconds per TB, processors in use, and write amplification.
pub(crate) fn costs(record: &Record) -> Table {
    let time = ["client_cpu_seconds_per_terabyte", "server_cpu_seconds_per_terabyte", "client_cpus", "server_cpus"];
    let written = ["redo_bytes_per_byte", "engine_write_bytes_per_byte", "device_write_bytes_per_byte"];
    table(record, &[&IDENTITY[..], &time, &written].concat())
}

/// A line for each load: table size.
pub(crate) fn tables(record: &Record) -> Table {
    let sizes = ["table_bytes", "flat_over_table", "plain_over_table", "index_bytes", "index_build_ns"];
    table(record, &[&IDENTITY[..2], &sizes, &["first_query_ns"]].concat())
}

fn table(record: &Record, keys: &[&str]) -> Table {
    view().only(keys).text_table(rows(record), |_| None)
}

/// Characters of the name of a load.
const LABEL_WIDTH: usize = 26;

/// Characters of a line without its bar.
const BESIDE: usize = 46;

/// Two bars for each load, of the client and of the server, in seconds per TB of flat file. Nothing for a single load.
pub(crate) fn chart(record: &Record, width: usize) -> Vec<String> {
    let loads: Vec<_> = valid(record).collect();
    if loads.len() < 2 {
        return Vec::new();
    }
    let costs = |figures: &model::load::LoadFigures| {
        [("client", figures.client_seconds_per_terabyte), ("server", figures.server_seconds_per_terabyte)]
    };
    let all = loads.iter().flat_map(|(_, _, figures)| costs(figures)).filter_map(|(_, seconds)| seconds);
    let most = all.fold(0.0, f64::max);
    let mut lines = Vec::new();
    for (run, load, figures) in &loads {
        let mut label = cut(&format!("{} J{}", kind(load), run.dop.jobs), LABEL_WIDTH);
        for (who, seconds) in costs(figures) {
            let Some(seconds) = seconds else { continue };
            let drawn = bar(seconds, most, width.saturating_sub(BESIDE));
            lines.push(format!("{label:<LABEL_WIDTH$} {who:<6} {drawn} {} s", count(seconds.round() as u64)));
            label.clear();
        }
    }
    lines
}
