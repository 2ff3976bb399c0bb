//! The loads and the scans of a record as parts of a document.

use std::collections::{BTreeMap, BTreeSet};

use record::{LoadModel, Record, Scan};
use tables::scan::ScanRow;

use super::remark::{facts, remarks};
use super::scan::{self, caches, code, meanings, scanned};
use super::stage::{legend, stages, threads};
use super::table::{costs, rates, sizes};
use super::{kind, valid};
use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::document::{Block, Diagram, Section};

/// What was loaded, rates, cost, table size and stages; nothing without loads.
pub(crate) fn loads(record: &Record) -> Section {
    let is_any = valid(record).next().is_some();
    let body = || {
        vec![
            Block::list(facts(record)),
            rates(record).into(),
            Block::list(remarks(record)),
            costs(record).into(),
            Block::Charts(chart(record).into_iter().collect()),
            sizes(record).into(),
            stages(record).into(),
            Block::list(legend(record)),
            Block::whole(vec![Block::fold("Threads of the stages", vec![threads(record).into()])]),
        ]
    };
    Section::new("bulk-load", "Bulk load", if is_any { body() } else { Vec::new() })
}

/// Processors in use over the rate, a line for each kind of table and form; nothing for a single load.
fn chart(record: &Record) -> Option<Diagram> {
    let mut lines: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    for (run, load, figures) in valid(record) {
        let Some((rate, cores)) = figures.flat_per_second.zip(figures.cores()) else { continue };
        let note = format!("run {}, {} jobs", run.number, run.dop.jobs);
        lines.entry(kind(load)).or_default().push(Point::new(rate.0 / 1e6, cores).noted(note));
    }
    let is_single = lines.values().map(Vec::len).sum::<usize>() < 2;
    let chart = LineChart::new(
        "Processors over the rate of the load",
        "Processors in use by dbdyno and the engine. A lower line loads the same bytes with less CPU.",
        Axis::new("MB of flat file per second", Scale::FromZero, Figures::Plain),
        Axis::new("processors in use", Scale::FromZero, Figures::Plain),
        lines.into_iter().map(|(kind, points)| series(kind, points)).collect(),
    );
    (!is_single).then(|| Diagram::new("loads", chart))
}

fn series(name: String, mut points: Vec<Point>) -> Series {
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    Series::new(name, Role::Measured, points)
}

/// Scans of the loaded tables: a picture of each kind of table, and rates; nothing without scans.
pub(crate) fn scans(record: &Record) -> Section {
    let scans: Vec<ScanRow<'_>> = scanned(record).collect();
    let models: BTreeSet<LoadModel> = scans.iter().map(|one| one.of.0.model).collect();
    let charts = models.into_iter().zip(1..).map(|(model, number)| {
        let same: Vec<&ScanRow<'_>> = scans.iter().filter(|one| one.of.0.model == model).collect();
        Diagram::new(format!("scans-{number}"), of_model(model, &same))
    });
    let body = vec![
        Block::whole(vec![Block::Charts(charts.collect())]),
        scan::rates(record).into(),
        Block::list(meanings(record)),
    ];
    Section::new("bulk-read", "Scans of the loaded tables", body).folded()
}

/// A line for each test and state of the caches.
fn of_model(model: LoadModel, scans: &[&ScanRow<'_>]) -> LineChart {
    let mut lines: BTreeMap<Scan, Vec<Point>> = BTreeMap::new();
    for one in scans {
        let Some(rate) = one.of.1.table_per_second else { continue };
        let point = Point::new(f64::from(one.run.dop.threads), rate.0 / 1e6);
        lines.entry(one.of.0).or_default().push(point.noted(format!("run {}", one.run.number)));
    }
    let line = |(scan, points): (Scan, Vec<Point>)| series(format!("{}, {}", code(scan), caches(scan)), points);
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
