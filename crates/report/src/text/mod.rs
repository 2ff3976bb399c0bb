//! The spec sheet on a terminal.

mod data;
mod findings;
mod head;
mod next;
mod page;
mod runs;
mod sheet;
mod short;
mod steady;

use record::{PlanSubject, Record};

use crate::agents;
use crate::fitness;
use crate::html;
use crate::layout::paragraph;
use crate::limit::limits;
use crate::load_curve;
use crate::nodes::nodes;
use crate::not_listed;
use crate::pipeline::{self, PIPELINES};
use crate::storage;
use crate::style::Style;

pub(crate) use data::view as data_sets;
pub(crate) use findings::main_sentences;
pub(crate) use head::{SMOKE, data_reads, instrument, settled, started, storage_head, subject, warnings};
pub(crate) use next::next as next_steps;
pub use page::{blocks_text, load_text, streams_text};
pub(crate) use sheet::{ByNumber, asides, by_number, repeats, short_title, title, unrepeated};
pub(crate) use short::platform_sentence;
pub use short::short_text;

/// The spec sheet of `record`, laid out for `width` columns (at least 60 are used): the platform, the tests by layer,
/// warnings, steadiness, the table of runs, the data, and the next commands. `path` is the path of the record. A record
/// of another kind of measurement has the view of that kind, such as [`crate::io_text`].
pub fn text(record: &Record, path: &str, style: Style, width: usize) -> String {
    match record.plan.subject() {
        PlanSubject::Catalogue => {}
        PlanSubject::Io | PlanSubject::Proof(_) => return storage::io_text(record, path, style, width),
        PlanSubject::Blocks => return blocks_text(record, path, style, width),
        PlanSubject::Load => return load_text(record, path, style, width),
        PlanSubject::Streams => return streams_text(record, None, path, style, width),
    }
    let mut page = head::head(record, style, width);
    let width = page.width;
    if record.runs.is_empty() {
        page.part("", vec!["no run is finished".to_owned()]);
    } else {
        page.part("", sheet::groups(record, style, width));
        page.part("WARNINGS", findings::findings(record, style, width));
        page.part("RESULT CLASS", paragraph("", 2, &fitness::class_sentence(&html::fitness(record)), width));
        page.part("LIMITS", limits(record, width));
        page.part("STEADINESS", steady::steady(record, style, width));
    }
    page.part("SKIPPED", findings::skipped(record, width));
    if !record.runs.is_empty() {
        page.part("", not_listed(record, path, width));
        for (title, body) in load_curve::parts(record, style, width) {
            page.part(title, body);
        }
        page.part(PIPELINES, pipeline::lines(record, style, width));
        page.table("RUNS: rates and times", runs::rates(record), Vec::new());
        page.table("RUNS: physical I/O counted by the engine", runs::engine_io(record), Vec::new());
        page.table("RUNS: physical I/O counted by the block layer", runs::device_io(record), Vec::new());
        page.table("RUNS: processors", runs::processors(record), Vec::new());
    }
    page.table("NODES: the fastest run of each test on several", nodes(record), Vec::new());
    for (title, body) in agents::parts(record, style, width) {
        page.part(title, body);
    }
    for (title, body) in storage::tables(record, style, width) {
        page.part(title, body);
    }
    let (title, body) = storage::how(record, width);
    page.part(title, body);
    page.table("DATA", data::data_sets(record), Vec::new());
    page.part("", next::next(record, path, width));
    page.end()
}
