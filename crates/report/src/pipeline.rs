//! Statements in a pipeline.

use model::PipelinePoint;
use record::Record;

use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::figure::number;
use crate::times;
use crate::verdict::verdict_cell;
use crate::words::{dop, unit_per_second};

/// What a line is.
const READING: &str = "Statements: so many are sent before the first answer is read, and a step has at least as many; 1: each \
                       is answered before the next one is sent.";

/// Each test with pipelines, beside its runs without one; nothing without such runs.
pub(crate) fn pipelines(record: &Record) -> Section {
    let points = model::pipelines(record);
    let first = [
        Column::text("test"),
        Column::text("jobs"),
        Column::figure("statements"),
        Column::text("unit"),
        Column::figure("rate"),
    ];
    let times = times::columns(|head| Column { head: format!("step\n{head}").into(), ..Column::figure("") });
    let columns = first.into_iter().chain(times).chain([Column::text("verdict")]).collect();
    let caption = "Rates and times with so many statements sent together";
    let table = Table::new("pipelines-table", caption, columns).with(points.iter().map(row));
    let reading = (!points.is_empty()).then(|| Block::aside(READING));
    Section::new("pipelines", "Statements in a pipeline", [Block::from(table)].into_iter().chain(reading).collect())
}

fn row(point: &PipelinePoint<'_>) -> Row {
    let run = point.run;
    let first = [
        Cell::text(&*run.test),
        Cell::text(dop(run.dop, run.sweep)),
        Cell::count(point.statements.into()),
        Cell::text(unit_per_second(run.unit)),
        Cell::figure(point.per_second.map(|rate| rate.0), number),
    ];
    let verdict = verdict_cell(model::row(run).verdict);
    Row::new(first.into_iter().chain(times::cells(model::times(&run.service))).chain([verdict]).collect())
}
