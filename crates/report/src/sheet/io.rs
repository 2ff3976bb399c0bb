//! Waits and I/O in the best run of each test.

use model::rate as counted_rate;
use record::{Rate, Ratio, Record, Run, name};
use tables::run::{self, RunRow};

use crate::curve::{Load, Test};
use crate::document::{Block, Cell, Column, Row, Section, Table, Tone};
use crate::figure::{nanos, number, percent};
use crate::view::View;
use crate::words::at;

/// Tests of the two tables.
const TESTS_MAX: usize = 100;

/// Waits that are shown of one run.
const WAITS_MAX: usize = 5;

/// Waits below this share of the time of all jobs are left out.
const WAIT_SHARE_MIN: f64 = 0.001;

/// The engine's time counters, then I/O.
pub(super) fn io(record: &Record, tests: &[Test<'_>]) -> Section {
    let best: Vec<(&Test<'_>, &Load<'_>)> =
        tests.iter().filter_map(|test| Some((test, test.best()?))).take(TESTS_MAX).collect();
    let mut body = Vec::new();
    if !best.is_empty() {
        body.extend(waits(&best));
        body.extend(storage(record, &best));
    }
    Section::new("io", "Waits and I/O", body).folded()
}

/// One wait of a run.
struct Waited<'a> {
    wait: name::Wait<'a>,
    /// Nanoseconds per second, of all sessions.
    per_second: f64,
    /// Share of the time of all jobs; above 1 where other sessions waited too.
    share: f64,
    /// Waits per second, where they are counted.
    count: Option<Rate>,
}

/// Wait times by the engine's counters, the longest first.
fn waits(best: &[(&Test<'_>, &Load<'_>)]) -> Vec<Block> {
    let columns = vec![
        Column::text("test"),
        Column::text("at"),
        Column::text("wait"),
        Column::figure("time per second"),
        Column::figure("% of job time"),
        Column::figure("waits/s"),
        Column::figure("mean"),
    ];
    let row = |test: &Test<'_>, load: &Load<'_>, waited: &Waited<'_>| {
        let count = waited.count.map(|Rate(count)| count);
        let mean = count.filter(|count| *count > 0.0).map(|count| waited.per_second / count);
        Row::new(vec![
            Cell::text(test.code),
            Cell::text(load.at()),
            Cell::text(waited.wait.event.replace('_', " ")),
            Cell::figure(Some(waited.per_second), nanos),
            Cell::figure(Some(waited.share), |share| percent(Ratio(share))),
            Cell::figure(count, number),
            Cell::figure(mean, nanos),
        ])
    };
    let of_test = |(test, load): &(&Test<'_>, &Load<'_>)| -> Vec<Row> {
        top(load.run).iter().map(|waited| row(test, load, waited)).collect()
    };
    let caption = "Top waits in the best run of each test, by the engine's counters";
    let table = Table::new("waits", caption, columns).with(best.iter().flat_map(of_test));
    let words = match table.rows.is_empty() {
        true => Block::aside(format!("Not available: {}.", without_waits(best))),
        false => Block::text(
            "Time per second of the window, of all sessions; engines count reads, writes, log syncs and locks depending \
             on their settings (some time I/O only on demand).",
        ),
    };
    vec![Block::Heading("Top waits".to_owned()), words, Table { is_sortable: true, ..table }.into()]
}

/// Why no wait is shown.
fn without_waits(best: &[(&Test<'_>, &Load<'_>)]) -> &'static str {
    let readings = || best.iter().flat_map(|(_, load)| load.run.readings.first());
    let counted = readings().any(|reading| reading.values.keys().any(|counter| name::wait(counter).is_some()));
    let asked = readings().any(|reading| reading.values.contains_key(name::COMMIT_COUNT));
    match (counted, asked) {
        (true, _) => "no wait of the engine reached a thousandth of the job time in a best run",
        (false, true) => "this engine counts no waits with its settings; some engines need I/O or wait timing enabled",
        (false, false) => "there are no counters of an engine",
    }
}

/// The longest waits.
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

/// The columns of a run.
const SHOWN: [&str; 15] = [
    "test",
    "at",
    "engine_reads_per_second",
    "engine_writes_per_second",
    "engine_read_bytes_per_second",
    "engine_write_bytes_per_second",
    "redo_bytes_per_second",
    "device_reads_per_second",
    "device_writes_per_second",
    "device_read_bytes_per_second",
    "device_write_bytes_per_second",
    "device_flushes_per_second",
    "device_read_ns_mean",
    "device_write_ns_mean",
    "device_in_flight",
];

fn storage(record: &Record, best: &[(&Test<'_>, &Load<'_>)]) -> Vec<Block> {
    let runs = best.iter().map(|(_, load)| RunRow::new(record, load.run)).filter(RunRow::has_io);
    let view = View::of(run::columns()).words("at", ("", "at"), |of| Cell::text(at(of.run))).only(&SHOWN);
    let table = view.table("io-table", "I/O in the best run of each test", runs, |_| Tone::Plain);
    let words = match table.rows.is_empty() {
        true => "Not available: neither the engine nor the block layer counted I/O in a best run.",
        false => {
            "Mean read and write: time at the block layer over requests. In flight: mean number of requests at the \
             device. Tests without I/O are left out."
        }
    };
    vec![Block::Heading("I/O of engine and device".to_owned()), table.into(), Block::aside(words)]
}
