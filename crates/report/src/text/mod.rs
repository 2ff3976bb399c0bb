//! The spec sheet on a terminal.

mod data;
mod findings;
mod head;
mod next;
mod page;
mod runs;
mod sheet;
mod steady;

use record::{PlanSubject, Record};

use crate::layout::{Table, paragraph, section};
use crate::limit::limits;
use crate::load_curve;
use crate::nodes::nodes;
use crate::not_listed;
use crate::storage;
use crate::style::Style;

pub(crate) use data::view as data_sets;
pub(crate) use head::{SMOKE, data_reads, instrument, started, storage_head, warnings};
pub(crate) use next::{command, next as next_steps, word};
pub use page::{blocks_text, load_text, streams_text};
pub(crate) use sheet::{ByNumber, LEGEND, asides, by_number, repeats, short_title, title, unrepeated};

/// The spec sheet of `record`, laid out for `width` columns (at least 60 are used): the platform, the tests by layer,
/// warnings, steadiness, the table of runs, the data, and the next commands. `path` is the path of the record. A record
/// of another kind of measurement has the view of that kind, such as [`crate::io_text`].
pub fn text(record: &Record, path: &str, style: Style, width: usize) -> String {
    match record.plan.subject() {
        PlanSubject::Catalogue => {}
        PlanSubject::Io => return storage::io_text(record, path, style, width),
        PlanSubject::Blocks => return blocks_text(record, path, style, width),
        PlanSubject::Load => return load_text(record, path, style, width),
        PlanSubject::Streams => return streams_text(record, None, path, style, width),
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
        part("WARNINGS", findings::findings(record, style, width));
        part("RESULT CLASS", paragraph("", 2, &crate::html::class(record).sentence(), width));
        part("LIMITS", limits(record, width));
        part("STEADINESS", steady::steady(record, style, width));
    }
    part("SKIPPED", findings::skipped(record, width));
    if !record.runs.is_empty() {
        part("", not_listed(record, path, width));
        for (title, body) in load_curve::parts(record, style, width) {
            part(title, body);
        }
        part("RUNS: rates and times", tables(runs::rates(record)));
        part("RUNS: physical I/O counted by the engine and by the block layer", tables(runs::io(record)));
        part("RUNS: processors", tables(runs::processors(record)));
    }
    part("NODES: the fastest run of each test on several", tables(nodes(record)));
    for (title, body) in storage::tables(record, style, width) {
        part(title, body);
    }
    let (title, body) = storage::how(record, width);
    part(title, body);
    part("DATA", tables(data::data_sets(record)));
    part("", next::next(record, path, width));
    style.encoded(lines.join("\n") + "\n")
}
