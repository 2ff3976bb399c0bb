//! Latency over rate and think time on a terminal.

use std::ops::Range;

use model::{Bound, Quantiles, RateCurve, RatePoint, Statistic, ThinkPoint, ThinkStudy};
use record::{Finding, Nanos, Ratio, Record, Run, Verdict};

use super::{
    RATES, SEARCH, THINK, answers, bound, capacity, cpu_scope, curve_answer, explanation, head, hidden, is_behind, lag,
    paragraphs, reason, search, study_head,
};
use crate::figure::{UNKNOWN, duration, percent, percent_digits, rate, time};
use crate::layout::{Align, Head, Span, Table, cut, paragraph};
use crate::style::{Ink, Style};
use crate::verdict::mark;

/// Characters of the label of a curve or a study.
const LABEL_MAX: usize = 30;

/// The parts about rates and think time, each with its heading; empty where the record has no such runs.
pub(crate) fn parts(record: &Record, style: Style, width: usize) -> Vec<(&'static str, Vec<String>)> {
    let title = if search(record).is_some() { SEARCH } else { RATES };
    let curves = model::rate_curves(record);
    let rates = curves.iter().map(|curve| of_curve(record, curve, style, width)).collect::<Vec<_>>();
    let studies = model::think_studies(record);
    let thinks = studies.iter().map(|study| of_study(study, style, width)).collect::<Vec<_>>();
    // A blank line between two.
    let joined = |blocks: Vec<Vec<String>>| blocks.join(&String::new());
    let mut thinks = joined(thinks);
    if !thinks.is_empty() {
        thinks.extend(paragraph("", 2, &cpu_scope(&studies), width));
    }
    vec![(title, joined(rates)), (THINK, thinks)]
}

fn of_curve(record: &Record, curve: &RateCurve<'_>, style: Style, width: usize) -> Vec<String> {
    let label = cut(&format!("  {}", head(curve)), LABEL_MAX);
    let indent = label.chars().count() + 2;
    let mut clauses: Vec<String> = curve_answer(curve, &record.plan).into_iter().collect();
    clauses.extend(capacity(curve));
    let mut lines = paragraph(&label, indent, &clauses.join("; "), width);
    lines.extend(table(record, curve).lines(style, width));
    // The table of a search has the outcome and its reason for each run.
    let is_in_table = |finding: &Finding| search(record).is_some() && finding.verdict != Verdict::Unknown;
    let runs = curve.points.iter().map(|point| point.run);
    let findings = runs.flat_map(|run| answers(run).map(move |finding| (run, finding)));
    lines.extend(paragraphs(findings.filter(|(_, finding)| !is_in_table(finding)), 2, width));
    lines.extend(lag(curve).iter().flat_map(|text| paragraph("", 2, text, width)));
    lines.extend(curve.contrast().iter().flat_map(|contrast| paragraph("", 2, &explanation(contrast), width)));
    lines
}

