//! How busy the stages were, and the slowest of them.

use model::load::{StageFigures, slowest};
use record::{LoadStageKind, Record, Run};

use super::{kind, valid, word};
use crate::figure::{percent, percent_digits};
use crate::layout::{Align, Head, Table};

/// The stages in the order of the pipeline, each with the heading of its column.
const STAGES: [(LoadStageKind, Head); 8] = [
    (LoadStageKind::Generate, (&["gene-", "rate"], Align::Right)),
    (LoadStageKind::Read, (&["read"], Align::Right)),
    (LoadStageKind::Decompress, (&["decom-", "press"], Align::Right)),
    (LoadStageKind::Parse, (&["parse"], Align::Right)),
    (LoadStageKind::Convert, (&["convert"], Align::Right)),
    (LoadStageKind::Send, (&["send"], Align::Right)),
    (LoadStageKind::Insert, (&["insert"], Align::Right)),
    (LoadStageKind::Commit, (&["commit"], Align::Right)),
];

const IDENTITY: [Head; 3] = [(&["run"], Align::Right), (&["table"], Align::Left), (&["#J"], Align::Right)];

const SLOWEST: Head = (&["slowest"], Align::Left);

/// A line for each load, with a column for each stage that occurs.
pub(crate) fn stages(record: &Record) -> Table {
    let occurs = |kind: LoadStageKind| {
        let mut loads = valid(record);
        loads.any(|(_, load, _)| load.stages.iter().any(|stage| stage.kind == kind))
    };
    let shown: Vec<(LoadStageKind, Head)> = STAGES.into_iter().filter(|(kind, _)| occurs(*kind)).collect();
    let heads: Vec<Head> = IDENTITY.into_iter().chain(shown.iter().map(|(_, head)| *head)).chain([SLOWEST]).collect();
    let mut table = Table::new(&heads, &[]);
    for (run, load, figures) in valid(record) {
        let mut cells = vec![run.number.to_string(), kind(load), run.dop.jobs.to_string()];
        let busy = |kind: LoadStageKind| figures.stages.iter().find(|stage| stage.kind == kind);
        cells.extend(
            shown.iter().map(|(kind, _)| {
                busy(*kind).map_or_else(String::new, |stage: &StageFigures| percent_digits(stage.busy))
            }),
        );
        cells.push(slowest(run).map(|stage| short_name(&stage)).unwrap_or_default());
        table.push(cells, None);
    }
    table
}

/// The legend of the last column of the table; nothing where there is no load.
pub(crate) fn legend(record: &Record) -> Option<String> {
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
pub(crate) fn slowest_stage(run: &Run) -> Option<String> {
    let stage = slowest(run)?;
    let waits = if stage.kind == LoadStageKind::Send { ", includes waiting for the server" } else { "" };
    Some(format!("{} ({} busy){waits}", word(stage.kind), percent(stage.workers_busy)))
}
