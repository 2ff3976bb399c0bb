//! What an operation cost on average, as the engine counts it and as the block layer saw it: the tiers of caches, where
//! runs differ in the size of the engine's.

use record::{Ratio, Record};

use super::{cache, caches, valid};
use crate::figure::{UNKNOWN, percent_digits, three_digits};
use crate::layout::{Align, Head, Span, Table};

const HEADS: [Head; 10] = [
    (&["run"], Align::Right),
    (&["cache"], Align::Right),
    (&[""], Align::Left),
    (&["logical", "reads"], Align::Right),
    (&["reads"], Align::Right),
    (&["% of", "unit"], Align::Right),
    (&["writes"], Align::Right),
    (&["reads"], Align::Right),
    (&["writes"], Align::Right),
    (&["rows", "changed"], Align::Right),
];

const SPANS: [Span; 2] =
    [Span { first: 4, columns: 3, title: "engine" }, Span { first: 7, columns: 2, title: "device" }];

/// A line for each run; the last column, reads for each write, only where something was written.
pub(crate) fn averages(record: &Record) -> Table {
    let heads = [&HEADS[..], &[(&["reads", "/write"], Align::Right)]].concat();
    let mut table = Table::new(&heads, &SPANS);
    let figure = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), three_digits);
    for (run, blocks) in valid(record) {
        let Some(each) = model::per_operation(run) else { continue };
        // What updates and scans read is no part of a work unit.
        let reads = each.physical_reads.filter(|_| model::only_visits(run) == Some(true));
        let of_unit = reads.map(|reads| Ratio(reads / blocks.work_unit.max(1) as f64));
        let cells = vec![
            run.number.to_string(),
            cache(blocks),
            caches(blocks).to_owned(),
            figure(each.logical_reads),
            figure(each.physical_reads),
            of_unit.map_or_else(|| UNKNOWN.to_owned(), percent_digits),
            figure(each.physical_writes),
            figure(each.device_reads),
            figure(each.device_writes),
            figure(each.changes),
            figure(each.read_write_ratio()),
        ];
        table.push(cells, None);
    }
    table
}
