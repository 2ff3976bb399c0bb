//! The highest rate that keeps a service level: the answer of a search, and the points that it measured.

use model::{is_void, row};
use record::{Check, IoStream, Latency, Nanos, Pace, Record, Run, Storage, Verdict};

use super::stream::{is_open, operations, runs};
use super::{Part, beside, page};
use crate::figure::{UNKNOWN, duration, number};
use crate::layout::{Align, Head, Span, Table, clean, paragraph};
use crate::style::{Ink, Style};
use crate::words::mark;

/// The head of the part.
pub(super) const TITLE: &str = "THE HIGHEST RATE THAT KEEPS THE SERVICE LEVEL";

/// Whether a measurement kept the level; absent where it could not be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
    /// The run is void, or was not held against the level.
    Unknown,
}

/// One measurement of a search.
struct Point<'a> {
    run: &'a Run,
    storage: &'a Storage,
    /// I/Os per second that were asked, of all streams.
    asked: f64,
    kept: Kept,
}

/// What `dbdyno io --until` found: the highest rate that keeps the level, between the highest that kept it and the
/// lowest that did not, and every point measured. Laid out for `width` columns (at least 60 are used).
pub fn until_text(record: &Record, place: &str, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let mut parts: Vec<Part> = vec![(TITLE, answer(record, style, width))];
    parts.extend(beside(record, style, width));
    page(record, place, style, width, parts)
}

/// The answer in words and the points as a table; nothing where `record` holds no such search.
pub(super) fn answer(record: &Record, style: Style, width: usize) -> Vec<String> {
    let points = points(record);
    let Some(bound) = points.iter().find_map(|point| point.storage.bound.as_deref()) else { return Vec::new() };
    let mut lines = paragraph("", 2, &sentence(&points, &clean(bound)), width);
    if let Some(contradiction) = contradiction(&points) {
        lines.extend(paragraph("", 2, &contradiction, width).iter().map(|line| style.paint(line, Ink::Warning)));
    }
    lines.push(String::new());
    lines.extend(table(&points).lines(style, width));
    lines
}

/// The runs of the search, in the order of their rates.
fn points(record: &Record) -> Vec<Point<'_>> {
    let bounded = runs(record).filter(|(_, storage)| storage.bound.is_some());
    let mut points: Vec<Point<'_>> = bounded
        .filter_map(|(run, storage)| Some(Point { run, storage, asked: asked(run, storage)?, kept: kept(run) }))
        .collect();
    points.sort_by(|one, other| one.asked.total_cmp(&other.asked).then(one.run.number.cmp(&other.run.number)));
    points
}

/// I/Os per second that a run was asked for: of the run, or else of each job that has a rate of its own.
fn asked(run: &Run, storage: &Storage) -> Option<f64> {
    let rate = |pace: Pace| match pace {
        Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second } => Some(steps_per_second),
        Pace::AsFastAsPossible | Pace::ThinkTime { .. } => None,
    };
    if let Some(rate) = rate(run.pace) {
        return Some(rate);
    }
    // A rate is of all kinds of I/O of a job together: each of its streams carries it.
    let mut jobs: Vec<(u32, &str, Option<u32>)> = Vec::new();
    let mut sum = None;
    for stream in storage.streams.iter().filter(|stream| is_open(stream.pace)) {
        let job = (stream.report_group, stream.job.as_str(), stream.clone);
        if !jobs.contains(&job) {
            jobs.push(job);
            sum = Some(sum.unwrap_or(0.0) + rate(stream.pace).unwrap_or(0.0));
        }
    }
    sum
}

fn kept(run: &Run) -> Kept {
    let said = run.findings.iter().find(|finding| finding.check == Check::Bound);
    match said.map(|finding| finding.verdict) {
        _ if is_void(run) => Kept::Unknown,
        Some(Verdict::Pass) => Kept::Yes,
        Some(Verdict::Warn | Verdict::Fail) => Kept::No,
        Some(Verdict::Unknown) | None => Kept::Unknown,
    }
}

