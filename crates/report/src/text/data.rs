//! The tables that were measured, and what it took to load them.

use record::{DataSet, Nanos, Ratio, Record};

use crate::figure::{UNKNOWN, count, duration, percent, rate, volume};
use crate::layout::{Align, Head, Span, Table, clean, cut};

/// Letters of a table's name.
const NAME_MAX: usize = 20;

/// One line for each data set.
pub(super) fn data_sets(record: &Record) -> Table {
    let heads: [Head; 9] = [
        (&["table"], Align::Left),
        (&["rows"], Align::Right),
        (&["size"], Align::Right),
        (&["#J"], Align::Right),
        (&["time"], Align::Right),
        (&["row/s"], Align::Right),
        (&["indexes", "etc."], Align::Right),
        (&["generator"], Align::Right),
        (&["server"], Align::Right),
    ];
    let spans = [Span { first: 4, columns: 2, title: "load" }, Span { first: 7, columns: 2, title: "CPU of the load" }];
    let mut table = Table::new(&heads, &spans);
    for set in &record.data_sets {
        table.push(line(set), None);
    }
    table
}

fn line(set: &DataSet) -> Vec<String> {
    let size = volume(set.size_bytes);
    let mut cells = vec![cut(&clean(&set.table), NAME_MAX), count(set.rows), size, set.jobs.to_string()];
    if set.reused {
        cells.push("reused".to_owned());
        return cells;
    }
    let time = |span: Option<Nanos>| span.map_or_else(|| UNKNOWN.to_owned(), duration);
    let share = |part: Option<Nanos>| cpu_share(set, part).map_or_else(|| UNKNOWN.to_owned(), percent);
    cells.extend([
        time(set.load_ns),
        rate(rows_per_second(set)),
        time(set.finish_ns),
        share(set.generator_cpu_ns),
        share(set.server_cpu_ns),
    ]);
    cells
}

/// Rows over the time of the load, without what was built afterwards.
fn rows_per_second(set: &DataSet) -> Option<f64> {
    let seconds = set.load_ns?.seconds();
    (seconds > 0.0).then(|| set.rows as f64 / seconds)
}

/// The share that one party has of the processor time that both spent on the load.
fn cpu_share(set: &DataSet, part: Option<Nanos>) -> Option<Ratio> {
    let both = set.generator_cpu_ns?.0 as f64 + set.server_cpu_ns?.0 as f64;
    (both > 0.0).then_some(Ratio(part?.0 as f64 / both))
}
