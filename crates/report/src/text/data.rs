//! The tables of the tests, and the load of each.

use record::{DataSet, Record};
use tables::provision::{Owned, data_set_columns, data_sets as rows};

use crate::document::Cell;
use crate::figure::time;
use crate::layout::{Table, clean, cut};
use crate::view::View;

/// Characters of a table's name.
const NAME_MAX: usize = 20;

/// The columns that are shown.
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

/// The columns of data sets.
pub(crate) fn view<'a>() -> View<Owned<'a, &'a DataSet>> {
    View::of(data_set_columns())
        .words("table", ("", "table"), |of| Cell::text(cut(&clean(&of.of.table), NAME_MAX)))
        .figure("load_ns", ("load", "time"), |of| match (of.of.reused, of.of.load_ns) {
            (true, _) => Cell::text("reused"),
            (false, span) => Cell::Figure(time(span), span.map(|span| span.0 as f64)),
        })
        .only(&SHOWN)
}

/// One line for each data set.
pub(super) fn data_sets(record: &Record) -> Table {
    view().text_table(rows(record), |_| None)
}
