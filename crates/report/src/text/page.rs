//! The text views of records of random blocks, loads and file streams.

use record::Record;

use super::{data, findings, head, next, runs};
use crate::document::{Extent, Section};
use crate::layout::{Page, paragraph};
use crate::limit::limits;
use crate::render::terminal::Terminal;
use crate::style::Style;
use crate::words::plural;
use crate::{agents, blocks, fleet, inventory, load, not_listed, streams, summary};

/// The head of such a view: the title, the platform, start time and extent (`measured`), warnings, and a note where no run
/// is finished.
fn page(record: &Record, measured: &str, style: Style, width: usize) -> Page {
    let mut page = Page::new(&format!("dbdyno: {}", head::subject(record)), style, width);
    let width = page.width;
    page.part("SUMMARY", summary::lines(record, width));
    page.part("", inventory::head(&record.host, record.engine.as_ref(), style, width));
    fleet::agents(record).into_iter().for_each(|agents| page.extend(paragraph("jobs", 10, &agents, width)));
    page.extend(paragraph("measured", 10, &format!("{}, {measured}", head::started(record)), width));
    page.extend(paragraph("dbdyno", 10, &head::instrument(record), width));
    page.extend(head::warning_lines(record, style, width));
    if record.runs.is_empty() {
        page.part("", vec!["no run is finished".to_owned()]);
    }
    page
}

/// The tables of physical I/O, and of agents.
fn physical_io_and_agents(page: &mut Page, record: &Record, style: Style) {
    page.table("PHYSICAL I/O: counted by the engine", runs::engine_io(record), Vec::new());
    page.table("PHYSICAL I/O: counted by the block layer", runs::device_io(record), Vec::new());
    for (title, body) in agents::parts(record, style, page.width) {
        page.part(title, body);
    }
}

/// A section of a document.
fn section(page: &mut Page, section: &Section, style: Style) {
    let terminal = Terminal { style, width: page.width, extent: Extent::Details };
    page.part(&section.title, terminal.lines(&section.body));
}

/// A record of `dbdyno blocks`, laid out for `width` columns (at least 60 are used): workload, SLOB-style summary,
/// per-operation averages, cache tiers, kinds of operations, physical I/O, warnings. `path` is the path of the record.
pub fn blocks_text(record: &Record, path: &str, style: Style, width: usize) -> String {
    let measured = format!("{} of {}", plural(record.runs.len() as u64, "run"), blocks::extent(record));
    let mut page = page(record, &measured, style, width);
    let width = page.width;
    section(&mut page, &blocks::blocks(record), style);
    physical_io_and_agents(&mut page, record, style);
    page.part("WARNINGS", findings::findings(record, style, width));
    page.part("LIMITS", limits(record, width));
    page.table("DATA", data::data_sets(record), Vec::new());
    page.part("", not_listed(record, path, width));
    page.part("", next::next(record, path, width));
    page.end()
}

/// A record of `dbdyno load`, laid out for `width` columns (at least 60 are used): what was loaded, rates, resource
/// cost, table size, stages, scan rates, warnings. `path` is the path of the record.
pub fn load_text(record: &Record, path: &str, style: Style, width: usize) -> String {
    let measured = plural(record.runs.len() as u64, "run");
    let mut page = page(record, &measured, style, width);
    let width = page.width;
    section(&mut page, &load::loads(record), style);
    section(&mut page, &load::scans(record), style);
    physical_io_and_agents(&mut page, record, style);
    page.part("SKIPPED", findings::skipped(record, width));
    page.part("WARNINGS", findings::findings(record, style, width));
    page.table("DATA", data::data_sets(record), Vec::new());
    page.part("", not_listed(record, path, width));
    page.part("", next::next(record, path, width));
    page.end()
}

/// A record of `dbdyno streams`, laid out for `width` columns (at least 60 are used): workload, rates in the engine and
/// on the file system, cost of a megabyte, physical I/O, warnings. `published` is a note on published measurements;
/// `path` is the path of the record.
pub fn streams_text(record: &Record, published: Option<&str>, path: &str, style: Style, width: usize) -> String {
    let measured = plural(record.runs.len() as u64, "run");
    let mut page = page(record, &measured, style, width);
    let width = page.width;
    section(&mut page, &streams::streams(record, published), style);
    physical_io_and_agents(&mut page, record, style);
    page.part("WARNINGS", findings::findings(record, style, width));
    page.part("SKIPPED", findings::skipped(record, width));
    page.part("", not_listed(record, path, width));
    page.part("", next::next(record, path, width));
    page.end()
}
