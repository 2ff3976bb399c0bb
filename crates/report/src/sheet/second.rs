//! Throughput over time in the best run of each test, with the seconds that count.

use model::{Steadiness, buckets, steadiness};
use record::{Latency, Nanos, Run, Slices};

use super::throughput::{CHARTS_MAX, left_out};
use crate::chart::{Axis, Figures, LineChart, Point, Reach, Role, Scale, Series, Shade};
use crate::curve::{Load, Test};
use crate::document::{Block, Diagram, Section};
use crate::figure::duration;
use crate::layout::clean;
use crate::steadiness::reason_text;
use crate::words::{rate_of, unit};

/// With fewer seconds the slices of the window, which are shorter, are drawn.
const SECONDS_MIN: usize = 10;

/// Points of all charts of a page together, which limits the size of the page.
const POINTS_SHOWN: usize = 1_000;

/// Points of one chart, at least.
const POINTS_MIN: usize = 24;

/// A chart for each test.
pub(super) fn seconds(tests: &[Test<'_>]) -> Section {
    let known: Vec<(&Test<'_>, &Load<'_>)> = tests.iter().filter_map(|test| Some((test, test.best()?))).collect();
    let points = POINTS_SHOWN / known.len().clamp(1, CHARTS_MAX);
    let drawn = known.iter().take(CHARTS_MAX).filter_map(|(test, best)| chart(test, best, points)).enumerate();
    let charts: Vec<Diagram> =
        drawn.map(|(index, chart)| Diagram::new(format!("seconds-{}", index + 1), chart)).collect();
    let note = format!(
        "The shaded part is steady; figures are over the whole window unless stated otherwise. In a window of less than \
         {SECONDS_MIN} s the slices of the latency histogram are drawn instead of seconds."
    );
    let note = (!charts.is_empty()).then(|| Block::text(note));
    let more = (known.len() > CHARTS_MAX).then(|| left_out(known.len()));
    let body = note.into_iter().chain([Block::Charts(charts)]).chain(more).collect();
    Section::new("seconds", "Throughput over time", vec![Block::whole(body)]).folded()
}

/// The chart of the best run of `test`, with at most `points_max` points.
fn chart(test: &Test<'_>, best: &Load<'_>, points_max: usize) -> Option<LineChart> {
    let run = best.run;
    let whole = (run.window_ns.0 / Nanos::SECOND.0).min(run.seconds.len() as u64) as usize;
    let slices = run.slices.as_ref().filter(|_| whole < SECONDS_MIN).and_then(|slices| sliced(run, slices));
    let (points, each) = match slices {
        Some((points, width)) => (points, duration(width)),
        None => by_second(run, whole, whole.div_ceil(points_max.max(POINTS_MIN))),
    };
    let (least, greatest) = extremes(&points)?;
    let steady = steadiness(run);
    let mut chart = LineChart::new(
        format!("{} {} ({})", clean(test.code), clean(test.title), best.at()),
        format!(
            "{} values of {each} each, between {} and {}. {}: {}.",
            points.len(),
            rate_of(least, test.unit),
            rate_of(greatest, test.unit),
            steady.verdict.word(),
            reason_text(&steady.reason)
        ),
        Axis::new("time", Scale::Linear, Figures::Nanos),
        Axis::new(format!("{}s per second", unit(test.unit)), Scale::FromZero, Figures::Rate),
        vec![Series::new(format!("per {each}"), Role::Measured, points)],
    );
    chart.shaded.extend(counted(&steady));
    if let Some(agents) = of_agents(run, whole, whole.div_ceil(points_max.max(POINTS_MIN))) {
        chart.lower = Some(Axis::new(
            format!("{}s per second of an agent: mean, slowest to fastest", unit(test.unit)),
            Scale::FromZero,
            Figures::Rate,
        ));
        chart.series.push(agents);
    }
    Some(chart)
}

/// Operations per second of one agent of `run`, `per_point` seconds in a point: the mean of all agents, with a band from the
/// slowest to the fastest. None unless several agents have seconds.
fn of_agents(run: &Run, whole: usize, per_point: usize) -> Option<Series> {
    let whole = run.agents.iter().map(|agent| agent.seconds.len()).min().unwrap_or(0).min(whole);
    if run.agents.len() < 2 || whole < 2 {
        return None;
    }
    let per_point = per_point.max(1);
    let rates = |from: usize| {
        let until = (from + per_point).min(whole);
        let rate = |agent: &record::AgentRun| {
            let done = agent.seconds[from..until].iter().map(|second| second.operations as f64).sum::<f64>();
            done / (until - from) as f64
        };
        (until as f64 * Nanos::SECOND.0 as f64, run.agents.iter().map(rate).collect::<Vec<f64>>())
    };
    let found: Vec<(f64, Vec<f64>)> = (0..whole).step_by(per_point).map(rates).collect();
    let mean = |(x, rates): &(f64, Vec<f64>)| Point::new(*x, rates.iter().sum::<f64>() / rates.len() as f64);
    let reach = |(x, rates): &(f64, Vec<f64>)| {
        let (low, high) =
            (rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max));
        Reach { x: *x, low, high }
    };
    let name = format!("mean of {} agents, slowest to fastest shaded", run.agents.len());
    let mean = Series::new(name, Role::Other, found.iter().map(mean).collect());
    Some(mean.below().with_band(found.iter().map(reach).collect()))
}

