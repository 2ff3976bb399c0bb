//! A platform on paper on a terminal.

use model::platform_plan::{
    Bound, LinkLoad, PlatformPlan, bounds, oversubscribed, prices, purchases, second_level, storage,
};
use record::Ratio;

use super::amount::{amount, basis, measure, part, rate};
use super::outlook::{client_sentences, commit_sentences, memory_sentences};
use super::storage::{cached_sentences, second_level_sentences, volume_sentences, wear_sentences};
use super::verdict::{bottleneck, costs, purchase};
use crate::figure::{UNKNOWN, percent};
use crate::layout::{Align, Head, Page, Table, clean};
use crate::style::{Ink, Style};

const PARTS: [Head; 7] = [
    (&["part"], Align::Left),
    (&["of"], Align::Left),
    (&["required"], Align::Right),
    (&["at best"], Align::Right),
    (&["share"], Align::Right),
    (&["basis"], Align::Left),
    (&["source"], Align::Left),
];
/// The column of what is required.
const REQUIRED: usize = 2;

const LINKS: [Head; 6] = [
    (&["link"], Align::Left),
    (&["below it"], Align::Left),
    (&["below"], Align::Right),
    (&["carries"], Align::Right),
    (&["share"], Align::Right),
    (&["a drive", "gets"], Align::Right),
];
/// The column of what is below a link, which is cut.
const BELOW: usize = 1;

/// What the figures are.
const NOTE: &str = "All figures are bounds: with the others at work a part gives less. Rates of links and networks are \
                    those of data after line code and headers";

/// The platform for `width` columns (at least 60 are used): its bottleneck, every part with what is required of it, the
/// fullest first, and what follows.
pub fn platform_plan_text(plan: &PlatformPlan, style: Style, width: usize) -> String {
    let found = bounds(plan);
    let is_required = found.iter().any(|bound| bound.required.is_some());
    let title =
        plan.name.as_ref().map_or_else(|| "dbdyno platform".to_owned(), |name| format!("dbdyno platform: {name}"));
    let mut page = Page::new(&title, style, width);
    page.part("", page.points(bottleneck(plan, &found)));
    page.table("PARTS: the fullest first", parts(&found, is_required, page.width), required_remark(plan));
    let links = oversubscribed(plan).iter().map(link_row).collect();
    page.table("SHARED LINKS: what is below them", Table::fitted(&LINKS, links, BELOW, page.width), Vec::new());
    page.part("MEMORY", page.points(memory_sentences(plan, &found)));
    if let Some(storage) = storage(plan) {
        let volume = plan.volume.as_ref().map_or_else(Vec::new, |_| volume_sentences(plan, &storage));
        page.part("VOLUME", page.points(volume));
        page.part("ENDURANCE", page.points(wear_sentences(&storage)));
    }
    page.part("COMMITS", page.points(commit_sentences(plan)));
    page.part("CLIENTS", page.points(client_sentences(plan, &found)));
    page.part("CACHE DEVICE", page.points(cached_sentences(plan)));
    let level = second_level(plan).map_or_else(Vec::new, |level| second_level_sentences(&level));
    page.part("SECOND-LEVEL CACHE", page.points(level));
    let cost = prices(plan).map_or_else(Vec::new, |book| costs(plan, &book, &found));
    page.part("COST", page.points(cost));
    let next = purchases(plan, &found);
    let next = next.iter().map(|found| purchase(plan, found, is_required)).collect();
    page.part("WHAT TO BUY NEXT", page.points(next));
    if !found.is_empty() {
        page.part("", page.paragraphs("", 0, [NOTE]));
    }
    page.end()
}

/// The table of parts; without the column of what is required where nothing is.
fn parts(bounds: &[Bound], is_required: bool, width: usize) -> Table {
    let shown = |index: &usize| is_required || *index != REQUIRED;
    let heads: Vec<Head> =
        PARTS.into_iter().enumerate().filter(|(index, _)| shown(index)).map(|(_, head)| head).collect();
    let rows = bounds.iter().map(|bound| {
        let (cells, ink) = part_row(bound, is_required);
        let cells = cells.into_iter().enumerate().filter(|(index, _)| shown(index)).map(|(_, cell)| cell);
        (cells.collect(), ink)
    });
    Table::fitted(&heads, rows.collect(), heads.len() - 1, width)
}

/// Whose requirement it is.
fn required_remark(plan: &PlatformPlan) -> Vec<String> {
    plan.required.source.iter().map(|source| format!("required: {}", clean(source))).collect()
}

fn part_row(bound: &Bound, is_required: bool) -> (Vec<String>, Option<Ink>) {
    let is_short = is_required && bound.share.is_some_and(|share| share > 1.0);
    let unknown = || UNKNOWN.to_owned();
    let cells = vec![
        part(&bound.part),
        measure(bound.measure).to_owned(),
        bound.required.map_or_else(unknown, |required| amount(bound.measure, required)),
        amount(bound.measure, bound.available),
        bound.share.map_or_else(unknown, |share| percent(Ratio(share))),
        basis(bound.origin.basis).to_owned(),
        bound.origin.source.as_deref().map_or_else(String::new, clean),
    ];
    (cells, is_short.then_some(Ink::Warning))
}

fn link_row(found: &LinkLoad) -> (Vec<String>, Option<Ink>) {
    let each = found.each.map_or_else(|| UNKNOWN.to_owned(), |(each, _)| rate(each));
    let below: Vec<String> = found.below.iter().map(|name| clean(name)).collect();
    let cells = vec![
        clean(&found.name),
        below.join(", "),
        rate(found.asked),
        rate(found.carries),
        percent(Ratio(found.ratio)),
        each,
    ];
    (cells, (found.ratio > 1.0).then_some(Ink::Warning))
}
