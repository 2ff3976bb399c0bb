//! The clock, and waiting for a moment.

pub use ::clock::{calibrate, now, take_difference_max};
use record::Nanos;

/// Sleeps until `moment`; returns at once if it has passed. The kernel may wake the thread late, see [`sharpen_timer`];
/// where the thread has several jobs, the others go on meanwhile.
pub fn sleep_until(moment: Nanos) {
    while now() < moment && multiplex::sleep_until(moment) {}
    loop {
        let left = moment - now();
        if left == Nanos(0) {
            return;
        }
        std::thread::sleep(left.into());
    }
}

/// Minimises the timer slack of this thread (default 50 µs), by which the kernel delays wake-ups to coalesce them.
pub fn sharpen_timer() {
    // On failure, wake-ups stay late, and the delay is part of every response time.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}
