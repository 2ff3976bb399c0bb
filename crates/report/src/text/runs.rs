//! The table of runs, in parts that fit a page: rates and times, physical I/O of both sides, processors.

use record::Record;
use tables::Row;
use tables::run::{self, RunRow};

use crate::RUNS_LISTED_MAX;
use crate::document::Cell;
use crate::figure::duration;
use crate::layout::Table;
use crate::style::Ink;
use crate::verdict::mark;
use crate::view::View;
use crate::words::{dop, unit_per_second, varied};

/// The columns that identify a run.
const IDENTITY: [&str; 3] = ["run", "test", "at"];

/// Operations and rows per second, service and response times, the window.
pub(super) fn rates(record: &Record) -> Table {
    let figures = ["unit", "operations_per_second", "rows_per_second", "service_ns_p50", "service_ns_p99"];
    table(&[&IDENTITY[..], &figures, &["response_ns_p99", "window_ns", "mark"]].concat(), listed(record))
}

/// Physical I/O counted by the engine, redo, logical reads. Invalid runs and runs without physical I/O are left out.
pub(super) fn engine_io(record: &Record) -> Table {
    let figures = [
        "engine_reads_per_second",
        "engine_writes_per_second",
        "engine_read_bytes_per_second",
        "engine_write_bytes_per_second",
        "redo_bytes_per_second",
        "redo_syncs_per_second",
        "logical_reads_per_second",
    ];
    // Probes have no engine.
    let counted = |of: &RunRow<'_>| model::row(of.run).engine_io.total_per_second().is_some();
    table(&[&IDENTITY[..], &figures].concat(), with_io(record).filter(counted))
}

/// Physical I/O counted by the block layer, flushes. Invalid runs and runs without physical I/O are left out.
pub(super) fn device_io(record: &Record) -> Table {
    let figures = [
        "device_reads_per_second",
        "device_writes_per_second",
        "device_read_bytes_per_second",
        "device_write_bytes_per_second",
        "device_flushes_per_second",
    ];
    table(&[&IDENTITY[..], &figures].concat(), with_io(record))
}

fn with_io(record: &Record) -> impl Iterator<Item = RunRow<'_>> {
    listed(record).filter(|run| !run.is_invalid() && run.has_io())
}

/// CPU of the host in percent, of dbdyno, the engine and other programs in processors. Invalid runs are left out.
pub(super) fn processors(record: &Record) -> Table {
    let host = ["host_cpu_user_ratio", "host_cpu_system_ratio", "host_cpu_iowait_ratio", "host_cpu_steal_ratio"];
    let others = ["client_cpus", "server_cpus", "foreign_cpus"];
    table(&[&IDENTITY[..], &host, &others].concat(), listed(record).filter(|run| !run.is_invalid()))
}

fn listed(record: &Record) -> impl Iterator<Item = RunRow<'_>> {
    run::rows(record).take(RUNS_LISTED_MAX)
}

/// A line per run. The mark refers to WARNINGS: findings that are not listed there do not count.
fn table<'a>(keys: &[&str], runs: impl Iterator<Item = RunRow<'a>>) -> Table {
    let view = View::of(run::columns())
        .words("at", ("", "at"), |of| Cell::text(at(of)))
        .words("unit", ("", "unit"), |of| Cell::text(unit_per_second(of.run.unit).trim_end_matches("/s")))
        .figure("window_ns", ("", "time"), |of| {
            Cell::text(if of.is_invalid() { String::new() } else { duration(of.run.window_ns) })
        })
        .words("mark", ("", ""), |of| Cell::text(mark(of.row.verdict)));
    view.only(keys).text_table(runs, |of| Ink::of(of.row.verdict))
}

/// The degree of parallelism, and how the run differs from the plain one.
fn at(of: &RunRow<'_>) -> String {
    let at = dop(of.run.dop, of.run.sweep);
    of.run.variation.map_or(at.clone(), |variation| format!("{at} {}", varied(variation)))
}
