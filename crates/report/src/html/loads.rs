//! Bulk loads: processors over the rate of each kind of table, and all figures.

use maud::{Markup, html};
use model::load::LoadFigures;
use record::{Load, Record, Run};

use super::diagram::{Diagram, gallery};
use super::runs::{bytes, rate, span};
use super::table::{Cell, Column, Row, Table};
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::figure::{UNKNOWN, count, short, three_digits, volume};
use crate::layout::clean;
use crate::load::{facts, kind, remarks, setter, valid, word};

/// Loads that are drawn.
const RUNS_MAX: usize = 100;

const COLUMNS: [Column; 20] = [
    Column::figures("run"),
    Column::text("table"),
    Column::figures("#J"),
    Column::figures("rows"),
    Column::figures("MB"),
    Column::figures("TB/h"),
    Column::figures("client"),
    Column::figures("server"),
    Column::figures("client"),
    Column::figures("server"),
    Column::figures("redo"),
    Column::figures("data"),
    Column::figures("device"),
    Column::figures("size"),
    Column::figures("flat file over it"),
    Column::figures("plain over it"),
    Column::figures("indexes made in"),
    Column::figures("first query"),
    Column::figures("rows rejected"),
    Column::text("slowest stage"),
];

const STAGES: [Column; 7] = [
    Column::figures("run"),
    Column::text("table"),
    Column::figures("#J"),
    Column::text("stage"),
    Column::figures("threads"),
    Column::figures("busy %"),
    Column::figures("MB/s at work, of a thread"),
];

type Loaded<'a> = (&'a Run, &'a Load, LoadFigures);

/// Facts, picture and tables; nothing of a record without loads.
pub(super) fn loads(record: &Record) -> Markup {
    let loads: Vec<Loaded<'_>> = valid(record).take(RUNS_MAX).collect();
    if loads.is_empty() {
        return Markup::default();
    }
    let mut table =
        Table::new("loads-table", "Loads, per byte and second of flat file, which is not compressed", &COLUMNS);
    table.spans = vec![
        ("", 3),
        ("per second", 2),
        ("", 1),
        ("CPU s per TB", 2),
        ("CPUs in use", 2),
        ("bytes written per byte", 3),
        ("table", 3),
        ("", 4),
    ];
    table.sortable = true;
    table.rows = loads.iter().map(|load| row(record, load)).collect();
    let mut stages = Table::new("load-stages-table", "Stages: share of the time of their threads", &STAGES);
    stages.rows = loads.iter().flat_map(stage_rows).collect();
    html! {
        ul { @for fact in facts(record).into_iter().chain(remarks(record)) { li { (clean(&fact)) "." } } }
        (gallery(&[Diagram::new("loads", chart(&loads))]))
        div class="compact" { (table.html()) }
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
            .filter_map(|(run, _, told)| {
                let point = Point::new(told.flat_per_second?.0 / 1e6, told.cores()?);
                Some(point.noted(format!("run {}, {} jobs", run.number, run.dop.jobs)))
            })
            .collect();
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        points
    };
    let series = kinds.iter().map(|kind| Series::new(kind, Role::Measured, points(kind)));
    LineChart::new(
        "Processors over the rate of the load",
        "Processors in use by dbdyno and the engine together. Of two kinds of table the lower line loads the same bytes \
         for less.",
        Axis::new("MB of flat file per second", Scale::FromZero, Figures::Plain),
        Axis::new("processors in use", Scale::FromZero, Figures::Plain),
        series.filter(|series| !series.points.is_empty()).collect(),
    )
}

fn row(record: &Record, (run, load, told): &Loaded<'_>) -> Row {
    let figure = |value: Option<f64>| Cell::Figure(value.map_or_else(|| UNKNOWN.to_owned(), three_digits), value);
    let whole = |value: u32| Cell::Figure(value.to_string(), Some(f64::from(value)));
    let time = |time: Option<record::Nanos>| time.map_or_else(|| figure(None), span);
    let size = load.table_bytes.map(|bytes| (volume(bytes), bytes.0 as f64));
    let per_terabyte = |seconds: Option<f64>| rate(seconds.map(record::Rate));
    Row::new(vec![
        whole(run.number),
        Cell::text(kind(load)),
        whole(run.dop.jobs),
        rate(told.rows_per_second),
        bytes(told.flat_per_second),
        Cell::Figure(short(told.terabytes_per_hour()), told.terabytes_per_hour()),
        per_terabyte(told.client_seconds_per_terabyte),
        per_terabyte(told.server_seconds_per_terabyte),
        figure(told.client_cores),
        figure(told.server_cores),
        figure(told.written.redo),
        figure(told.written.engine),
        figure(told.written.device),
        size.map_or_else(|| figure(None), |(shown, bytes)| Cell::Figure(shown, Some(bytes))),
        figure(told.table_ratio),
        figure(model::load::table_against_plain(record, run)),
        time(load.index_build_ns),
        time(load.first_query_ns),
        Cell::Figure(count(load.rejected_rows), Some(load.rejected_rows as f64)),
        Cell::text(setter(run).unwrap_or_default()),
    ])
}

fn stage_rows((run, load, told): &Loaded<'_>) -> Vec<Row> {
    let whole = |value: u32| Cell::Figure(value.to_string(), Some(f64::from(value)));
    let rows = told.stages.iter().map(|stage| {
        let busy = crate::figure::percent_digits(stage.busy);
        Row::new(vec![
            whole(run.number),
            Cell::text(kind(load)),
            whole(run.dop.jobs),
            Cell::text(word(stage.kind)),
            whole(stage.threads),
            Cell::Figure(busy, Some(stage.busy.0)),
            bytes(stage.per_thread),
        ])
    });
    rows.collect()
}
