//! Where time went and what I/O was done in the best run of each test.

use maud::{Markup, html};
use model::{delta, rate as counted_rate};
use record::{Rate, Ratio, Run, name};

use super::curve::{Load, Test};
use super::runs::{bytes, rate};
use super::table::{Cell, Column, Row, Table};
use crate::figure::{UNKNOWN, nanos, percent, three_digits};
use crate::layout::clean;

/// Tests of the two tables.
const TESTS_MAX: usize = 100;

/// Waits that are shown of one run.
const WAITS_MAX: usize = 5;

/// Waits below this share of the time of all jobs are left out.
const WAIT_SHARE_MIN: f64 = 0.001;

/// The engine's time counters, then physical I/O.
pub(super) fn io(tests: &[Test<'_>]) -> Markup {
    let best: Vec<(&Test<'_>, &Load<'_>)> =
        tests.iter().filter_map(|test| Some((test, test.best()?))).take(TESTS_MAX).collect();
    if best.is_empty() {
        return Markup::default();
    }
    html! { (waits(&best)) (storage(&best)) }
}

/// One wait of a run.
struct Waited<'a> {
    wait: name::Wait<'a>,
    /// Nanoseconds per second, of all sessions together.
    per_second: f64,
    /// Of the time of all jobs; more than all of it where others than the jobs waited too.
    share: f64,
    /// Waits per second, where they are counted.
    count: Option<Rate>,
}

/// Time that the engine's own counters say was waited, the longest first.
fn waits(best: &[(&Test<'_>, &Load<'_>)]) -> Markup {
    let columns = [
        Column::text("test"),
        Column::text("at"),
        Column::text("wait"),
        Column::figures("time per second"),
        Column::figures("of the time of all jobs"),
        Column::figures("waits/s"),
        Column::figures("mean"),
    ];
    let mut table =
        Table::new("waits", "Top waits in the best run of each test, by the engine's own counters", &columns);
    for (test, load) in best {
        table.rows.extend(top(load.run).iter().map(|waited| {
            let mean = waited.count.filter(|Rate(count)| *count > 0.0).map(|Rate(count)| waited.per_second / count);
            Row::new(vec![
                Cell::text(clean(test.code)),
                Cell::text(load.at()),
                Cell::text(clean(&waited.wait.event.replace('_', " "))),
                Cell::Figure(nanos(waited.per_second), Some(waited.per_second)),
                Cell::Figure(percent(Ratio(waited.share)), Some(waited.share)),
                rate(waited.count),
                Cell::Figure(mean.map_or_else(|| UNKNOWN.to_owned(), nanos), mean),
            ])
        }));
    }
    table.sortable = true;
    let nothing = table.rows.is_empty();
    html! {
        h3 { "Top waits" }
        @if nothing {
            p class="muted" { "Not available: " (without_waits(best)) "." }
        } @else {
            p {
                "Time per second of the window, of all sessions together; an engine counts reads and writes, syncs of the log \
                 and locks as far as it is set to (some measure I/O time only on demand)."
            }
        }
        (table.html())
    }
}

/// Why there is no wait to show.
fn without_waits(best: &[(&Test<'_>, &Load<'_>)]) -> &'static str {
    let readings = || best.iter().flat_map(|(_, load)| load.run.readings.first());
    let counted = readings().any(|reading| reading.values.keys().any(|counter| name::wait(counter).is_some()));
    let asked = readings().any(|reading| reading.values.contains_key(name::COMMIT_COUNT));
    match (counted, asked) {
        (true, _) => "no wait that the engine counts took a thousandth of the time of the jobs in a best run",
        (false, true) => {
            "this engine counts no waits as it is set; some do so when told to time their I/O or their waits"
        }
        (false, false) => "no engine was asked for its counters",
    }
}

