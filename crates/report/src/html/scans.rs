//! Scans of loaded tables: bytes of the table over the degree of parallelism, cold and warm, below what storage gives.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use record::{LoadModel, Rate, Record, Scan};

use super::diagram::{Diagram, gallery};
use super::runs::{bytes, rate, span};
use super::table::{Cell, Column, Row, Table};
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::figure::{UNKNOWN, percent_digits, three_digits};
use crate::layout::clean;
use crate::load::{Scanned, caches, code, meanings, scanned};

/// Scans that are drawn.
const RUNS_MAX: usize = 200;

const COLUMNS: [Column; 13] = [
    Column::figures("run"),
    Column::text("test"),
    Column::text("table"),
    Column::figures("#T"),
    Column::text("caches"),
    Column::figures("a scan"),
    Column::figures("rows/s"),
    Column::figures("of table"),
    Column::figures("of flat file"),
    Column::figures("engine"),
    Column::figures("device"),
    Column::figures("% of storage"),
    Column::figures("CPUs in use"),
];

/// Pictures and table; nothing of a record without scans.
pub(super) fn scans(record: &Record) -> Markup {
    let scans: Vec<Scanned<'_>> = scanned(record).take(RUNS_MAX).collect();
    if scans.is_empty() {
        return Markup::default();
    }
    let mut table = Table::new("scans-table", "Reading the loaded tables, bytes in MB per second", &COLUMNS);
    table.spans = vec![("", 7), ("MB/s", 2), ("MB/s read", 2), ("", 2)];
    table.sortable = true;
    table.rows = scans.iter().map(row).collect();
    html! {
        (gallery(&charts(&scans)))
        ul { @for said in meanings(record) { li { (clean(&said)) "." } } }
        div class="compact" { (table.html()) }
    }
}

/// A chart for each kind of table.
fn charts(scans: &[Scanned<'_>]) -> Vec<Diagram> {
    let models: BTreeSet<LoadModel> = scans.iter().map(|one| one.scan.model).collect();
    let of = |(model, number): (LoadModel, u32)| {
        let same: Vec<&Scanned<'_>> = scans.iter().filter(|one| one.scan.model == model).collect();
        Diagram::new(format!("scans-{number}"), chart(model, &same))
    };
    models.into_iter().zip(1..).map(of).collect()
}

/// A line for each test and state of the caches.
fn chart(model: LoadModel, scans: &[&Scanned<'_>]) -> LineChart {
    let mut lines: BTreeMap<Scan, Vec<Point>> = BTreeMap::new();
    for one in scans {
        let Some(rate) = one.told.table_per_second else { continue };
        let point = Point::new(f64::from(one.run.dop.threads), rate.0 / 1e6);
        lines.entry(one.scan).or_default().push(point.noted(format!("run {}", one.run.number)));
    }
    let line = |(scan, mut points): (Scan, Vec<Point>)| {
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        Series::new(format!("{}, {}", code(scan), caches(scan)), Role::Measured, points)
    };
    let mut series: Vec<Series> = lines.into_iter().map(line).collect();
    if let Some(ceiling) = scans.iter().find_map(|one| one.told.ceiling.as_ref()) {
        let point = Point::new(1.0, ceiling.per_second.0 / 1e6);
        series.push(Series::new(format!("{}, sequential reads", ceiling.probe), Role::Ceiling, vec![point]));
    }
    LineChart::new(
        format!("Reading the {} table", model.word()),
        "Bytes of the table over threads inside the statement. A warm table lies in memory as far as it fits, and may be \
         read faster than storage gives.",
        Axis::new("threads inside the statement", Scale::FromZero, Figures::Plain),
        Axis::new("MB of table per second", Scale::FromZero, Figures::Plain),
        series,
    )
}

fn row(Scanned { run, scan, told }: &Scanned<'_>) -> Row {
    let whole = |value: u32| Cell::Figure(value.to_string(), Some(f64::from(value)));
    let unknown = || Cell::Figure(UNKNOWN.to_owned(), None);
    let of_bytes = |value: Option<Rate>| bytes(value);
    let reached = told.ceiling.as_ref().map(|ceiling| ceiling.reached);
    Row::new(vec![
        whole(run.number),
        Cell::text(code(*scan)),
        Cell::text(scan.model.word()),
        whole(run.dop.threads),
        Cell::text(caches(*scan)),
        span(run.service.mean_ns),
        rate(told.rows_per_second),
        of_bytes(told.table_per_second),
        of_bytes(told.flat_per_second),
        of_bytes(told.engine_per_second),
        of_bytes(told.device_per_second),
        reached.map_or_else(unknown, |reached| Cell::Figure(percent_digits(reached), Some(reached.0))),
        told.cores.map_or_else(unknown, |cores| Cell::Figure(three_digits(cores), Some(cores))),
    ])
}
