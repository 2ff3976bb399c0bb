//! The table of runs in the columns of the published reports.

use maud::{Markup, html};
use model::{CpuUse, Io, Quantiles, Row as RunRow};
use record::{Nanos, Rate, Ratio, Record, Run, Verdict};

use super::table::{Cell, Column, Row, Table};
use super::verdict::word;
use crate::figure::{UNKNOWN, duration, megabytes, number, percent_digits};
use crate::layout::clean;
use crate::words::{list, unit_per_second, variation};

/// Lines of the table; of a record with more runs the rest is left to the record itself.
const RUNS_MAX: usize = 1000;

/// One line per run, in the order in which they were carried out.
pub(super) fn runs(record: &Record) -> Markup {
    if record.runs.is_empty() {
        return Markup::default();
    }
    let columns = [&IDENTITY[..], &RATES, &IO, &IO, &REST].concat();
    let mut table = Table::new("runs-table", "Runs in the order in which they were carried out", &columns);
    table.spans = vec![
        ("", IDENTITY.len()),
        ("per second", RATES.len()),
        ("physical I/O: engine", IO.len()),
        ("physical I/O: device", IO.len()),
        ("", 1),
        ("service time", 2),
        ("response", 1),
        ("", 2),
    ];
    table.sortable = true;
    table.rows = record.runs.iter().take(RUNS_MAX).map(row).collect();
    html! {
        p {
            "A column head sorts. IOPS are I/Os per second, MB 10⁶ bytes. Engine: as the engine asked the operating \
             system, which may serve reads from memory; device: as the block layer saw it, others' I/O included. A void \
             run has no figures."
        }
        @if record.runs.len() > RUNS_MAX {
            p class="note" {
                "The first " (RUNS_MAX) " of " (record.runs.len()) " runs are shown; "
                code { "dbdyno report RECORD --format csv" } " writes all of them."
            }
        }
        div class="compact" { (table.html()) }
    }
}

const IDENTITY: [Column; 6] = [
    Column::figures("run"),
    Column::text("test"),
    Column::figures("#N"),
    Column::figures("#J"),
    Column::figures("#T"),
    Column::text("unit"),
];

const RATES: [Column; 6] = [
    Column::figures("ops"),
    Column::figures("rows"),
    Column::figures("all CPUs %"),
    Column::figures("dbdyno %"),
    Column::figures("server %"),
    Column::figures("others %"),
];

const IO: [Column; 6] = [
    Column::figures("read IOPS"),
    Column::figures("write IOPS"),
    Column::figures("total IOPS"),
    Column::figures("read MB/s"),
    Column::figures("write MB/s"),
    Column::figures("total MB/s"),
];

const REST: [Column; 6] = [
    Column::figures("redo MB/s"),
    Column::figures("p50"),
    Column::figures("p99"),
    Column::figures("p99"),
    Column::figures("time"),
    Column::text("verdict"),
];

fn row(run: &Run) -> Row {
    let row = model::row(run);
    let count = |value: u32| Cell::Figure(value.to_string(), Some(f64::from(value)));
    let mut cells = vec![
        count(run.number),
        Cell::text(list([Some(clean(&run.test)), run.variation.map(variation)].into_iter().flatten())),
        count(run.dop.nodes),
        count(run.dop.jobs),
        count(run.dop.threads),
        Cell::text(unit_per_second(run.unit).trim_end_matches("/s")),
    ];
    let void = row.verdict == Verdict::Fail;
    if void {
        cells.extend((0..RATES.len() + 2 * IO.len() + REST.len() - 2).map(|_| Cell::Figure(String::new(), None)));
    } else {
        cells.extend(result(&row));
    }
    cells.push(span(run.window_ns));
    cells.push(Cell::Markup(word(row.verdict)));
    Row { class: if void { "void" } else { "" }, cells }
}

fn result(row: &RunRow) -> Vec<Cell> {
    let busy = row.cpu.map(|cpu| cpu.busy());
    let part = |part: Option<CpuUse>| share(part.and_then(|part| part.of_host));
    let mut cells = vec![
        rate(row.operations_per_second),
        rate(row.rows_per_second),
        share(busy),
        part(row.client_cpu),
        part(row.server_cpu),
        part(row.foreign_cpu),
    ];
    cells.extend(side(&row.engine_io));
    cells.extend(side(&row.device_io));
    cells.extend([
        bytes(row.redo_bytes_per_second),
        time(row.service, |quantiles| Some(quantiles.p50_ns)),
        time(row.service, |quantiles| quantiles.p99_ns),
        time(row.response, |quantiles| quantiles.p99_ns),
    ]);
    cells
}

/// A share of the time of all processors of the host.
fn share(ratio: Option<Ratio>) -> Cell {
    Cell::Figure(ratio.map_or_else(|| UNKNOWN.to_owned(), percent_digits), ratio.map(|ratio| ratio.0))
}

fn side(io: &Io) -> [Cell; 6] {
    [
        rate(io.reads_per_second),
        rate(io.writes_per_second),
        rate(io.total_per_second()),
        bytes(io.read_bytes_per_second),
        bytes(io.write_bytes_per_second),
        bytes(io.total_bytes_per_second()),
    ]
}

/// A rate, or that it is not known.
pub(super) fn rate(per_second: Option<Rate>) -> Cell {
    let value = per_second.map(|rate| rate.0);
    Cell::Figure(value.map_or_else(|| UNKNOWN.to_owned(), number), value)
}

/// Bytes per second in megabytes.
pub(super) fn bytes(per_second: Option<Rate>) -> Cell {
    let value = per_second.map(|rate| rate.0);
    Cell::Figure(megabytes(value), value)
}

/// One of the quantiles of a run.
pub(super) fn time(quantiles: Option<Quantiles>, of: fn(Quantiles) -> Option<Nanos>) -> Cell {
    quantiles.and_then(of).map_or_else(|| Cell::Figure(UNKNOWN.to_owned(), None), span)
}

/// A span of time.
pub(super) fn span(span: Nanos) -> Cell {
    Cell::Figure(duration(span), Some(span.0 as f64))
}
