//! Gauges: what a query returned while jobs worked, such as the depth of a queue.

use record::Record;
use tables::gauge::{self, GaugeRow};

use crate::document::{Block, Cell, Section, Table, Tone};
use crate::layout::{clean, cut};
use crate::nodes::runs_by_line;
use crate::view::View;

/// Lines of a table of a page.
const LINES_MAX: usize = 1_000;

/// Characters of a name.
const NAME_MAX: usize = 32;

/// The columns that are shown everywhere; the first three name the line.
const COLUMNS: [&str; 8] = ["run", "jobs", "gauge", "first", "min", "mean", "max", "last"];

/// How to read the figures.
const READING: &str =
    "A gauge is a number that a query of its own session returns, read once a second beside the jobs.";

/// A line per gauge: by line those of the fastest run of each test, on a page those of all runs.
pub(crate) fn gauges(record: &Record) -> Section {
    if gauge::rows(record).next().is_none() {
        return Section::new("gauges", "Gauges", Vec::new());
    }
    let shown = runs_by_line(record, |run| !run.gauges.is_empty());
    let fastest = table("gauges-fastest", gauge::rows(record).filter(|of| shown.contains(&of.run.number)));
    let is_cut = gauge::rows(record).count() > LINES_MAX;
    let more = format!("The first {LINES_MAX} lines are shown; the record has all.");
    let whole = [
        Some(Block::text(READING)),
        is_cut.then(|| Block::note(Tone::Plain, [more])),
        Some(table("gauges-table", gauge::rows(record).take(LINES_MAX)).into()),
    ];
    let body = vec![Block::by_line(vec![fastest.into()]), Block::whole(whole.into_iter().flatten().collect())];
    Section::new("gauges", "Gauges", body)
}

fn table<'a>(id: &str, rows: impl Iterator<Item = GaugeRow<'a>>) -> Table {
    let view = View::of(gauge::columns())
        .words("gauge", ("", "gauge"), |of| Cell::text(cut(&clean(&of.of.name), NAME_MAX)))
        .words("refusal", ("", "not read on"), |of| match &of.of.refusal {
            Some(refusal) => Cell::text(clean(refusal)),
            None => Cell::text(""),
        })
        .except(&["record", "invalid"])
        .first(&COLUMNS)
        .with_others(3);
    view.table(id, "Gauges", rows, |_| Tone::Plain)
}
