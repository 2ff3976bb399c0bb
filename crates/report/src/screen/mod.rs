//! The first screen of a record: what it is good for, a row per workload or result with what limits it and what would help, the
//! other figures, and the next commands.

mod answer;
mod figure;
mod last;
mod result;
mod sheet;
mod workload;

use model::{Durability, Fitness, Line, MAIN_TESTS, QUICK_TESTS, Sheet};
use record::{Layer, Record};

use self::figure::{RESPONSE, has_response};
use crate::beside::Beside;
use crate::disclosure;
use crate::document::{Block, Card, Document, Extent, Section, Tone};
use crate::fitness::good_for;
use crate::fleet::{agents, server_hosts, storage_hosts};
use crate::head::{started, warnings};
use crate::inventory::{commits_word, engine_line, machine_line};
use crate::kind::Kind;
use crate::network::network_path;
use crate::style::Style;
use crate::summary;
use crate::warning::main_sentences;
use crate::words::{LAYERS, list};

use answer::answer;
use workload::share;

/// Workloads that have a row of their own, at most.
const WORKLOADS_MAX: usize = 9;

/// Warnings beside the most serious finding, at most.
const WARNINGS_MAX: usize = 2;

/// Lines of the text, and the width from which on it has no more.
const LINES_MAX: usize = 60;
const WIDTH_USUAL: usize = 80;

/// How many workloads, and how many rows of the sheet below them, are shown: the first numbers that fit.
const ROOMS: [(usize, usize); 6] =
    [(WORKLOADS_MAX, 10), (WORKLOADS_MAX, 6), (WORKLOADS_MAX, 3), (7, 3), (5, 3), (3, 2)];

/// Which parts of a record a short text has, and where the record is.
#[derive(Clone, Copy, Debug)]
pub struct ShortText<'a> {
    /// The path of the record.
    pub path: &'a str,
    /// The path of its page, if there is one.
    pub page: Option<&'a str>,
    /// Only the summary and the sheet: no warnings and no next commands.
    pub only_sheet: bool,
    /// Another platform beside whose rates those of the workloads are shown.
    pub beside: Option<&'a Beside>,
}

/// The most important of `record` for `width` columns (at least 60 are used), of as much as fits on one screen; the
/// [`sheet`](crate::sheet) has the rest.
pub fn short_text(record: &Record, shown: &ShortText<'_>, style: Style, width: usize) -> String {
    let screen = Screen::of(record, shown.beside);
    let warnings = if shown.only_sheet { Vec::new() } else { main_sentences(record, WARNINGS_MAX) };
    let has_rooms = record.plan.subject().properties().has_spec_sheet && width >= WIDTH_USUAL;
    let mut last = String::new();
    for rooms in ROOMS {
        last = screen.document(shown, &warnings, rooms).screen(style, width);
        if !has_rooms || last.lines().count() <= LINES_MAX {
            break;
        }
    }
    last
}

/// Whether the results of `record` are those of workloads: of the catalogue, at several degrees of parallelism.
pub fn has_workloads(record: &Record) -> bool {
    record.plan.subject().properties().has_spec_sheet && record.plan.until.is_none()
}

/// What is known of a record, before it is known how much of it fits.
pub(crate) struct Screen<'a> {
    record: &'a Record,
    fitness: Fitness,
    sheet: Sheet,
    /// Of all workloads, or of the results of another kind of record.
    cards: Vec<Card>,
    /// Whether the figures of workloads can be trusted.
    trust: Vec<(&'static str, String)>,
}

impl<'a> Screen<'a> {
    /// The screen of `record`, with the rates of its workloads over those of another platform.
    pub(crate) fn of(record: &'a Record, beside: Option<&Beside>) -> Screen<'a> {
        let sheet = model::sheet(record);
        let cards = match has_workloads(record) {
            true => workload::cards(record, &workloads(&sheet), beside),
            false => result::cards(record, &sheet),
        };
        let trust = summary::validity(record).into_iter().map(|words| ("trust", words));
        let alone = summary::alone(record).into_iter().map(|words| ("wake-ups", words));
        let trust = if has_workloads(record) { trust.chain(alone).collect() } else { Vec::new() };
        Screen { record, fitness: disclosure::fitness(record), sheet, cards, trust }
    }

    /// The same of a record that is good for `fitness`, as what is beside it shows.
    #[must_use]
    pub(crate) fn good_for(self, fitness: Fitness) -> Screen<'a> {
        Screen { fitness, ..self }
    }

    /// A line per test.
    pub(crate) fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    /// The answer to the first question, and warnings about all figures.
    pub(crate) fn lead(&self) -> Vec<Block> {
        let about = about(self.record, &self.fitness);
        vec![answer(self.record, &self.fitness), Block::note(Tone::Warning, about)]
    }

    /// The results, whether they can be trusted, what limits them and what would help, and the platform in a few lines.
    pub(crate) fn results(&self) -> Section {
        let mut rows = self.rows(self.cards.len());
        if has_workloads(self.record) {
            rows.push(Block::labelled(summary::limits(self.record)));
        }
        rows.push(Block::facts(platform(self.record)));
        self.section(rows)
    }

    fn section(&self, rows: Vec<Block>) -> Section {
        let title = if has_workloads(self.record) { "Workloads" } else { "Summary" };
        Section::new("workloads", title, rows)
    }

