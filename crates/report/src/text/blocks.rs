//! Random blocks on a terminal.

use record::Record;

use super::page::Page;
use super::{data, findings, next, runs};
use crate::blocks::{averages, chart, extent, facts, kinds, line, remarks};
use crate::limit::limits;
use crate::not_listed;
use crate::style::Style;
use crate::words::plural;

/// What a record of `dbdyno blocks` says, laid out for `width` columns (at least 60 are used): what was done, the line of
/// the method, what an operation cost, the tiers of caches, the kinds of operations, physical I/O, what is in doubt.
/// `place` is the path of the record as the user may type it.
pub fn blocks_text(record: &Record, place: &str, style: Style, width: usize) -> String {
    let measured = format!("{} of {}", plural(record.runs.len() as u64, "run"), extent(record));
    let mut page = Page::new(record, "random blocks through", &measured, style, width);
    let width = page.width;
    page.part("RANDOM BLOCKS", page.points(facts(record)));
    page.table("THE LINE OF THE METHOD", line(record), remarks(record));
    page.table("AN OPERATION ON AVERAGE", averages(record), Vec::new());
    page.part("READS OF AN OPERATION, by size of the engine's cache", chart(record, width));
    page.table("KINDS OF OPERATIONS: service times", kinds(record), Vec::new());
    page.table("PHYSICAL I/O as the engine counts it and as the block layer saw it", runs::io(record), Vec::new());
    page.part("IN DOUBT", findings::findings(record, style, width));
    page.part("WHAT LIMITS IT", limits(record, width));
    page.table("DATA", data::data_sets(record), Vec::new());
    page.part("", not_listed(record, place, width));
    page.part("", next::next(record, place, width));
    page.end()
}
