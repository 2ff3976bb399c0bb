//! The highest rate of I/O that meets a service level: the answer of a search, and its points.

use model::{Bound, SearchPoint, Statistic, io_search, row};
use record::{IoStream, Latency, Ratio, Record, Run, Verdict};

use super::stream::operations;
use crate::document::{Cell, Column, Row, Table, Tone};
use crate::figure::{number, time};
use crate::load_curve;
use crate::verdict::{verdict_cell, word_of};

/// The unit of the rates.
const UNIT: &str = "I/Os per second";

/// The answer in words; nothing where `record` holds no such search.
pub(crate) fn answer(record: &Record) -> Option<String> {
    Some(load_curve::answer(&io_search(record)?, UNIT))
}

/// The statistics of both times: the median, p99, and the deciding one, or p99.9 where that is one of the two.
fn statistics(bound: &Bound) -> [Statistic; 3] {
    let [median, p99, p999] = [0.5, 0.99, 0.999].map(|quantile| Statistic::Quantile(Ratio(quantile)));
    let third = if [median, p99].contains(&bound.statistic) { p999 } else { bound.statistic };
    [median, p99, third]
}

/// The points, from the lowest rate to the highest; nothing where `record` holds no such search.
pub(super) fn points(record: &Record) -> Option<Table> {
    let search = io_search(record)?;
    let shown = statistics(&search.bound);
    let times = |group: &'static str| {
        shown.map(|statistic| Column { head: statistic.to_string().into(), ..Column::figure("") }.in_group(group))
    };
    let before =
        [Column::figure("run"), Column::figure("target").in_group(UNIT), Column::figure("achieved").in_group(UNIT)];
    let after = [Column::text("SLO"), Column::text("verdict")];
    let columns: Vec<Column> =
        before.into_iter().chain(times("service time")).chain(times("response time")).chain(after).collect();
    let mut points: Vec<&SearchPoint<'_>> = search.points.iter().collect();
    points
        .sort_by(|one, other| one.visit.rate.total_cmp(&other.visit.rate).then(one.run.number.cmp(&other.run.number)));
    let width = columns.len();
    let row = |point: &SearchPoint<'_>| {
        let verdict = row(point.run).verdict;
        let mut cells = vec![Cell::count(point.run.number.into()), Cell::figure(Some(point.visit.rate), number)];
        if verdict == Verdict::Fail {
            // A missed level is an answer and no warning.
            cells.resize(width - 1, Cell::empty());
            cells.push(verdict_cell(verdict));
            return Row::new(cells).in_tone(Tone::Invalid);
        }
        cells.push(Cell::figure(achieved(point.run), number));
        cells.extend(values(&point.run.service, &shown));
        cells.extend(values(&point.run.response, &shown));
        let word = match point.visit.kept {
            Some(true) => "met",
            Some(false) => "missed",
            None => word_of(Verdict::Unknown),
        };
        cells.extend([Cell::text(word), Cell::empty()]);
        Row::new(cells)
    };
    Some(Table::new("io-search-table", "Points of the search", columns).with(points.into_iter().map(row)))
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

fn values(latency: &Latency, shown: &[Statistic; 3]) -> [Cell; 3] {
    shown.map(|statistic| {
        let span = statistic.printable(latency);
        Cell::Figure(time(span), span.map(|span| span.0 as f64))
    })
}
