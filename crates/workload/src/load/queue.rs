//! A bounded queue of batches between two stages: memory is bounded, and a fast stage waits for a slow one.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval at which a waiting thread checks whether everything is to end.
const TICK: Duration = Duration::from_millis(20);

/// A queue from several threads to several others.
pub(super) struct BatchQueue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    capacity: usize,
}

struct State<T> {
    items: VecDeque<T>,
    /// Threads that may still add items.
    producers: u32,
}

impl<T> BatchQueue<T> {
    /// With `capacity` slots and `producers` producers.
    pub(super) fn new(capacity: usize, producers: u32) -> BatchQueue<T> {
        let state = State { items: VecDeque::with_capacity(capacity), producers };
        BatchQueue { state: Mutex::new(state), changed: Condvar::new(), capacity: capacity.max(1) }
    }

    /// Adds `item` when there is a free slot; false if `is_over` came first.
    pub(super) fn push(&self, item: T, is_over: impl Fn() -> bool) -> bool {
        let mut state = self.lock();
        while state.items.len() >= self.capacity {
            if is_over() {
                return false;
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.items.push_back(item);
        drop(state);
        self.changed.notify_all();
        true
    }

    /// The next item; none if no producer is left, or `is_over` came first.
    pub(super) fn pop(&self, is_over: impl Fn() -> bool) -> Option<T> {
        let mut state = self.lock();
        loop {
            if is_over() {
                return None;
            }
            if let Some(item) = state.items.pop_front() {
                drop(state);
                self.changed.notify_all();
                return Some(item);
            }
            if state.producers == 0 {
                return None;
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether the queue is empty and no producer is left.
    pub(super) fn is_drained(&self) -> bool {
        let state = self.lock();
        state.items.is_empty() && state.producers == 0
    }

    /// A producer has ended.
    pub(super) fn close_producer(&self) {
        let mut state = self.lock();
        state.producers = state.producers.saturating_sub(1);
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
    fn a_queue_is_drained_when_it_is_empty_without_producers() {
        let queue = BatchQueue::new(2, 1);
        assert!(!queue.is_drained(), "something may come");
        assert!(queue.push(1, || false));
        queue.close_producer();
        assert!(!queue.is_drained(), "something waits");
        assert_eq!(queue.pop(|| false), Some(1));
        assert!(queue.is_drained());
    }

    #[test]
    fn every_item_is_taken_once_and_the_queue_is_bounded() {
        let queue = BatchQueue::new(3, 4);
        let (sum, count) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for producer in 0..4_u64 {
                let queue = &queue;
                scope.spawn(move || {
                    (0..100).for_each(|item| assert!(queue.push(producer * 100 + item, || false)));
                    queue.close_producer();
                });
            }
            for _ in 0..3 {
                scope.spawn(|| {
                    while let Some(item) = queue.pop(|| false) {
                        assert!(queue.lock().items.len() <= 3);
                        sum.fetch_add(item, Ordering::Relaxed);
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!((count.into_inner(), sum.into_inner()), (400, (0..400).sum()));
    }

    #[test]
    fn a_waiting_producer_notices_the_end() {
        let queue = BatchQueue::new(1, 1);
        let over = AtomicBool::new(false);
        assert!(queue.push(1, || false));
        std::thread::scope(|scope| {
            let given = scope.spawn(|| queue.push(2, || over.load(Ordering::Relaxed)));
            over.store(true, Ordering::Relaxed);
            assert!(!given.join().expect("no panic"));
        });
        assert_eq!(queue.pop(|| over.load(Ordering::Relaxed)), None);
    }
}
