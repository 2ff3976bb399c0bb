//! Loads on a terminal.

use record::Record;

use super::{data, findings, head, next, runs};
use crate::inventory;
use crate::layout::{Table, clean, cut, paragraph, section};
use crate::load::{chart, costs, facts, legend, rates, remarks, stages, tables};
use crate::not_listed;
use crate::style::{Ink, Style};
use crate::words::plural;

/// Title, platform, when, and what makes all figures doubtful.
fn top(record: &Record, style: Style, width: usize) -> Vec<String> {
    let subject = record.engine.as_ref().map_or("an engine", |engine| engine.title.as_str());
    let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
    let title = cut(&clean(&format!("dbdyno: bulk load into {subject} on {host}")), width);
    let mut lines = vec![style.paint(&title, Ink::Head), String::new()];
    lines.extend(inventory::head(&record.host, record.engine.as_ref(), style, width));
    let measured = format!("{}, {}", head::begun(record), plural(record.runs.len() as u64, "run"));
    lines.extend(paragraph("measured", 10, &measured, width));
    lines.extend(paragraph("dbdyno", 10, &head::instrument(record), width));
    let warnings = head::warnings(record).into_iter().flat_map(|warning| paragraph("!", 10, &warning, width));
    lines.extend(warnings.map(|line| style.paint(&line, Ink::Warning)));
    lines
}

/// What a record of `dbdyno load` says, laid out for `width` columns (at least 60 are used): what was loaded, how fast, at
/// what price, what the table came to, which stage set the pace, what is in doubt. `place` is the path of the record as the
/// user may type it.
pub fn load_text(record: &Record, place: &str, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let mut lines = top(record, style, width);
    let mut part = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.extend((!title.is_empty()).then(|| section(title, style, width)));
            lines.extend(body);
        }
    };
    let shown = |table: Table| if table.is_empty() { Vec::new() } else { table.lines(style, width) };
    let none = if record.runs.is_empty() { vec!["no run is finished".to_owned()] } else { Vec::new() };
    part("", none);
    part("BULK LOAD", facts(record).iter().flat_map(|fact| paragraph("-", 2, fact, width)).collect());
    let remarked = remarks(record).into_iter().flat_map(|remark| paragraph("-", 2, &remark, width));
    part("HOW FAST", shown(rates(record)).into_iter().chain(remarked).collect());
    part("AT WHAT PRICE, of flat file", shown(costs(record)));
    part("PROCESSOR TIME OF A TERABYTE of flat file", chart(record, width));
    part("WHAT THE TABLE CAME TO", shown(tables(record)));
    let meant = legend(record).into_iter().flat_map(|legend| paragraph("-", 2, &legend, width));
    part("STAGES: share of the time of their threads, %", shown(stages(record)).into_iter().chain(meant).collect());
    part("PHYSICAL I/O as the engine counts it and as the block layer saw it", shown(runs::io(record)));
    part("SKIPPED", findings::skipped(record, width));
    part("IN DOUBT", findings::findings(record, style, width));
    part("DATA", shown(data::data_sets(record)));
    part("", not_listed(record, place, width));
    part("", next::next(record, place, width));
    style.letters(lines.join("\n") + "\n")
}