fn extremes(points: &[Point]) -> Option<(f64, f64)> {
    let ends = |point: &Point| point.interval.unwrap_or((point.y, point.y));
    let least = points.iter().map(|point| ends(point).0).fold(f64::INFINITY, f64::min);
    let greatest = points.iter().map(|point| ends(point).1).fold(0.0, f64::max);
    (points.len() > 1).then_some((least, greatest))
}

/// Operations per second of the whole seconds, `per_point` of them in a point: their mean, with the lowest and the
/// highest.
fn by_second(run: &Run, whole: usize, per_point: usize) -> (Vec<Point>, String) {
    let per_point = per_point.max(1);
    let rates: Vec<f64> = run.seconds.iter().take(whole).map(|second| second.operations as f64).collect();
    let point = |(index, rates): (usize, &[f64])| {
        let end = (index * per_point + rates.len()) as f64 * Nanos::SECOND.0 as f64;
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = rates.iter().copied().fold(0.0, f64::max);
        let point = Point::new(end, mean);
        if per_point > 1 { point.within(least, greatest) } else { point }
    };
    (rates.chunks(per_point).enumerate().map(point).collect(), format!("{per_point} s"))
}

/// Operations per second in each whole slice, from the steps that ended in it.
fn sliced(run: &Run, slices: &Slices) -> Option<(Vec<Point>, Nanos)> {
    let steps = run.totals.steps.max(1) as f64;
    let (per_step, width) = (run.totals.operations as f64 / steps, slices.width_ns);
    let whole = run.window_ns.0.checked_div(width.0)?.min(slices.responses.len() as u64) as usize;
    let point = |(index, stored): (usize, &String)| {
        let latency = Latency { histogram: stored.clone(), ..Latency::default() };
        let count = buckets(&latency).unwrap_or_default().iter().map(|(_, count)| *count as f64).sum::<f64>();
        Point::new((index as f64 + 1.0) * width.0 as f64, count * per_step / width.seconds())
    };
    Some((slices.responses.iter().take(whole).enumerate().map(point).collect(), width))
}

/// The steady part; nothing where there is none.
fn counted(steady: &Steadiness) -> Option<Shade> {
    let nanos = |second: usize| second as f64 * 1e9;
    let (from, to) = (nanos(steady.counted.start), nanos(steady.counted.end));
    steady.verdict.is_steady().then(|| Shade { from, to, label: "counted".to_owned() })
}
