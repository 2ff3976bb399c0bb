//! Sees to it that the tables are there before the first test needs them.

use std::cell::Cell;
use std::sync::PoisonError;

use engine::Processes;
use record::{DataSet, Nanos, PlannedRun, name};
use workload::Test;
use workload::data_set::{self, Loading, Progress};

use crate::measurement::Bench;
use crate::plan::Item;
use crate::{Error, Event, Result};

/// Loads what the tests of `todo` need and is not there yet.
///
/// # Errors
/// What the engine says, and the user's wish to break off.
pub(crate) fn load(bench: &Bench<'_>, todo: &[PlannedRun], items: &[Item<'_>]) -> Result<Vec<DataSet>> {
    let (Some(stage), Some(subject)) = (bench.stage(), bench.subject) else { return Ok(Vec::new()) };
    let wanted = items.iter().filter_map(|item| match item {
        Item::Test(test) if todo.iter().any(|planned| planned.test == test.code) => Some(*test),
        _ => None,
    });
    let tables = data_set::needed(wanted.collect::<Vec<&Test>>());
    let roots = match subject.nodes.processes() {
        Processes::Local(roots) => roots,
        _ => Vec::new(),
    };
    let server_cpu = || {
        let mut host = bench.sources.host.lock().unwrap_or_else(PoisonError::into_inner);
        host.read(&roots).get(name::SERVER_CPU_NS).copied().map(Nanos)
    };
    let finishing = Cell::new(None);
    let progress = |progress: Progress| {
        let table = progress.table.name();
        let Progress { rows_done, rows, .. } = progress;
        bench.listener.hear(&Event::Loading { table, rows_done, rows });
        if rows_done == rows && finishing.replace(Some(table)) != Some(table) {
            bench.listener.hear(&Event::Note(&format!("table {table}: {rows} rows loaded, indexes follow")));
        }
    };
    let jobs = bench.processors.len() as u32;
    let loading = Loading { jobs, stop: bench.interrupt.flag(), progress: &progress, server_cpu: &server_cpu };
    let loaded = data_set::ensure(&stage, &tables, &loading);
    if bench.interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    Ok(loaded?)
}
