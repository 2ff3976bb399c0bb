//! Loads the tables that tests need.

use std::cell::Cell;

use engine::Processes;
use record::{Bytes, CacheFit, DataSet, PlannedRun, Preset, Verdict};
use workload::data_set::{self, Loading, Progress};
use workload::{DataTable, Test, TestContext};

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
    let beside = bench.loads_beside.iter().map(|beside| beside.test);
    let wanted: Vec<&Test> = wanted.chain(beside).collect();
    let mut warnings = warnings(bench, subject, &wanted);
    warnings.extend(wanted.iter().filter_map(|test| few_warehouses(bench, test, todo)));
    warnings.iter().for_each(|warning| bench.listener.on_event(&Event::Note(warning)));
    let schemas: Vec<(&str, Bytes)> = wanted
        .iter()
        .filter_map(|test| Some((test.code.as_str(), workload::schema_bytes(test, bench.sizes)?)))
        .collect();
    let tables = data_set::needed(wanted);
    check_space(bench, subject, &tables, &schemas)?;
    in_each_database(bench, |context, loading| data_set::ensure(context, &tables, loading))
}

/// Does what `test` needs once before its sweep, in each database; returns the tables of the first that stay.
pub(crate) fn set_up(bench: &Bench<'_>, test: &Test) -> Result<Vec<DataSet>> {
    if let Some(subject) = bench.subject {
        let mut rows = Bytes(0);
        for context in bench.databases().iter().filter(|context| context.node.data_directory().is_some()) {
            rows.0 = rows.0.saturating_add(workload::missing_bytes(test, context)?.0);
        }
        let content = format!("{} of rows of {}, their indexes and the log", megabytes(rows), test.code);
        check_rows(subject, rows, &content, "give a smaller --preset, or another --dir")?;
    }
    in_each_database(bench, |context, loading| workload::set_up(test, context, loading))
}

/// Loads by `load` into each database; returns the tables of the first.
fn in_each_database(
    bench: &Bench<'_>,
    load: impl Fn(&TestContext<'_>, &Loading<'_>) -> engine::Result<Vec<DataSet>>,
) -> Result<Vec<DataSet>> {
    let server_cpu = || bench.server_cpu();
    let finishing = Cell::new(None);
    let progress = |progress: Progress| {
        let Progress { table, rows_done, rows } = progress;
        bench.listener.on_event(&Event::Loading { table, rows_done, rows });
        if rows_done == rows && finishing.replace(Some(table)) != Some(table) {
            bench.listener.on_event(&Event::Note(&format!("table {table}: {rows} rows loaded, indexes follow")));
        }
    };
    let jobs = bench.processors.len() as u32;
    let loading = Loading { jobs, stop: bench.interrupt.flag(), progress: &progress, server_cpu: &server_cpu };
    let mut of_first = None;
    for context in bench.databases() {
        let loaded = load(&context, &loading);
        if bench.interrupt.is_raised() {
            return Err(Error::interrupted());
        }
        of_first.get_or_insert(loaded?);
    }
    Ok(of_first.unwrap_or_default())
}

/// The warning of `test` where its runs have few warehouses for each job.
fn few_warehouses(bench: &Bench<'_>, test: &Test, todo: &[PlannedRun]) -> Option<String> {
    let (warehouses, name) = test.jobs_max(bench.sizes)?;
    let jobs = todo.iter().filter(|planned| planned.test == test.code).map(|planned| planned.dop.jobs).max()?;
    let per_job = model::RULES.warehouses_per_job_min;
    let wanted = u64::from(jobs) * u64::from(per_job);
    (model::warehouses_finding(warehouses, jobs).verdict == Verdict::Warn).then(|| {
        format!(
            "{}: {warehouses} {name} for {jobs} jobs are less than {per_job} for each: jobs wait for rows of \
             others; hint: --{name} {wanted}",
            test.code
        )
    })
}

/// Refuses tables that are still to be loaded and exceed the free space of the engine, where that is known. Those of `schemas` are
/// removed after their test: the largest alone has to fit beside the others.
fn check_space(
    bench: &Bench<'_>,
    subject: &Subject<'_>,
    tables: &[DataTable],
    schemas: &[(&str, Bytes)],
) -> Result<()> {
    if let Some((code, rows)) = schemas.iter().max_by_key(|(_, rows)| *rows) {
        let content = format!("{} of rows of {code}, their indexes and the log", megabytes(*rows));
        check_rows(subject, *rows, &content, "give fewer --warehouses, a smaller --preset, or another --dir")?;
    }
    let mut rows = Bytes(0);
    for context in bench.databases().iter().filter(|context| context.node.data_directory().is_some()) {
        rows.0 = rows.0.saturating_add(data_set::missing_bytes(context, tables)?.0);
    }
    let names = tables.iter().map(|table| table.name()).collect::<Vec<&str>>().join(", ");
    let content = format!("{} of rows of {names}, their indexes and the log", megabytes(rows));
    check_rows(subject, rows, &content, "give fewer --small-rows and --large-rows, or another --dir")
}

/// Refuses `rows` bytes of rows that exceed the free space with their indexes and their log: `content` names them.
fn check_rows(subject: &Subject<'_>, rows: Bytes, content: &str, hint: &str) -> Result<()> {
    let needed = Bytes(table_bytes(rows, true).0.saturating_add(log_bytes(rows).0));
    space::check_tables(subject, needed, content, hint)
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
