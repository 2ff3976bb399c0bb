//! How fast.

use record::Record;

use super::{kind, valid};
use crate::figure::{count, duration, megabytes, rate, short};
use crate::layout::{Align, Head, Table};

const HEADS: [Head; 8] = [
    (&["run"], Align::Right),
    (&["table"], Align::Left),
    (&["#J"], Align::Right),
    (&["elapsed"], Align::Right),
    (&["rows/s"], Align::Right),
    (&["MB/s of", "flat file"], Align::Right),
    (&["TB/h"], Align::Right),
    (&["rows", "rejected"], Align::Right),
];

/// A line for each load.
pub(crate) fn rates(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &[]);
    for (run, load, told) in valid(record) {
        let cells = vec![
            run.number.to_string(),
            kind(load),
            run.dop.jobs.to_string(),
            duration(run.window_ns),
            rate(told.rows_per_second.map(|rate| rate.0)),
            megabytes(told.flat_per_second.map(|rate| rate.0)),
            short(told.terabytes_per_hour()),
            count(load.rejected_rows),
        ];
        table.push(cells, None);
    }
    table
}
