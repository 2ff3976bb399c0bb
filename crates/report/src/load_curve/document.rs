//! Latency over rate and think time as parts of a document.

use model::{Bound, RateCurve, RatePoint, Times, shown_quantiles};
use record::{Finding, Nanos, Ratio, Record, Run, Verdict};

use super::{
    CURVES_MAX, answers, bound, capacity, curve_answer, explanation, head, is_behind, lag, reason, search, sentences,
    think_time,
};
use crate::chart::{Axis, Figures, LineChart, Mark, Point, Role, Scale, Series};
use crate::document::{Block, Cell, Column, Diagram, Row, Section, Table, Tone};
use crate::figure::{duration, number, percent, rate, time};
use crate::layout::clean;
use crate::times;
use crate::verdict::word_of;
use crate::words::{capital, list};

/// The heading of the part about rates.
const RATES: &str = "Latency over rate";

/// The heading of the same part for a search.
pub(crate) const SEARCH: &str = "Highest rate within the service level";

/// The heading of the part about think time.
const THINK: &str = "Think time";

/// How to read the figures.
const READING: &str = "Open loop: steps arrive independently of the completion of earlier ones. Response time counts from \
                       the intended start, service time from the actual start. 100 % is the rate of the closed loop at \
                       the same degree of parallelism, in steps per second.";

fn rates_title(record: &Record) -> &'static str {
    if search(record).is_some() { SEARCH } else { RATES }
}

/// A table and a chart for each test and degree of parallelism with target rates; nothing without such runs.
pub(crate) fn rates(record: &Record) -> Section {
    let curves = model::rate_curves(record);
    let mut body: Vec<Block> =
        curves.iter().enumerate().flat_map(|(index, curve)| of_curve(index, record, curve)).collect();
    body.extend((!curves.is_empty()).then(|| Block::whole(vec![Block::aside(READING)])));
    Section::new("load", rates_title(record), body)
}

/// A table and charts for each sweep of think times; nothing without such runs.
pub(crate) fn think_times(record: &Record) -> Section {
    Section::new("think-time", THINK, think_time::studies(&model::think_studies(record)))
}

fn of_curve(index: usize, record: &Record, curve: &RateCurve<'_>) -> Vec<Block> {
    let clauses: Vec<String> = curve_answer(curve, &record.plan).into_iter().chain(capacity(curve)).collect();
    // The table of a search has the outcome and its reason for each run.
    let is_in_table = |finding: &Finding| search(record).is_some() && finding.verdict != Verdict::Unknown;
    let runs = curve.points.iter().map(|point| point.run);
    let findings = runs.flat_map(|run| answers(run).map(move |finding| (run, finding)));
    let remarks = sentences(findings.filter(|(_, finding)| !is_in_table(finding)));
    let contrast = curve.contrast().map(|contrast| explanation(&contrast));
    let chart =
        (index < CURVES_MAX).then(|| Diagram::new(format!("load-{}", index + 1), chart(curve, bound(record).as_ref())));
    vec![
        Block::facts([(head(curve), clauses.join("; "))]),
        table(index, record, curve).into(),
        Block::list(remarks.into_iter().chain(lag(curve)).chain(contrast)),
        Block::whole(vec![Block::Charts(chart.into_iter().collect())]),
    ]
}

fn table(index: usize, record: &Record, curve: &RateCurve<'_>) -> Table {
    let is_search = search(record).is_some();
    let bound = bound(record);
    let first = [
        Column::figure("run"),
        Column::figure("of\ncapacity"),
        Column::figure("target").in_group("steps/s"),
        Column::figure("achieved").in_group("steps/s"),
    ];
    // A search judges response times, and has its reasons in the place of the others.
    let judged = usize::from(is_search)..;
    let times =
        GROUPS[judged.clone()].iter().flat_map(|group| times::columns(|head| Column::figure(head).in_group(group)));
    let columns = first.into_iter().chain(times).chain([Column::text("verdict")]).collect();
    let point = |point: &RatePoint<'_>| {
        row(
            point.run,
            [
                Cell::figure(point.share.map(|share| share.0), |share| percent(Ratio(share))),
                Cell::figure(Some(point.asked.0), number),
            ],
            point.done.map(|done| done.0),
            times_of(point.verdict, &[point.service, point.response][judged.clone()]),
            if is_search { judgement(point, bound.as_ref()) } else { marked(point.run) },
        )
        .in_tone(tone(point.verdict, point.kept))
    };
    let closed = curve.closed.map(|run| {
        let of = model::row(run);
        row(
            run,
            [Cell::Figure("100 %".to_owned(), Some(1.0)), Cell::Figure("none".to_owned(), None)],
            model::steps_per_second(run).map(|rate| rate.0),
            times_of(of.verdict, &[of.service, of.response][judged.clone()]),
            word_of(of.verdict).to_owned(),
        )
        .in_tone(tone(of.verdict, None))
    });
    Table::new(format!("load-table-{}", index + 1), curve.title, columns)
        .with(curve.points.iter().map(point).chain(closed))
}

/// The two groups of times.
const GROUPS: [&str; 2] = ["service time", "response time"];

/// The cells of `times`, empty for an invalid run.
fn times_of(verdict: Verdict, times: &[Option<Times>]) -> Vec<Cell> {
    let cells = times.iter().flat_map(|times| times::cells(*times));
    cells.map(|cell| if verdict == Verdict::Fail { Cell::empty() } else { cell }).collect()
}

/// A line of the table.
fn row(run: &Run, [share, asked]: [Cell; 2], done: Option<f64>, times: Vec<Cell>, last: String) -> Row {
    let first = [Cell::count(run.number.into()), share, asked, Cell::Figure(rate(done), done)];
    Row::new(first.into_iter().chain(times).chain([Cell::text(last)]).collect())
}

/// Whether the level was met, and why not.
fn judgement(point: &RatePoint<'_>, bound: Option<&Bound>) -> String {
    match point.kept {
        Some(true) => met(point, bound),
        Some(false) => reason(point, bound).unwrap_or_else(|| "missed".to_owned()),
        None => word_of(Verdict::Unknown).to_owned(),
    }
}

/// That the level was met, with the deciding value where no column shows it.
fn met(point: &RatePoint<'_>, bound: Option<&Bound>) -> String {
    let is_shown = |bound: &&Bound| shown_quantiles().any(|quantile| quantile.name == bound.statistic.to_string());
    let hidden =
        bound.filter(|bound| !is_shown(bound)).and_then(|bound| Some((bound, bound.value(&point.run.response)?)));
    hidden.map_or_else(|| "met".to_owned(), |(bound, value)| format!("met: {} is {}", bound.statistic, duration(value)))
}

/// The verdict on a run of a sweep; a missed rate is an answer and no warning.
fn marked(run: &Run) -> String {
    const BEHIND: &str = "rate missed";
    let verdict = model::run_verdict(run);
    match verdict {
        Verdict::Fail if model::has_found_a_limit(run) => BEHIND.to_owned(),
        Verdict::Warn if is_behind(run) => format!("{}, missed", word_of(verdict)),
        Verdict::Pass | Verdict::Unknown if is_behind(run) => BEHIND.to_owned(),
        _ => word_of(verdict).to_owned(),
    }
}

/// A missed level or rate is an answer and no warning.
fn tone(verdict: Verdict, kept: Option<bool>) -> Tone {
    match verdict {
        Verdict::Fail => Tone::Invalid,
        Verdict::Warn if kept.is_none() => Tone::Warning,
        _ => Tone::Plain,
    }
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
