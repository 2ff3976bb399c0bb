//! The page of a record: one self-contained HTML file.

mod agents;
mod ceiling;
pub(crate) mod curve;
mod disclosure;
mod explanation;
mod fitness;
mod io;
mod key;
mod latency;
mod nodes;
mod pipelines;
mod platform;
mod price;
mod published;
mod runs;
mod second;
mod steady;
mod throughput;
mod topology;
mod verdict;

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::{Fitness, Sheet};
use record::{PlanSubject, Record};

pub(crate) use crate::document::Diagram;
pub use crate::render::page::PageOptions;
pub(crate) use crate::render::page::{Cell, Column, Row, Table};
pub(crate) use crate::render::page::{Page, Section, gallery};
pub use explanation::check_texts;
pub(crate) use fitness::fitness;
pub use published::system_html;

use self::disclosure::{Disclosure, Modelled};
use crate::activity;
use crate::blocks;
use crate::document::Block;
use crate::fitness::class_sentence;
use crate::layers;
use crate::layout::clean;
use crate::load;
use crate::load_curve;
use crate::platform_proof;
use crate::render;
use crate::screen;
use crate::storage;
use crate::streams;
use crate::summary;
use crate::text::{platform_sentence, started, subject, warnings};
use crate::words::list;

/// The page of `record`: key metrics, verdicts, throughput, runs, latency, seconds, waits and I/O, efficiency,
/// platform, disclosure. One file that opens from disk without network access.
pub fn html(record: &Record, options: &PageOptions<'_>) -> String {
    let sheet = model::sheet(record);
    let tests = curve::tests(record);
    let verdicts = html! { (verdict::verdicts(record)) (steady::steady(record)) };
    let curves = throughput::throughput(&tests, &sheet);
    let estimates = curves.estimates;
    let limited = ceiling::limited(record, &tests);
    let modelled = Modelled { sheet: &sheet, estimates, limited: &limited };
    let disclosure = Disclosure::of(record, &modelled, options);
    let verdicts = html! { p class="class" { (clean(&class_sentence(&disclosure.fitness))) " " a href="#disclosure" { "All fields" } } (verdicts) };
    // What a record of I/O is about stands first; an empty section is left out.
    let of_streams = render::page::blocks(&storage::streams(record).body);
    let (first, later) = match record.plan.subject() {
        PlanSubject::Io => (of_streams, Markup::default()),
        _ => (Markup::default(), of_streams),
    };
    let page = Page {
        title: clean(&subject(record)),
        subtitle: list(
            [Some(format!("measured {}", started(record))), Some(format!("dbdyno {}", record.tool.version))]
                .into_iter()
                .flatten(),
        ),
        lead: lead(record, &sheet, &disclosure.fitness),
        sections: vec![
            Section::new("proof", platform_proof::TITLE, render::page::blocks(&platform_proof::blocks(record))),
            render::page::section(&storage::calibrated(record)),
            render::page::section(&storage::search(record)),
            Section {
                is_collapsed: record.runs.len() > RUNS_OPEN_MAX,
                ..Section::new("storage", "Streams of I/O", first)
            },
            Section::new("key", "Results", key::results(record, &sheet, options.prices)),
            Section::new("charts", "Main results over the degree of parallelism", curves.main),
            render::page::section(&load_curve::rates(record)),
            render::page::section(&load_curve::think_times(record)),
            Section::new("pipelines", "Statements in a pipeline", pipelines::pipelines(record)),
            render::page::section(&load::loads(record)),
            render::page::section(&blocks::blocks(record)),
            render::page::section(&streams::streams(record, None)),
            Section::collapsed("sheet-notes", "Spec sheet with all figures and notes", key::table(record, &sheet)),
            Section::collapsed("verdicts", "Verdicts and their meaning", verdicts),
            Section::collapsed("throughput", "Throughput over degree of parallelism", curves.others),
            Section::collapsed("runs", "Runs", runs::runs(record)),
            Section::collapsed("nodes", "Nodes", nodes::nodes(record)),
            Section::collapsed("agents", "Agents", agents::agents(record)),
            render::page::section(&latency::latency(&tests)),
            Section::collapsed("layers", "Latency by layer", render::page::blocks(&layers::of_record(record))),
            Section::collapsed("activity", "Database activity", render::page::blocks(&activity::of_record(record))),
            render::page::section(&load::scans(record)),
            Section::collapsed("storage", "Streams of I/O", later),
            render::page::section(&storage::details(record)),
            render::page::section(&second::seconds(&tests)),
            render::page::section(&io::io(record, &tests)),
            Section::collapsed(
                "ceilings",
                "Efficiency against the ceilings",
                ceiling::ceilings(record, &limited, &sheet),
            ),
            Section::collapsed("topology", "Nodes, links and volume", topology::topology(record)),
            Section::collapsed("platform", "Platform and settings", platform::platform(record)),
            Section::collapsed("disclosure", "Full disclosure", disclosure.html()),
        ],
        foot: foot(record, options),
    };
    page.html()
}

/// Storage runs of a record that is about them are shown at first, unless there are more.
const RUNS_OPEN_MAX: usize = 12;

/// The numbers of the runs whose seconds and histograms the page of `record` needs: one for each test and degree of
/// parallelism, and those with node events, for the rates around them. Of all other runs it needs only what
/// [`model::thin`] keeps.
pub fn runs_in_detail(record: &Record) -> BTreeSet<u32> {
    let tests = curve::tests(record);
    let drawn = tests.iter().flat_map(|test| &test.loads).map(|load| load.run.number);
    drawn.chain(record.runs.iter().filter(|run| !run.events.is_empty()).map(|run| run.number)).collect()
}

/// The answer: platform, tiles, summary, and warnings about all figures.
fn lead(record: &Record, sheet: &Sheet, found: &Fitness) -> Markup {
    let warnings = warnings(record);
    // The tiles are the results, and what they are good for stands above them.
    let facts = summary::facts_of(record, found).into_iter();
    let facts = facts.filter(|(label, _)| ![summary::RESULTS, summary::GOOD_FOR].contains(label));
    html! {
        @if !warnings.is_empty() {
            div class="note fail" { @for warning in &warnings { p { strong { "Warning: " } (clean(warning)) } } }
        }
        @if !record.runs.is_empty() {
            (render::page::blocks(&[screen::answer(record, found)]))
            @match record.plan.subject() {
                PlanSubject::Catalogue if record.plan.until.is_none() => {
                    (render::page::blocks(&[Block::Cards(screen::cards(record, &screen::workloads(sheet)))]))
                }
                _ => { (key::tiles(record, sheet)) }
            }
            p class="machine" { (clean(&platform_sentence(record))) }
            dl class="facts" {
                @for (label, sentences) in facts {
                    div { dt { (label) } dd { @for sentence in &sentences { (sentence) br; } } }
                }
            }
            p class="summary" { a href="#verdicts" { "What was checked" } }
        }
    }
}

fn foot(record: &Record, options: &PageOptions<'_>) -> Markup {
    html! {
        p { "Record " code { (clean(&record.id)) } ", file " code { (clean(options.place)) } }
        @if let Some(digest) = options.record_sha256 { p { "SHA-256 of the file " code { (digest) } } }
        p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) " from the record alone; the record has every figure with all its digits." }
    }
}
