//! File streams on a terminal.

use record::Record;

use super::{findings, head, next, runs};
use crate::inventory;
use crate::layout::{Table, clean, cut, paragraph, section};
use crate::not_listed;
use crate::streams::{costs, facts, rates, remarks};
use crate::style::{Ink, Style};
use crate::words::plural;

/// Title, platform, how often, and what makes all figures doubtful.
fn top(record: &Record, style: Style, width: usize) -> Vec<String> {
    let subject = record.engine.as_ref().map_or("an engine", |engine| engine.title.as_str());
    let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
    let title = cut(&clean(&format!("dbdyno: files kept in {subject} on {host}")), width);
    let mut lines = vec![style.paint(&title, Ink::Head), String::new()];
    lines.extend(inventory::head(&record.host, record.engine.as_ref(), style, width));
    let measured = format!("{}, {}", head::begun(record), plural(record.runs.len() as u64, "run"));
    lines.extend(paragraph("measured", 10, &measured, width));
    lines.extend(paragraph("dbdyno", 10, &head::instrument(record), width));
    let warnings = head::warnings(record).into_iter().flat_map(|warning| paragraph("!", 10, &warning, width));
    lines.extend(warnings.map(|line| style.paint(&line, Ink::Warning)));
    lines
}

/// What a record of `dbdyno streams` says, laid out for `width` columns (at least 60 are used): what was done, how fast
/// files went in and out beside the file system, what a megabyte cost, physical I/O, what is in doubt. `published` says
/// with which streams others measured; `place` is the path of the record as the user may type it.
pub fn streams_text(record: &Record, published: Option<&str>, place: &str, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let mut lines = top(record, style, width);
    let mut part = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.extend((!title.is_empty()).then(|| section(title, style, width)));
            lines.extend(body);
        }
    };
    let tables = |table: Table| if table.is_empty() { Vec::new() } else { table.lines(style, width) };
    let none = if record.runs.is_empty() { vec!["no run is finished".to_owned()] } else { Vec::new() };
    part("", none);
    let said = facts(record).into_iter().chain(published.map(str::to_owned));
    part("FILE STREAMS", said.flat_map(|fact| paragraph("-", 2, &fact, width)).collect());
    let remarked = remarks(record).into_iter().flat_map(|remark| paragraph("-", 2, &remark, width));
    part("HOW FAST", tables(rates(record)).into_iter().chain(remarked).collect());
    part("WHAT A MEGABYTE COSTS", tables(costs(record)));
    part("PHYSICAL I/O as the engine counts it and as the block layer saw it", tables(runs::io(record)));
    part("IN DOUBT", findings::findings(record, style, width));
    part("SKIPPED", findings::skipped(record, width));
    part("", not_listed(record, place, width));
    part("", next::next(record, place, width));
    style.letters(lines.join("\n") + "\n")
}
