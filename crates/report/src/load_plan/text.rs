//! A plan on a terminal.

use super::LoadPlanView;
use super::row::{resource_rows, stage_rows};
use super::sentence::{caveats, goal_words, sentences};
use crate::layout::{Align, Head, Table, cut, paragraph, section};
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
    let width = crate::page_width(width);
    let title = format!("dbdyno load plan: {}", goal_words(view));
    let mut lines = vec![style.paint(&cut(&title, width), Ink::Head)];
    let mut part = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.push(section(title, style, width));
            lines.extend(body);
        }
    };
    part("EXPLANATION", sentences(view).iter().flat_map(|sentence| paragraph("-", 2, sentence, width)).collect());
    let table = |head: &[Head], rows: Vec<(Vec<String>, Option<Ink>)>| {
        let mut table = Table::new(head, &[]);
        rows.into_iter().for_each(|(cells, ink)| table.push(cells, ink));
        if table.is_empty() { Vec::new() } else { table.lines(style, width) }
    };
    let ink = |is_short: bool| is_short.then_some(Ink::Warning);
    let resources = resource_rows(view).into_iter().map(|row| (row.cells.to_vec(), ink(row.is_short))).collect();
    part("RESOURCES: the most used first", table(&RESOURCES, resources));
    let stages = stage_rows(view).into_iter().map(|cells| (cells.to_vec(), None)).collect();
    part("CPU STAGES", table(&STAGES, stages));
    part("CAVEATS", caveats(view).iter().flat_map(|caveat| paragraph("!", LEFT, caveat, width)).collect());
    style.encoded(lines.join("\n") + "\n")
}
