//! At what price: processor time of a terabyte, processors in use, and bytes written for each that was loaded.

use record::Record;

use super::{kind, valid};
use crate::figure::{UNKNOWN, rate, three_digits};
use crate::layout::{Align, Head, Span, Table};

const HEADS: [Head; 10] = [
    (&["run"], Align::Right),
    (&["table"], Align::Left),
    (&["#J"], Align::Right),
    (&["client"], Align::Right),
    (&["server"], Align::Right),
    (&["client"], Align::Right),
    (&["server"], Align::Right),
    (&["redo"], Align::Right),
    (&["data"], Align::Right),
    (&["device"], Align::Right),
];

const SPANS: [Span; 3] = [
    Span { first: 3, columns: 2, title: "CPU s per TB" },
    Span { first: 5, columns: 2, title: "CPUs in use" },
    Span { first: 7, columns: 3, title: "bytes written per byte" },
];

/// A line for each load.
pub(crate) fn costs(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &SPANS);
    let figure = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), three_digits);
    for (run, load, told) in valid(record) {
        let cells = vec![
            run.number.to_string(),
            kind(load),
            run.dop.jobs.to_string(),
            rate(told.client_seconds_per_terabyte),
            rate(told.server_seconds_per_terabyte),
            figure(told.client_cores),
            figure(told.server_cores),
            figure(told.written.redo),
            figure(told.written.engine),
            figure(told.written.device),
        ];
        table.push(cells, None);
    }
    table
}
