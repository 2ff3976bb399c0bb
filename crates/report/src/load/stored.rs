//! What the table came to.

use record::{IndexTime, Load, Record};

use super::{kind, valid};
use crate::figure::{UNKNOWN, three_digits, time, volume};
use crate::layout::{Align, Head, Span, Table};

const HEADS: [Head; 8] = [
    (&["run"], Align::Right),
    (&["table"], Align::Left),
    (&["size"], Align::Right),
    (&["flat file", "over it"], Align::Right),
    (&["plain", "over it"], Align::Right),
    (&["size"], Align::Right),
    (&["made in"], Align::Right),
    (&["first", "query"], Align::Right),
];

const SPANS: [Span; 2] =
    [Span { first: 2, columns: 3, title: "table" }, Span { first: 5, columns: 2, title: "indexes" }];

/// A line for each load.
pub(crate) fn tables(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &SPANS);
    let unknown = || UNKNOWN.to_owned();
    for (run, load, told) in valid(record) {
        let against_plain = model::load::table_against_plain(record, run);
        let cells = vec![
            run.number.to_string(),
            kind(load),
            load.table_bytes.map_or_else(unknown, volume),
            told.table_ratio.map_or_else(unknown, three_digits),
            against_plain.map_or_else(String::new, three_digits),
            index_size(load),
            index_time(load),
            time(load.first_query_ns),
        ];
        table.push(cells, None);
    }
    table
}

/// The size of the indexes, as far as there are any.
pub(crate) fn index_size(load: &Load) -> String {
    match load.indexes {
        IndexTime::None => "none".to_owned(),
        IndexTime::Before | IndexTime::After => load.index_bytes.map_or_else(|| UNKNOWN.to_owned(), volume),
    }
}

/// How long it took to make them.
pub(crate) fn index_time(load: &Load) -> String {
    match load.indexes {
        IndexTime::None => String::new(),
        IndexTime::Before => "the load".to_owned(),
        IndexTime::After => time(load.index_build_ns),
    }
}
