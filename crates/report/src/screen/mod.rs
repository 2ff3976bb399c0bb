//! The first screen of a record: what it is good for, a row per workload with what limits it and what would help, the other
//! figures, and the next commands.

mod answer;
mod last;
mod sheet;
mod workload;

use model::{Fitness, Line, MAIN_TESTS, QUICK_TESTS, Sheet};
use record::{Layer, PlanSubject, Record};

use crate::document::{Block, Document, Extent, Section, Tone};
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
pub(crate) use workload::cards;

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

/// The first screen of `record` as text, of as much as fits on one.
pub(crate) fn text(record: &Record, shown: &ShortText<'_>, style: Style, width: usize) -> String {
    let texts = ROOMS.iter().map(|room| screen(record, shown, *room).screen(style, width));
    let mut last = String::new();
    for text in texts {
        if width < WIDTH_USUAL || text.lines().count() <= LINES_MAX {
            return text;
        }
        last = text;
    }
    last
}

/// The first screen of `record`, a record of the catalogue.
fn screen(record: &Record, shown: &ShortText<'_>, (workloads_max, rows_max): (usize, usize)) -> Document {
    let found = html::fitness(record);
    let sheet = model::sheet(record);
    let mut workloads = workloads(&sheet);
    workloads.truncate(workloads_max);
    let others: Vec<&Line> = others(&sheet, &workloads, rows_max);
    let first = |section: Section| section.from(Extent::Screen);
    let mut lead = vec![answer(record, &found)];
    lead.extend(about(record, &found));
    lead.push(Block::facts(platform(record)));
    let trust = summary::validity(record).into_iter().map(|words| ("trust", words));
    let trust = trust.chain(summary::alone(record).into_iter().map(|words| ("wake-ups", words)));
    let warnings = main_sentences(record, WARNINGS_MAX).into_iter().map(|words| ("warning", words));
    let trust = Block::facts(trust.chain(warnings).collect::<Vec<_>>());
    let sections = vec![
        first(Section::new(
            "workloads",
            "Workloads",
            workload_blocks(record, &workloads).into_iter().chain([trust]).collect(),
        )),
        first(Section::new("rates", "Other rates", sheet::blocks(&others, rows_max))),
    ];
    let foot = if shown.only_sheet { Vec::new() } else { last::blocks(record, shown) };
    Document { lead, foot, ..Document::new(format!("dbdyno: {}", subject(record)), sections) }
}

/// Warnings about all figures that the answer does not give as its reason.
fn about(record: &Record, found: &Fitness) -> Option<Block> {
    let reasons = answer::reasons(found);
    let warnings = warnings(record);
    let others: Vec<String> =
        warnings.into_iter().filter(|warning| !reasons.iter().any(|reason| warning.contains(reason))).collect();
    (!others.is_empty()).then(|| Block::note(Tone::Warning, others))
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

fn workload_blocks(record: &Record, lines: &[&Line]) -> Vec<Block> {
    if record.runs.is_empty() {
        return vec![Block::text("no run is finished")];
    }
    if lines.is_empty() || record.plan.subject() != PlanSubject::Catalogue {
        return Vec::new();
    }
    let cards = cards(record, lines);
    let has_response = cards.iter().any(|card| card.latency.starts_with(workload::RESPONSE));
    let response = has_response.then(|| Block::aside(workload::RESPONSE_LEGEND));
    [Block::Cards(cards), Block::aside(workload::LEGEND)].into_iter().chain(response).collect()
}
