//! Latency over arrival rate, with the answer of a search.

use maud::{Markup, html};
use model::{Bound, RateCurve, RatePoint};
use record::{Nanos, Record, Verdict};

use super::think_time;
use super::throughput::CHARTS_MAX;
use crate::chart::{Axis, Figures, LineChart, Mark, Point, Role, Scale, Series};
use crate::document::Diagram;
use crate::figure::{number, percent, time};
use crate::layout::clean;
use crate::load_curve::{bound, capacity, curve_answer, explanation, head, lag, reason};
use crate::render::page::gallery;
use crate::words::{capital, list};

/// A chart for each test and degree of parallelism with target rates, charts and a table for each with think times;
/// nothing without such runs.
pub(super) fn load(record: &Record) -> Markup {
    let curves = model::rate_curves(record);
    let drawn = curves.iter().take(CHARTS_MAX).enumerate();
    let charts: Vec<Diagram> = drawn.map(|(index, curve)| diagram(index, record, curve)).collect();
    html! {
        @if !curves.is_empty() {
            p {
                "Open loop: steps arrive independently of the completion of earlier ones. Response time counts from \
                 the intended start, service time from the actual start. 100 % is the rate of the closed loop at the \
                 same degree of parallelism, in steps per second."
            }
        }
        (gallery(&charts))
        @if curves.len() > CHARTS_MAX {
            p class="note" { "The first " (CHARTS_MAX) " of " (curves.len()) " curves are drawn; the record has all." }
        }
        (think_time::studies(&model::think_studies(record)))
    }
}

fn diagram(index: usize, record: &Record, curve: &RateCurve<'_>) -> Diagram {
    let answered = curve_answer(curve, &record.plan);
    let contrast = curve.contrast().map(|contrast| explanation(&contrast));
    let sentences = answered.into_iter().chain(lag(curve)).chain(contrast).map(|sentence| capital(&sentence) + ".");
    let note = sentences.collect::<Vec<String>>().join(" ");
    Diagram { note, ..Diagram::new(format!("load-{}", index + 1), chart(curve, bound(record).as_ref())) }
}

fn chart(curve: &RateCurve<'_>, bound: Option<&Bound>) -> LineChart {
    let series = [
        ("response p99", Role::Measured, points(curve, bound, |point| point.response.and_then(|times| times.p99_ns))),
        ("response p50", Role::Measured, points(curve, bound, |point| point.response.map(|times| times.p50_ns))),
        ("service p99", Role::Other, points(curve, bound, |point| point.service.and_then(|times| times.p99_ns))),
        ("invalid", Role::Invalid, invalid(curve, bound)),
    ];
    let drawn = series.into_iter().filter(|(_, _, points)| !points.is_empty());
    let mut chart = LineChart::new(
        format!("{} {}", head(curve), clean(curve.title)),
        description(curve),
        Axis::new("target steps per second", Scale::FromZero, Figures::Rate),
        Axis::new("latency", Scale::Log10, Figures::Nanos),
        drawn.map(|(name, role, points)| Series::new(name, role, points)).collect(),
    );
    let least = curve.points.first().map_or(0.0, |point| point.asked.0);
    let most = curve.points.last().map_or(0.0, |point| point.asked.0);
    let capacity = curve.capacity.filter(|capacity| (least..=most).contains(&capacity.0));
    chart.marks.extend(capacity.map(|capacity| Mark { x: capacity.0, label: "closed loop".to_owned() }));
    chart
}

fn description(curve: &RateCurve<'_>) -> String {
    let p99 = |point: &RatePoint<'_>| point.response.and_then(|times| times.p99_ns);
    let valid: Vec<&RatePoint<'_>> = curve.points.iter().filter(|point| point.verdict != Verdict::Fail).collect();
    let (Some(first), Some(last)) = (valid.first(), valid.last()) else { return String::new() };
    let reached = capacity(curve).map(|text| format!("{}. ", capital(&text))).unwrap_or_default();
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

/// Invalid runs, with their measured latency: missed rates and others.
fn invalid(curve: &RateCurve<'_>, bound: Option<&Bound>) -> Vec<Point> {
    let invalid = curve.points.iter().filter(|point| point.verdict == Verdict::Fail);
    let drawn = invalid.filter_map(|point| {
        let p99 = point.response?.p99_ns?;
        Some(Point::new(point.asked.0, p99.0 as f64).noted(format!("{}, invalid", note(point, bound))))
    });
    drawn.collect()
}

fn note(point: &RatePoint<'_>, bound: Option<&Bound>) -> String {
    let share = point.share.map(|share| format!("{} of capacity", percent(share)));
    let done = point.done.map(|done| format!("{} steps/s achieved", number(done.0)));
    list([Some(format!("run {}", point.run.number)), share, done, reason(point, bound)].into_iter().flatten())
}
