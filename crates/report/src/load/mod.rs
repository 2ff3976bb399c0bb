//! Loads of flat files: how fast, at what price in processor time and writes, what the table came to, and which stage set
//! the pace; and how fast what was loaded is read.

mod chart;
mod remark;
mod scan;
mod stage;
mod table;

use model::load::{LoadFigures, figures};
use record::{Load, LoadForm, LoadStageKind, Record, Run};

pub(crate) use chart::chart;
pub(crate) use remark::{facts, remarks};
pub(crate) use scan::{caches, code, meanings, scanned, scans, view as scan_view};
pub(crate) use stage::{legend, setter, stages};
pub(crate) use table::{costs, rates, rows, tables, view};

/// The loads that are results, with their figures.
pub(crate) fn valid(record: &Record) -> impl Iterator<Item = (&Run, &Load, LoadFigures)> {
    let runs = crate::listed(record).filter(|run| !model::is_invalid(run));
    runs.filter_map(|run| Some((run, run.load.as_deref()?, figures(run)?)))
}

/// The kind of table, and the form where it is not the usual one.
pub(crate) fn kind(load: &Load) -> String {
    match load.form {
        LoadForm::Typed => load.model.word().to_owned(),
        LoadForm::AsIs => format!("{}, {}", load.model.word(), load.form.word()),
    }
}

/// A stage in one word.
pub(crate) fn word(kind: LoadStageKind) -> &'static str {
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
