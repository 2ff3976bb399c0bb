//! Think time: response time, throughput and CPU use over the think time.

use std::collections::BTreeMap;

use maud::{Markup, html};
use model::{Quantiles, ThinkPoint, ThinkStudy};
use record::{Nanos, Ratio};

use super::throughput::CHARTS_MAX;
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::document::Diagram;
use crate::figure::{UNKNOWN, duration, number, percent, percent_digits};
use crate::layout::clean;
use crate::load_curve::{cpu_scope, hidden, study_head};
use crate::render::page::gallery;
use crate::render::page::{Cell, Column, Row, Table};
use crate::words::capital;

/// Charts and a table for each of `studies`.
pub(super) fn studies(studies: &[ThinkStudy<'_>]) -> Markup {
    html! {
        @if !studies.is_empty() { p { (capital(&cpu_scope(studies))) "." } }
        @for (index, study) in studies.iter().take(CHARTS_MAX).enumerate() {
            (gallery(&charts(index, study)))
            (table(index, study))
            @if let Some(note) = hidden(study) { p class="aside" { (capital(&note)) "." } }
        }
        @if studies.len() > CHARTS_MAX {
            p class="note" { "The first " (CHARTS_MAX) " of " (studies.len()) " sweeps are drawn; the record has all." }
        }
    }
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

const COLUMNS: [Column; 10] = [
    Column::figures("think time"),
    Column::text("hardware threads"),
    Column::figures("run"),
    Column::figures("response mean"),
    Column::figures("p99"),
    Column::figures("tx/s"),
    Column::figures("host busy %"),
    Column::figures("processors used"),
    Column::figures("time per tx"),
    Column::figures("capacity used"),
];

fn table(index: usize, study: &ThinkStudy<'_>) -> Markup {
    let caption = format!("{} {}: think time", study_head(study), clean(study.title));
    let mut table = Table::new(format!("think-{}", index + 1), caption, &COLUMNS);
    table.rows = study.points.iter().map(row).collect();
    html! { div class="compact" { (table.html()) } }
}

fn row(point: &ThinkPoint<'_>) -> Row {
    let figure = |shown: Option<String>| Cell::Figure(shown.unwrap_or_else(|| UNKNOWN.to_owned()), None);
    let share = |ratio: Option<Ratio>| figure(ratio.map(percent));
    let digits = |ratio: Option<Ratio>| figure(ratio.map(percent_digits));
    let p99 = |times: Quantiles| times.p99_ns.map(duration);
    Row::new(vec![
        figure(Some(if point.think > Nanos(0) { duration(point.think) } else { "none".to_owned() })),
        Cell::text(if point.one_thread_per_core { "one per core" } else { "all" }),
        figure(Some(point.run.number.to_string())),
        figure(point.response_mean.map(duration)),
        figure(point.response.and_then(p99)),
        figure(point.per_second.map(|rate| number(rate.0))),
        digits(point.busy),
        figure(point.processors.map(|used| format!("{used:.2}"))),
        figure(point.per_transaction.map(duration)),
        share(point.used),
    ])
}
