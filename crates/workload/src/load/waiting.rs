//! A line in which batches wait for the next stage: as long as asked for at most, so that memory is bounded and a fast
//! stage waits for a slow one.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Who waits looks so often whether everything is to end.
const TICK: Duration = Duration::from_millis(20);

/// Things on their way from several threads to several others.
pub(super) struct Waiting<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    room: usize,
}

struct State<T> {
    things: VecDeque<T>,
    /// Threads that may still add something.
    givers: u32,
}

impl<T> Waiting<T> {
    /// With room for so many things, from so many threads.
    pub(super) fn new(room: usize, givers: u32) -> Waiting<T> {
        let state = State { things: VecDeque::with_capacity(room), givers };
        Waiting { state: Mutex::new(state), changed: Condvar::new(), room: room.max(1) }
    }

    /// Adds `thing` once there is room; false where `is_over` came first.
    pub(super) fn give(&self, thing: T, is_over: impl Fn() -> bool) -> bool {
        let mut state = self.lock();
        while state.things.len() >= self.room {
            if is_over() {
                return false;
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.things.push_back(thing);
        drop(state);
        self.changed.notify_all();
        true
    }

    /// The next thing; none where nobody will give any more, or `is_over` came first.
    pub(super) fn take(&self, is_over: impl Fn() -> bool) -> Option<T> {
        let mut state = self.lock();
        loop {
            if is_over() {
                return None;
            }
            if let Some(thing) = state.things.pop_front() {
                drop(state);
                self.changed.notify_all();
                return Some(thing);
            }
            if state.givers == 0 {
                return None;
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether nothing waits and nobody will give any more.
    pub(super) fn is_drained(&self) -> bool {
        let state = self.lock();
        state.things.is_empty() && state.givers == 0
    }

    /// A thread will give nothing more.
    pub(super) fn leave(&self) {
        let mut state = self.lock();
        state.givers = state.givers.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_line_is_drained_when_it_is_empty_and_nobody_gives_any_more() {
        let line = Waiting::new(2, 1);
        assert!(!line.is_drained(), "something may come");
        assert!(line.give(1, || false));
        line.leave();
        assert!(!line.is_drained(), "something waits");
        assert_eq!(line.take(|| false), Some(1));
        assert!(line.is_drained());
    }

    #[test]
    fn everything_that_is_given_is_taken_once_and_the_line_is_never_too_long() {
        let line = Waiting::new(3, 4);
        let (sum, count) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for giver in 0..4_u64 {
                let line = &line;
                scope.spawn(move || {
                    (0..100).for_each(|thing| assert!(line.give(giver * 100 + thing, || false)));
                    line.leave();
                });
            }
            for _ in 0..3 {
                scope.spawn(|| {
                    while let Some(thing) = line.take(|| false) {
                        assert!(line.lock().things.len() <= 3);
                        sum.fetch_add(thing, Ordering::Relaxed);
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!((count.into_inner(), sum.into_inner()), (400, (0..400).sum()));
    }

    #[test]
    fn who_waits_hears_that_it_is_over() {
        let line = Waiting::new(1, 1);
        let over = AtomicBool::new(false);
        assert!(line.give(1, || false));
        std::thread::scope(|scope| {
            let given = scope.spawn(|| line.give(2, || over.load(Ordering::Relaxed)));
            over.store(true, Ordering::Relaxed);
            assert!(!given.join().expect("no panic"));
        });
        assert_eq!(line.take(|| over.load(Ordering::Relaxed)), None);
    }
}
