//! The data set in the database: created and loaded if missing, reused otherwise.

mod load;
pub(crate) mod registry;
mod table_rows;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use engine::{Result, Session};
use record::{Bytes, DataSet, Nanos};

use crate::data::{DataTable, Generator};
use crate::test::Test;
use crate::test_context::TestContext;

pub(crate) use table_rows::{TableRows, has_rows};

/// How to load.
pub struct Loading<'a> {
    /// Sessions that load in parallel, if the engine supports several writers; at least 1.
    pub jobs: u32,
    /// The load is aborted when it is set.
    pub stop: &'a AtomicBool,
    /// Receives the progress, several times a second, on the calling thread.
    pub progress: &'a dyn Fn(Progress),
    /// CPU time of the processes of the engine so far, if separate from ours.
    pub server_cpu: &'a dyn Fn() -> Option<Nanos>,
}

/// The progress of the load of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The name of the table.
    pub table: &'static str,
    /// Rows that were sent to the engine.
    pub rows_done: u64,
    /// Rows of the table; when all are sent, the engine creates indexes and statistics.
    pub rows: u64,
}

/// The tables of `tests`, small ones first.
pub fn needed<'a>(tests: impl IntoIterator<Item = &'a Test>) -> Vec<DataTable> {
    let tables: BTreeSet<DataTable> = tests.into_iter().flat_map(|test| test.tables.iter().copied()).collect();
    tables.into_iter().collect()
}

/// Makes sure that `tables` are in the database with exactly the rows of the generator: existing tables are reused,
/// others are created and loaded. A table of an interrupted load is removed.
///
/// # Errors
/// Errors of the engine; `Cancelled` where the stop flag was set.
pub fn ensure(context: &TestContext<'_>, tables: &[DataTable], loading: &Loading<'_>) -> Result<Vec<DataSet>> {
    let generators: Vec<Generator> = tables.iter().map(|table| Generator::new(*table, context.sizes)).collect();
    let tables: Vec<&dyn TableRows> = generators.iter().map(|generator| generator as &dyn TableRows).collect();
    ensure_tables(context, &tables, loading)
}

/// The same for tables of any kind.
pub(crate) fn ensure_tables(
    context: &TestContext<'_>,
    tables: &[&dyn TableRows],
    loading: &Loading<'_>,
) -> Result<Vec<DataSet>> {
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let mut session = context.node.connect()?;
    registry::create(context, session.as_mut())?;
    tables.iter().map(|table| one(context, *table, loading, session.as_mut())).collect()
}

/// Bytes of the rows of `tables` that [`ensure`] would load, as the registry knows them.
///
/// # Errors
/// Errors of the engine.
pub fn missing_bytes(context: &TestContext<'_>, tables: &[DataTable]) -> Result<Bytes> {
    let generators: Vec<Generator> = tables.iter().map(|table| Generator::new(*table, context.sizes)).collect();
    let tables: Vec<&dyn TableRows> = generators.iter().map(|generator| generator as &dyn TableRows).collect();
    missing_bytes_of(context, &tables)
}

/// The same for tables of any kind.
pub(crate) fn missing_bytes_of(context: &TestContext<'_>, tables: &[&dyn TableRows]) -> Result<Bytes> {
    if tables.is_empty() {
        return Ok(Bytes(0));
    }
    let mut session = context.node.connect()?;
    let mut missing = Bytes(0);
    for table in tables {
        if !registry::is_complete(context, session.as_mut(), table.name(), &table.fingerprint())? {
            missing.0 = missing.0.saturating_add(table.bytes().0);
        }
    }
    Ok(missing)
}

fn one(
    context: &TestContext<'_>,
    table: &dyn TableRows,
    loading: &Loading<'_>,
    session: &mut dyn Session,
) -> Result<DataSet> {
    let found = DataSet {
        table: table.name().to_owned(),
        rows: table.rows(),
        size_bytes: table.bytes(),
        fingerprint: table.fingerprint(),
        reused: true,
        jobs: 0,
        load_ns: None,
        finish_ns: None,
        generator_cpu_ns: None,
        server_cpu_ns: None,
    };
    if registry::is_complete(context, session, table.name(), &found.fingerprint)?
        && table.is_intact(context, session)?
    {
        return Ok(found);
    }
    // The registry entry is removed first, then the table, so that no crash leaves an entry without a table.
    registry::remove(context, session, table.name())?;
    let statements = |statements: Vec<String>, session: &mut dyn Session| {
        statements.iter().try_for_each(|statement| session.batch(statement))
    };
    let dialect = context.engine.dialect();
    statements((dialect.drop)(table.name()), session)?;
    statements((dialect.create)(&table.table()), session)?;
    match load::load(context, table, loading) {
        Ok(loaded) => {
            registry::mark_complete(context, session, table.name(), &found.fingerprint)?;
            Ok(DataSet {
                reused: false,
                jobs: loaded.jobs,
                load_ns: Some(loaded.load_ns),
                finish_ns: Some(loaded.finish_ns),
                generator_cpu_ns: loaded.generator_cpu_ns,
                server_cpu_ns: loaded.server_cpu_ns,
                ..found
            })
        }
        Err(error) => {
            // The first error is the one that is reported.
            let _ = statements((dialect.drop)(table.name()), session);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests;
