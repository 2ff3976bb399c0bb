//! The tables in the database: created and loaded where they are not there yet, used again where they are.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::{Canceller, Error, Kind, Processes, Result, Session, Value};
use measure::clock;
use record::{DataSet, FailureKind, Nanos};

use super::layout::{Layout, TableOf};
use super::settings::BlocksSettings;
use crate::check::first_difference;
use crate::data_set::book;
use crate::stage::{Stage, exists};

/// Blocks of a transaction, at most.
const CHUNK_BLOCKS_MAX: u64 = 2_048;

/// Between two looks at how far it came.
const TICK: Duration = Duration::from_millis(50);

/// How to load.
pub struct BlocksLoading<'a> {
    /// Breaks off when it is up.
    pub stop: &'a AtomicBool,
    /// Hears of each table how many of its rows were given to the engine, some times a second, on the calling thread.
    pub progress: &'a dyn Fn(&str, u64, u64),
    /// Processor time of the engine's processes so far, where it can be told from ours.
    pub server_cpu: &'a dyn Fn() -> Option<Nanos>,
}

/// Sees to it that the tables of all schemas are there, with the rows of `layout`: those that an earlier invocation
/// kept are used again.
///
/// # Errors
/// What the engine says; `Cancelled` where the stop flag was raised.
pub fn ensure(
    stage: &Stage<'_>,
    settings: &BlocksSettings,
    layout: &Layout,
    loading: &BlocksLoading<'_>,
) -> Result<Vec<DataSet>> {
    let mut session = stage.node.connect()?;
    book::open(stage, session.as_mut())?;
    let mut sets = Vec::new();
    for schema in 1..=settings.schemas {
        let scan = settings.scans().then_some(TableOf::Scan);
        for of in [Some(TableOf::Blocks), scan].into_iter().flatten() {
            let one = OneTable { stage, layout, loading, place: (of, schema), name: Layout::name(of, schema) };
            sets.push(one.ensure(settings.load_jobs, session.as_mut())?);
        }
    }
    Ok(sets)
}

/// Removes the tables of all schemas, those of this invocation and what a larger one left.
///
/// # Errors
/// What the engine says.
pub fn drop_all(stage: &Stage<'_>) -> Result<()> {
    let mut session = stage.node.connect()?;
    for schema in 1.. {
        let mut found = false;
        for name in [TableOf::Blocks, TableOf::Scan].map(|of| Layout::name(of, schema)) {
            // An engine without answers would have tables without end.
            found |= stage.node.caps().answers && exists(session.as_mut(), &name)?;
            (stage.engine.dialect().drop)(&name).iter().try_for_each(|statement| session.batch(statement))?;
        }
        if !found {
            break;
        }
    }
    Ok(())
}

/// One table, and how it is loaded.
struct OneTable<'a, 'b> {
    stage: &'a Stage<'b>,
    layout: &'a Layout,
    loading: &'a BlocksLoading<'a>,
    place: (TableOf, u32),
    name: String,
}

