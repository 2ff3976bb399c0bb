//! Many systems side by side: the best rate of chosen tests of each, and what it costs.

use std::collections::BTreeSet;

use model::{Origin, PriceBook, System, SystemTest};
use record::Rate;

use super::place::Place;
use crate::document::{Block, Cell, Column, Document, Field, Form, Row, Section, Table, Text, Tone};
use crate::figure::UNKNOWN;
use crate::price::{priced, sum, total};
use crate::system::best;
use crate::verdict::word_of;
use crate::words::{dop_text, rate_of};

/// What it is not, in a sentence.
const NO_VERDICT: &str = "Rates side by side are no comparison: whether two of them are comparable, and which is higher \
                          for sure, is said by a comparison of two.";

/// Systems, with what is shown of them.
pub struct SideView<'a> {
    /// What each is found by.
    pub ids: &'a [String],
    /// The systems.
    pub systems: &'a [System],
    /// The price book of each of them.
    pub prices: &'a [Option<PriceBook>],
    /// The codes of the chosen tests; all that two of the systems have where there is none.
    pub tests: &'a [String],
}

/// Systems side by side.
pub fn side(view: &SideView<'_>) -> Document {
    let all = codes(view.systems);
    let shared = all.iter().filter(|code| view.systems.iter().filter(|system| has(system, code)).count() > 1);
    let shown: Vec<&str> = match view.tests.is_empty() {
        true => shared.copied().collect(),
        false => all.iter().copied().filter(|code| view.tests.iter().any(|test| test == code)).collect(),
    };
    let shown = if shown.is_empty() { all.clone() } else { shown };
    let sections = vec![
        Section::new("systems", "Systems", vec![systems(view)]),
        Section::new("rates", "Best rates", vec![rates(view, &shown), Block::aside(NO_VERDICT)]),
        Section::new("prices", "Prices", prices(view, &shown)),
        Section::new("choice", "Choice of tests", vec![Block::Form(choice(view, &all, &shown))]),
    ];
    Document::new("dbdyno: side by side", sections).with_ways(Place::Served.ways())
}

/// The codes of all tests, in the order in which they occur.
fn codes(systems: &[System]) -> Vec<&str> {
    let mut known = BTreeSet::new();
    let tests = systems.iter().flat_map(|system| &system.tests).map(|test| test.code.as_str());
    tests.filter(|code| known.insert(*code)).collect()
}

fn test<'a>(system: &'a System, code: &str) -> Option<&'a SystemTest> {
    system.tests.iter().find(|test| test.code == code)
}

fn has(system: &System, code: &str) -> bool {
    test(system, code).is_some()
}

fn systems(view: &SideView<'_>) -> Block {
    let columns = ["system", "engine", "measured or published", "title"].map(Column::text).to_vec();
    let row = |(system, id): (&System, &String)| {
        let (origin, tone) = match &system.origin {
            Origin::Measured { started_at, .. } => (started_at.0.clone(), Tone::Plain),
            Origin::Published { year, .. } => (format!("published {year}, not measured by dbdyno"), Tone::Aside),
        };
        let name = Text::link(system.name.as_str(), Place::Served.record(id));
        let cells = [origin.as_str(), &*system.title].map(Cell::text);
        let engine = Cell::text(system.engine().unwrap_or_default());
        Row::new([vec![Cell::Text(name), engine], cells.to_vec()].concat()).in_tone(tone)
    };
    Table::new("side-systems", "", columns).with(view.systems.iter().zip(view.ids).map(row)).into()
}

/// A column for each system, headed by its name.
fn by_system(view: &SideView<'_>, first: &'static str) -> Vec<Column> {
    let named = |system: &System| Column { head: system.name.clone().into(), ..Column::figure("") };
    std::iter::once(Column::text(first)).chain(view.systems.iter().map(named)).collect()
}

fn rates(view: &SideView<'_>, shown: &[&str]) -> Block {
    let cell = |system: &System, code: &str| {
        let Some(test) = test(system, code) else { return Cell::Figure(UNKNOWN.to_owned(), None) };
        let verdict = test.verdict.map_or("published", word_of);
        match best(test) {
            None => Cell::Word(format!("no valid run, {verdict}"), Tone::Invalid),
            Some((point, rate)) => {
                let at = match point.degree.in_flight {
                    Some(count) => format!("{count} in flight"),
                    None => dop_text(point.degree.dop, test.sweep),
                };
                Cell::Figure(format!("{} at {at}, {verdict}", rate_of(rate, test.unit)), Some(rate))
            }
        }
    };
    let row = |code: &&str| {
        let title = view.systems.iter().find_map(|system| test(system, code)).map_or("", |test| test.title.as_str());
        let name = Cell::Text(Text::default().strong(*code).plain(format!(" {title}")));
        let cells = view.systems.iter().map(|system| cell(system, code));
        Row::new(std::iter::once(name).chain(cells).collect())
    };
    Table::new("side-rates", "", by_system(view, "test")).with(shown.iter().map(row)).into()
}

/// What each system costs, and its best rates for it; nothing where none has a price book.
fn prices(view: &SideView<'_>, shown: &[&str]) -> Vec<Block> {
    if view.prices.iter().all(Option::is_none) {
        return Vec::new();
    }
    let book = |index: usize| view.prices.get(index).and_then(Option::as_ref);
    let totals = view
        .systems
        .iter()
        .enumerate()
        .filter_map(|(index, system)| Some((system.name.clone(), Text::from(total(book(index)?)))));
    let cell = |index: usize, system: &System, code: &str| {
        let found = book(index).zip(test(system, code)).and_then(|(book, test)| {
            let (_, rate) = best(test)?;
            let (unit, scale) = priced(test.unit);
            let cost = book.cost_per_rate(Rate(rate / scale))?.amount;
            Some((format!("{} {} per {unit}", sum(cost), book.currency), cost))
        });
        match found {
            Some((shown, cost)) => Cell::Figure(shown, Some(cost)),
            None => Cell::Figure(UNKNOWN.to_owned(), None),
        }
    };
    let row = |code: &&str| {
        let cells = view.systems.iter().enumerate().map(|(index, system)| cell(index, system, code));
        Row::new(std::iter::once(Cell::text(*code)).chain(cells).collect())
    };
    let per_rate = Table::new("side-prices", "Cost per throughput", by_system(view, "test"));
    vec![Block::facts(totals), per_rate.with(shown.iter().map(row)).into()]
}

fn choice(view: &SideView<'_>, all: &[&str], shown: &[&str]) -> Form {
    let ids = Field::Kept { name: "ids", value: view.ids.join(",") };
    let value = |code: &&str| ((*code).to_owned(), (*code).to_owned(), shown.contains(code));
    let tests = Field::Some { name: "tests", label: "Tests", values: all.iter().map(value).collect() };
    Form { id: "tests-form", action: "side".to_owned(), is_post: false, fields: vec![ids, tests], button: "Show" }
}
