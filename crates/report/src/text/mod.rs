//! The spec sheet on a terminal.

mod blocks;
mod data;
mod findings;
mod head;
mod load;
mod next;
mod nodes;
mod page;
mod price;
mod runs;
mod sheet;
mod steady;
mod streams;

use record::{PlanSubject, Record};

use crate::layout::{Table, paragraph, section};
use crate::limit::limits;
use crate::load_curve;
use crate::not_listed;
use crate::storage;
use crate::style::Style;

pub use blocks::blocks_text;
pub(crate) use data::view as data_sets;
pub(crate) use head::{SMOKE, begun, instrument, storage_head, warnings};
pub use load::load_text;
pub(crate) use next::{command, next as next_steps, word};
pub use price::price_text;
pub(crate) use sheet::{ByNumber, LEGEND, asides, by_number, repeats, short_title, title, unrepeated};
pub use streams::streams_text;

/// The spec sheet of `record`, laid out for `width` columns (at least 60 are used): the platform, the tests by layer,
/// what is in doubt, whether rates were steady, the table of runs, the data, and what to do next. `place` is the path
/// of the record as the user may type it. A record that holds nothing but storage runs of a job file, a search or a
/// calibration has no sheet: [`crate::io_text`] speaks for it.
pub fn text(record: &Record, place: &str, style: Style, width: usize) -> String {
    match record.plan.subject() {
        PlanSubject::Catalogue => {}
        PlanSubject::Io => return storage::io_text(record, place, style, width),
        PlanSubject::Blocks => return blocks_text(record, place, style, width),
        PlanSubject::Load => return load_text(record, place, style, width),
        PlanSubject::Streams => return streams_text(record, None, place, style, width),
    }
    let width = crate::page_width(width);
    let mut lines = head::head(record, style, width);
    let mut part = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.extend((!title.is_empty()).then(|| section(title, style, width)));
            lines.extend(body);
        }
    };
    let tables = |table: Table| if table.is_empty() { Vec::new() } else { table.lines(style, width) };
    if record.runs.is_empty() {
        part("", vec!["no run is finished".to_owned()]);
    } else {
        part("", sheet::groups(record, style, width));
        part("IN DOUBT", findings::findings(record, style, width));
        part("WHAT IT MAY BE USED FOR", paragraph("", 2, &crate::html::class(record).sentence(), width));
        part("WHAT LIMITS IT", limits(record, width));
        part("STEADINESS", steady::steady(record, style, width));
    }
    part("SKIPPED", findings::skipped(record, width));
    if !record.runs.is_empty() {
        part("", not_listed(record, place, width));
        for (title, body) in load_curve::parts(record, style, width) {
            part(title, body);
        }
        part("RUNS: rates and times", tables(runs::rates(record)));
        part("RUNS: physical I/O as the engine counts it and as the block layer saw it", tables(runs::io(record)));
        part("RUNS: processors", tables(runs::processors(record)));
    }
    part("NODES: the fastest run of each test on several", tables(nodes::nodes(record)));
    for (title, body) in storage::tables(record, style, width) {
        part(title, body);
    }
    let (title, body) = storage::how(record, width);
    part(title, body);
    part("DATA", tables(data::data_sets(record)));
    part("", next::next(record, place, width));
    style.letters(lines.join("\n") + "\n")
}
