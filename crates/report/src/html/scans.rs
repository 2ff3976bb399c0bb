//! Scans of loaded tables: bytes of the table over the degree of parallelism, cold and warm, with the ceiling of
//! storage.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use record::{LoadModel, Record, Scan};
use tables::scan::ScanRow;

use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::document::Diagram;
use crate::layout::clean;
use crate::load::{caches, code, meanings, scan_view, scanned};
use crate::render::page::gallery;
use crate::render::page::parts;

/// Scans that are shown.
const RUNS_MAX: usize = 200;

/// The first columns; the whole table fits on paper.
const FIRST: [&str; 13] = [
    "run",
    "test",
    "table",
    "threads",
    "cold",
    "scan_ns_mean",
    "rows_per_second",
    "table_bytes_per_second",
    "flat_bytes_per_second",
    "engine_read_bytes_per_second",
    "device_read_bytes_per_second",
    "probe_ratio",
    "cpus",
];

/// The columns that the first ones state.
const LEFT_OUT: [&str; 4] = ["record", "partitioned", "compressed", "invalid"];

/// Pictures and table; nothing without scans.
pub(super) fn scans(record: &Record) -> Markup {
    let scans: Vec<ScanRow<'_>> = scanned(record).take(RUNS_MAX).collect();
    if scans.is_empty() {
        return Markup::default();
    }
    let view = scan_view().except(&LEFT_OUT).first(&FIRST);
    let caption = "Scans of the loaded tables, bytes in MB per second";
    let tables = view.html_parts("scans-table", caption, (5, FIRST.len()), scanned(record).take(RUNS_MAX), |_| "");
    html! {
        (gallery(&charts(&scans)))
        ul { @for note in meanings(record) { li { (clean(&note)) "." } } }
        (parts(&tables, "All other figures of the scans"))
    }
}

/// A chart for each kind of table.
fn charts(scans: &[ScanRow<'_>]) -> Vec<Diagram> {
    let models: BTreeSet<LoadModel> = scans.iter().map(|one| one.of.0.model).collect();
    let of = |(model, number): (LoadModel, u32)| {
        let same: Vec<&ScanRow<'_>> = scans.iter().filter(|one| one.of.0.model == model).collect();
        Diagram::new(format!("scans-{number}"), chart(model, &same))
    };
    models.into_iter().zip(1..).map(of).collect()
}

/// A line for each test and state of the caches.
fn chart(model: LoadModel, scans: &[&ScanRow<'_>]) -> LineChart {
    let mut lines: BTreeMap<Scan, Vec<Point>> = BTreeMap::new();
    for one in scans {
        let Some(rate) = one.of.1.table_per_second else { continue };
        let point = Point::new(f64::from(one.run.dop.threads), rate.0 / 1e6);
        lines.entry(one.of.0).or_default().push(point.noted(format!("run {}", one.run.number)));
    }
    let line = |(scan, mut points): (Scan, Vec<Point>)| {
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        Series::new(format!("{}, {}", code(scan), caches(scan)), Role::Measured, points)
    };
    let mut series: Vec<Series> = lines.into_iter().map(line).collect();
    if let Some(ceiling) = scans.iter().find_map(|one| one.of.1.ceiling.as_ref()) {
        let point = Point::new(1.0, ceiling.per_second.0 / 1e6);
        series.push(Series::new(format!("{}, sequential reads", ceiling.probe), Role::Ceiling, vec![point]));
    }
    LineChart::new(
        format!("Scans of the {} table", model.word()),
        "Bytes of the table over threads of the statement. A warm table is in memory as far as it fits, and may be \
         read faster than storage allows.",
        Axis::new("threads of the statement", Scale::FromZero, Figures::Plain),
        Axis::new("MB of table per second", Scale::FromZero, Figures::Plain),
        series,
    )
}
