//! The tables of the tests, and the load of each.

use record::Record;
use tables::provision::{data_set_columns, data_sets as rows};

use crate::document::{Cell, Section, Table, Tone};
use crate::figure::time;
use crate::view::View;

/// The columns that are shown; the first one gives way to the others.
const SHOWN: [&str; 9] = [
    "table",
    "rows",
    "size_bytes",
    "jobs",
    "load_ns",
    "rows_per_second",
    "finish_ns",
    "generator_cpu_ratio",
    "server_cpu_ratio",
];

/// The measured tables; nothing where none was loaded.
pub(crate) fn data_sets(record: &Record) -> Section {
    Section::new("data", "Data", vec![table(record).into()])
}

/// A line for each data set.
pub(crate) fn table(record: &Record) -> Table {
    let view = View::of(data_set_columns())
        .figure("load_ns", ("load", "time"), |of| match (of.of.reused, of.of.load_ns) {
            (true, _) => Cell::text("reused"),
            (false, span) => Cell::Figure(time(span), span.map(|span| span.0 as f64)),
        })
        .only(&SHOWN);
    let table = view.table("data-sets", "Tables and their load", rows(record), |_| Tone::Plain);
    Table { flexible: Some(0), is_sortable: false, ..table }
}
