//! A plan on a terminal.

use super::LoadPlanView;
use super::row::{resource_rows, stage_rows};
use super::sentence::{caveats, goal_words, sentences};
use crate::layout::{Align, Head, Page, Table};
use crate::style::{Ink, Style};

const LEFT: usize = 4;

const RESOURCES: [Head; 6] = [
    (&["resource"], Align::Left),
    (&["required"], Align::Right),
    (&["available"], Align::Right),
    (&["used"], Align::Right),
    (&["time", "alone"], Align::Right),
    (&["count", "required"], Align::Left),
];

const STAGES: [Head; 6] = [
    (&["stage"], Align::Left),
    (&["flat file", "per core"], Align::Right),
    (&["range"], Align::Right),
    (&["cores", "required"], Align::Right),
    (&["workers"], Align::Right),
    (&["source"], Align::Left),
];

/// The plan for `width` columns (at least 60 are used): an explanation, each resource required and available with the
/// bottleneck first, the stages with their rates, and caveats.
pub fn load_plan_text(view: &LoadPlanView, style: Style, width: usize) -> String {
    let mut page = Page::new(&format!("dbdyno load plan: {}", goal_words(view)), style, width);
    page.part("SUMMARY", page.points(sentences(view)));
    let table = |head: &[Head], rows: Vec<(Vec<String>, Option<Ink>)>| {
        let mut table = Table::new(head, &[]);
        rows.into_iter().for_each(|(cells, ink)| table.push(cells, ink));
        table
    };
    let ink = |is_short: bool| is_short.then_some(Ink::Warning);
    let resources = resource_rows(view).into_iter().map(|row| (row.cells.to_vec(), ink(row.is_short))).collect();
    page.table("RESOURCES: the most used first", table(&RESOURCES, resources), Vec::new());
    let stages = stage_rows(view).into_iter().map(|cells| (cells.to_vec(), None)).collect();
    page.table("CPU STAGES", table(&STAGES, stages), Vec::new());
    page.part("CAVEATS", page.paragraphs("!", LEFT, caveats(view)));
    page.end()
}