impl OneTable<'_, '_> {
    fn ensure(&self, jobs: u32, session: &mut dyn Session) -> Result<DataSet> {
        let (of, schema) = self.place;
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
        if book::knows(self.stage, session, &self.name, &fingerprint)? && self.is_intact(session)? {
            return Ok(found);
        }
        // First the promise goes, then the table, so that no crash leaves a promise without a table.
        book::forget(self.stage, session, &self.name)?;
        let dialect = self.stage.engine.dialect();
        (dialect.drop)(&self.name).iter().try_for_each(|statement| session.batch(statement))?;
        let loaded = self.load(jobs, session);
        match loaded {
            Ok((jobs, load_ns, finish_ns, server_cpu_ns)) => {
                book::promise(self.stage, session, &self.name, &fingerprint)?;
                let (load_ns, finish_ns) = (Some(load_ns), Some(finish_ns));
                Ok(DataSet { reused: false, jobs, load_ns, finish_ns, server_cpu_ns, ..found })
            }
            Err(error) => {
                // The first error is the one to tell.
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
        Ok(first_difference(vec![vec![Value::Int(self.layout.rows(self.place.0) as i64)]], rows).is_none())
    }

    /// Creates, fills and finishes it: how many sessions loaded, how long that and the finish took, and the processor
    /// time of the engine meanwhile.
    fn load(&self, jobs: u32, session: &mut dyn Session) -> Result<(u32, Nanos, Nanos, Option<Nanos>)> {
        let table = self.layout.table(self.place.0, self.place.1);
        self.layout.create(&table).iter().try_for_each(|statement| session.batch(statement))?;
        let blocks = self.layout.blocks(self.place.0);
        let jobs = if self.stage.node.caps().concurrent_writers { jobs.max(1) } else { 1 };
        let chunk = blocks.div_ceil(4 * u64::from(jobs)).clamp(1, CHUNK_BLOCKS_MAX);
        let next = AtomicU64::new(0);
        let done = AtomicU64::new(0);
        let mut sessions = (0..jobs).map(|_| self.stage.node.connect()).collect::<Result<Vec<Box<dyn Session>>>>()?;
        let server_cpu = (self.loading.server_cpu)();
        let begun = clock::now();
        let (layout, place, name, stop) = (self.layout, self.place, self.name.as_str(), self.loading.stop);
        self.watched(&done, &mut sessions, |session| {
            while !stop.load(Ordering::Relaxed) {
                let first = next.fetch_add(chunk, Ordering::Relaxed);
                let count = blocks.saturating_sub(first).min(chunk);
                if count == 0 {
                    break;
                }
                let mut rows = layout.source(place, (first, count), stop, &done);
                session.bulk(name, &mut rows)?;
            }
            Ok(())
        })?;
        let load_ns = clock::now() - begun;
        let server_cpu = server_cpu.zip((self.loading.server_cpu)()).map(|(before, after)| after.since(before));
        let server_cpu = server_cpu.filter(|_| self.stage.node.processes() != Processes::InProcess);
        sessions.truncate(1);
        let begun = clock::now();
        let statements = (self.stage.engine.dialect().finish)(&table);
        self.watched(&done, &mut sessions, |session| {
            statements.iter().try_for_each(|statement| session.batch(statement))
        })?;
        Ok((jobs, load_ns, clock::now() - begun, server_cpu))
    }

    /// Does `work` with each session on a thread of its own, and meanwhile tells how far it came and listens for the
    /// stop flag. With the first error the others are broken off too.
    fn watched(
        &self,
        done: &AtomicU64,
        sessions: &mut [Box<dyn Session>],
        work: impl Fn(&mut dyn Session) -> Result<()> + Sync,
    ) -> Result<()> {
        let cancellers: Vec<Box<dyn Canceller>> = sessions.iter().filter_map(|session| session.canceller()).collect();
        let failed = AtomicBool::new(false);
        let rows = self.layout.rows(self.place.0);
        let tell = || (self.loading.progress)(&self.name, done.load(Ordering::Relaxed).min(rows), rows);
        let results: Vec<Result<()>> = std::thread::scope(|scope| {
            let (work, failed, watcher) = (&work, &failed, std::thread::current());
            let threads: Vec<_> = sessions
                .iter_mut()
                .map(|session| {
                    let watcher = watcher.clone();
                    scope.spawn(move || {
                        let result = work(session.as_mut());
                        failed.fetch_or(result.is_err(), Ordering::Relaxed);
                        watcher.unpark();
                        result
                    })
                })
                .collect();
            while !threads.iter().all(|thread| thread.is_finished()) {
                std::thread::park_timeout(TICK);
                tell();
                if self.loading.stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed) {
                    // Again and again, because a session may be between two statements.
                    cancellers.iter().for_each(|canceller| drop(canceller.cancel()));
                }
            }
            let join = |thread: std::thread::ScopedJoinHandle<'_, Result<()>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        tell();
        if self.loading.stop.load(Ordering::Relaxed) {
            let message = format!("the load of table {} was interrupted", self.name);
            return Err(Error::new(Kind::Step(FailureKind::Cancelled), message));
        }
        // What the others say is that they were broken off.
        let was_cancelled = |error: &Error| error.failure() == Some(FailureKind::Cancelled);
        let cause = results.iter().filter_map(|result| result.as_ref().err()).find(|error| !was_cancelled(error));
        match cause {
            Some(error) => Err(error.clone()),
            None => results.into_iter().collect(),
        }
    }
}
