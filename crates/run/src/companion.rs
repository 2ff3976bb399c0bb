//! What goes on beside the jobs of a run: on a thread of its own, from the begin of the window until the jobs have ended.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use measure::{Broken, clock};
use record::{Nanos, Run};

/// How long a call in progress may delay the last reading.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the engine for something, again and again, while jobs work.
pub(crate) trait Companion: Sync {
    /// How far the run is.
    fn course(&self) -> &Course;

    /// The measured jobs are warm and wait: what it does before the window ends, so that nothing works while counters are read.
    ///
    /// # Errors
    /// Where it cannot go on, and the run neither.
    fn ready(&self) -> Result<(), Broken> {
        Ok(())
    }

    /// The work of the thread, between [`Course::wait_for_begin`] and the end of the course.
    fn watch(&self);

    /// The course ends, also that of a run that never began.
    fn stop(&self) {
        self.course().stop();
    }

    /// The jobs have ended, no call is in progress, and the last reading follows: publishes in the counters of the engine what
    /// the calls cost it.
    fn publish(&self);

    /// Cancels a call that delays the last reading; whether it can.
    fn cancel(&self) -> bool {
        false
    }

    /// Ends its course; whether no call is in progress any more.
    fn has_ended(&self) -> bool {
        self.course().end() || self.cancel() && self.course().end()
    }

    /// Adds to `run` what came of it.
    fn add_to(self: Box<Self>, run: &mut Run);
}

/// How far a run is, for the thread of a companion.
#[derive(Debug, Default)]
pub(crate) struct Course {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// Whether a call is in progress.
    is_calling: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Waiting,
    Begun,
    Over,
}

impl Course {
    /// The jobs are about to be released.
    pub(crate) fn begin(&self) {
        self.set(Phase::Begun);
    }

    /// The course ends, also that of a run that never began: no further call is made.
    pub(crate) fn stop(&self) {
        self.set(Phase::Over);
    }

    /// Ends it, and waits for a call in progress; whether none is any more.
    pub(crate) fn end(&self) -> bool {
        self.stop();
        let waited = self.changed.wait_timeout_while(self.lock(), TIMEOUT, |state| state.is_calling);
        !waited.unwrap_or_else(PoisonError::into_inner).0.is_calling
    }

    /// Waits until the window begins, or the course is over before it does.
    pub(crate) fn wait_for_begin(&self) {
        let waited = self.changed.wait_while(self.lock(), |state| state.phase == Phase::Waiting);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until `due`, and makes `call` then; none if the course is over before. It is told whether the course was over when the
    /// call had ended.
    pub(crate) fn call_at<T>(&self, due: Nanos, call: impl FnOnce() -> T) -> Option<(T, bool)> {
        let mut state = self.lock();
        while state.phase == Phase::Begun && clock::now() < due {
            let left = due.since(clock::now());
            state = self.changed.wait_timeout(state, left.into()).unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.phase != Phase::Begun {
            return None;
        }
        state.is_calling = true;
        drop(state);
        let _ended = EndOfCall(self);
        let result = call();
        let is_over = self.lock().phase == Phase::Over;
        Some((result, is_over))
    }

    fn set(&self, phase: Phase) {
        self.lock().phase = phase;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a call, also by a panic.
struct EndOfCall<'a>(&'a Course);

impl Drop for EndOfCall<'_> {
    fn drop(&mut self) {
        self.0.lock().is_calling = false;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_made_from_the_begin_to_the_end() {
        let course = Course::default();
        assert_eq!(course.call_at(Nanos(0), || 1), None, "before the begin");
        course.begin();
        course.wait_for_begin();
        assert_eq!(course.call_at(Nanos(0), || 1), Some((1, false)));
        assert_eq!(course.call_at(Nanos(0), || course.stop()), Some(((), true)), "it ended while the call was made");
        assert_eq!(course.call_at(Nanos(0), || 1), None);
        assert!(course.end());
    }

    #[test]
    fn a_course_that_never_begins_ends() {
        let course = Course::default();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                course.wait_for_begin();
                course.call_at(Nanos(u64::MAX), || 1)
            });
            course.stop();
            assert_eq!(waiting.join().unwrap(), None);
        });
    }

    #[test]
    fn the_end_waits_for_a_call_in_progress() {
        let (course, release) = (Course::default(), std::sync::Barrier::new(2));
        course.begin();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                course.call_at(Nanos(0), || {
                    release.wait();
                    std::thread::sleep(Duration::from_millis(20));
                })
            });
            release.wait();
            assert!(course.end());
            assert!(!course.lock().is_calling);
        });
    }
}