const HEADS: [Head; 9] = [
    (&["run"], Align::Right),
    (&["of", "capacity"], Align::Right),
    (&["target"], Align::Right),
    (&["achieved"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&[""], Align::Left),
];

const SPANS: [Span; 3] = [
    Span { first: 2, columns: 2, title: "steps/s" },
    Span { first: 4, columns: 2, title: "service time" },
    Span { first: 6, columns: 2, title: "response time" },
];

/// The columns of service times, which a search replaces by its reasons: it judges response times.
const SERVICE: Range<usize> = 4..6;

const SEARCH_SPANS: [Span; 2] = [SPANS[0], Span { first: 4, columns: 2, title: "response time" }];

fn table(record: &Record, curve: &RateCurve<'_>) -> Table {
    let is_search = search(record).is_some();
    let bound = bound(record);
    let columns = |cells: Vec<String>| match is_search {
        true => without_service(cells),
        false => cells,
    };
    let mut table = match is_search {
        true => Table::new(&without_service(HEADS.to_vec()), &SEARCH_SPANS),
        false => Table::new(&HEADS, &SPANS),
    };
    for point in &curve.points {
        let last = if is_search { judgement(point, bound.as_ref()) } else { marked(point.run) };
        table.push(columns(line(point, last)), ink(point.verdict, point.kept));
    }
    if let Some(closed) = curve.closed {
        table.push(columns(closed_line(closed)), ink(model::row(closed).verdict, None));
    }
    table
}

fn without_service<Cell>(mut cells: Vec<Cell>) -> Vec<Cell> {
    cells.drain(SERVICE);
    cells
}

/// Whether the level was met, and why not.
fn judgement(point: &RatePoint<'_>, bound: Option<&Bound>) -> String {
    match point.kept {
        Some(true) => met(point, bound),
        Some(false) => reason(point, bound).unwrap_or_else(|| "missed".to_owned()),
        None => "?".to_owned(),
    }
}

/// That the level was met, with the deciding value where no column shows it.
fn met(point: &RatePoint<'_>, bound: Option<&Bound>) -> String {
    let is_shown = |bound: &&Bound| [Ratio(0.5), Ratio(0.99)].map(Statistic::Quantile).contains(&bound.statistic);
    let hidden =
        bound.filter(|bound| !is_shown(bound)).and_then(|bound| Some((bound, bound.value(&point.run.response)?)));
    hidden.map_or_else(|| "met".to_owned(), |(bound, value)| format!("met: {} is {}", bound.statistic, duration(value)))
}

/// The mark of a run of a sweep; a missed rate is an answer and no warning.
fn marked(run: &Run) -> String {
    const BEHIND: &str = "rate missed";
    let verdict = model::run_verdict(run);
    match verdict {
        Verdict::Fail if model::has_found_a_limit(run) => BEHIND.to_owned(),
        Verdict::Warn if is_behind(run) => format!("{} {BEHIND}", mark(verdict)),
        Verdict::Pass | Verdict::Unknown if is_behind(run) => BEHIND.to_owned(),
        _ => mark(verdict).to_owned(),
    }
}

/// A missed level or rate is an answer and no warning.
fn ink(verdict: Verdict, kept: Option<bool>) -> Option<Ink> {
    match verdict {
        Verdict::Fail => Some(Ink::Invalid),
        Verdict::Warn if kept.is_none() => Some(Ink::Warning),
        _ => None,
    }
}

fn line(point: &RatePoint<'_>, last: String) -> Vec<String> {
    let mut cells = vec![
        point.run.number.to_string(),
        point.share.map_or_else(|| UNKNOWN.to_owned(), percent),
        rate(Some(point.asked.0)),
        rate(point.done.map(|done| done.0)),
    ];
    match point.verdict {
        Verdict::Fail => cells.extend([(); 4].map(|()| String::new())),
        _ => cells.extend([point.service, point.response].into_iter().flat_map(times)),
    }
    cells.push(last);
    cells
}

fn times(quantiles: Option<Quantiles>) -> [String; 2] {
    [time(quantiles.map(|quantiles| quantiles.p50_ns)), time(quantiles.and_then(|quantiles| quantiles.p99_ns))]
}

/// The plain run, below those at a target rate.
fn closed_line(run: &Run) -> Vec<String> {
    let row = model::row(run);
    let done = model::steps_per_second(run).map(|rate| rate.0);
    let mut cells = vec![run.number.to_string(), "100 %".to_owned(), "none".to_owned(), rate(done)];
    match row.verdict {
        Verdict::Fail => cells.extend([(); 4].map(|()| String::new())),
        _ => cells.extend([row.service, row.response].into_iter().flat_map(times)),
    }
    cells.push(mark(row.verdict).to_owned());
    cells
}

const THINK_HEADS: [Head; 9] = [
    (&["run"], Align::Right),
    (&["think", "time"], Align::Right),
    (&["threads"], Align::Left),
    (&["response", "mean"], Align::Right),
    (&["p99"], Align::Right),
    (&["tx/s"], Align::Right),
    (&["processors", "used"], Align::Right),
    (&["time", "per tx"], Align::Right),
    (&["capacity", "used"], Align::Right),
];

fn of_study(study: &ThinkStudy<'_>, style: Style, width: usize) -> Vec<String> {
    let label = cut(&format!("  {}", study_head(study)), LABEL_MAX);
    let mut lines = paragraph(&label, label.chars().count() + 2, study.title, width);
    let mut table = Table::new(&THINK_HEADS, &[]);
    study.points.iter().for_each(|point| table.push(think_line(point), None));
    lines.extend(table.lines(style, width));
    lines.extend(hidden(study).iter().flat_map(|text| paragraph("", 2, text, width)));
    lines
}

fn think_line(point: &ThinkPoint<'_>) -> Vec<String> {
    let processors = |share: Option<Ratio>, used: Option<f64>| match (share, used) {
        (Some(share), Some(used)) => format!("{used:.2} ({} %)", percent_digits(share)),
        _ => UNKNOWN.to_owned(),
    };
    vec![
        point.run.number.to_string(),
        if point.think > Nanos(0) { duration(point.think) } else { "none".to_owned() },
        if point.one_thread_per_core { "1/core" } else { "all" }.to_owned(),
        time(point.response_mean),
        time(point.response.and_then(|response| response.p99_ns)),
        rate(point.per_second.map(|rate| rate.0)),
        processors(point.processors_share, point.processors),
        time(point.per_transaction),
        point.used.map_or_else(|| UNKNOWN.to_owned(), percent),
    ]
}