/// The highest rate that keeps the level, and the lowest one above it that does not, by the rule of the search: a rate
/// keeps it that did so more often than not.
fn bracket(points: &[Point<'_>]) -> (Option<f64>, Option<f64>) {
    let side = |rate: f64| {
        let count = |kept| points.iter().filter(|point| point.asked == rate && point.kept == kept).count();
        // One measurement that says nothing is made again; a second one counts as not kept.
        let (kept, not) = (count(Kept::Yes), count(Kept::No) + count(Kept::Unknown).saturating_sub(1));
        (kept + not > 0).then_some(kept > not)
    };
    let kept = points.iter().map(|point| point.asked).rfind(|rate| side(*rate) == Some(true));
    let above = |rate: &f64| kept.is_none_or(|kept| *rate > kept) && side(*rate) == Some(false);
    (kept, points.iter().map(|point| point.asked).find(above))
}

fn sentence(points: &[Point<'_>], bound: &str) -> String {
    match bracket(points) {
        (Some(kept), Some(not)) => {
            format!("{} I/Os per second keep {bound}, {} do not", number(kept), number(not))
        }
        (Some(kept), None) => format!(
            "{} I/Os per second keep {bound}, and nothing above was measured: the limit may lie higher",
            number(kept)
        ),
        (None, Some(not)) => format!("even {} I/Os per second do not keep {bound}", number(not)),
        (None, None) => format!("no measurement tells whether {bound} is kept"),
    }
}

/// A measurement at a lower rate that did not keep the level.
fn contradiction(points: &[Point<'_>]) -> Option<String> {
    let kept = bracket(points).0?;
    let below = points.iter().find(|point| point.kept == Kept::No && point.asked < kept)?;
    Some(format!(
        "{} I/Os per second did not keep it, although the higher rate did: the device or its surroundings are not steady",
        number(below.asked)
    ))
}

const HEADS: [Head; 11] = [
    (&["run"], Align::Right),
    (&["asked"], Align::Right),
    (&["done"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["p99.9"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["p99.9"], Align::Right),
    (&["kept"], Align::Left),
    (&[""], Align::Left),
];

const SPANS: [Span; 3] = [
    Span { first: 1, columns: 2, title: "I/Os per second" },
    Span { first: 3, columns: 3, title: "service time" },
    Span { first: 6, columns: 3, title: "response time" },
];

fn table(points: &[Point<'_>]) -> Table {
    let mut table = Table::new(&HEADS, &SPANS);
    for point in points {
        let verdict = row(point.run).verdict;
        let mut cells = vec![point.run.number.to_string(), number(point.asked)];
        if verdict == Verdict::Fail {
            cells.resize(HEADS.len() - 1, String::new());
        } else {
            cells.push(done(point).map_or_else(|| UNKNOWN.to_owned(), number));
            cells.extend(times(&point.run.service));
            cells.extend(times(&point.run.response));
            let word = match point.kept {
                Kept::Yes => "yes",
                Kept::No => "no",
                Kept::Unknown => "?",
            };
            cells.push(word.to_owned());
        }
        // That a rate does not keep the level is an answer and no doubt.
        let ink = (verdict == Verdict::Fail).then_some(Ink::Void);
        cells.push(if verdict == Verdict::Fail { mark(verdict).to_owned() } else { String::new() });
        table.push(cells, ink);
    }
    table
}

/// I/Os per second that were done; syncs are no I/O that was asked for.
fn done(point: &Point<'_>) -> Option<f64> {
    let syncs = |stream: &&IoStream| stream.kind == record::IoKind::Sync;
    let sync_count: u64 =
        point.storage.streams.iter().filter(syncs).fold(0, |sum, stream| sum.saturating_add(stream.operations));
    let count = operations(point.storage).saturating_sub(sync_count);
    (point.run.window_ns.0 > 0).then(|| count as f64 / point.run.window_ns.seconds())
}

fn times(latency: &Latency) -> [String; 3] {
    let shown = |span: Nanos| if latency.count > 0 { duration(span) } else { UNKNOWN.to_owned() };
    [latency.p50_ns, latency.p99_ns, latency.p999_ns].map(shown)
}
