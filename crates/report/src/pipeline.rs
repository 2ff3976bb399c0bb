//! Statements in a pipeline.

use model::PipelinePoint;
use record::{Nanos, Record};

use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::figure::{nanos, number};
use crate::verdict::verdict_cell;
use crate::words::{dop, unit_per_second};

/// What a line is.
const READING: &str = "Statements: so many are sent before the first answer is read, and a step has at least as many; 1: each \
                       is answered before the next one is sent.";

/// Each test with pipelines, beside its runs without one; nothing without such runs.
pub(crate) fn pipelines(record: &Record) -> Section {
    let points = model::pipelines(record);
    let columns = vec![
        Column::text("test"),
        Column::text("jobs"),
        Column::figure("statements"),
        Column::text("unit"),
        Column::figure("rate"),
        Column::figure("step\np50"),
        Column::figure("step\np99"),
        Column::text("verdict"),
    ];
    let caption = "Rates and times with so many statements sent together";
    let table = Table::new("pipelines-table", caption, columns).with(points.iter().map(row));
    let reading = (!points.is_empty()).then(|| Block::aside(READING));
    Section::new("pipelines", "Statements in a pipeline", [Block::from(table)].into_iter().chain(reading).collect())
}

fn row(point: &PipelinePoint<'_>) -> Row {
    let run = point.run;
    let time = |span: Option<Nanos>| Cell::figure(span.map(|span| span.0 as f64), nanos);
    Row::new(vec![
        Cell::text(&*run.test),
        Cell::text(dop(run.dop, run.sweep)),
        Cell::count(point.statements.into()),
        Cell::text(unit_per_second(run.unit)),
        Cell::figure(point.per_second.map(|rate| rate.0), number),
        time((run.service.count > 0).then_some(run.service.p50_ns)),
        time(run.service.p99_ns),
        verdict_cell(model::row(run).verdict),
    ])
}
