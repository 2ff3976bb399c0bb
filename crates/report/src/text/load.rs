//! Loads on a terminal.

use record::Record;

use super::page::Page;
use super::{data, findings, next, runs};
use crate::load::{chart, costs, facts, legend, meanings, rates, remarks, scans, stages, tables};
use crate::not_listed;
use crate::style::Style;
use crate::words::plural;

/// What a record of `dbdyno load` says, laid out for `width` columns (at least 60 are used): what was loaded, how fast, at
/// what price, what the table came to, which stage set the pace, how fast it is read, what is in doubt. `place` is the path
/// of the record as the user may type it.
pub fn load_text(record: &Record, place: &str, style: Style, width: usize) -> String {
    let measured = plural(record.runs.len() as u64, "run");
    let mut page = Page::new(record, "bulk load into", &measured, style, width);
    let width = page.width;
    page.part("BULK LOAD", page.points(facts(record)));
    page.table("HOW FAST", rates(record), remarks(record));
    page.table("AT WHAT PRICE, of flat file", costs(record), Vec::new());
    page.part("PROCESSOR TIME OF A TERABYTE of flat file", chart(record, width));
    page.table("WHAT THE TABLE CAME TO", tables(record), Vec::new());
    let meant = legend(record).into_iter().collect();
    page.table("STAGES: share of the time of their threads, %", stages(record), meant);
    page.table("READING WHAT WAS LOADED", scans(record), meanings(record));
    page.table("PHYSICAL I/O as the engine counts it and as the block layer saw it", runs::io(record), Vec::new());
    page.part("SKIPPED", findings::skipped(record, width));
    page.part("IN DOUBT", findings::findings(record, style, width));
    page.table("DATA", data::data_sets(record), Vec::new());
    page.part("", not_listed(record, place, width));
    page.part("", next::next(record, place, width));
    page.end()
}
