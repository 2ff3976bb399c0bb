//! A record as one document: its first screen, then every figure of every kind of measurement that it has.

mod io;
mod latency;
mod next;
mod platform;
mod second;
mod table;
mod throughput;

use std::collections::BTreeSet;

use model::Sheet;
use record::Record;

use crate::agents::agents;
use crate::curve;
use crate::data_set::data_sets;
use crate::disclosure::Disclosure;
use crate::document::{Block, Document, Extent, Section, Text};
use crate::gauge::gauges;
use crate::head::started;
use crate::kind::Kind;
use crate::loads_beside::loads_beside;
use crate::nodes::nodes;
use crate::options::SheetOptions;
use crate::pipeline::pipelines;
use crate::runs::{not_listed, runs};
use crate::screen::Screen;
use crate::topology::topology;
use crate::transaction_types::transaction_types;
use crate::words::list;
use crate::{
    activity, fitness, in_kind, inventory, layers, limit, load, load_curve, price, steadiness, storage, warning,
};

pub(crate) use self::throughput::{fit_note, fitted};

/// The spec sheet of `record`: what it is good for, its results, then all figures by subject. A subject that the record does not have
/// is left out.
pub fn sheet(record: &Record, options: &SheetOptions<'_>) -> Document {
    let (kind, screen) = (Kind::of(record), Screen::of(record, options.beside));
    let tests = curve::tests(record);
    let curves = throughput::throughput(&tests, screen.sheet());
    let disclosure = Disclosure::of(record, screen.sheet(), curves.estimates, options);
    let screen = screen.good_for(disclosure.fitness.clone());
    let results = vec![
        charts("charts", "Main results over the degree of parallelism", curves.main),
        prices(screen.sheet(), options),
        table::section(record, screen.sheet()),
    ];
    let judgement = vec![
        fitness::class(&disclosure.fitness),
        warning::warnings(record),
        limit::ceilings(record, screen.sheet()),
        steadiness::steady(record),
    ];
    let figures = vec![
        charts("throughput", "Throughput over degree of parallelism", curves.others).folded(),
        runs(record),
        transaction_types(record),
        gauges(record),
        loads_beside(record),
        nodes(record),
        agents(record),
        streams_beside(record),
        latency::latency(&tests),
        subject("layers", "Latency by layer", layers::of_record(record)),
        subject("activity", "Database activity", activity::of_record(record)),
        load::scans(record),
        storage::details(record),
        storage::job_file(record),
        second::seconds(&tests),
        io::io(record, &tests),
    ];
    let platform = vec![
        topology(record),
        platform::section(record),
        inventory::platform(record),
        data_sets(record),
        disclosure.section(),
    ];
    let sections = [vec![screen.results()], of_kind(record, &kind, options), results, judgement, figures, platform];
    let sections = sections.into_iter().flatten().collect();
    Document {
        subtitle: list([format!("measured {}", started(record)), format!("dbdyno {}", record.tool.version)]),
        lead: screen.lead(),
        foot: foot(record, options),
        ..Document::new(format!("dbdyno: {}", kind.title), sections)
    }
}

/// The results of this kind of record, and those beside them that are not of the sheet.
fn of_kind(record: &Record, kind: &Kind, options: &SheetOptions<'_>) -> Vec<Section> {
    let has_results = !record.plan.subject().properties().has_spec_sheet;
    let not_listed = not_listed(record).filter(|_| has_results);
    let mut sections = vec![Section::new("listed", "Runs that are listed", not_listed.into_iter().collect())];
    sections.extend((kind.results)(record, options));
    sections.extend([
        in_kind::in_kind(record),
        load_curve::rates(record),
        load_curve::think_times(record),
        pipelines(record),
    ]);
    sections
}

/// What the best rates of the tests cost.
fn prices(sheet: &Sheet, options: &SheetOptions<'_>) -> Section {
    let body = options.prices.map(|book| price::price(book, &price::best_rates(sheet)));
    Section::new("price", "Prices", body.unwrap_or_default())
}

/// The streams of I/O of a record that is about something else; those of others are among its results.
fn streams_beside(record: &Record) -> Section {
    let streams = storage::streams(record).folded();
    let is_about_them = record.plan.subject().properties().is_about_storage;
    if is_about_them { Section { body: Vec::new(), ..streams } } else { streams }
}

/// Charts and what is said of them.
fn charts(id: &'static str, title: &'static str, body: Vec<Block>) -> Section {
    Section::new(id, title, body).from(Extent::Whole)
}

/// A subject that has a view of its own on a terminal.
fn subject(id: &'static str, title: &'static str, body: Vec<Block>) -> Section {
    Section::new(id, title, body).from(Extent::Whole).folded()
}

/// The record and the program, and what to do next.
fn foot(record: &Record, options: &SheetOptions<'_>) -> Vec<Block> {
    let drawn = format!(
        "Drawn by dbdyno {} from the record, which has every figure with all its digits.",
        env!("CARGO_PKG_VERSION")
    );
    let digest = options.record_sha256.map(|digest| ("SHA-256 of the file", Text::default().code(digest)));
    let id = ("id", Text::default().code(record.id.as_str()));
    let file = Block::whole(vec![Block::facts([id].into_iter().chain(digest)), Block::text(drawn)]);
    next::next(record, options.path).into_iter().chain([file]).collect()
}

/// The numbers of the runs whose seconds and histograms the sheet of `record` needs: one for each test and degree of
/// parallelism, and those with node events, for the rates around them. Of all other runs it needs only what
/// [`model::thin`] keeps.
pub fn runs_in_detail(record: &Record) -> BTreeSet<u32> {
    let tests = curve::tests(record);
    let drawn = tests.iter().flat_map(|test| &test.loads).map(|load| load.run.number);
    drawn.chain(record.runs.iter().filter(|run| !run.events.is_empty()).map(|run| run.number)).collect()
}
