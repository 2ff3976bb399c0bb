//! Loads one table, in parallel where the engine lets several sessions write.
//!
//! Each session generates its rows itself, while the bulk path encodes them: handing rows over from threads that do
//! nothing but generate would save less than the handing over costs, because generating a row takes a small part of
//! what an engine takes to store it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::{Canceller, Processes, Result, Session};
use measure::clock;
use record::Nanos;
use rustix::time::{ClockId, clock_gettime};

use crate::data::{Generator, STRIDE, Source};
use crate::data_set::{Loading, Progress, interrupted};
use crate::stage::Stage;

/// Rows of a transaction, at most.
const CHUNK_ROWS_MAX: u64 = 32 * STRIDE;

/// Between two looks at how far it came.
const TICK: Duration = Duration::from_millis(50);

/// What a load took.
pub(crate) struct Loaded {
    pub jobs: u32,
    pub load_ns: Nanos,
    pub finish_ns: Nanos,
    pub generator_cpu_ns: Option<Nanos>,
    pub server_cpu_ns: Option<Nanos>,
}

/// Loads all rows of `generator` into its table, which is empty, and finishes it.
pub(crate) fn load(stage: &Stage<'_>, generator: &Generator, loading: &Loading<'_>) -> Result<Loaded> {
    let jobs = if stage.node.caps().concurrent_writers { loading.jobs.max(1) } else { 1 };
    let mut sessions = (0..jobs).map(|_| stage.node.connect()).collect::<Result<Vec<Box<dyn Session>>>>()?;
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    // Some chunks for each job, so that all end at about the same time.
    let chunk = (generator.rows() / (8 * u64::from(jobs))).next_multiple_of(STRIDE).clamp(STRIDE, CHUNK_ROWS_MAX);
    let work = Chunks { generator, chunk, next: &next, done: &done, stop: loading.stop };
    let server_cpu = (loading.server_cpu)();
    let begun = clock::now();
    let cpu = watched(generator, loading, &done, &mut sessions, |session| work.load(session))?;
    let load_ns = clock::now() - begun;
    // Read before the sessions end: with some engines their processes end with them.
    let server_cpu_ns = server_cpu.zip((loading.server_cpu)()).map(|(before, after)| after.since(before));
    let apart = stage.node.processes() != Processes::InProcess;
    let generator_cpu_ns = apart.then(|| cpu.into_iter().fold(Nanos(0), |sum, one| sum + one));
    sessions.truncate(1);
    let dialect = stage.engine.dialect();
    let mut statements = (dialect.threads)(loading.jobs.max(1));
    statements.extend((dialect.finish)(&generator.table().table()));
    let begun = clock::now();
    let finish = |session: &mut dyn Session| statements.iter().try_for_each(|statement| session.batch(statement));
    watched(generator, loading, &done, &mut sessions, finish)?;
    Ok(Loaded { jobs, load_ns, finish_ns: clock::now() - begun, generator_cpu_ns, server_cpu_ns })
}

/// What the sessions share: the rows that nobody has taken yet.
struct Chunks<'a> {
    generator: &'a Generator,
    chunk: u64,
    next: &'a AtomicU64,
    done: &'a AtomicU64,
    stop: &'a AtomicBool,
}

impl Chunks<'_> {
    /// Loads chunks until none is left; the processor time of this thread.
    fn load(&self, session: &mut dyn Session) -> Result<Nanos> {
        let begun = thread_cpu();
        while !self.stop.load(Ordering::Relaxed) {
            let first = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            let count = self.generator.rows().saturating_sub(first).min(self.chunk);
            if count == 0 {
                break;
            }
            let mut rows = Source::new(self.generator, (1 + first, count), self.stop, self.done);
            session.bulk(self.generator.table().name(), &mut rows)?;
        }
        Ok(thread_cpu() - begun)
    }
}

/// Does `work` with each session on a thread of its own, and meanwhile tells how far it came and listens for the
/// stop flag. With the first error the others are broken off too.
fn watched<T: Send>(
    generator: &Generator,
    loading: &Loading<'_>,
    done: &AtomicU64,
    sessions: &mut [Box<dyn Session>],
    work: impl Fn(&mut dyn Session) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let cancellers: Vec<Box<dyn Canceller>> = sessions.iter().filter_map(|session| session.canceller()).collect();
    let failed = AtomicBool::new(false);
    let (rows, table) = (generator.rows(), generator.table());
    let tell = || (loading.progress)(Progress { table, rows_done: done.load(Ordering::Relaxed).min(rows), rows });
    let results: Vec<Result<T>> = std::thread::scope(|scope| {
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
            if loading.stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed) {
                // Again and again, because a session may be between two statements.
                cancellers.iter().for_each(|canceller| drop(canceller.cancel()));
            }
        }
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<T>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    tell();
    if loading.stop.load(Ordering::Relaxed) {
        return Err(interrupted(table));
    }
    // What the others say is that they were broken off.
    let was_cancelled = |error: &engine::Error| error.failure() == Some(record::FailureKind::Cancelled);
    let cause = results.iter().filter_map(|result| result.as_ref().err()).find(|error| !was_cancelled(error));
    match cause {
        Some(error) => Err(error.clone()),
        None => results.into_iter().collect(),
    }
}

/// User and system time of the calling thread.
fn thread_cpu() -> Nanos {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}
