//! Storage runs: the tables of published reports, details, warnings, and the answers of searches.

mod calibration;
mod demand;
mod document;
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

pub(crate) use document::{calibrated, details, search, streams};
pub(crate) use fact::loop_text;
pub(crate) use stream::{runs, threads};
pub(crate) use warning::main_warnings;

use crate::document::{Block, Extent, Section};
use crate::layout::paragraph;
use crate::platform_proof;
use crate::render::terminal::Terminal;
use crate::style::Style;
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
    parts.push(part("Calibration", &calibrated(record), style, width));
    parts.push(part(crate::load_curve::SEARCH, &search(record), style, width));
    parts.push(("", crate::not_listed(record, path, width)));
    parts.extend(tables(record, style, width));
    parts.extend(crate::agents::parts(record, style, width));
    parts.push(("WARNINGS", warning::warnings(record, style, width)));
    parts.push(how(record, width));
    parts.push(("JOB FILE", record.plan.io.as_ref().map_or(Vec::new(), |io| remarks(io, width))));
    page(record, path, style, width, parts)
}

/// A section on a terminal, under `title`.
fn part(title: &'static str, section: &Section, style: Style, width: usize) -> Part {
    (title, Terminal { style, width, extent: Extent::Details }.lines(&section.body))
}

/// The tables of storage runs.
pub(crate) fn tables(record: &Record, style: Style, width: usize) -> Vec<Part> {
    vec![part("Streams of I/O", &streams(record), style, width)]
}

/// The results on a few lines: a calibration, the answer of a search, or a line per stream.
pub(crate) fn short(record: &Record, style: Style, width: usize) -> Vec<Part> {
    let terminal = Terminal { style, width, extent: Extent::Screen };
    let mut parts = Vec::new();
    parts
        .extend(model::calibration(record).map(|found| ("Calibration", terminal.lines(&calibration::figures(&found)))));
    let answer = until::answer(record).map(|answer| terminal.lines(&[Block::text(answer)]));
    parts.extend(answer.map(|lines| (crate::load_curve::SEARCH, lines)));
    if parts.is_empty() {
        parts.push(("", terminal.lines(&[table::results(record).into(), Block::aside(LEGEND)])));
    }
    parts
}

/// Details of the runs.
pub(crate) fn how(record: &Record, width: usize) -> Part {
    part("Storage: details", &details(record), Style::default(), width)
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
