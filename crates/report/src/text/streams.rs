//! File streams on a terminal.

use record::Record;

use super::page::Page;
use super::{findings, next, runs};
use crate::not_listed;
use crate::streams::{costs, facts, rates, remarks};
use crate::style::Style;
use crate::words::plural;

/// What a record of `dbdyno streams` says, laid out for `width` columns (at least 60 are used): what was done, how fast
/// files went in and out beside the file system, what a megabyte cost, physical I/O, what is in doubt. `published` says
/// with which streams others measured; `place` is the path of the record as the user may type it.
pub fn streams_text(record: &Record, published: Option<&str>, place: &str, style: Style, width: usize) -> String {
    let measured = plural(record.runs.len() as u64, "run");
    let mut page = Page::new(record, "files kept in", &measured, style, width);
    let width = page.width;
    let said = facts(record).into_iter().chain(published.map(str::to_owned)).collect();
    page.part("FILE STREAMS", page.points(said));
    page.table("HOW FAST", rates(record), remarks(record));
    page.table("WHAT A MEGABYTE COSTS", costs(record), Vec::new());
    page.table("PHYSICAL I/O as the engine counts it and as the block layer saw it", runs::io(record), Vec::new());
    page.part("IN DOUBT", findings::findings(record, style, width));
    page.part("SKIPPED", findings::skipped(record, width));
    page.part("", not_listed(record, place, width));
    page.part("", next::next(record, place, width));
    page.end()
}
