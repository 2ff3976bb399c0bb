//! The figures of the kind of a record, as far as a screen has room for them.

use record::{PlanSubject, Record};

use crate::document::{Block, Section};
use crate::load_curve::SEARCH;
use crate::{blocks, load, platform_proof, storage, streams};

/// The sections of this kind of record; none of the catalogue, whose rates are its figures.
pub(super) fn sections(record: &Record) -> Vec<Section> {
    let table = |table: crate::document::Table| vec![Section::new("kind", "", vec![table.into()])];
    match record.plan.subject() {
        PlanSubject::Catalogue => Vec::new(),
        PlanSubject::Io => storage(record),
        PlanSubject::Proof(_) => vec![Section::new("proof", platform_proof::TITLE, platform_proof::blocks(record))],
        PlanSubject::Blocks => table(blocks::summary(record)),
        PlanSubject::Load => table(load::rates(record)),
        PlanSubject::Streams => table(streams::rates(record)),
    }
}

/// A calibration, the answer of a search, or a line per stream.
fn storage(record: &Record) -> Vec<Section> {
    let calibration = model::calibration(record)
        .map(|found| Section::new("calibration", "Calibration", storage::calibration_figures(&found)));
    let answer =
        storage::search_answer(record).map(|answer| Section::new("io-search", SEARCH, vec![Block::text(answer)]));
    let found: Vec<Section> = calibration.into_iter().chain(answer).collect();
    match found.is_empty() {
        true => vec![Section::new("storage", "", vec![storage::results(record).into()])],
        false => found,
    }
}
