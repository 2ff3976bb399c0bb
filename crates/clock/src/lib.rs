//! The clock: monotonic, nanoseconds, the same for all threads and processes of the host.
//!
//! It is CLOCK_MONOTONIC. Where the kernel reads that from the time stamp counter of the processor (TSC), [`calibrate`] has
//! [`now`] read the counter itself: without the fence, the conversion and the locks of the kernel's code, in half the time.
//!
//! A crate of its own because it has two consumers, one below the other: threads of several jobs, and the loop.

#[cfg(target_arch = "x86_64")]
mod counter;

use record::{ClockMethod, Nanos};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Now.
#[inline]
pub fn now() -> Nanos {
    #[cfg(target_arch = "x86_64")]
    if let Some(now) = counter::now() {
        return now;
    }
    kernel_now()
}

/// Has [`now`] read the processor's counter if `source`, the kernel's clock source, is that counter and its frequency is
/// steady; takes 10 ms then. Returns how the clock is read from now on.
pub fn calibrate(source: Option<&str>) -> ClockMethod {
    #[cfg(target_arch = "x86_64")]
    if source == Some("tsc") {
        counter::calibrate();
    }
    let _ = source;
    method()
}

/// How the clock is read.
pub fn method() -> ClockMethod {
    #[cfg(target_arch = "x86_64")]
    if counter::is_used() {
        return ClockMethod::Tsc;
    }
    ClockMethod::ClockGettime
}

/// The largest difference between the processor's counter and the kernel's clock that was seen since this was called last;
/// none where the counter was not read. The two are compared every 10 ms by every thread that reads the clock.
pub fn take_difference_max() -> Option<Nanos> {
    #[cfg(target_arch = "x86_64")]
    return counter::take_difference_max();
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Now, by the kernel.
#[inline]
fn kernel_now() -> Nanos {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    Nanos(tv_sec as u64 * 1_000_000_000 + tv_nsec as u64)
}
