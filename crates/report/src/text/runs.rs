//! The table of runs, cut into three that fit a page: rates and times, physical I/O, processors.

use model::{CpuUse, Io, Quantiles, Row};
use record::{Rate, Record, Run, Verdict};

use crate::figure::{UNKNOWN, duration, megabytes, percent_digits, rate, short, time};
use crate::layout::{Align, Head, Span, Table, clean, cut};
use crate::listed;
use crate::style::Ink;
use crate::words::{CODE_MAX, dop, mark, unit_per_second, varied};

/// The columns that tell one run from another.
const IDENTITY: [Head; 3] = [(&["run"], Align::Right), (&["test"], Align::Left), (&["at"], Align::Left)];

const RATES: [Head; 8] = [
    (&["unit"], Align::Left),
    (&["ops/s"], Align::Right),
    (&["rows/s"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["p99"], Align::Right),
    (&["time"], Align::Right),
    (&[""], Align::Left),
];

const RATE_SPANS: [Span; 2] =
    [Span { first: 6, columns: 2, title: "service" }, Span { first: 8, columns: 1, title: "response" }];

/// How fast, and how long it took: operations and rows per second, service and response times, the window.
pub(super) fn rates(record: &Record) -> Table {
    let p99 = |quantiles: Option<Quantiles>| time(quantiles.and_then(|quantiles| quantiles.p99_ns));
    let cells = |row: &Row| {
        let unit = unit_per_second(row.unit).trim_end_matches("/s").to_owned();
        let mark = mark(row.verdict).to_owned();
        if row.verdict == Verdict::Fail {
            let mut cells = vec![String::new(); RATES.len()];
            (cells[0], cells[RATES.len() - 1]) = (unit, mark);
            return cells;
        }
        vec![
            unit,
            rate(per_second(row.operations_per_second)),
            rate(per_second(row.rows_per_second)),
            time(row.service.map(|quantiles| quantiles.p50_ns)),
            p99(row.service),
            p99(row.response),
            duration(row.window_ns),
            mark,
        ]
    };
    // The mark sends the reader to IN DOUBT: what stands there no more is not counted.
    let marked = |run| (run, Row { verdict: model::doubt(run), ..model::row(run) });
    table(listed(record).map(marked), &RATES, &RATE_SPANS, cells)
}

const IO: [Head; 10] = [
    (&["read", "1/s"], Align::Right),
    (&["write", "1/s"], Align::Right),
    (&["read", "MB/s"], Align::Right),
    (&["write", "MB/s"], Align::Right),
    (&["redo", "MB/s"], Align::Right),
    (&["read", "1/s"], Align::Right),
    (&["write", "1/s"], Align::Right),
    (&["read", "MB/s"], Align::Right),
    (&["write", "MB/s"], Align::Right),
    (&["flush", "1/s"], Align::Right),
];

const IO_SPANS: [Span; 2] =
    [Span { first: 3, columns: 5, title: "engine" }, Span { first: 8, columns: 5, title: "device" }];

/// Physical I/O as the engine counts it and as the block layer saw it, flushes, redo. Runs that are void, and runs in
/// which neither side saw any, are left out.
pub(super) fn io(record: &Record) -> Table {
    let seen = |row: &Row| {
        let counts = [row.engine_io, row.device_io].map(|io| [io.reads_per_second, io.writes_per_second]);
        let log = [row.redo_bytes_per_second, row.flushes_per_second];
        counts.into_iter().flatten().chain(log).flatten().any(|Rate(rate)| rate > 0.0)
    };
    let side = |io: Io| {
        let counts = [io.reads_per_second, io.writes_per_second].map(|value| short(per_second(value)));
        let bytes = [io.read_bytes_per_second, io.write_bytes_per_second];
        counts.into_iter().chain(bytes.map(|value| megabytes(per_second(value))))
    };
    let cells = |row: &Row| {
        let flushes = short(per_second(row.flushes_per_second));
        let redo = megabytes(per_second(row.redo_bytes_per_second));
        side(row.engine_io).chain([redo]).chain(side(row.device_io)).chain([flushes]).collect()
    };
    table(valid(record).filter(|(_, row)| seen(row)), &IO, &IO_SPANS, cells)
}

const PROCESSORS: [Head; 9] = [
    (&["user"], Align::Right),
    (&["system"], Align::Right),
    (&["iowait"], Align::Right),
    (&["steal"], Align::Right),
    (&["dbdyno"], Align::Right),
    (&["server"], Align::Right),
    (&["others"], Align::Right),
    (&["logical", "reads/s"], Align::Right),
    (&["log", "syncs/s"], Align::Right),
];

const PROCESSOR_SPANS: [Span; 3] = [
    Span { first: 3, columns: 4, title: "all processors, %" },
    Span { first: 7, columns: 3, title: "processors" },
    Span { first: 10, columns: 2, title: "engine" },
];

/// Processors: of the host in percent, of dbdyno, the engine and other programs in processors; and what the engine asked its cache.
/// Void runs are left out.
pub(super) fn processors(record: &Record) -> Table {
    let cores = |cpu: Option<CpuUse>| cpu.map_or_else(|| UNKNOWN.to_owned(), |cpu| format!("{:.2}", cpu.cores));
    let cells = |row: &Row| {
        let shares = match row.cpu {
            Some(cpu) => [cpu.user, cpu.system, cpu.iowait, cpu.steal].map(percent_digits),
            None => [(); 4].map(|()| UNKNOWN.to_owned()),
        };
        let others = [
            cores(row.client_cpu),
            cores(row.server_cpu),
            cores(row.foreign_cpu),
            rate(per_second(row.logical_reads_per_second)),
            rate(per_second(row.redo_syncs_per_second)),
        ];
        shares.into_iter().chain(others).collect()
    };
    table(valid(record), &PROCESSORS, &PROCESSOR_SPANS, cells)
}

fn valid(record: &Record) -> impl Iterator<Item = (&Run, Row)> {
    let marked = |run| (run, Row { verdict: model::doubt(run), ..model::row(run) });
    listed(record).map(marked).filter(|(_, row)| row.verdict != Verdict::Fail)
}

/// A line per run: what was run, then `cells`.
fn table<'a>(
    runs: impl Iterator<Item = (&'a Run, Row)>,
    heads: &[Head],
    spans: &[Span],
    cells: impl Fn(&Row) -> Vec<String>,
) -> Table {
    let mut table = Table::new(&[&IDENTITY, heads].concat(), spans);
    for (run, row) in runs {
        let ink = match row.verdict {
            Verdict::Fail => Some(Ink::Void),
            Verdict::Warn => Some(Ink::Warning),
            Verdict::Pass | Verdict::Unknown => None,
        };
        let mut line = identity(run);
        line.extend(cells(&row));
        table.push(line, ink);
    }
    table
}

fn identity(run: &Run) -> Vec<String> {
    let at = dop(run.dop, run.sweep);
    let at = run.variation.map_or(at.clone(), |variation| format!("{at} {}", varied(variation)));
    vec![run.number.to_string(), cut(&clean(&run.test), CODE_MAX), at]
}

fn per_second(rate: Option<Rate>) -> Option<f64> {
    rate.map(|Rate(rate)| rate)
}
