//! A platform on paper: its bottleneck, every part with what is required of it, and what follows.

use model::platform_plan::{
    Bound, LinkLoad, PlatformPlan, bounds, oversubscribed, prices, purchases, second_level, storage,
};
use record::{Rate, Ratio};

use super::amount::{amount, basis, measure, part, rate};
use super::outlook::{client_sentences, commit_sentences, memory_sentences};
use super::storage::{cached_sentences, second_level_sentences, volume_sentences, wear_sentences};
use super::verdict::{bottleneck, costs, purchase};
use crate::document::{Block, Cell, Column, Document, Row, Section, Table, Tone};
use crate::figure::percent;

/// What the figures are.
const NOTE: &str = "All figures are bounds: with the others at work a part gives less. Rates of links and networks are \
                    those of data after line code and headers";

/// The view of a platform: its bottleneck, every part, the fullest first, and what follows for memory, storage, commits,
/// caches, costs and the next purchase.
pub fn platform_plan(plan: &PlatformPlan) -> Document {
    let found = bounds(plan);
    let is_required = found.iter().any(|bound| bound.required.is_some());
    let title = plan.name.as_ref().map_or_else(|| "Platform".to_owned(), |name| format!("Platform: {name}"));
    let required = plan.required.source.iter().map(|source| format!("required: {source}"));
    let storage = storage(plan);
    let volume = storage.as_ref().filter(|_| plan.volume.is_some());
    let volume = volume.map_or_else(Vec::new, |storage| volume_sentences(plan, storage));
    let level = second_level(plan).map_or_else(Vec::new, |level| second_level_sentences(&level));
    let cost = prices(plan).map_or_else(Vec::new, |book| costs(plan, &book, &found));
    let next = purchases(plan, &found);
    let next = next.iter().map(|found| purchase(plan, found, is_required)).collect();
    let list = |id, title: &str, sentences: Vec<String>| Section::new(id, title, vec![Block::list(sentences)]);
    let sections = vec![
        Section::new(
            "parts",
            "Parts: the fullest first",
            vec![parts(&found, is_required).into(), Block::list(required)],
        ),
        Section::new("links", "Shared links: what is below them", vec![links(plan).into()]),
        list("memory", "Memory", memory_sentences(plan, &found)),
        list("volume", "Volume", volume),
        list("endurance", "Endurance", storage.as_ref().map_or_else(Vec::new, wear_sentences)),
        list("commits", "Commits", commit_sentences(plan)),
        list("clients", "Clients", client_sentences(plan, &found)),
        list("cache-device", "Cache device", cached_sentences(plan)),
        list("second-level", "Second-level cache", level),
        list("cost", "Cost", cost),
        list("next", "What to buy next", next),
    ];
    Document {
        lead: vec![Block::list(bottleneck(plan, &found))],
        foot: if found.is_empty() { Vec::new() } else { vec![Block::text(NOTE)] },
        ..Document::new(title, sections)
    }
}

/// The table of parts; without the column of what is required where nothing is.
fn parts(bounds: &[Bound], is_required: bool) -> Table {
    let required = is_required.then(|| Column::figure("required"));
    let columns = [Column::text("part"), Column::text("of")].into_iter().chain(required).chain([
        Column::figure("at best"),
        Column::figure("share"),
        Column::text("basis"),
        Column::text("source"),
    ]);
    let columns: Vec<Column> = columns.collect();
    let row = |bound: &Bound| {
        let required = is_required.then(|| Cell::figure(bound.required, |required| amount(bound.measure, required)));
        let cells = [Cell::text(part(&bound.part)), Cell::text(measure(bound.measure))];
        let cells = cells.into_iter().chain(required).chain([
            Cell::figure(Some(bound.available), |available| amount(bound.measure, available)),
            Cell::figure(bound.share, |share| percent(Ratio(share))),
            Cell::text(basis(bound.origin.basis)),
            Cell::text(bound.origin.source.as_deref().unwrap_or_default()),
        ]);
        full(Row::new(cells.collect()), bound.share.filter(|_| is_required))
    };
    let source = columns.len() - 1;
    let table = Table::new("parts-table", "", columns).with(bounds.iter().map(row));
    Table { flexible: Some(source), ..table }
}

/// Links with more below them than they carry.
fn links(plan: &PlatformPlan) -> Table {
    let columns = vec![
        Column::text("link"),
        Column::text("below it"),
        Column::figure("below"),
        Column::figure("carries"),
        Column::figure("share"),
        Column::figure("a drive\ngets"),
    ];
    let rated = |value: Option<Rate>| Cell::figure(value.map(|value| value.0), |value| rate(Rate(value)));
    let row = |found: &LinkLoad| {
        let cells = vec![
            Cell::text(found.name.as_str()),
            Cell::text(found.below.join(", ")),
            rated(Some(found.asked)),
            rated(Some(found.carries)),
            Cell::figure(Some(found.ratio), |share| percent(Ratio(share))),
            rated(found.each.map(|(each, _)| each)),
        ];
        full(Row::new(cells), Some(found.ratio))
    };
    let table = Table::new("links-table", "", columns).with(oversubscribed(plan).iter().map(row));
    Table { flexible: Some(1), ..table }
}

/// A row with a mark where more than the whole is used.
fn full(row: Row, share: Option<f64>) -> Row {
    if share.is_some_and(|share| share > 1.0) { row.in_tone(Tone::Warning) } else { row }
}
