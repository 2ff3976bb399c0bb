//! The tables in the database: created and loaded if missing, reused otherwise.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::{Kind, Processes, Result, Session, Value};
use measure::clock;
use record::{DataSet, Nanos};

use super::layout::{Layout, TableOf};
use super::settings::BlocksSettings;
use crate::check::first_difference;
use crate::data_set::registry;
use crate::sessions::Spread;
use crate::test_context::TestContext;

/// The most blocks of a transaction.
const CHUNK_BLOCKS_MAX: u64 = 2_048;

/// How to load.
pub struct BlocksLoading<'a> {
    /// The load is aborted when it is set.
    pub stop: &'a AtomicBool,
    /// Reports, per table, the rows sent to the engine, several times a second, on the calling thread.
    pub progress: &'a dyn Fn(&str, u64, u64),
    /// CPU time of the processes of the engine so far, if separate from ours.
    pub server_cpu: &'a dyn Fn() -> Option<Nanos>,
}

/// Makes sure that the tables of all schemas exist with the rows of `layout`; tables that an earlier invocation kept
/// are reused.
///
/// # Errors
/// Errors of the engine; `Cancelled` where the stop flag was set.
pub fn ensure(
    context: &TestContext<'_>,
    settings: &BlocksSettings,
    layout: &Layout,
    loading: &BlocksLoading<'_>,
) -> Result<Vec<DataSet>> {
    let mut session = context.node.connect()?;
    registry::create(context, session.as_mut())?;
    let ensure = |(of, schema)| {
        let one = OneTable { context, layout, loading, target: (of, schema), name: Layout::name(of, schema) };
        one.ensure(settings.load_jobs, session.as_mut())
    };
    tables(settings).map(ensure).collect()
}

/// Number of the tables of `settings` that [`ensure`] would load, as the registry knows them, and their blocks.
///
/// # Errors
/// Errors of the engine.
pub fn missing(context: &TestContext<'_>, settings: &BlocksSettings, layout: &Layout) -> Result<(u64, u64)> {
    let mut session = context.node.connect()?;
    let mut missing = (0, 0);
    for (of, schema) in tables(settings) {
        let (name, fingerprint) = (Layout::name(of, schema), layout.fingerprint(of, schema));
        if !registry::is_complete(context, session.as_mut(), &name, &fingerprint)? {
            missing = (missing.0 + 1, layout.blocks(of).saturating_add(missing.1));
        }
    }
    Ok(missing)
}

/// The tables of all schemas.
fn tables(settings: &BlocksSettings) -> impl Iterator<Item = (TableOf, u32)> {
    let scan = settings.scans().then_some(TableOf::Scan);
    (1..=settings.schemas)
        .flat_map(move |schema| [Some(TableOf::Blocks), scan].into_iter().flatten().map(move |of| (of, schema)))
}

/// One table, and how it is loaded.
struct OneTable<'a, 'b> {
    context: &'a TestContext<'b>,
    layout: &'a Layout,
    loading: &'a BlocksLoading<'a>,
    target: (TableOf, u32),
    name: String,
}

impl OneTable<'_, '_> {
    fn ensure(&self, jobs: u32, session: &mut dyn Session) -> Result<DataSet> {
        let (of, schema) = self.target;
        let fingerprint = self.layout.fingerprint(of, schema);
        let found = DataSet {
            table: self.name.clone(),
            rows: self.layout.rows(of),
            size_bytes: self.layout.size(of),
            fingerprint: fingerprint.clone(),
            reused: true,
            jobs: 0,
            load_ns: None,
            finish_ns: None,
            generator_cpu_ns: None,
            server_cpu_ns: None,
        };
        if registry::is_complete(self.context, session, &self.name, &fingerprint)? && self.is_intact(session)? {
            return Ok(found);
        }
        // The registry entry is removed first, then the table, so that no crash leaves an entry without a table.
        registry::remove(self.context, session, &self.name)?;
        let dialect = self.context.engine.dialect();
        (dialect.drop)(&self.name).iter().try_for_each(|statement| session.batch(statement))?;
        let loaded = self.load(jobs, session);
        match loaded {
            Ok((jobs, load_ns, finish_ns, server_cpu_ns)) => {
                registry::mark_complete(self.context, session, &self.name, &fingerprint)?;
                let (load_ns, finish_ns) = (Some(load_ns), Some(finish_ns));
                Ok(DataSet { reused: false, jobs, load_ns, finish_ns, server_cpu_ns, ..found })
            }
            Err(error) => {
                // The first error is the one that is reported.
                let _ = (dialect.drop)(&self.name).iter().try_for_each(|statement| session.batch(statement));
                Err(error)
            }
        }
    }

    /// Whether all rows are there.
    fn is_intact(&self, session: &mut dyn Session) -> Result<bool> {
        let count = match session.prepare(&format!("select count(*) from {}", self.name)) {
            Ok(count) => count,
            Err(error) if error.kind == Kind::Statement => return Ok(false),
            Err(error) => return Err(error),
        };
        let rows = session.query(count, &[])?;
        Ok(first_difference(vec![vec![Value::Int(self.layout.rows(self.target.0) as i64)]], rows).is_none())
    }

    /// Creates, fills and finishes the table: number of loading sessions, time of the load and of the finish, and CPU
    /// time of the engine during the load.
    fn load(&self, jobs: u32, session: &mut dyn Session) -> Result<(u32, Nanos, Nanos, Option<Nanos>)> {
        let table = self.layout.table(self.target.0, self.target.1);
        self.layout.create(&table).iter().try_for_each(|statement| session.batch(statement))?;
        let blocks = self.layout.blocks(self.target.0);
        let jobs = if self.context.node.caps().concurrent_writers { jobs.max(1) } else { 1 };
        let chunk = blocks.div_ceil(4 * u64::from(jobs)).clamp(1, CHUNK_BLOCKS_MAX);
        let next = AtomicU64::new(0);
        let done = AtomicU64::new(0);
        let mut sessions = (0..jobs).map(|_| self.context.node.connect()).collect::<Result<Vec<Box<dyn Session>>>>()?;
        let rows = self.layout.rows(self.target.0);
        let report = || (self.loading.progress)(&self.name, done.load(Ordering::Relaxed).min(rows), rows);
        let spread = Spread { table: &self.name, stop: self.loading.stop, report: &report };
        let server_cpu = (self.loading.server_cpu)();
        let start = clock::now();
        let (layout, target, name, stop) = (self.layout, self.target, self.name.as_str(), self.loading.stop);
        spread.run(&mut sessions, |session| {
            while !stop.load(Ordering::Relaxed) {
                let first = next.fetch_add(chunk, Ordering::Relaxed);
                let count = blocks.saturating_sub(first).min(chunk);
                if count == 0 {
                    break;
                }
                let mut rows = layout.source(target, (first, count), stop, &done);
                session.bulk(name, &mut rows)?;
            }
            Ok(())
        })?;
        let load_ns = clock::now() - start;
        let server_cpu = server_cpu.zip((self.loading.server_cpu)()).map(|(before, after)| after.since(before));
        let server_cpu = server_cpu.filter(|_| self.context.node.processes() != Processes::InProcess);
        sessions.truncate(1);
        let start = clock::now();
        let statements = (self.context.engine.dialect().finish)(&table);
        spread.run(&mut sessions, |session| statements.iter().try_for_each(|statement| session.batch(statement)))?;
        Ok((jobs, load_ns, clock::now() - start, server_cpu))
    }
}
