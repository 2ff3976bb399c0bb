//! What goes on: the records that are being written, and targets in production.

use model::archive::{ArchiveEntry, ArchiveOrigin};
use record::Record;

use super::list::about;
use super::place::Place;
use super::production::{self, HistoryNow};
use super::server_run::{self, ServerRun};
use crate::document::{Bar, BarRole, Block, Cell, Column, Document, Row, Section, Table, Text};
use crate::run_line::run_line;

/// Runs of a record that are listed, the last ones.
const RUNS_MAX: usize = 12;

/// A record that is being written.
pub struct LiveRecord<'a> {
    /// What it is found by.
    pub id: &'a str,
    /// What it is of.
    pub entry: &'a ArchiveEntry,
    /// The record so far.
    pub record: &'a Record,
    /// How long ago its file changed, in whole seconds.
    pub quiet_seconds: u64,
}

/// What goes on.
pub struct LiveView<'a> {
    /// The directory, as it was named.
    pub directory: &'a str,
    /// The records that are being written, the newest first.
    pub records: &'a [LiveRecord<'a>],
    /// The histories of monitors.
    pub histories: &'a [HistoryNow<'a>],
    /// Whether runs may be started here.
    pub may_run: bool,
    /// The run that this server carries out, or the last one.
    pub run: Option<&'a ServerRun>,
}

/// A page of what goes on.
pub fn live(view: &LiveView<'_>) -> Document {
    let body = match view.records {
        [] => vec![Block::text("Nothing is being measured: no record of this directory is unfinished.")],
        records => records.iter().enumerate().flat_map(blocks).collect(),
    };
    let own = view.may_run.then(|| server_run::section(view.run));
    let others = [Section::new("now", "Being measured", body), production::section(view.histories)];
    Document {
        subtitle: view.directory.to_owned(),
        is_live: true,
        ..Document::new("dbdyno: live", own.into_iter().chain(others).collect())
    }
    .with_ways(Place::Served.ways())
}

fn blocks((place, live): (usize, &LiveRecord<'_>)) -> Vec<Block> {
    let (runs, planned) = match live.entry.origin {
        ArchiveOrigin::Measured { runs, runs_planned, .. } => (runs, runs_planned.max(runs)),
        ArchiveOrigin::Published { .. } => (0, 0),
    };
    let quiet = match live.quiet_seconds {
        0..=1 => "its file has just changed".to_owned(),
        seconds => format!("its file changed {seconds} s ago"),
    };
    let state = Text::link(live.entry.name.as_str(), Place::Served.record(live.id))
        .plain(format!(": {runs} of {planned} runs; {quiet}"));
    let share = if planned == 0 { 0.0 } else { runs as f64 / planned as f64 };
    let columns = vec![Column::text("runs"), Column::text("done")];
    let bar = Cell::Bar(Bar { from: 0.0, to: share, role: BarRole::Own });
    let progress = Row::new(vec![Cell::text(format!("{runs} of {planned}")), bar]);
    let last = live.record.runs.iter().rev().take(RUNS_MAX);
    let lines: Vec<Row> = last.map(|run| Row::new(vec![Cell::Text(Text::default().code(run_line(run)))])).collect();
    let table = Table::new(format!("last-runs-{place}"), "The last runs, the newest first", vec![Column::text("run")]);
    vec![
        Block::Heading(about(live.entry)),
        Block::Text(state),
        Table::new(format!("progress-{place}"), "", columns).with([progress]).into(),
        table.with(lines).into(),
    ]
}
