//! Latency over the rate of arrivals, with the answer of a search, and what think time leaves of the processors.

use maud::{Markup, html};
use model::{Bound, Quantiles, RateCurve, RatePoint, ThinkPoint, ThinkStudy};
use record::{Nanos, Ratio, Record, Verdict};

use super::diagram::{Diagram, gallery};
use super::table::{Cell, Column, Row, Table};
use super::throughput::CHARTS_MAX;
use crate::chart::{Axis, Figures, LineChart, Mark, Point, Role, Scale, Series};
use crate::figure::{UNKNOWN, duration, number, percent, percent_digits, time};
use crate::layout::clean;
use crate::load_curve::{answer, bound, capacity, explanation, head, hidden, reason, study_head, whose, wish};
use crate::words::list;

/// A chart for each test and degree of parallelism under rates, a table for each with think times; nothing of a record
/// without such runs.
pub(super) fn load(record: &Record) -> Markup {
    let curves = model::rate_curves(record);
    let studies = model::think_studies(record);
    let drawn = curves.iter().take(CHARTS_MAX).enumerate();
    let charts: Vec<Diagram> = drawn.map(|(index, curve)| diagram(index, record, curve)).collect();
    html! {
        @if !curves.is_empty() {
            p {
                "Steps arrive whether or not those before them are done; their response time counts from the moment at \
                 which they were due, their service time from that at which they began. 100 % is what the plain run of \
                 the same test at the same degree of parallelism reaches as fast as possible, in steps per second."
            }
        }
        (gallery(&charts))
        @if curves.len() > CHARTS_MAX {
            p class="note" { "The first " (CHARTS_MAX) " of " (curves.len()) " curves are drawn; the record has all." }
        }
        @if !studies.is_empty() { p { (capital(&whose(&studies))) "." } }
        @for (index, study) in studies.iter().take(CHARTS_MAX).enumerate() { (thinking(index, study)) }
    }
}

fn diagram(index: usize, record: &Record, curve: &RateCurve<'_>) -> Diagram {
    let answered = wish(record).map(|until| answer(curve, until));
    let contrast = curve.contrast().map(|contrast| explanation(&contrast));
    let said = answered.into_iter().chain(contrast).map(|sentence| capital(&sentence) + ".");
    let note = said.collect::<Vec<String>>().join(" ");
    Diagram { note, ..Diagram::new(format!("load-{}", index + 1), chart(curve, bound(record).as_ref())) }
}

/// `sentence` with a capital letter at its beginning.
fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn chart(curve: &RateCurve<'_>, bound: Option<&Bound>) -> LineChart {
    let series = [
        ("response p99", Role::Measured, points(curve, bound, |point| point.response.and_then(|times| times.p99_ns))),
        ("response p50", Role::Measured, points(curve, bound, |point| point.response.map(|times| times.p50_ns))),
        ("service p99", Role::Other, points(curve, bound, |point| point.service.and_then(|times| times.p99_ns))),
        ("void", Role::Void, void(curve, bound)),
    ];
    let drawn = series.into_iter().filter(|(_, _, points)| !points.is_empty());
    let mut chart = LineChart::new(
        format!("{} {}", head(curve), clean(curve.title)),
        description(curve),
        Axis::new("steps per second that were due", Scale::FromZero, Figures::Rate),
        Axis::new("latency", Scale::Log10, Figures::Nanos),
        drawn.map(|(name, role, points)| Series::new(name, role, points)).collect(),
    );
    let least = curve.points.first().map_or(0.0, |point| point.asked.0);
    let most = curve.points.last().map_or(0.0, |point| point.asked.0);
    let capacity = curve.capacity.filter(|capacity| (least..=most).contains(&capacity.0));
    chart.marks.extend(capacity.map(|capacity| Mark { x: capacity.0, label: "as fast as possible".to_owned() }));
    chart
}

fn description(curve: &RateCurve<'_>) -> String {
    let p99 = |point: &RatePoint<'_>| point.response.and_then(|times| times.p99_ns);
    let valid: Vec<&RatePoint<'_>> = curve.points.iter().filter(|point| point.verdict != Verdict::Fail).collect();
    let (Some(first), Some(last)) = (valid.first(), valid.last()) else { return String::new() };
    let reached = capacity(curve).map(|said| format!("{}. ", capital(&said))).unwrap_or_default();
    format!(
        "{reached}Response p99 from {} at {} steps/s to {} at {}.",
        time(p99(first)),
        number(first.asked.0),
        time(p99(last)),
        number(last.asked.0)
    )
}

fn points(curve: &RateCurve<'_>, bound: Option<&Bound>, value: impl Fn(&RatePoint<'_>) -> Option<Nanos>) -> Vec<Point> {
    let valid = curve.points.iter().filter(|point| point.verdict != Verdict::Fail);
    let drawn =
        valid.filter_map(|point| Some(Point::new(point.asked.0, value(point)?.0 as f64).noted(note(point, bound))));
    drawn.collect()
}

/// Rates that were not kept, or whose runs are void for another reason, at what they measured all the same.
fn void(curve: &RateCurve<'_>, bound: Option<&Bound>) -> Vec<Point> {
    let void = curve.points.iter().filter(|point| point.verdict == Verdict::Fail);
    let drawn = void.filter_map(|point| {
        let p99 = point.response?.p99_ns?;
        Some(Point::new(point.asked.0, p99.0 as f64).noted(format!("{}, void", note(point, bound))))
    });
    drawn.collect()
}

fn note(point: &RatePoint<'_>, bound: Option<&Bound>) -> String {
    let share = point.share.map(|share| format!("{} of capacity", percent(share)));
    let done = point.done.map(|done| format!("{} steps/s done", number(done.0)));
    list([Some(format!("run {}", point.run.number)), share, done, reason(point, bound)].into_iter().flatten())
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

fn thinking(index: usize, study: &ThinkStudy<'_>) -> Markup {
    let caption = format!("{} {}: think time", study_head(study), clean(study.title));
    let mut table = Table::new(format!("think-{}", index + 1), caption, &COLUMNS);
    table.rows = study.points.iter().map(row).collect();
    html! {
        div class="compact" { (table.html()) }
        @if let Some(said) = hidden(study) { p class="aside" { (capital(&said)) "." } }
    }
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
