//! How busy the stages were, and the slowest of them.

use model::load::{LoadFigures, StageFigures, slowest};
use record::{Load, LoadStageKind, Ratio, Record, Run};
use tables::{Row as _, load};

use super::{kind, valid, word};
use crate::document::{Cell, Column, Row, Table, Tone};
use crate::figure::{percent, percent_digits};
use crate::listed_parts;
use crate::view::View;

/// The stages in the order of the pipeline, each with the heading of its column.
const STAGES: [(LoadStageKind, &str); 8] = [
    (LoadStageKind::Generate, "gene-\nrate"),
    (LoadStageKind::Read, "read"),
    (LoadStageKind::Decompress, "decom-\npress"),
    (LoadStageKind::Parse, "parse"),
    (LoadStageKind::Convert, "convert"),
    (LoadStageKind::Send, "send"),
    (LoadStageKind::Insert, "insert"),
    (LoadStageKind::Commit, "commit"),
];

/// A line for each load, with a column for each stage that occurs.
pub(super) fn stages(record: &Record) -> Table {
    let occurs = |kind: LoadStageKind| {
        let mut loads = valid(record);
        loads.any(|(_, load, _)| load.stages.iter().any(|stage| stage.kind == kind))
    };
    let shown: Vec<(LoadStageKind, &str)> = STAGES.into_iter().filter(|(kind, _)| occurs(*kind)).collect();
    let identity = [Column::figure("run"), Column::text("table"), Column::figure("#J")];
    let heads = shown.iter().map(|&(_, head)| Column::figure(head));
    let columns = identity.into_iter().chain(heads).chain([Column::text("slowest")]).collect();
    let row = |(run, load, figures): (&Run, &Load, LoadFigures)| {
        let busy = |kind: LoadStageKind| {
            let stage = figures.stages.iter().find(|stage| stage.kind == kind);
            stage.map_or_else(Cell::empty, |stage| Cell::figure(Some(stage.busy.0), |busy| percent_digits(Ratio(busy))))
        };
        let identity = [Cell::count(run.number.into()), Cell::text(kind(load)), Cell::count(run.dop.jobs.into())];
        let slowest = Cell::text(slowest(run).map(|stage| short_name(&stage)).unwrap_or_default());
        Row::new(identity.into_iter().chain(shown.iter().map(|(kind, _)| busy(*kind))).chain([slowest]).collect())
    };
    Table::new("load-stages", "Stages: busy time of their threads, %", columns).with(valid(record).map(row))
}

/// A line for each stage of each load: its threads and their rates.
pub(super) fn threads(record: &Record) -> Table {
    let rows = listed_parts(load::stage_rows(record)).filter(|of| !of.is_invalid());
    let view = View::of(load::stage_columns())
        .words("test", ("", "table"), |of| Cell::text(kind(of.of.0)))
        .except(&["record", "busy_ns", "cpu_ns", "bytes"]);
    view.table("load-stages-table", "Threads of the stages", rows, |_| Tone::Plain)
}

/// The legend of the last column of the table; nothing where there is no load.
pub(super) fn legend(record: &Record) -> Option<String> {
    let slowest: Vec<StageFigures> = valid(record).filter_map(|(run, _, _)| slowest(run)).collect();
    let waits = slowest.iter().any(|stage| stage.kind == LoadStageKind::Send);
    let waits = if waits { "; send includes waiting for the server" } else { "" };
    let legend =
        "slowest: the busiest stage of the threads that wait least for others, and the busy time of these threads, %";
    (!slowest.is_empty()).then(|| format!("{legend}{waits}"))
}

fn short_name(stage: &StageFigures) -> String {
    format!("{} {}", word(stage.kind), percent_digits(stage.workers_busy))
}

/// The slowest stage of `run`, with the busy time of its threads.
pub(super) fn slowest_stage(run: &Run) -> Option<String> {
    let stage = slowest(run)?;
    let waits = if stage.kind == LoadStageKind::Send { ", includes waiting for the server" } else { "" };
    Some(format!("{} ({} busy){waits}", word(stage.kind), percent(stage.workers_busy)))
}
