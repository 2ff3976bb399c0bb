//! Loads of flat files: rates, resource cost, table size, the slowest stage; and scans of the loaded tables.

mod document;
mod remark;
mod scan;
mod stage;
mod table;

use model::load::{LoadFigures, figures};
use record::{Load, LoadForm, LoadStageKind, Record, Run};

pub(crate) use document::{loads, scans};
pub(crate) use table::rates;

/// The loads that are results, with their figures.
fn valid(record: &Record) -> impl Iterator<Item = (&Run, &Load, LoadFigures)> {
    let runs = crate::listed(record).filter(|run| !model::is_invalid(run));
    runs.filter_map(|run| Some((run, run.load.as_deref()?, figures(run)?)))
}

/// The kind of table, and the form where it is not typed.
fn kind(load: &Load) -> String {
    match load.form {
        LoadForm::Typed => load.model.word().to_owned(),
        LoadForm::AsIs => format!("{}, {}", load.model.word(), load.form.word()),
    }
}

/// A stage in one word.
fn word(kind: LoadStageKind) -> &'static str {
    match kind {
        LoadStageKind::Generate => "generate",
        LoadStageKind::Read => "read",
        LoadStageKind::Decompress => "decompress",
        LoadStageKind::Parse => "parse",
        LoadStageKind::Convert => "convert",
        LoadStageKind::Send => "send",
        LoadStageKind::Insert => "insert",
        LoadStageKind::Commit => "commit",
    }
}
