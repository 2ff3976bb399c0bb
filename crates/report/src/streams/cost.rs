//! What a megabyte costs: processor time of both sides, and what the engine and the device transfer for it.

use record::Record;

use super::{form, valid, way};
use crate::figure::{UNKNOWN, percent_digits, three_digits};
use crate::layout::{Align, Head, Span, Table};

const HEADS: [Head; 10] = [
    (&["run"], Align::Right),
    (&["form"], Align::Left),
    (&["way"], Align::Left),
    (&["#J"], Align::Right),
    (&["client"], Align::Right),
    (&["server"], Align::Right),
    (&["redo"], Align::Right),
    (&["engine"], Align::Right),
    (&["device"], Align::Right),
    (&["% in page", "cache"], Align::Right),
];

const SPANS: [Span; 2] =
    [Span { first: 4, columns: 2, title: "CPU ms/MB" }, Span { first: 6, columns: 3, title: "bytes per byte" }];

/// A line for each run.
pub(crate) fn costs(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &SPANS);
    // Nanoseconds per byte are milliseconds per 10^6 bytes.
    let figure = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), three_digits);
    for (run, streams) in valid(record) {
        let Some(figures) = model::stream_figures(run) else { continue };
        let cells = vec![
            run.number.to_string(),
            form(streams),
            way(streams).to_owned(),
            run.dop.jobs.to_string(),
            figure(figures.client_ns_per_byte),
            figure(figures.server_ns_per_byte),
            figure(figures.redo_per_byte),
            figure(figures.engine_per_byte),
            figure(figures.device_per_byte),
            streams.page_cached.map_or_else(|| UNKNOWN.to_owned(), percent_digits),
        ];
        table.push(cells, None);
    }
    table
}
