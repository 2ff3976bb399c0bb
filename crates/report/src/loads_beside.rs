//! Loads beside the jobs of runs: what each did.

use record::Record;
use tables::load_beside::{self, LoadBesideRow};

use crate::document::{Block, Cell, Section, Table, Tone};
use crate::layout::{clean, cut};
use crate::nodes::runs_by_line;
use crate::view::View;

/// Lines of a table of a page.
const LINES_MAX: usize = 1_000;

/// Characters of a title.
const TITLE_MAX: usize = 48;

/// The columns that are shown everywhere; the first three name the line.
const COLUMNS: [&str; 8] =
    ["run", "jobs", "load", "load_jobs", "operations_per_second", "steps", "failures", "service_ns_mean"];

/// How to read the figures.
const READING: &str = "A load beside is at work while the run is measured, and no part of its rates and times. Counters of the \
                       engine and of the host are those of both.";

/// A line per load: by line those beside the fastest run of each test, on a page those of all runs.
pub(crate) fn loads_beside(record: &Record) -> Section {
    if load_beside::rows(record).next().is_none() {
        return Section::new("loads-beside", "Loads beside", Vec::new());
    }
    let shown = runs_by_line(record, |run| !run.loads_beside.is_empty());
    let fastest = table("loads-beside-fastest", load_beside::rows(record).filter(|of| shown.contains(&of.run.number)));
    let is_cut = load_beside::rows(record).count() > LINES_MAX;
    let more = format!("The first {LINES_MAX} lines are shown; the record has all.");
    let whole = [
        Some(Block::text(READING)),
        is_cut.then(|| Block::note(Tone::Plain, [more])),
        Some(table("loads-beside-table", load_beside::rows(record).take(LINES_MAX)).into()),
    ];
    let body = vec![Block::by_line(vec![fastest.into()]), Block::whole(whole.into_iter().flatten().collect())];
    Section::new("loads-beside", "Loads beside", body)
}

fn table<'a>(id: &str, rows: impl Iterator<Item = LoadBesideRow<'a>>) -> Table {
    let view = View::of(load_beside::columns())
        .words("load", ("", "load"), |of| Cell::text(clean(&of.of.load.test)))
        .words("load_title", ("", "title"), |of| Cell::text(cut(&clean(&of.of.title), TITLE_MAX)))
        .except(&["record", "invalid"])
        .first(&COLUMNS)
        .with_others(3);
    view.table(id, "Loads beside", rows, |_| Tone::Plain)
}
