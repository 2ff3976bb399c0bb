//! Statements in a pipeline, as a table.

use maud::{Markup, html};
use record::Record;

use crate::pipeline::{EXPLANATION, cells};
use crate::render::page::{Cell, Column, Row, Table};
use crate::verdict::word;
use crate::words::capital;

const COLUMNS: [Column; 8] = [
    Column::text("test"),
    Column::text("jobs"),
    Column::figures("statements"),
    Column::text("unit"),
    Column::figures("rate"),
    Column::figures("step p50"),
    Column::figures("step p99"),
    Column::text("verdict"),
];

/// Each test with pipelines, beside its runs without one; nothing without such runs.
pub(super) fn pipelines(record: &Record) -> Markup {
    let points = model::pipelines(record);
    if points.is_empty() {
        return Markup::default();
    }
    let mut table = Table::new("pipelines-table", "Rates and times with so many statements sent together", &COLUMNS);
    let row = |point: &model::PipelinePoint<'_>| {
        let cell = |(cell, of): (String, Column)| match of.figures {
            true => Cell::Figure(cell, None),
            false => Cell::Text(cell),
        };
        let mut cells: Vec<Cell> = cells(point).into_iter().zip(COLUMNS).map(cell).collect();
        cells.push(Cell::Markup(word(model::row(point.run).verdict)));
        Row::new(cells)
    };
    table.rows = points.iter().map(row).collect();
    html! {
        p { (capital(EXPLANATION)) "." }
        (table.html())
    }
}
