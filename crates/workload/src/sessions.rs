//! Work that several sessions share, each on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine::{Canceller, Error, Kind, Result, Session};
use record::{FailureKind, Nanos};
use rustix::time::{ClockId, clock_gettime};

/// Interval of the progress reports, and of the checks of the stop flag.
const TICK: Duration = Duration::from_millis(50);

/// The load of one table by several sessions.
pub(crate) struct Spread<'a> {
    /// The name of the table.
    pub table: &'a str,
    /// The sessions are cancelled once it is set.
    pub stop: &'a AtomicBool,
    /// Reports progress; called at each tick and at the end, on the calling thread.
    pub report: &'a dyn Fn(),
}

impl Spread<'_> {
    /// Runs `work` with each session on a thread of its own. The first error cancels the other sessions.
    pub(crate) fn run<T: Send>(
        &self,
        sessions: &mut [Box<dyn Session>],
        work: impl Fn(&mut dyn Session) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let cancellers: Vec<Box<dyn Canceller>> = sessions.iter().filter_map(|session| session.canceller()).collect();
        let failed = AtomicBool::new(false);
        let results: Vec<Result<T>> = thread::scope(|scope| {
            let (work, failed, caller) = (&work, &failed, thread::current());
            let threads: Vec<_> = sessions
                .iter_mut()
                .map(|session| {
                    let caller = caller.clone();
                    scope.spawn(move || {
                        let result = work(session.as_mut());
                        failed.fetch_or(result.is_err(), Ordering::Relaxed);
                        caller.unpark();
                        result
                    })
                })
                .collect();
            while !threads.iter().all(|thread| thread.is_finished()) {
                thread::park_timeout(TICK);
                (self.report)();
                if self.stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed) {
                    // At each tick, because a session may be between two statements.
                    cancellers.iter().for_each(|canceller| drop(canceller.cancel()));
                }
            }
            let join = |thread: thread::ScopedJoinHandle<'_, Result<T>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        (self.report)();
        if self.stop.load(Ordering::Relaxed) {
            let message = format!("the load of table {} was interrupted", self.table);
            return Err(Error::new(Kind::Step(FailureKind::Cancelled), message));
        }
        let was_cancelled = |error: &Error| error.failure() == Some(FailureKind::Cancelled);
        let cause = results.iter().filter_map(|result| result.as_ref().err()).find(|error| !was_cancelled(error));
        match cause {
            Some(error) => Err(error.clone()),
            None => results.into_iter().collect(),
        }
    }
}

/// User and system time of the calling thread.
pub(crate) fn thread_cpu() -> Nanos {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}
