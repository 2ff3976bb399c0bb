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

/// Time counters that are shown of one run.
const WAITS_MAX: usize = 4;

/// Waits below this share of the time of all jobs are left out.
const WAIT_SHARE_MIN: f64 = 0.001;

/// Prefixes of counters that are not the engine's own.
const NOT_OF_THE_ENGINE: [&str; 4] = ["host_", "client_", "server_", "device_"];

/// The engine's time counters, then physical I/O.
pub(super) fn io(tests: &[Test<'_>]) -> Markup {
    let best: Vec<(&Test<'_>, &Load<'_>)> =
        tests.iter().filter_map(|test| Some((test, test.best()?))).take(TESTS_MAX).collect();
    if best.is_empty() {
        return Markup::default();
    }
    html! { (waits(&best)) (storage(&best)) }
}

/// Time that the engine's own counters say was spent, the longest first.
fn waits(best: &[(&Test<'_>, &Load<'_>)]) -> Markup {
    let columns = [
        Column::text("test"),
        Column::text("at"),
        Column::text("time counter of the engine"),
        Column::figures("per second"),
        Column::figures("of the time of all jobs"),
    ];
    let mut table =
        Table::new("waits", "Where time went in the best run of each test, by the engine's own counters", &columns);
    for (test, load) in best {
        table.rows.extend(top(load.run).into_iter().map(|(counter, per_second, share)| {
            Row::new(vec![
                Cell::text(clean(test.code)),
                Cell::text(load.at()),
                Cell::text(counter),
                Cell::Figure(nanos(per_second), Some(per_second)),
                Cell::Figure(percent(Ratio(share)), Some(share)),
            ])
        }));
    }
    table.sortable = true;
    let nothing = table.rows.is_empty();
    html! {
        h3 { "Waits" }
        @if nothing {
            p class="muted" {
                "Not available: this record has no time counter of the engine that rose in a best run. Sampled wait events \
                 are not recorded."
            }
        } @else {
            p {
                "Time per second of the window, of all sessions together; an engine counts reads and writes, syncs of the log \
                 and locks as far as it is set to (some measure I/O time only on demand)."
            }
        }
        (table.html())
    }
}

/// The time counters of the engine that rose most: name, nanoseconds per second, share of the time of all jobs.
fn top(run: &Run) -> Vec<(&str, f64, f64)> {
    let Some(first) = run.readings.first() else { return Vec::new() };
    let jobs = f64::from(run.dop.jobs.saturating_mul(run.dop.threads).max(1));
    let own = |counter: &&String| {
        counter.ends_with("_ns")
            && !counter.contains("active_time")
            && !NOT_OF_THE_ENGINE.iter().any(|prefix| counter.starts_with(prefix))
    };
    let mut waits: Vec<(&str, f64, f64)> = first
        .values
        .keys()
        .filter(own)
        .filter_map(|counter| {
            let per_second = counted_rate(run, counter)?.0;
            Some((counter.as_str(), per_second, per_second / 1e9 / jobs))
        })
        .filter(|(_, _, share)| *share >= WAIT_SHARE_MIN)
        .collect();
    waits.sort_by(|one, other| other.1.total_cmp(&one.1));
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
