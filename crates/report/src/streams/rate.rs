//! How fast: bytes and requests per second, the time of a request and of a commit.

use record::{Rate, Ratio, Record};

use super::{form, valid, way};
use crate::figure::{UNKNOWN, megabytes, percent_digits, rate, time};
use crate::layout::{Align, Head, Span, Table};

const HEADS: [Head; 11] = [
    (&["run"], Align::Right),
    (&["form"], Align::Left),
    (&["way"], Align::Left),
    (&["#J"], Align::Right),
    (&["MB/s"], Align::Right),
    (&["% of", "files"], Align::Right),
    (&["req/s"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["open", "p50"], Align::Right),
    (&["commit", "p50"], Align::Right),
];

/// A line for each run.
pub(crate) fn rates(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &[Span { first: 7, columns: 2, title: "request" }]);
    let per_second = |value: Option<Rate>| value.map(|Rate(value)| value);
    for (run, streams) in valid(record) {
        let Some(figures) = model::stream_figures(run) else { continue };
        let of_files: Option<Ratio> = model::over_file_system(record, run);
        let cells = vec![
            run.number.to_string(),
            form(streams),
            way(streams).to_owned(),
            run.dop.jobs.to_string(),
            megabytes(per_second(figures.bytes_per_second)),
            of_files.map_or_else(|| UNKNOWN.to_owned(), percent_digits),
            rate(per_second(figures.requests_per_second)),
            time(figures.requests.map(|quantiles| quantiles.p50_ns)),
            time(figures.requests.and_then(|quantiles| quantiles.p99_ns)),
            time(figures.openings.map(|quantiles| quantiles.p50_ns)),
            time(figures.commits.map(|quantiles| quantiles.p50_ns)),
        ];
        table.push(cells, None);
    }
    table
}
