//! Bulk loads: processors over the rate of each kind of table, and all figures.

use maud::{Markup, html};
use model::load::LoadFigures;
use record::{Load, Record, Run};
use tables::{Row, load};

use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::document::Diagram;
use crate::layout::clean;
use crate::load::{facts, kind, remarks, rows, slowest_stage, valid, view};
use crate::render::page::gallery;
use crate::render::page::parts;
use crate::view::View;

/// Loads that are shown.
const RUNS_MAX: usize = 100;

/// The columns of the first table; as many fit on paper.
const FIRST: [&str; 20] = [
    "run",
    "table",
    "jobs",
    "rows_per_second",
    "flat_bytes_per_second",
    "flat_terabytes_per_hour",
    "client_cpu_seconds_per_terabyte",
    "server_cpu_seconds_per_terabyte",
    "client_cpus",
    "server_cpus",
    "redo_bytes_per_byte",
    "engine_write_bytes_per_byte",
    "device_write_bytes_per_byte",
    "table_bytes",
    "flat_over_table",
    "plain_over_table",
    "index_build_ns",
    "first_query_ns",
    "rejected_rows",
    "slowest_stage",
];

/// The columns that the facts above the table and the kind of table state.
const LEFT_OUT: [&str; 11] = [
    "record",
    "test",
    "partitioned",
    "compressed",
    "form",
    "source",
    "compression",
    "layout",
    "batch_bytes",
    "indexes",
    "invalid",
];

type Loaded<'a> = (&'a Run, &'a Load, LoadFigures);

/// Facts, picture and tables; nothing without loads.
pub(super) fn loads(record: &Record) -> Markup {
    let loads: Vec<Loaded<'_>> = valid(record).take(RUNS_MAX).collect();
    if loads.is_empty() {
        return Markup::default();
    }
    let view = view()
        .words("slowest_stage", ("", "slowest stage"), |of| {
            crate::document::Cell::text(slowest_stage(of.run).unwrap_or_default())
        })
        .except(&LEFT_OUT)
        .first(&FIRST);
    let caption = "Loads, per byte and second of uncompressed flat file";
    let tables = view.html_parts("loads-table", caption, (3, FIRST.len()), rows(record).take(RUNS_MAX), |_| "");
    let stages = View::of(load::stage_columns())
        .words("test", ("", "table"), |of| crate::document::Cell::text(kind(of.of.0)))
        .except(&["record", "busy_ns", "cpu_ns", "bytes"])
        .html(
            "load-stages-table",
            "Stages: busy time of their threads",
            load::stage_rows(record).filter(|of| !of.is_invalid()).take_while(|of| of.place < RUNS_MAX),
            |_| "",
        );
    html! {
        ul { @for fact in facts(record).into_iter().chain(remarks(record)) { li { (clean(&fact)) "." } } }
        (gallery(&[Diagram::new("loads", chart(&loads))]))
        (parts(&tables, "All other figures of the loads"))
        div class="compact" { (stages.html()) }
    }
}

/// Processors in use over the rate, a line for each kind of table and form.
fn chart(loads: &[Loaded<'_>]) -> LineChart {
    let mut kinds: Vec<String> = loads.iter().map(|(_, load, _)| kind(load)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let points = |of: &String| {
        let same = loads.iter().filter(|(_, load, _)| kind(load) == *of);
        let mut points: Vec<Point> = same
            .filter_map(|(run, _, figures)| {
                let point = Point::new(figures.flat_per_second?.0 / 1e6, figures.cores()?);
                Some(point.noted(format!("run {}, {} jobs", run.number, run.dop.jobs)))
            })
            .collect();
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        points
    };
    let series = kinds.iter().map(|kind| Series::new(kind, Role::Measured, points(kind)));
    LineChart::new(
        "Processors over the rate of the load",
        "Processors in use by dbdyno and the engine. A lower line loads the same bytes with less CPU.",
        Axis::new("MB of flat file per second", Scale::FromZero, Figures::Plain),
        Axis::new("processors in use", Scale::FromZero, Figures::Plain),
        series.filter(|series| !series.points.is_empty()).collect(),
    )
}
