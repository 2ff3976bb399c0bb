//! The table of runs.

use maud::{Markup, html};
use record::{Nanos, Rate, Record};
use tables::Row;
use tables::run::{self, RunRow};

use crate::figure::{UNKNOWN, duration, megabytes, number};
use crate::layout::clean;
use crate::render::page::{Cell, parts};
use crate::verdict::verdict_cell;
use crate::view::View;
use crate::words::{list, unit_per_second, variation};

/// Lines of the table.
const RUNS_MAX: usize = 1000;

/// The columns of published reports, in their order; as many fit on paper.
const PUBLISHED: [&str; 30] = [
    "run",
    "test",
    "nodes",
    "jobs",
    "threads",
    "unit",
    "operations_per_second",
    "rows_per_second",
    "host_cpu_ratio",
    "client_host_cpu_ratio",
    "server_host_cpu_ratio",
    "foreign_host_cpu_ratio",
    "engine_reads_per_second",
    "engine_writes_per_second",
    "engine_io_per_second",
    "engine_read_bytes_per_second",
    "engine_write_bytes_per_second",
    "engine_io_bytes_per_second",
    "device_reads_per_second",
    "device_writes_per_second",
    "device_io_per_second",
    "device_read_bytes_per_second",
    "device_write_bytes_per_second",
    "device_io_bytes_per_second",
    "redo_bytes_per_second",
    "service_ns_p50",
    "service_ns_p99",
    "response_ns_p99",
    "window_ns",
    "verdict",
];

/// The columns that other parts of the page show, and the counts behind rates.
const LEFT_OUT: [&str; 20] = [
    "record",
    "repeat",
    "title",
    "layer",
    "sweep",
    "variation",
    "variation_resource",
    "variation_ratio",
    "think_ns",
    "started_at",
    "outcome",
    "message",
    "invalid",
    "data_bytes",
    "steps",
    "operations",
    "rows",
    "transactions",
    "bytes",
    "data_reads",
];

/// One line per run, in the order of execution, with all figures.
pub(super) fn runs(record: &Record) -> Markup {
    if record.runs.is_empty() {
        return Markup::default();
    }
    let rows = run::rows(record).take(RUNS_MAX);
    let class = |of: &RunRow<'_>| if of.is_invalid() { "invalid" } else { "" };
    let caption = "Runs in the order of execution";
    let view = view().except(&LEFT_OUT).first(&PUBLISHED);
    let tables = view.html_parts("runs-table", caption, (2, PUBLISHED.len()), rows, class);
    html! {
        p {
            "Click a column heading to sort. Figures that no run has are left out. MB are 10⁶ bytes, 1/s I/Os per \
             second. Engine: requests of the engine to the operating system, which may serve reads from the page \
             cache; device: requests at the block layer, I/O of other programs included. An invalid run has no figures."
        }
        @if record.runs.len() > RUNS_MAX {
            p class="note" {
                "The first " (RUNS_MAX) " of " (record.runs.len()) " runs are shown; "
                code { "dbdyno report RECORD --format csv" } " writes all of them."
            }
        }
        (parts(&tables, "All other figures of the runs"))
    }
}

fn view<'a>() -> View<RunRow<'a>> {
    View::of(run::columns())
        .words("test", ("", "test"), |of| crate::document::Cell::text(test(of)))
        .words("unit", ("", "unit"), |of| {
            crate::document::Cell::text(unit_per_second(of.run.unit).trim_end_matches("/s"))
        })
        .words("verdict", ("", "verdict"), |of| verdict_cell(of.row.verdict))
}

/// The test, and the variation of the run.
fn test(of: &RunRow<'_>) -> String {
    list([Some(clean(&of.run.test)), of.run.variation.map(variation)].into_iter().flatten())
}

/// A rate, or unknown.
pub(super) fn rate(per_second: Option<Rate>) -> Cell {
    let value = per_second.map(|rate| rate.0);
    Cell::Figure(value.map_or_else(|| UNKNOWN.to_owned(), number), value)
}

/// Bytes per second in megabytes.
pub(super) fn bytes(per_second: Option<Rate>) -> Cell {
    let value = per_second.map(|rate| rate.0);
    Cell::Figure(megabytes(value), value)
}

/// A span of time.
pub(super) fn span(span: Nanos) -> Cell {
    Cell::Figure(duration(span), Some(span.0 as f64))
}
