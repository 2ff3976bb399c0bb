//! The kinds of operations, each with its service times.

use record::Record;

use super::{cache, operation, valid};
use crate::figure::{count, duration, time};
use crate::layout::{Align, Head, Table};

const HEADS: [Head; 9] = [
    (&["run"], Align::Right),
    (&["cache"], Align::Right),
    (&["operation"], Align::Left),
    (&["steps"], Align::Right),
    (&["rows"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["p99.9"], Align::Right),
    (&["longest"], Align::Right),
];

/// A line for each kind of each run.
pub(crate) fn kinds(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &[]);
    for (run, blocks) in valid(record) {
        for kind in &blocks.operations {
            let quantiles = model::quantiles(&kind.service);
            let cells = vec![
                run.number.to_string(),
                cache(blocks),
                operation(kind.operation).to_owned(),
                count(kind.steps),
                count(kind.rows),
                time(quantiles.map(|quantiles| quantiles.p50_ns)),
                time(quantiles.and_then(|quantiles| quantiles.p99_ns)),
                time(kind.service.p999_ns),
                duration(kind.service.max_ns),
            ];
            table.push(cells, None);
        }
    }
    table
}
