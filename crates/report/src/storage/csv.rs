//! One line per stream of storage runs, for a spreadsheet or a statistics program, in plain units.

use model::row;
use record::{IoKind, Latency, Nanos, Pace, Record};

use super::stream::{Line, lines};
use crate::view::line;
use crate::words::verdict;

/// How a column is filled.
type Cell = fn(&Line<'_>) -> Option<String>;

/// What was done, and whether it is a result: filled in every line.
const IDENTITY: &[(&str, Cell)] = &[
    ("run", |line| Some(line.run.number.to_string())),
    ("test", |line| Some(line.run.test.clone())),
    ("title", |line| Some(line.run.title.clone())),
    ("begun_at", |line| Some(line.run.begun_at.0.clone())),
    ("verdict", |line| Some(verdict(row(line.run).verdict).to_owned())),
    ("job", |line| Some(line.stream.job.clone())),
    ("report_group", |line| Some(line.stream.report_group.to_string())),
    ("clone", |line| line.stream.clone.map(|clone| clone.to_string())),
    ("kind", |line| Some(kind(line.stream.kind).to_owned())),
    ("profile", |line| Some(line.profile().to_owned())),
    ("random", |line| Some(line.stream.random.to_string())),
    ("direct", |line| Some(line.stream.direct.to_string())),
    ("block_bytes_min", |line| Some(line.stream.block_bytes_min.0.to_string())),
    ("block_bytes_max", |line| Some(line.stream.block_bytes_max.0.to_string())),
    ("clones", |line| Some(line.stream.clones.to_string())),
    ("depth", |line| Some(line.stream.depth.to_string())),
    ("slots", |line| Some(line.stream.slots.to_string())),
    ("at_work", |line| Some(line.stream.at_work.0.to_string())),
    ("pace", |line| Some(pace(line.stream.pace).to_owned())),
    ("asked_per_second", |line| asked(line.stream.pace)),
    ("bound", |line| line.run.storage.as_ref()?.bound.clone()),
    ("window_ns", |line| Some(line.stream.window_ns.0.to_string())),
    ("operations", |line| Some(line.stream.operations.to_string())),
    ("bytes", |line| Some(line.stream.bytes.0.to_string())),
    ("short", |line| Some(line.stream.short.to_string())),
    ("failures", |line| Some(line.stream.failures.to_string())),
    ("unfinished", |line| Some(line.stream.unfinished.to_string())),
    ("verified", |line| Some(line.stream.verified.to_string())),
    ("corrupt", |line| Some(line.stream.corrupt.to_string())),
];

/// The result: empty where it is not known, and in the whole line of a stream of a void run.
const RESULT: &[(&str, Cell)] = &[
    ("operations_per_second", |line| line.per_second().map(|rate| rate.to_string())),
    ("bytes_per_second", |line| line.bytes_per_second().map(|rate| rate.to_string())),
    ("service_ns_min", |line| time(&line.stream.service, |latency| latency.min_ns)),
    ("service_ns_mean", |line| time(&line.stream.service, |latency| latency.mean_ns)),
    ("service_ns_p50", |line| time(&line.stream.service, |latency| latency.p50_ns)),
    ("service_ns_p90", |line| line.stream.service.p90_ns.map(|time| time.0.to_string())),
    ("service_ns_p99", |line| line.stream.service.p99_ns.map(|time| time.0.to_string())),
    ("service_ns_p999", |line| line.stream.service.p999_ns.map(|time| time.0.to_string())),
    ("service_ns_max", |line| time(&line.stream.service, |latency| latency.max_ns)),
    ("response_ns_p50", |line| time(&line.stream.response, |latency| latency.p50_ns)),
    ("response_ns_p90", |line| line.stream.response.p90_ns.map(|time| time.0.to_string())),
    ("response_ns_p99", |line| line.stream.response.p99_ns.map(|time| time.0.to_string())),
    ("response_ns_p999", |line| line.stream.response.p999_ns.map(|time| time.0.to_string())),
    ("response_ns_max", |line| time(&line.stream.response, |latency| latency.max_ns)),
];

/// The streams of the storage runs of `record` as comma-separated values (RFC 4180, UTF-8) under one line of heads;
/// the unit of a column is in its name: nanoseconds, bytes, per second.
pub fn io_csv(record: &Record) -> String {
    let mut text = String::new();
    line(&mut text, ["record"].into_iter().chain(IDENTITY.iter().chain(RESULT).map(|(name, _)| *name)));
    for stream in lines(record.runs.iter(), record) {
        let identity = IDENTITY.iter().map(|(_, cell)| cell(&stream));
        let result = RESULT.iter().map(|(_, cell)| if stream.void { None } else { cell(&stream) });
        let cells: Vec<String> = identity.chain(result).map(Option::unwrap_or_default).collect();
        line(&mut text, [record.id.as_str()].into_iter().chain(cells.iter().map(String::as_str)));
    }
    text
}

fn kind(kind: IoKind) -> &'static str {
    match kind {
        IoKind::Read => "read",
        IoKind::Write => "write",
        IoKind::Trim => "trim",
        IoKind::Sync => "sync",
        IoKind::Commit => "commit",
    }
}

fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::AsFastAsPossible => "as_fast_as_possible",
        Pace::Rate { .. } => "rate",
        Pace::Poisson { .. } => "poisson",
        Pace::ThinkTime { .. } => "think_time",
    }
}

fn asked(pace: Pace) -> Option<String> {
    match pace {
        Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second } => Some(steps_per_second.to_string()),
        Pace::AsFastAsPossible | Pace::ThinkTime { .. } => None,
    }
}

fn time(latency: &Latency, of: fn(&Latency) -> Nanos) -> Option<String> {
    (latency.count > 0).then(|| of(latency).0.to_string())
}
