//! The highest rate of I/O that meets a service level: the answer of a search, and its points.

use model::{Bound, RecordedSearch, SearchPoint, Statistic, io_search, row};
use record::{IoStream, Latency, Ratio, Record, Run, Verdict};

use super::stream::operations;
use crate::figure::{UNKNOWN, number, time};
use crate::layout::{Align, Head, Span, Table, paragraph};
use crate::load_curve;
use crate::style::{Ink, Style};
use crate::verdict::mark;

/// The unit of the rates.
const UNIT: &str = "I/Os per second";

/// The answer in words and the points as a table; nothing where `record` holds no such search.
pub(super) fn answer(record: &Record, style: Style, width: usize) -> Vec<String> {
    let Some(search) = io_search(record) else { return Vec::new() };
    let mut lines = paragraph("", 2, &load_curve::answer(&search, UNIT), width);
    lines.push(String::new());
    lines.extend(table(&search).lines(style, width));
    lines
}

const SPANS: [Span; 3] = [
    Span { first: 1, columns: 2, title: "I/Os per second" },
    Span { first: 3, columns: 3, title: "service time" },
    Span { first: 6, columns: 3, title: "response time" },
];

/// The statistics of both times: the median, p99, and the deciding one, or p99.9 where that is one of the two.
fn statistics(bound: &Bound) -> [Statistic; 3] {
    let [median, p99, p999] = [0.5, 0.99, 0.999].map(|quantile| Statistic::Quantile(Ratio(quantile)));
    let third = if [median, p99].contains(&bound.statistic) { p999 } else { bound.statistic };
    [median, p99, third]
}

fn table(search: &RecordedSearch<'_>) -> Table {
    let shown = statistics(&search.bound);
    let names = shown.map(|statistic| statistic.to_string());
    let names: [[&str; 1]; 3] = names.each_ref().map(|name| [name.as_str()]);
    let times = names.iter().chain(&names).map(|name| (&name[..], Align::Right));
    let before: [Head; 3] = [(&["run"], Align::Right), (&["target"], Align::Right), (&["achieved"], Align::Right)];
    let after: [Head; 2] = [(&["SLO"], Align::Left), (&[""], Align::Left)];
    let heads: Vec<(&[&str], Align)> = before.into_iter().chain(times).chain(after).collect();
    let mut table = Table::new(&heads, &SPANS);
    let mut points: Vec<&SearchPoint<'_>> = search.points.iter().collect();
    points
        .sort_by(|one, other| one.visit.rate.total_cmp(&other.visit.rate).then(one.run.number.cmp(&other.run.number)));
    for point in points {
        let verdict = row(point.run).verdict;
        let mut cells = vec![point.run.number.to_string(), number(point.visit.rate)];
        if verdict == Verdict::Fail {
            cells.resize(heads.len() - 1, String::new());
        } else {
            cells.push(achieved(point.run).map_or_else(|| UNKNOWN.to_owned(), number));
            cells.extend(values(&point.run.service, &shown));
            cells.extend(values(&point.run.response, &shown));
            let word = match point.visit.kept {
                Some(true) => "met",
                Some(false) => "missed",
                None => "?",
            };
            cells.push(word.to_owned());
        }
        // A missed level is an answer and no warning.
        let ink = (verdict == Verdict::Fail).then_some(Ink::Invalid);
        cells.push(if verdict == Verdict::Fail { mark(verdict).to_owned() } else { String::new() });
        table.push(cells, ink);
    }
    table
}

/// Achieved I/Os per second, without syncs.
fn achieved(run: &Run) -> Option<f64> {
    let storage = run.storage.as_deref()?;
    let syncs = |stream: &&IoStream| stream.kind == record::IoKind::Sync;
    let sync_count: u64 =
        storage.streams.iter().filter(syncs).fold(0, |sum, stream| sum.saturating_add(stream.operations));
    let count = operations(storage).saturating_sub(sync_count);
    (run.window_ns.0 > 0).then(|| count as f64 / run.window_ns.seconds())
}

fn values(latency: &Latency, shown: &[Statistic; 3]) -> [String; 3] {
    shown.map(|statistic| time(statistic.printable(latency)))
}
