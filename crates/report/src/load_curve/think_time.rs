//! Think time: response time, throughput and CPU use over the think time.

use std::collections::BTreeMap;

use model::{ThinkPoint, ThinkStudy};
use record::{Nanos, Ratio};

use super::{CURVES_MAX, cpu_scope, hidden, study_head};
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::document::{Block, Cell, Column, Diagram, Extent, Row, Table};
use crate::figure::{UNKNOWN, duration, number, percent, percent_digits, time};
use crate::times;

/// A table and charts for each of `studies`.
pub(super) fn studies(studies: &[ThinkStudy<'_>]) -> Vec<Block> {
    let of_study = |(index, study): (usize, &ThinkStudy<'_>)| {
        let charts = if index < CURVES_MAX { charts(index, study) } else { Vec::new() };
        [
            Block::facts([(study_head(study), study.title)]),
            table(index, study).into(),
            Block::list(hidden(study)),
            Block::whole(vec![Block::Charts(charts)]),
        ]
    };
    let scope = (!studies.is_empty()).then(|| Block::aside(cpu_scope(studies)));
    studies.iter().enumerate().flat_map(of_study).chain(scope).collect()
}

/// The hardware threads of the two series of a study.
const THREADS: [(bool, &str); 2] = [(false, "all hardware threads"), (true, "one thread per core")];

/// A value of a point.
type Value = fn(&ThinkPoint<'_>) -> Option<f64>;

/// Response time, throughput and processors used over think time; one that no point has is left out.
fn charts(index: usize, study: &ThinkStudy<'_>) -> Vec<Diagram> {
    let mean: Value = |point| Some(point.response_mean?.0 as f64);
    let p99: Value = |point| Some(point.response?.p99_ns?.0 as f64);
    let rate: Value = |point| Some(point.per_second?.0);
    let processors: Value = |point| point.processors;
    let latency = Axis::new("response time", Scale::FromZero, Figures::Nanos);
    let counts_transactions = study.points.iter().all(|point| point.run.totals.transactions > 0);
    let counted = if counts_transactions { "transactions per second" } else { "steps per second" };
    let transactions = Axis::new(counted, Scale::FromZero, Figures::Rate);
    let used = Axis::new("processors used", Scale::FromZero, Figures::Plain);
    let charts = [
        (
            "response",
            "Response time, mean and p99,",
            latency,
            vec![("mean", Role::Measured, mean), ("p99", Role::Other, p99)],
        ),
        ("rate", "Throughput", transactions, vec![("", Role::Measured, rate)]),
        ("processors", "Processors used", used, vec![("", Role::Measured, processors)]),
    ];
    let drawn = charts.into_iter().map(|(part, what, axis, values)| {
        let series: Vec<Series> = values.iter().flat_map(|value| series(study, *value)).collect();
        (part, what, axis, series)
    });
    let shown = drawn.filter(|(_, _, _, series)| !series.is_empty());
    shown
        .map(|(part, what, axis, series)| {
            let title = format!("{what} over think time, {}", study_head(study));
            let description = "Each job pauses for the think time between two steps; at 0 it does not pause.";
            let think = Axis::new("think time", Scale::FromZero, Figures::Nanos);
            Diagram::new(format!("think-{part}-{}", index + 1), LineChart::new(title, description, think, axis, series))
        })
        .collect()
}

/// A line for all hardware threads and one for one thread per core, as far as they were measured.
fn series(study: &ThinkStudy<'_>, (what, role, value): (&str, Role, Value)) -> Vec<Series> {
    let line = |(one_thread_per_core, threads): (bool, &str)| {
        let mut by_think: BTreeMap<Nanos, Vec<(f64, u32)>> = BTreeMap::new();
        for point in study.points.iter().filter(|point| point.one_thread_per_core == one_thread_per_core) {
            by_think.entry(point.think).or_default().extend(value(point).map(|value| (value, point.run.number)));
        }
        let points: Vec<Point> = by_think.into_iter().filter_map(|(think, repeats)| median(think, repeats)).collect();
        let name = if what.is_empty() { threads.to_owned() } else { format!("{what}, {threads}") };
        (!points.is_empty()).then(|| Series::new(name, role, points))
    };
    THREADS.into_iter().filter_map(line).collect()
}

/// The median of `repeats`, each a value and the number of its run; the lower one of two.
fn median(think: Nanos, mut repeats: Vec<(f64, u32)>) -> Option<Point> {
    repeats.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let (value, run) = *repeats.get(repeats.len().checked_sub(1)? / 2)?;
    let note = match repeats.len() {
        1 => format!("run {run}"),
        count => format!("run {run}, the median of {count}"),
    };
    Some(Point::new(think.0 as f64, value).noted(note))
}

fn table(index: usize, study: &ThinkStudy<'_>) -> Table {
    let first = [
        Column::figure("run"),
        Column::figure("think\ntime"),
        Column::text("hardware\nthreads"),
        Column::figure("response\nmean"),
    ];
    let last = [
        Column::figure("tx/s"),
        Column::figure("host\nbusy %").from(Extent::Whole),
        Column::figure("processors\nused"),
        Column::figure("time\nper tx"),
        Column::figure("capacity\nused"),
    ];
    let columns = first.into_iter().chain(times::tail_columns(Column::figure)).chain(last).collect();
    Table::new(format!("think-{}", index + 1), study.title, columns).with(study.points.iter().map(row))
}

fn row(point: &ThinkPoint<'_>) -> Row {
    let span = |span: Option<Nanos>| Cell::Figure(time(span), span.map(|span| span.0 as f64));
    let think = if point.think > Nanos(0) { duration(point.think) } else { "none".to_owned() };
    let processors = match (point.processors_share, point.processors) {
        (Some(share), Some(used)) => format!("{used:.2} ({} %)", percent_digits(share)),
        (None, Some(used)) => format!("{used:.2}"),
        (_, None) => UNKNOWN.to_owned(),
    };
    let first = [
        Cell::count(point.run.number.into()),
        Cell::Figure(think, Some(point.think.0 as f64)),
        Cell::text(if point.one_thread_per_core { "one per core" } else { "all" }),
        span(point.response_mean),
    ];
    let last = [
        Cell::figure(point.per_second.map(|rate| rate.0), number),
        Cell::figure(point.busy.map(|busy| busy.0), |busy| percent_digits(Ratio(busy))),
        Cell::Figure(processors, point.processors),
        span(point.per_transaction),
        Cell::figure(point.used.map(|used| used.0), |used| percent(Ratio(used))),
    ];
    Row::new(first.into_iter().chain(times::tail_cells(point.response)).chain(last).collect())
}
