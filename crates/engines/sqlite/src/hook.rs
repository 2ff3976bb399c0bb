//! What SQLite calls back on a connection: when it commits, when it rolls back, when it finds the database locked.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use libsqlite3_sys as ffi;

use crate::counter::Share;

/// The longest pause between two looks at a lock.
const PAUSE_MAX: Duration = Duration::from_millis(1);
/// The first pause is at most this long, each further one at most twice as long as the one before.
const PAUSE_FIRST: Duration = Duration::from_micros(25);

/// Why a wait for a lock ended without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenUp {
    /// It took longer than the time-out.
    TimedOut,
    /// The statement was cancelled.
    Cancelled,
}

/// The hooks of one connection.
#[derive(Debug)]
pub(crate) struct Hooks {
    share: Share,
    timeout: Duration,
    connection: AtomicPtr<ffi::sqlite3>,
    /// When the wait in progress began, nanoseconds on our clock.
    start_ns: AtomicU64,
    /// Until when it has been counted.
    counted_until_ns: AtomicU64,
    timed_out: AtomicBool,
    cancelled: AtomicBool,
}

impl Hooks {
    /// Hooks that add to `share` and wait for a lock no longer than `timeout`.
    pub(crate) fn new(share: Share, timeout: Duration) -> Arc<Hooks> {
        Arc::new(Hooks {
            share,
            timeout,
            connection: AtomicPtr::new(ptr::null_mut()),
            start_ns: AtomicU64::new(0),
            counted_until_ns: AtomicU64::new(0),
            timed_out: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
        })
    }

    /// Sets them on `connection`.
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

    /// Why the statement that just failed as busy did so; none where SQLite did not wait at all, because waiting
    /// could not have helped.
    pub(crate) fn take_given_up(&self) -> Option<GivenUp> {
        let timed_out = self.timed_out.swap(false, Ordering::Relaxed);
        let cancelled = self.cancelled.swap(false, Ordering::Relaxed);
        match (cancelled, timed_out) {
            (true, _) => Some(GivenUp::Cancelled),
            (false, true) => Some(GivenUp::TimedOut),
            (false, false) => None,
        }
    }

    /// The shard of this session.
    pub(crate) fn share(&self) -> &Share {
        &self.share
    }

    /// Waits before look number `count` (from 0) at a lock; false gives up.
    ///
    /// SQLite has no queue of waiting sessions, they look again and again. Its own handler pauses 1, 2, 5, 10 to
    /// 100 ms, so that a wait for a transaction of 50 µs takes a millisecond at least. Here the pauses begin at 25 µs,
    /// double up to 1 ms, and each is drawn from the upper half of its range, so that sessions that began to wait
    /// together do not look together. Where all sessions write without a break the throughput is the same with
    /// either (measured with 2 to 8 jobs): the session that commits is the next to take the lock, most of the time.
    fn wait(&self, count: c_int) -> bool {
        let now = now_ns();
        if count == 0 {
            self.start_ns.store(now, Ordering::Relaxed);
            self.counted_until_ns.store(now, Ordering::Relaxed);
            self.share.shard().busy_waits.fetch_add(1, Ordering::Relaxed);
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
        std::thread::sleep(pause(count, now).min(self.timeout - waited));
        self.count_wait(now_ns());
        true
    }

    /// Counts as waited what has passed until `now` and was not counted yet, the looks between two pauses included.
    fn count_wait(&self, now: u64) {
        let until = self.counted_until_ns.swap(now, Ordering::Relaxed);
        self.share.shard().busy_wait_ns.fetch_add(now.saturating_sub(until), Ordering::Relaxed);
    }
}

/// The pause after look number `count`; `chance` is any number that differs from session to session.
fn pause(count: c_int, chance: u64) -> Duration {
    let longest = PAUSE_FIRST.saturating_mul(1 << count.clamp(0, 10)).min(PAUSE_MAX);
    let half_ns = longest.as_nanos() as u64 / 2;
    // The top bits of a product with an odd constant depend on all bits of the factor (Fibonacci hashing).
    let drawn = chance.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    Duration::from_nanos(half_ns + drawn % half_ns.max(1))
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

/// Called for transactions that wrote, when every lock is held; zero lets the commit go on.
unsafe extern "C" fn committed(context: *mut c_void) -> c_int {
    // SAFETY: as for `busy`.
    let hooks = unsafe { &*context.cast::<Hooks>() };
    hooks.share.shard().commits.fetch_add(1, Ordering::Relaxed);
    0
}

unsafe extern "C" fn rolled_back(context: *mut c_void) {
    // SAFETY: as for `busy`.
    let hooks = unsafe { &*context.cast::<Hooks>() };
    hooks.share.shard().rollbacks.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_millisecond_and_differ() {
        for count in 0..100 {
            let longest = Duration::from_micros(25 << count.min(6)).min(PAUSE_MAX);
            let drawn: Vec<Duration> = (0..50).map(|chance| pause(count, chance * 1_000)).collect();
            assert!(drawn.iter().all(|pause| *pause >= longest / 2 && *pause <= longest), "{count}: {drawn:?}");
            assert!(drawn.iter().any(|pause| *pause != drawn[0]), "{count}: always the same");
        }
    }
}