    /// The screen with `warnings`, at most so many workloads, and so many rows of the sheet below them.
    fn document(
        &self,
        shown: &ShortText<'_>,
        warnings: &[String],
        (workloads_max, rows_max): (usize, usize),
    ) -> Document {
        let record = self.record;
        let mut rows = self.rows(workloads_max);
        rows.push(Block::labelled((!warnings.is_empty()).then(|| ("warning", warnings.to_vec()))));
        let mut sections = vec![self.section(rows)];
        let kind = Kind::of(record);
        sections.extend((kind.screen)(record));
        if record.plan.subject().properties().has_spec_sheet {
            let others = others(&self.sheet, &self.workloads(workloads_max), rows_max);
            sections.push(Section::new("rates", "Other rates", sheet::blocks(&others, rows_max)));
        }
        let sections = sections.into_iter().map(|section| section.from(Extent::Screen)).collect();
        let foot = if shown.only_sheet { Vec::new() } else { last::blocks(record, shown) };
        let lead = self.lead().into_iter().chain([Block::facts(platform(record))]).collect();
        Document { lead, foot, ..Document::new(format!("dbdyno: {}", kind.title), sections) }
    }

    /// The first lines of the sheet that have a row of their own.
    fn workloads(&self, most: usize) -> Vec<&Line> {
        let lines = if has_workloads(self.record) { workloads(&self.sheet) } else { Vec::new() };
        lines.into_iter().take(most).collect()
    }

    /// The first rows of all, and whether they can be trusted.
    fn rows(&self, most: usize) -> Vec<Block> {
        if self.record.runs.is_empty() {
            return vec![Block::text("no run is finished")];
        }
        let cards: Vec<Card> = self.cards.iter().take(most).cloned().collect();
        if !has_workloads(self.record) {
            // The sentences have the same figures.
            return vec![Block::whole(vec![Block::Cards(cards)]), Block::labelled(summary::facts(self.record))];
        }
        let legend = (!cards.is_empty()).then(|| Block::by_line(vec![Block::aside(workload::LEGEND)]));
        let gains = (!cards.is_empty()).then(|| Block::aside(workload::GAINS));
        let response = self.workloads(most).iter().any(|line| has_response(line)).then(|| Block::aside(RESPONSE));
        let trust = self.trust.iter().cloned();
        [Some(Block::Cards(cards)), legend, gains, response, Some(Block::facts(trust))].into_iter().flatten().collect()
    }
}

/// Warnings about all figures that the title of the answer does not state.
fn about(record: &Record, fitness: &Fitness) -> Vec<String> {
    let stated = good_for(fitness);
    let clause = |warning: &str| warning.split(':').next().unwrap_or_default().to_owned();
    warnings(record).into_iter().filter(|warning| !stated.contains(&clause(warning))).collect()
}

/// Machine, engine, time and extent of the measurement.
fn platform(record: &Record) -> Vec<(&'static str, String)> {
    let engine =
        record.engine.as_ref().map(|engine| list([engine_line(engine), commits_word(&Durability::of(engine))]));
    let facts = [
        ("machine", Some(machine_line(&record.host))),
        ("engine", engine),
        ("server on", server_hosts(record)),
        ("stored on", storage_hosts(record)),
        ("network", network_path(record)),
        ("agents", agents(record)),
        (
            "measured",
            Some(format!("{}, {}", started(record).trim_end_matches(", finished"), (Kind::of(record).extent)(record))),
        ),
    ];
    facts.into_iter().filter_map(|(label, fact)| Some((label, fact?))).collect()
}

/// The tests that stand for a way in which a platform is used: the main ones first, then those of preset `quick`.
fn workloads(sheet: &Sheet) -> Vec<&Line> {
    let place = |line: &&Line| {
        let of = |codes: &[&str]| codes.iter().position(|code| *code == line.test);
        of(&MAIN_TESTS).or_else(|| Some(MAIN_TESTS.len() + of(&QUICK_TESTS)?))
    };
    let mut lines: Vec<&Line> = sheet.lines.iter().filter(|line| !line.is_probe && place(line).is_some()).collect();
    lines.sort_by_key(place);
    if lines.is_empty() {
        lines = sheet.lines.iter().filter(|line| !line.is_probe && line.best.is_some()).collect();
    }
    lines.truncate(WORKLOADS_MAX);
    lines
}

/// The other lines of the sheet, the database first and the bare machine last.
fn others<'a>(sheet: &'a Sheet, workloads: &[&Line], most: usize) -> Vec<&'a Line> {
    let is_shown = |line: &&Line| !workloads.iter().any(|shown| shown.test == line.test);
    let mut lines: Vec<&Line> = sheet.lines.iter().filter(is_shown).collect();
    let layer = |of: Layer| LAYERS.iter().rev().position(|(layer, _)| *layer == of);
    lines.sort_by_key(|line| (line.is_probe, layer(line.layer)));
    // Those without a result are not among the ones that are left out, as far as there is room for some.
    if lines.len() > most {
        let (failed, mut with_result): (Vec<&Line>, Vec<&Line>) =
            lines.into_iter().partition(|line| line.best.is_none());
        let room = most - failed.len().min(most / 2);
        let rest = with_result.split_off(room.min(with_result.len()));
        lines = [with_result, failed, rest].concat();
    }
    lines
}
