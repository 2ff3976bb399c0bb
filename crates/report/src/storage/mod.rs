//! Storage runs: the tables of published reports, what stands behind them, what is in doubt, and the answers of
//! searches.

mod calibration;
mod demand;
mod doubt;
mod fact;
mod job;
mod plan;
mod stream;
mod table;
mod until;

use record::Record;

pub use plan::io_plan_text;
pub use table::io_csv;

pub(crate) use stream::{runs, threads};
pub(crate) use table::view;

use crate::layout::{Table, paragraph, section, spaced};
use crate::style::{Ink, Style};
use crate::text::{LEGEND, next_steps, storage_head};

/// Title and lines of a part of a page; one without lines is not drawn.
pub(crate) type Part = (&'static str, Vec<String>);

/// The storage runs of `record`, laid out for `width` columns (at least 60 are used): a line per stream with the
/// columns of published reports, latencies, what each I/O cost and what the block layer saw, what is in doubt, how I/O
/// was handed over, the files, and what of the job file was not followed. A record of a search begins with its answer.
/// `place` is the path of the record as the user may type it.
pub fn io_text(record: &Record, place: &str, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let mut parts = calibration::answer(record, style, width);
    parts.push((crate::load_curve::SEARCH, until::answer(record, style, width)));
    parts.push(("", crate::not_listed(record, place, width)));
    parts.extend(tables(record, style, width));
    parts.extend(beside(record, style, width));
    page(record, place, style, width, parts)
}

/// The tables of storage runs.
pub(crate) fn tables(record: &Record, style: Style, width: usize) -> Vec<Part> {
    let lines = |table: Table, legend: &str| {
        let mut lines = if table.is_empty() { Vec::new() } else { table.lines(style, width) };
        if !lines.is_empty() && !legend.is_empty() {
            lines.extend(spaced(legend, 0, width).iter().map(|line| style.paint(line, Ink::Aside)));
        }
        lines
    };
    vec![
        ("STORAGE: throughput", lines(table::throughputs(record), LEGEND)),
        ("STORAGE: latency", lines(table::latencies(record), "")),
        ("STORAGE: what it cost, and what the block layer saw", lines(table::costs(record), table::CEILING)),
    ]
}

/// What is in doubt, what stands behind the figures, and what of the job file was not followed.
pub(crate) fn beside(record: &Record, style: Style, width: usize) -> Vec<Part> {
    vec![
        ("IN DOUBT", doubt::doubts(record, style, width)),
        how(record, width),
        ("THE JOBS AS WRITTEN", record.plan.io.as_ref().map_or(Vec::new(), |io| remarks(io, width))),
    ]
}

/// What stands behind the figures.
pub(crate) fn how(record: &Record, width: usize) -> Part {
    ("STORAGE: how it was done", fact::facts(record, width))
}

/// What does not do what it seems to, and what has no effect.
fn remarks(io: &record::IoPlan, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (label, texts) in [("  note", &io.lints), ("  ignored", &io.ignored)] {
        let label = |index: usize| if index == 0 { label } else { "" };
        lines.extend(texts.iter().enumerate().flat_map(|(index, text)| paragraph(label(index), 12, text, width)));
    }
    lines
}

/// A page: its head, the parts that have lines, and where the record lies.
fn page(record: &Record, place: &str, style: Style, width: usize, parts: Vec<Part>) -> String {
    let mut lines = storage_head(record, style, width);
    if runs(record).next().is_none() {
        lines.extend([String::new(), "no run of storage is finished".to_owned()]);
    }
    for (title, body) in parts.into_iter().filter(|(_, body)| !body.is_empty()) {
        lines.push(String::new());
        lines.extend((!title.is_empty()).then(|| section(title, style, width)));
        lines.extend(body);
    }
    lines.push(String::new());
    lines.extend(next_steps(record, place, width));
    style.letters(lines.join("\n") + "\n")
}
