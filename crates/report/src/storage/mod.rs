//! Storage runs: the tables of published reports, details, warnings, and the answers of searches.

mod calibration;
mod demand;
mod fact;
mod job;
mod plan;
mod stream;
mod table;
mod until;
mod warning;

use record::Record;

pub use plan::io_plan_text;
pub use table::io_csv;

pub(crate) use fact::loop_text;
pub(crate) use stream::{runs, threads};
pub(crate) use table::{job_and_rates, view};
pub(crate) use warning::main_warnings;

use crate::document::Extent;
use crate::layout::{Table, paragraph, spaced};
use crate::platform_proof;
use crate::render::terminal::Terminal;
use crate::style::{Ink, Style};
use crate::text::{next_steps, storage_head};
use crate::verdict::LEGEND;

/// Title and lines of a part of a page; one without lines is left out.
pub(crate) type Part = (&'static str, Vec<String>);

/// The storage runs of `record`, laid out for `width` columns (at least 60 are used): a line per stream with the
/// columns of published reports, latencies, CPU cost and block layer I/O, warnings, I/O modes, files, and ignored
/// options of the job file. A record of a search starts with its answer. `path` is the path of the record.
pub fn io_text(record: &Record, path: &str, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let terminal = Terminal { style, width, extent: Extent::Details };
    let mut parts = vec![(platform_proof::TITLE, terminal.lines(&platform_proof::blocks(record)))];
    parts.extend(calibration::calibration_parts(record, style, width));
    parts.push((crate::load_curve::SEARCH, until::answer(record, style, width)));
    parts.push(("", crate::not_listed(record, path, width)));
    parts.extend(tables(record, style, width));
    parts.extend(crate::agents::parts(record, style, width));
    parts.extend(details(record, style, width));
    page(record, path, style, width, parts)
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
        ("STORAGE: CPU cost and block layer I/O", lines(table::costs(record), table::CEILING)),
    ]
}

/// The results on a few lines: a calibration, the answer of a search, or a line per stream.
pub(crate) fn short(record: &Record, style: Style, width: usize) -> Vec<Part> {
    let mut parts = calibration::calibration_parts(record, style, width);
    parts.truncate(1);
    // The sentences of the answer, without its points.
    let answer: Vec<String> =
        until::answer(record, style, width).into_iter().take_while(|line| !line.is_empty()).collect();
    if !answer.is_empty() {
        parts.push((crate::load_curve::SEARCH, answer));
    }
    if parts.is_empty() {
        let table = table::results(record);
        let mut lines = if table.is_empty() { Vec::new() } else { table.lines(style, width) };
        lines.extend(spaced(LEGEND, 0, width).iter().map(|line| style.paint(line, Ink::Aside)));
        parts = vec![("", lines)];
    }
    parts
}

/// Warnings, details, and ignored options of the job file.
pub(crate) fn details(record: &Record, style: Style, width: usize) -> Vec<Part> {
    vec![
        ("WARNINGS", warning::warnings(record, style, width)),
        how(record, width),
        ("JOB FILE", record.plan.io.as_ref().map_or(Vec::new(), |io| remarks(io, width))),
    ]
}

/// Details of the runs.
pub(crate) fn how(record: &Record, width: usize) -> Part {
    ("STORAGE: details", fact::facts(record, width))
}

/// Lints of the job file, and options without effect.
fn remarks(io: &record::IoPlan, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (label, texts) in [("  note", &io.lints), ("  ignored", &io.ignored)] {
        let label = |index: usize| if index == 0 { label } else { "" };
        lines.extend(texts.iter().enumerate().flat_map(|(index, text)| paragraph(label(index), 12, text, width)));
    }
    lines
}

/// A page: its head, the parts that have lines, and the path of the record.
fn page(record: &Record, path: &str, style: Style, width: usize, parts: Vec<Part>) -> String {
    let mut page = storage_head(record, style, width);
    if runs(record).next().is_none() {
        page.part("", vec!["no run of storage is finished".to_owned()]);
    }
    parts.into_iter().for_each(|(title, body)| page.part(title, body));
    page.part("", next_steps(record, path, page.width));
    page.end()
}
