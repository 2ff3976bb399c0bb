//! The one clock: monotonic, nanoseconds, the same for every thread and process of the host.

use record::Nanos;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Now, on CLOCK_MONOTONIC. Costs what [`calibrate`](crate::calibrate) prints, some 20 ns where the clock source is
/// the processor's own counter, a system call where it is not.
#[inline]
pub fn now() -> Nanos {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    Nanos(tv_sec as u64 * 1_000_000_000 + tv_nsec as u64)
}

/// Sleeps until `due`; returns at once where it has passed. How late it wakes is up to the kernel: see
/// [`sharpen_timer`].
pub fn sleep_until(due: Nanos) {
    loop {
        let left = due - now();
        if left == Nanos(0) {
            return;
        }
        std::thread::sleep(left.into());
    }
}

/// Asks the kernel not to delay this thread's wake-ups in order to bundle them (by default up to 50 µs).
pub fn sharpen_timer() {
    // A kernel that refuses leaves the wake-ups late; the lateness is then part of every response time.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}
