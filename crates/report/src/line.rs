//! What is said of a line of the sheet beside its figures: its repeats, and what explains it.

use std::collections::HashMap;

use model::{Derived, Headline, Io, LatencyName, Limit, Line, Optimum, Point, Sheet};
use record::{Layer, Ratio, Record, Run, Unit};

use crate::figure::{megabytes, nanos, number, percent};
use crate::owed::owed_text;
use crate::times;
use crate::words::{dop, list, unit_per_second};

/// The runs of a record by their number.
pub(crate) type ByNumber<'a> = HashMap<u32, &'a Run>;

/// The runs of `record` by their number; the first of duplicates.
pub(crate) fn by_number(record: &Record) -> ByNumber<'_> {
    record.runs.iter().rev().map(|run| (run.number, run)).collect()
}

/// The note below a sheet with tests that were run once; none where there is no such test.
pub(crate) fn unrepeated(sheet: &Sheet) -> Option<&'static str> {
    let mut repeats = sheet.lines.iter().filter_map(|line| Some(line.best.as_ref()?.repeats));
    let once = repeats.clone().any(|repeats| repeats == 1);
    let all = repeats.all(|repeats| repeats == 1);
    match (once, all) {
        (true, true) => Some("one run per test: repeatability unknown"),
        (true, false) => Some("tests without a note on repeats: one run, repeatability unknown"),
        (false, _) => None,
    }
}

/// The number of runs of `point`, and the interval of its rate between them; none for a single run.
pub(crate) fn repeats(point: &Point, unit: Unit) -> Option<String> {
    let (scale, unit) = if unit == Unit::Byte { (1e6, " MB/s") } else { (1.0, "") };
    let interval = match point.interval {
        _ if point.repeats < 2 => return None,
        Some(found) => {
            let [low, high] = [found.low, found.high].map(|rate| number(rate / scale));
            format!(", 95 % interval {low} to {high}{unit}")
        }
        None => format!("; an interval needs {}", model::samples_needed(0.5)),
    };
    Some(format!("{} repeats{interval}", point.repeats))
}

/// What explains the figures: repeats, the ceiling, the figure in the terms of the test, physical I/O, invalid runs.
pub(crate) fn asides(runs: &ByNumber<'_>, line: &Line) -> Vec<String> {
    let mut asides = Vec::new();
    if line.invalid_runs > 0 {
        asides.push(format!("{} of {} runs invalid", line.invalid_runs, line.runs));
    }
    asides.extend(line.best.as_ref().and_then(|best| repeats(best, line.unit)));
    let of_one = line.speed.as_ref().or(line.best.as_ref()).and_then(|point| point.derived);
    let of_best = line.best.as_ref().and_then(|point| point.derived);
    asides.extend(match of_one {
        Some(Derived::QueriesPerMinute(_)) => of_best.map(in_its_terms),
        other => other.map(in_its_terms),
    });
    let Some(best) = &line.best else { return asides };
    asides.extend(line.optimum.as_ref().filter(|found| found.point.run != best.run).map(|found| optimum(found, line)));
    asides.extend(best.headline.filter(|found| found.name == LatencyName::Response).map(response));
    if let Some(limit) = &best.ceiling {
        asides.push(ceiling(limit));
        asides.extend(cached(limit));
        asides.extend(exceeded(limit, best));
    }
    asides.extend(runs.get(&best.run).and_then(|run| over_checkpoints(run, line.unit)));
    asides.extend(io(runs, line, best));
    asides.extend(runs.get(&best.run).and_then(|run| owed_text(run, line.unit)));
    asides
}

/// The most throughput for its service time, where that is not the most throughput.
fn optimum(found: &Optimum, line: &Line) -> String {
    let Optimum { point, utilisation } = found;
    let rate = number(point.operations_per_second.0);
    let service = point.service.map(|service| format!(", {}", times::text(&service))).unwrap_or_default();
    let (at, share) = (dop(point.dop, line.sweep), percent(*utilisation));
    format!("optimum at {at}: {rate} {}, {share} of the best{service}", unit_per_second(line.unit))
}

