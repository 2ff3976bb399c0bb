//! The data set in the database: created and loaded if missing, reused otherwise.

mod load;
pub(crate) mod registry;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use engine::{Kind, Result, Session};
use record::{Bytes, DataSet, Nanos};

use crate::check::first_difference;
use crate::data::{DataColumn, DataTable, Generator, ROW_BYTES};
use crate::test::Test;
use crate::test_context::TestContext;

/// Rows that are checked before a table is reused.
const SAMPLES: u64 = 16;

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
    /// The table.
    pub table: DataTable,
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
    if tables.is_empty() {
        return Ok(Bytes(0));
    }
    let mut session = context.node.connect()?;
    let mut missing = Bytes(0);
    for table in tables {
        let generator = Generator::new(*table, context.sizes);
        if !registry::is_complete(context, session.as_mut(), table.name(), &generator.fingerprint())? {
            missing.0 = missing.0.saturating_add(ROW_BYTES.times(generator.rows()).0);
        }
    }
    Ok(missing)
}

fn one(
    context: &TestContext<'_>,
    table: DataTable,
    loading: &Loading<'_>,
    session: &mut dyn Session,
) -> Result<DataSet> {
    let generator = Generator::new(table, context.sizes);
    let fingerprint = generator.fingerprint();
    let found = DataSet {
        table: table.name().to_owned(),
        rows: generator.rows(),
        size_bytes: ROW_BYTES.times(generator.rows()),
        fingerprint,
        reused: true,
        jobs: 0,
        load_ns: None,
        finish_ns: None,
        generator_cpu_ns: None,
        server_cpu_ns: None,
    };
    if registry::is_complete(context, session, table.name(), &found.fingerprint)?
        && is_intact(context, session, &generator)?
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
    match load::load(context, &generator, loading) {
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

/// Whether the table has all rows, and a sample of them is right.
fn is_intact(context: &TestContext<'_>, session: &mut dyn Session, generator: &Generator) -> Result<bool> {
    let (name, columns) = (generator.table().name(), DataColumn::ALL.map(DataColumn::name).join(", "));
    let prepared = session.prepare(&format!("select count(*) from {name}"));
    let count = match prepared {
        Ok(count) => count,
        Err(error) if error.kind == Kind::Statement => return Ok(false),
        Err(error) => return Err(error),
    };
    let rows = session.query(count, &[])?;
    if first_difference(vec![vec![engine::Value::Int(generator.rows() as i64)]], rows).is_some() {
        return Ok(false);
    }
    let placeholder = context.engine.dialect().placeholder.at(1);
    let read = session.prepare(&format!("select {columns} from {name} where id = {placeholder}"))?;
    let last = SAMPLES - 1;
    for sample in 0..SAMPLES {
        let id = 1 + (generator.rows() - 1) / last * sample;
        let found = session.query(read, &[engine::Value::Int(id as i64)])?;
        let row = generator.row(id);
        // The number of updates is not checked.
        let untouched = |row: &Vec<engine::Value<'static>>| {
            let fields = DataColumn::ALL.iter().zip(row).filter(|(column, _)| **column != DataColumn::Touched);
            fields.map(|(_, value)| value.clone()).collect::<Vec<engine::Value<'static>>>()
        };
        let expected = DataColumn::ALL.iter().map(|column| row.field(*column)).collect();
        if first_difference(vec![untouched(&expected)], found.iter().map(untouched).collect()).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
