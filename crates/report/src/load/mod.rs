//! Loads of flat files: rates, resource cost, table size, the slowest stage; and scans of the loaded tables.

mod remark;
mod scan;
mod stage;
mod table;

use model::load::{LoadFigures, figures};
use record::{Load, LoadForm, LoadStageKind, Record, Run};

pub(crate) use remark::{facts, remarks};
pub(crate) use scan::{caches, code, meanings, scanned, scans, view as scan_view};
pub(crate) use stage::{legend, slowest_stage, stages};
pub(crate) use table::{chart, costs, rates, rows, tables, view};

/// The loads that are results, with their figures.
pub(crate) fn valid(record: &Record) -> impl Iterator<Item = (&Run, &Load, LoadFigures)> {
    let runs = crate::listed(record).filter(|run| !model::is_invalid(run));
    runs.filter_map(|run| Some((run, run.load.as_deref()?, figures(run)?)))
}

/// The kind of table, and the form where it is not typed.
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
