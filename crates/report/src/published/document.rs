//! A published system: its figures as published, with caveats.

use model::{Origin, PriceBook, System};

use super::chart::{curves, drawn};
use super::table;
use crate::document::{Block, Document, Note, Section, Text, Tone};
use crate::fact::fact_text;
use crate::price::{BestRate, price};
use crate::system::{best, remark_text};
use crate::words::list;

/// Contradictions, key figures, prices, every test with the columns of its own report, other figures, claims, platform and source
/// of `system`. `prices` replace the published ones.
pub fn system(system: &System, prices: Option<&PriceBook>) -> Document {
    let book = prices.or(system.price.as_ref());
    let facts = system.facts.iter().map(|fact| (fact.name.clone(), fact_text(&fact.value)));
    let sections = vec![
        Section::new("key", "Key performance metrics", key(system)),
        Section::new("price", "Price", book.map(|book| cost(system, book)).unwrap_or_default()),
        Section::new(
            "throughput",
            "Throughput over degree of parallelism",
            vec![Block::whole(vec![Block::Charts(curves(system))])],
        ),
        Section::new("runs", "Runs", runs(system)),
        Section::new("tables", "Other published figures", other(system)),
        Section::new("claims", "Claims", claims(system)),
        Section::new("platform", "Platform and settings", vec![Block::facts(facts)]),
        Section::new("source", "Source", vec![Block::text(source(&system.origin))]),
    ];
    let sentences = system.remarks.iter().map(|remark| Text::from(remark_text(remark))).collect();
    let drawn_by = concat!("Drawn by dbdyno ", env!("CARGO_PKG_VERSION"), " from figures that dbdyno did not measure.");
    Document {
        subtitle: list([system.name.clone(), origin(&system.origin)]),
        lead: vec![Block::Note(Note { tone: Tone::Warning, title: "Caveats".to_owned(), sentences })],
        foot: vec![Block::whole(vec![Block::text(drawn_by)])],
        ..Document::new(&*system.title, sections)
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Published { year, .. } => format!("published {year}; not measured by dbdyno"),
        Origin::Measured { started_at, version, .. } => format!("measured {started_at} by dbdyno {version}"),
    }
}

fn source(origin: &Origin) -> String {
    match origin {
        Origin::Published { year, source } => format!("{source} ({year})"),
        Origin::Measured { started_at, version, .. } => format!("measured by dbdyno {version}, {started_at}"),
    }
}

/// The best figure of each test, and notes on tests.
fn key(system: &System) -> Vec<Block> {
    let notes = system.tests.iter().filter_map(|test| Some((test.code.clone(), test.note.clone()?)));
    vec![table::best_of_each(system).into(), Block::facts(notes)]
}

fn cost(system: &System, book: &PriceBook) -> Vec<Block> {
    let rates = system.tests.iter().filter_map(|test| Some((test.code.as_str(), test.unit, best(test)?.1)));
    price(book, &rates.collect::<Vec<BestRate<'_>>>())
}

/// By line a table for each test, on a page one for all of them.
fn runs(system: &System) -> Vec<Block> {
    let of_test = system.tests.iter().enumerate().map(|(index, test)| table::of_test(index, test).into());
    vec![Block::by_line(of_test.collect()), Block::whole(vec![table::of_all(system).into()])]
}

/// Figures that are not points of a test; those that are curves are also drawn on a page.
fn other(system: &System) -> Vec<Block> {
    let of_table = |(index, of): (usize, &model::FactTable)| {
        let chart = drawn(index, of).into_iter().collect();
        [Block::whole(vec![Block::Charts(chart)]), table::other(index, of).into()]
    };
    system.tables.iter().enumerate().flat_map(of_table).collect()
}

fn claims(system: &System) -> Vec<Block> {
    let checked = Text::default().code(format!("dbdyno model scale {}", system.name));
    let checked = checked.plain(" checks whether the measurements support the claim.");
    let checked = (!system.claims.is_empty()).then(|| Block::text(checked));
    [Block::from(table::claims(system))].into_iter().chain(checked).collect()
}