/// The worst second of a run that lasts over checkpoints, which are what it is there for.
fn over_checkpoints(run: &Run, unit: Unit) -> Option<String> {
    run.checkpoints.as_ref()?;
    let seconds = model::windows(run, 1)?;
    let share = seconds.worst_of_median().map(|share| format!(", {} of the median second", percent(Ratio(share))));
    let rate = format!("{} {}", number(seconds.worst.0), unit_per_second(unit));
    Some(format!("worst second: {rate} in second {}{}", seconds.worst_at, share.unwrap_or_default()))
}

/// The response time, beside the columns of service times.
fn response(found: Headline) -> String {
    format!("response time (from the intended start): {}", times::text(&found.times))
}

/// A figure in the usual unit of the test.
fn in_its_terms(derived: Derived) -> String {
    match derived {
        Derived::FibonacciSeconds { seconds, estimated: true } => {
            format!("ESTIMATE for n = 39: {}", nanos(seconds * 1e9))
        }
        Derived::FibonacciSeconds { seconds, estimated: false } => format!("n = 39 in {}", nanos(seconds * 1e9)),
        Derived::QueriesPerMinute(queries) => format!("{} queries/min", number(queries)),
        Derived::LoadNanos(span) => format!("{} per load", nanos(span)),
    }
}

fn ceiling(limit: &Limit) -> String {
    if let Some(in_flight) = limit.in_flight {
        return format!("ceiling {} at {in_flight} in flight: {}", limit.probe, reached(limit));
    }
    let jobs = if limit.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", limit.jobs) };
    format!("ceiling {} at {jobs}: {} {}", limit.probe, number(limit.per_second.0), unit_per_second(limit.unit))
}

/// What was reached of a ceiling of storage: physical I/O or commits, while the line counts something else.
fn reached(limit: &Limit) -> String {
    let (reached, most) = (limit.reached.0, limit.per_second.0);
    match limit.unit {
        Unit::Byte => format!("{} of {} MB/s", megabytes(Some(reached)), megabytes(Some(most))),
        unit => format!("{} of {} {}", number(reached), number(most), unit_per_second(unit)),
    }
}

/// A share of the ceiling that is small because the page cache served the reads.
fn cached(limit: &Limit) -> Option<String> {
    let served = match limit.cached?.0 {
        share if share < 0.1 => return None,
        share if share < 0.995 => percent(Ratio(share)),
        _ => "nearly all".to_owned(),
    };
    Some(format!("the page cache, not the device, served {served} of the engine's reads"))
}

/// A note on a share above 100 %: the probe is no bound; several jobs can share a commit of the device.
fn exceeded(limit: &Limit, point: &Point) -> Option<String> {
    let shared = match limit.unit == Unit::Transaction && point.dop.jobs > 1 {
        true => "; commits of several jobs can share a flush (group commit)",
        false => "",
    };
    limit
        .is_exceeded()
        .then(|| format!("above 100 %: {} is not an upper bound of the test in this record{shared}", limit.probe))
}

/// Bytes of the test itself, and of a storage test the physical I/O of its best run, on both sides of the page cache.
fn io(runs: &ByNumber<'_>, line: &Line, best: &Point) -> Option<String> {
    let bytes = best.bytes_per_second.map(|rate| format!("{} MB/s", megabytes(Some(rate.0))));
    let run = runs.get(&best.run).filter(|_| line.layer == Layer::Storage);
    let sides = run.map(|run| model::row(run)).map(|row| {
        [("engine", &row.engine_io), ("device", &row.device_io)]
            .map(|(side, io)| side_of(side, io))
            .into_iter()
            .flatten()
    });
    let shown = list(bytes.into_iter().chain(sides.into_iter().flatten()));
    (!shown.is_empty() && line.unit != Unit::Byte).then_some(shown)
}

fn side_of(side: &str, io: &Io) -> Option<String> {
    let per_second = io.total_per_second()?;
    let bytes = io.total_bytes_per_second().map(|rate| format!(" {} MB/s", megabytes(Some(rate.0))));
    Some(format!("{side} {} IOPS{}", number(per_second.0), bytes.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
