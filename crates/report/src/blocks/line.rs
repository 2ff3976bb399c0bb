//! The line that the method is known for, with the percentiles that it never had.

use record::{Rate, Record};

use super::{cache, valid};
use crate::figure::{UNKNOWN, duration, megabytes, percent_digits, rate, time};
use crate::layout::{Align, Head, Span, Table, clean, cut};

/// Letters of a wait.
const WAIT_MAX: usize = 20;

const HEADS: [Head; 10] = [
    (&["run"], Align::Right),
    (&["#J"], Align::Right),
    (&["cache"], Align::Right),
    (&["elapsed"], Align::Right),
    (&["exec/s"], Align::Right),
    (&["logical", "reads/s"], Align::Right),
    (&["redo", "MB/s"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["top wait, %", "of session time"], Align::Left),
];

/// A line for each run.
pub(crate) fn line(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &[Span { first: 7, columns: 2, title: "service" }]);
    let per_second = |value: Option<Rate>| value.map(|Rate(value)| value);
    for (run, blocks) in valid(record) {
        let row = model::row(run);
        let wait = model::top_wait(record, run)
            .map(|(event, share)| format!("{} {}", cut(&clean(&event), WAIT_MAX), percent_digits(share)));
        let cells = vec![
            run.number.to_string(),
            run.dop.jobs.to_string(),
            cache(blocks),
            duration(run.window_ns),
            rate(per_second(row.operations_per_second)),
            rate(per_second(row.logical_reads_per_second)),
            megabytes(per_second(row.redo_bytes_per_second)),
            time(row.service.map(|quantiles| quantiles.p50_ns)),
            time(row.service.and_then(|quantiles| quantiles.p99_ns)),
            wait.unwrap_or_else(|| UNKNOWN.to_owned()),
        ];
        table.push(cells, None);
    }
    table
}
