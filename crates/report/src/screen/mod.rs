//! The first screen of a record: what it is good for, a row per workload with what limits it and what would help, the other
//! figures, and the next commands.

mod answer;
mod figure;
mod last;
mod sheet;
mod workload;

use model::{Fitness, Line, MAIN_TESTS, QUICK_TESTS, Sheet};
use record::{Layer, Record};

use self::figure::{RESPONSE, has_response};
use crate::document::{Block, Card, Document, Extent, Section, Tone};
use crate::fitness::good_for;
use crate::fleet::{agents, server_hosts, storage_hosts};
use crate::html;
use crate::inventory::{durability_word, engine_line, machine_line};
use crate::network::network_path;
use crate::plan::runs;
use crate::style::Style;
use crate::summary;
use crate::text::{main_sentences, started, subject, warnings};
use crate::words::{LAYERS, list};

pub(crate) use answer::answer;
pub(crate) use last::next_command;
pub(crate) use workload::{cards, share};

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
}

/// The first screen of `record`, a record of the catalogue, as text: of as much as fits on one.
pub(crate) fn text(record: &Record, shown: &ShortText<'_>, style: Style, width: usize) -> String {
    let screen = Screen::of(record, shown);
    let mut last = String::new();
    for (workloads_max, rows_max) in ROOMS {
        last = screen.document(workloads_max, rows_max).screen(style, width);
        if width < WIDTH_USUAL || last.lines().count() <= LINES_MAX {
            break;
        }
    }
    last
}

/// What is known of a record, before it is known how much of it fits.
struct Screen<'a> {
    record: &'a Record,
    shown: &'a ShortText<'a>,
    fitness: Fitness,
    sheet: Sheet,
    /// Of all workloads.
    cards: Vec<Card>,
    /// Whether the figures can be trusted.
    trust: Vec<(&'static str, String)>,
}

impl<'a> Screen<'a> {
    fn of(record: &'a Record, shown: &'a ShortText<'a>) -> Screen<'a> {
        let sheet = model::sheet(record);
        let cards = cards(record, &workloads(&sheet));
        let trust = summary::validity(record).into_iter().map(|words| ("trust", words));
        let trust = trust.chain(summary::alone(record).into_iter().map(|words| ("wake-ups", words)));
        let warnings_max = if shown.only_sheet { 0 } else { WARNINGS_MAX };
        let warnings = main_sentences(record, warnings_max).into_iter().map(|words| ("warning", words));
        let trust = trust.chain(warnings).collect();
        Screen { record, shown, fitness: html::fitness(record), sheet, cards, trust }
    }

    /// The screen with at most so many workloads, and so many rows of the sheet below them.
    fn document(&self, workloads_max: usize, rows_max: usize) -> Document {
        let record = self.record;
        let mut workloads = workloads(&self.sheet);
        workloads.truncate(workloads_max);
        let others: Vec<&Line> = others(&self.sheet, &workloads, rows_max);
        let first = |section: Section| section.from(Extent::Screen);
        let answer = answer(record, &self.fitness);
        let lead =
            vec![answer, Block::note(Tone::Warning, about(record, &self.fitness)), Block::facts(platform(record))];
        let sections = vec![
            first(Section::new("workloads", "Workloads", self.workloads(&workloads))),
            first(Section::new("rates", "Other rates", sheet::blocks(&others, rows_max))),
        ];
        let foot = if self.shown.only_sheet { Vec::new() } else { last::blocks(record, self.shown) };
        Document { lead, foot, ..Document::new(format!("dbdyno: {}", subject(record)), sections) }
    }

    /// The rows of `workloads`, the first ones of all, and whether they can be trusted.
    fn workloads(&self, workloads: &[&Line]) -> Vec<Block> {
        if self.record.runs.is_empty() {
            return vec![Block::text("no run is finished")];
        }
        let cards: Vec<Card> = self.cards.iter().take(workloads.len()).cloned().collect();
        let legend = (!cards.is_empty()).then(|| Block::aside(workload::LEGEND));
        let response = workloads.iter().any(|line| has_response(line)).then(|| Block::aside(RESPONSE));
        let trust = Block::facts(self.trust.iter().cloned());
        [Some(Block::Cards(cards)), legend, response, Some(trust)].into_iter().flatten().collect()
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
    let engine = record.engine.as_ref().map(|engine| list([engine_line(engine), durability_word(engine)]));
    let facts = [
        ("machine", Some(machine_line(&record.host))),
        ("engine", engine),
        ("server on", server_hosts(record)),
        ("stored on", storage_hosts(record)),
        ("network", network_path(record)),
        ("jobs", agents(record)),
        ("measured", Some(format!("{}, {}", started(record).trim_end_matches(", finished"), runs(&record.plan)))),
    ];
    facts.into_iter().filter_map(|(label, fact)| Some((label, fact?))).collect()
}

/// The tests that stand for a way in which a platform is used: the main ones first, then those of preset `quick`.
pub(crate) fn workloads(sheet: &Sheet) -> Vec<&Line> {
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
