//! Loads one table, in parallel if the engine supports several writers.
//!
//! Each session generates its rows itself, while the bulk path encodes them: separate generator threads would save less
//! than the hand-over costs, because generating a row takes a small part of the time that an engine needs to store it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::{Processes, Result, Session};
use measure::clock;
use record::Nanos;

use crate::data_set::{Loading, Progress, TableRows};
use crate::sessions::{Spread, thread_cpu};
use crate::test_context::TestContext;

/// The cost of a load.
pub(crate) struct Loaded {
    pub jobs: u32,
    pub load_ns: Nanos,
    pub finish_ns: Nanos,
    pub generator_cpu_ns: Option<Nanos>,
    pub server_cpu_ns: Option<Nanos>,
}

/// Loads all of `rows` into their table, which is empty, and finishes it.
pub(crate) fn load(context: &TestContext<'_>, rows: &dyn TableRows, loading: &Loading<'_>) -> Result<Loaded> {
    let jobs = if context.node.caps().concurrent_writers { loading.jobs.max(1) } else { 1 };
    let mut sessions = (0..jobs).map(|_| context.node.connect()).collect::<Result<Vec<Box<dyn Session>>>>()?;
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    rows.prepare();
    let work = Chunks { rows, count: rows.chunks(jobs), next: &next, done: &done, stop: loading.stop };
    let (count, table) = (rows.rows(), rows.name());
    let rows_done = || done.load(Ordering::Relaxed).min(count);
    let report = || (loading.progress)(Progress { table, rows_done: rows_done(), rows: count });
    let spread = Spread { table, stop: loading.stop, report: &report };
    let server_cpu = (loading.server_cpu)();
    let start = clock::now();
    let cpu = spread.run(&mut sessions, |session| work.load(session))?;
    let load_ns = clock::now() - start;
    // Read before the sessions end: the processes of some engines end with them.
    let server_cpu_ns = server_cpu.zip((loading.server_cpu)()).map(|(before, after)| after.since(before));
    let is_separate = context.node.processes() != Processes::InProcess;
    let generator_cpu_ns = is_separate.then(|| cpu.into_iter().fold(Nanos(0), |sum, one| sum + one));
    sessions.truncate(1);
    let dialect = context.engine.dialect();
    let mut statements = (dialect.threads)(loading.jobs.max(1));
    statements.extend((dialect.finish)(&rows.table()));
    let start = clock::now();
    let finish = |session: &mut dyn Session| statements.iter().try_for_each(|statement| session.batch(statement));
    spread.run(&mut sessions, finish)?;
    Ok(Loaded { jobs, load_ns, finish_ns: clock::now() - start, generator_cpu_ns, server_cpu_ns })
}

/// What the sessions share: the chunks that are not taken yet.
struct Chunks<'a> {
    rows: &'a dyn TableRows,
    count: u64,
    next: &'a AtomicU64,
    done: &'a AtomicU64,
    stop: &'a AtomicBool,
}

impl Chunks<'_> {
    /// Loads chunks until none is left; returns the CPU time of this thread.
    fn load(&self, session: &mut dyn Session) -> Result<Nanos> {
        let start = thread_cpu();
        while !self.stop.load(Ordering::Relaxed) {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            if chunk >= self.count {
                break;
            }
            let mut rows = self.rows.chunk((chunk, self.count), self.stop, self.done);
            session.bulk(self.rows.name(), rows.as_mut())?;
        }
        Ok(thread_cpu() - start)
    }
}