/// The waits that took most time.
fn top(run: &Run) -> Vec<Waited<'_>> {
    let Some(first) = run.readings.first() else { return Vec::new() };
    let jobs = f64::from(run.dop.jobs.saturating_mul(run.dop.threads).max(1));
    let waited = |counter| {
        let wait = name::wait(counter)?;
        let per_second = counted_rate(run, counter)?.0;
        Some(Waited { wait, per_second, share: per_second / 1e9 / jobs, count: counted_rate(run, &wait.count_name()) })
    };
    let mut waits: Vec<Waited<'_>> = first.values.keys().filter_map(|counter| waited(counter.as_str())).collect();
    waits.retain(|waited| waited.share >= WAIT_SHARE_MIN);
    waits.sort_by(|one, other| other.per_second.total_cmp(&one.per_second));
    waits.truncate(WAITS_MAX);
    waits
}

const COLUMNS: [Column; 15] = [
    Column::text("test"),
    Column::text("at"),
    Column::figures("read IOPS"),
    Column::figures("write IOPS"),
    Column::figures("read MB/s"),
    Column::figures("write MB/s"),
    Column::figures("redo MB/s"),
    Column::figures("read IOPS"),
    Column::figures("write IOPS"),
    Column::figures("read MB/s"),
    Column::figures("write MB/s"),
    Column::figures("flush/s"),
    Column::figures("mean read"),
    Column::figures("mean write"),
    Column::figures("in flight"),
];

fn storage(best: &[(&Test<'_>, &Load<'_>)]) -> Markup {
    let mut table = Table::new("io-table", "Physical I/O in the best run of each test", &COLUMNS);
    table.spans = vec![("", 2), ("engine", 5), ("device", 8)];
    table.sortable = true;
    table.rows = best.iter().filter_map(|(test, load)| line(test, load)).collect();
    let nothing = table.rows.is_empty();
    html! {
        h3 { "Physical I/O" }
        @if nothing { p class="muted" { "Not available: neither the engine nor the block layer counted physical I/O in a best run." } }
        div class="compact" { (table.html()) }
        @if !nothing {
            p class="muted" {
                "Mean read and write: time at the block layer over requests. In flight: mean number of requests that the \
                 device had. Tests without any physical I/O are left out."
            }
        }
    }
}

fn line(test: &Test<'_>, load: &Load<'_>) -> Option<Row> {
    let run = load.run;
    let row = model::row(run);
    let (engine, device) = (row.engine_io, row.device_io);
    let rates = [engine.reads_per_second, engine.writes_per_second, device.reads_per_second, device.writes_per_second];
    let any = rates
        .iter()
        .chain([&row.redo_bytes_per_second, &row.flushes_per_second])
        .flatten()
        .any(|Rate(rate)| *rate > 0.0);
    any.then(|| {
        Row::new(vec![
            Cell::text(clean(test.code)),
            Cell::text(load.at()),
            rate(engine.reads_per_second),
            rate(engine.writes_per_second),
            bytes(engine.read_bytes_per_second),
            bytes(engine.write_bytes_per_second),
            bytes(row.redo_bytes_per_second),
            rate(device.reads_per_second),
            rate(device.writes_per_second),
            bytes(device.read_bytes_per_second),
            bytes(device.write_bytes_per_second),
            rate(row.flushes_per_second),
            mean(run, name::DEVICE_READ_NS, name::DEVICE_READ_COUNT),
            mean(run, name::DEVICE_WRITE_NS, name::DEVICE_WRITE_COUNT),
            in_flight(run),
        ])
    })
}

/// Time over requests, by two counters of the block layer.
fn mean(run: &Run, time: &str, requests: &str) -> Cell {
    let mean = delta(run, time)
        .zip(delta(run, requests).filter(|requests| *requests > 0))
        .map(|(time, requests)| time as f64 / requests as f64);
    Cell::Figure(mean.map_or_else(|| UNKNOWN.to_owned(), nanos), mean)
}

fn in_flight(run: &Run) -> Cell {
    let mean = counted_rate(run, name::DEVICE_IN_QUEUE_NS).map(|Rate(nanos_per_second)| nanos_per_second / 1e9);
    Cell::Figure(mean.map_or_else(|| UNKNOWN.to_owned(), three_digits), mean)
}
