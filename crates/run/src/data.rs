//! Loads the tables that tests need.

use std::cell::Cell;

use engine::Processes;
use record::{Bytes, CacheFit, DataSet, PlannedRun, Preset};
use workload::DataTable;
use workload::Test;
use workload::data_set::{self, Loading, Progress};

use crate::bench::{Bench, Subject};
use crate::item::Item;
use crate::space::{self, log_bytes, megabytes, table_bytes};
use crate::{Error, Event, Result};

/// Loads the tables that the tests of `todo` need and that do not exist yet, into each database; returns those of the
/// first.
pub(crate) fn load(bench: &Bench<'_>, todo: &[PlannedRun], items: &[Item<'_>]) -> Result<Vec<DataSet>> {
    let Some(subject) = bench.subject else { return Ok(Vec::new()) };
    let wanted = items.iter().filter_map(|item| match item {
        Item::Test(test) if todo.iter().any(|planned| planned.test == test.code) => Some(*test),
        _ => None,
    });
    let wanted: Vec<&Test> = wanted.collect();
    warnings(bench, subject, &wanted).iter().for_each(|warning| bench.listener.on_event(&Event::Note(warning)));
    let tables = data_set::needed(wanted);
    let server_cpu = || bench.server_cpu();
    let finishing = Cell::new(None);
    let progress = |progress: Progress| {
        let table = progress.table.name();
        let Progress { rows_done, rows, .. } = progress;
        bench.listener.on_event(&Event::Loading { table, rows_done, rows });
        if rows_done == rows && finishing.replace(Some(table)) != Some(table) {
            bench.listener.on_event(&Event::Note(&format!("table {table}: {rows} rows loaded, indexes follow")));
        }
    };
    check_space(bench, subject, &tables)?;
    let jobs = bench.processors.len() as u32;
    let loading = Loading { jobs, stop: bench.interrupt.flag(), progress: &progress, server_cpu: &server_cpu };
    let mut of_first = None;
    for context in bench.databases() {
        let loaded = data_set::ensure(&context, &tables, &loading);
        if bench.interrupt.is_raised() {
            return Err(Error::interrupted());
        }
        of_first.get_or_insert(loaded?);
    }
    Ok(of_first.unwrap_or_default())
}

/// Refuses tables that are still to be loaded and exceed the free space of the engine, where that is known.
fn check_space(bench: &Bench<'_>, subject: &Subject<'_>, tables: &[DataTable]) -> Result<()> {
    let mut rows = Bytes(0);
    for context in bench.databases().iter().filter(|context| context.node.data_directory().is_some()) {
        rows.0 = rows.0.saturating_add(data_set::missing_bytes(context, tables)?.0);
    }
    let names = tables.iter().map(|table| table.name()).collect::<Vec<&str>>().join(", ");
    let content = format!("{} of rows of {names}, their indexes and the log", megabytes(rows));
    let needed = Bytes(table_bytes(rows, true).0.saturating_add(log_bytes(rows).0));
    space::check_tables(subject, needed, &content, "give fewer --small-rows and --large-rows, or another --dir")
}

/// Warnings before the load: tables that are meant to exceed a cache and do not.
fn warnings(bench: &Bench<'_>, subject: &Subject<'_>, wanted: &[&Test]) -> Vec<String> {
    let outside: Vec<&Test> =
        wanted.iter().copied().filter(|test| test.cache_fit() == Some(CacheFit::Outside)).collect();
    let Some(Bytes(data)) = outside.iter().filter_map(|test| test.data_bytes(bench.sizes)).min() else {
        return Vec::new();
    };
    let codes = outside.iter().map(|test| test.code.as_str()).collect::<Vec<&str>>().join(", ");
    let engine = &subject.inventory;
    let is_outside = |cache: Bytes| data as f64 >= cache.0 as f64 * model::RULES.cache_multiple_min;
    let mut warnings = Vec::new();
    if let Some(cache) = engine.cache_bytes.filter(|cache| !is_outside(*cache) && bench.plan.preset != Preset::Smoke) {
        warnings.push(format!(
            "{codes}: {} of rows are less than twice the engine's cache of {}; hint: --large-rows {}",
            gigabytes(data),
            gigabytes(cache.0),
            rows_of(cache.0 as f64 * model::RULES.cache_multiple_min)
        ));
    }
    let memory = ::host::memory_total();
    let is_here = subject.nodes.first().data_directory().is_some() || subject.nodes.processes() != Processes::Remote;
    let reads_page_cache = !engine.temporary && engine.direct_reads != Some(true) && is_here;
    if reads_page_cache && data < memory.0 {
        warnings.push(format!(
            "{codes}: the {} of rows fit in the page cache of this host ({} of memory), and dbdyno did not start the \
             server: its reads will not reach the device; hint: --large-rows {}",
            gigabytes(data),
            gigabytes(memory.0),
            rows_of(memory.0 as f64 * 2.0)
        ));
    }
    warnings
}

fn rows_of(bytes: f64) -> u64 {
    (bytes / workload::ROW_BYTES.0 as f64).ceil() as u64
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}
