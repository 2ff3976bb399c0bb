//! Hooks of a connection: commit, rollback, busy handler.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use libsqlite3_sys as ffi;

use crate::counter::SessionShard;

/// Maximum backoff between two attempts to get a lock.
const BACKOFF_MAX: Duration = Duration::from_millis(1);
/// Maximum of the first backoff, which doubles with each attempt.
const BACKOFF_FIRST: Duration = Duration::from_micros(25);

/// Why a wait for a lock ended without success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GaveUp {
    /// The timeout.
    TimedOut,
    /// The statement was cancelled.
    Cancelled,
}

/// The hooks of one connection.
#[derive(Debug)]
pub(crate) struct Hooks {
    session_shard: SessionShard,
    timeout: Duration,
    connection: AtomicPtr<ffi::sqlite3>,
    /// Start of the wait in progress, in nanoseconds of `now_ns`.
    start_ns: AtomicU64,
    /// End of the counted part of the wait.
    counted_until_ns: AtomicU64,
    timed_out: AtomicBool,
    cancelled: AtomicBool,
}

impl Hooks {
    /// Hooks that count in `session_shard` and wait for a lock for at most `timeout`.
    pub(crate) fn new(session_shard: SessionShard, timeout: Duration) -> Arc<Hooks> {
        Arc::new(Hooks {
            session_shard,
            timeout,
            connection: AtomicPtr::new(ptr::null_mut()),
            start_ns: AtomicU64::new(0),
            counted_until_ns: AtomicU64::new(0),
            timed_out: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
        })
    }

    /// Installs them on `connection`.
    ///
    /// # Safety
    /// `connection` is open, and closed before `hooks` is dropped.
    pub(crate) unsafe fn install(hooks: &Arc<Hooks>, connection: *mut ffi::sqlite3) {
        hooks.connection.store(connection, Ordering::Relaxed);
        let context = Arc::as_ptr(hooks).cast_mut().cast::<c_void>();
        // SAFETY: the caller keeps `hooks` alive as long as the connection, which calls no hook after its end. What
        // the hooks change is atomic, so a shared reference is all that they need.
        unsafe {
            ffi::sqlite3_busy_handler(connection, Some(busy), context);
            ffi::sqlite3_commit_hook(connection, Some(committed), context);
            ffi::sqlite3_rollback_hook(connection, Some(rolled_back), context);
        }
    }

    /// Why the last statement failed as busy; `None` if SQLite did not wait at all, because that could not succeed.
    pub(crate) fn take_gave_up(&self) -> Option<GaveUp> {
        let timed_out = self.timed_out.swap(false, Ordering::Relaxed);
        let cancelled = self.cancelled.swap(false, Ordering::Relaxed);
        match (cancelled, timed_out) {
            (true, _) => Some(GaveUp::Cancelled),
            (false, true) => Some(GaveUp::TimedOut),
            (false, false) => None,
        }
    }

    /// The shard of this session.
    pub(crate) fn session_shard(&self) -> &SessionShard {
        &self.session_shard
    }

    /// Waits before attempt `count` (from 0) to get a lock; false gives up.
    ///
    /// SQLite has no queue of waiting sessions; they poll. Its own handler waits 1, 2, 5, 10 to 100 ms, so that a wait
    /// for a transaction of 50 µs takes at least a millisecond. Here the backoff starts at 25 µs, doubles up to 1 ms,
    /// and is randomized in the upper half of its range, so that sessions that started to wait together do not poll
    /// together. If all sessions write continuously the throughput is the same with either (measured with 2 to 8 jobs):
    /// the session that commits usually gets the next lock.
    fn wait(&self, count: c_int) -> bool {
        let now = now_ns();
        if count == 0 {
            self.start_ns.store(now, Ordering::Relaxed);
            self.counted_until_ns.store(now, Ordering::Relaxed);
            self.session_shard.shard().busy_waits.fetch_add(1, Ordering::Relaxed);
        }
        self.count_wait(now);
        let waited = Duration::from_nanos(now.saturating_sub(self.start_ns.load(Ordering::Relaxed)));
        // SAFETY: SQLite is calling from within a statement of this connection, so it is open.
        if unsafe { ffi::sqlite3_is_interrupted(self.connection.load(Ordering::Relaxed)) } != 0 {
            self.cancelled.store(true, Ordering::Relaxed);
            return false;
        }
        if waited >= self.timeout {
            self.timed_out.store(true, Ordering::Relaxed);
            return false;
        }
        std::thread::sleep(backoff(count, now).min(self.timeout - waited));
        self.count_wait(now_ns());
        true
    }

    /// Counts the time until `now` that was not counted yet as waited, including the attempts.
    fn count_wait(&self, now: u64) {
        let until = self.counted_until_ns.swap(now, Ordering::Relaxed);
        self.session_shard.shard().busy_wait_ns.fetch_add(now.saturating_sub(until), Ordering::Relaxed);
    }
}

/// The backoff after attempt `count`; `seed` is any number that differs between sessions.
fn backoff(count: c_int, seed: u64) -> Duration {
    let longest = BACKOFF_FIRST.saturating_mul(1 << count.clamp(0, 10)).min(BACKOFF_MAX);
    let half_ns = longest.as_nanos() as u64 / 2;
    // The top bits of a product with an odd constant depend on all bits of the factor (Fibonacci hashing).
    let jitter = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    Duration::from_nanos(half_ns + jitter % half_ns.max(1))
}

fn now_ns() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}

unsafe extern "C" fn busy(context: *mut c_void, count: c_int) -> c_int {
    // SAFETY: the context is the `Hooks` that `install` set, see there.
    let hooks = unsafe { &*context.cast::<Hooks>() };
    c_int::from(hooks.wait(count))
}

/// Called for writing transactions before the commit; zero continues it.
unsafe extern "C" fn committed(context: *mut c_void) -> c_int {
    // SAFETY: as for `busy`.
    let hooks = unsafe { &*context.cast::<Hooks>() };
    hooks.session_shard.shard().commits.fetch_add(1, Ordering::Relaxed);
    0
}

unsafe extern "C" fn rolled_back(context: *mut c_void) {
    // SAFETY: as for `busy`.
    let hooks = unsafe { &*context.cast::<Hooks>() };
    hooks.session_shard.shard().rollbacks.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoffs_double_up_to_a_millisecond_and_differ() {
        for count in 0..100 {
            let longest = Duration::from_micros(25 << count.min(6)).min(BACKOFF_MAX);
            let jitter: Vec<Duration> = (0..50).map(|seed| backoff(count, seed * 1_000)).collect();
            assert!(jitter.iter().all(|backoff| *backoff >= longest / 2 && *backoff <= longest), "{count}: {jitter:?}");
            assert!(jitter.iter().any(|backoff| *backoff != jitter[0]), "{count}: always the same");
        }
    }
}
