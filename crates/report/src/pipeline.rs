//! Statements in a pipeline: the table of text and page.

use model::PipelinePoint;
use record::Record;

use crate::figure::{rate, time};
use crate::layout::{Align, Head, Table, clean, cut, paragraph};
use crate::style::Style;
use crate::verdict::mark;
use crate::words::{dop, unit_per_second};

/// The heading of the part.
pub(crate) const PIPELINES: &str = "STATEMENTS IN A PIPELINE";

/// What a row is, for text and page.
pub(crate) const EXPLANATION: &str = "statements: so many are sent before the first answer is read, and a step has at \
                                      least as many; 1: each is answered before the next one is sent";

/// Characters of a code.
const CODE_MAX: usize = 8;

const HEADS: [Head; 8] = [
    (&["test"], Align::Left),
    (&["jobs"], Align::Left),
    (&["statements"], Align::Right),
    (&["unit"], Align::Left),
    (&["rate"], Align::Right),
    (&["step", "p50"], Align::Right),
    (&["step", "p99"], Align::Right),
    (&[""], Align::Left),
];

/// The cells of a row of the table, without its verdict.
pub(crate) fn cells(point: &PipelinePoint<'_>) -> [String; 7] {
    let run = point.run;
    [
        cut(&clean(&run.test), CODE_MAX),
        dop(run.dop, run.sweep),
        point.statements.to_string(),
        unit_per_second(run.unit).to_owned(),
        rate(point.per_second.map(|rate| rate.0)),
        time((run.service.count > 0).then_some(run.service.p50_ns)),
        time(run.service.p99_ns),
    ]
}

/// The table and what it is; empty where the record has no such runs.
pub(crate) fn lines(record: &Record, style: Style, width: usize) -> Vec<String> {
    let points = model::pipelines(record);
    if points.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new(&HEADS, &[]);
    for point in &points {
        let verdict = mark(model::row(point.run).verdict).to_owned();
        table.push([&cells(point)[..], &[verdict]].concat(), None);
    }
    let mut lines = table.lines(style, width);
    lines.extend(paragraph("", 2, EXPLANATION, width));
    lines
}
