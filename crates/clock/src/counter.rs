//! CLOCK_MONOTONIC by the time stamp counter.
//!
//! Each thread goes on from an anchor, a reading of both clocks, for 10 ms; then it takes another one. What the counter says by
//! then is compared with the kernel's clock. The time of a thread never goes back: it does not jump to that of the kernel but
//! is slewed to it within the next 10 ms. If the two differ by more than a microsecond, because the kernel corrects its clock or
//! the counter is not what it was held for, no thread reads the counter any more; that moment alone may jump.

use std::arch::x86_64::_rdtsc;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use record::Nanos;

use crate::kernel_now;

/// Time from one anchor to the next.
const ANCHOR_NS: u64 = 10_000_000;
/// Maximum difference of the two clocks at the end of that time: 100 parts in a million.
const DIFFERENCE_NS_MAX: u64 = 1_000;
/// Readings of both clocks that are further apart are none of the same moment.
const READING_NS_MAX: u64 = 250;
/// Tries to read both clocks at the same moment.
const TRIES: u32 = 5;
/// Two measurements of the frequency may differ by so much, as a ratio.
const FREQUENCY_DIFFERENCE_MAX: f64 = 100e-6;

/// Nanoseconds of 2^32 ticks; 0 where the counter is not used.
static SCALE: AtomicU64 = AtomicU64::new(0);
/// Ticks between anchors.
static ANCHOR_TICKS: AtomicU64 = AtomicU64::new(0);
/// The largest difference seen.
static DIFFERENCE_NS: AtomicU64 = AtomicU64::new(0);
/// Whether the counter differed from the kernel's clock: it is not used again, because it may do so again.
static IS_GIVEN_UP: AtomicBool = AtomicBool::new(false);
/// Whether any was looked for since it was told last.
static IS_COMPARED: AtomicBool = AtomicBool::new(false);

/// From where a thread counts.
#[derive(Clone, Copy)]
struct Anchor {
    ticks: u64,
    ns: u64,
    /// Nanoseconds of 2^32 ticks until the next anchor.
    scale: u64,
    /// Ticks for which it holds; none before the first reading.
    length: u64,
}

impl Anchor {
    /// Nanoseconds `since` ticks after it, of which there are at most twice as many as it holds for.
    #[inline]
    fn after(&self, since: u64) -> u64 {
        self.ns + (since.wrapping_mul(self.scale) >> 32)
    }
}

thread_local! {
    static ANCHOR: Cell<Anchor> = const { Cell::new(Anchor { ticks: 0, ns: 0, scale: 0, length: 0 }) };
}

/// Now; none where the counter is not used.
///
/// The counter may be read before instructions that precede it have ended, some tens of nanoseconds at most. The end of a step
/// is the start of the next one, so that none of the time is lost.
#[inline]
pub(crate) fn now() -> Option<Nanos> {
    if SCALE.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let anchor = ANCHOR.get();
    let since = ticks().wrapping_sub(anchor.ticks);
    if since < anchor.length {
        return Some(Nanos(anchor.after(since)));
    }
    anchored_again(anchor)
}

/// Whether the counter is read.
pub(crate) fn is_used() -> bool {
    SCALE.load(Ordering::Relaxed) != 0
}

/// The largest difference seen since this was called last; none where nothing was compared.
pub(crate) fn take_difference_max() -> Option<Nanos> {
    let is_compared = IS_COMPARED.swap(false, Ordering::Relaxed);
    let difference = DIFFERENCE_NS.swap(0, Ordering::Relaxed);
    is_compared.then_some(Nanos(difference))
}

/// Measures the frequency of the counter twice, and uses it if both agree, unless it was given up before.
pub(crate) fn calibrate() {
    if is_used() || IS_GIVEN_UP.load(Ordering::Relaxed) {
        return;
    }
    let half = Duration::from_nanos(ANCHOR_NS / 2);
    let mut readings = [None; 3];
    for (index, reading) in readings.iter_mut().enumerate() {
        if index > 0 {
            std::thread::sleep(half);
        }
        *reading = both();
    }
    let [Some(first), Some(middle), Some(last)] = readings else { return };
    let (one, other) = (frequency(first, middle), frequency(middle, last));
    if (one / other - 1.0).abs() > FREQUENCY_DIFFERENCE_MAX || !(0.05..10.0).contains(&one) {
        return;
    }
    use_frequency(frequency(first, last));
}

/// Has the counter of so many ticks per nanosecond read, unless it was given up, which another thread may have done meanwhile.
fn use_frequency(ticks_per_ns: f64) {
    ANCHOR_TICKS.store((ANCHOR_NS as f64 * ticks_per_ns) as u64, Ordering::Relaxed);
    SCALE.store(((1_u64 << 32) as f64 / ticks_per_ns) as u64, Ordering::Relaxed);
    if IS_GIVEN_UP.load(Ordering::Relaxed) {
        SCALE.store(0, Ordering::Relaxed);
    }
}

/// No thread reads the counter any more.
fn give_up() {
    IS_GIVEN_UP.store(true, Ordering::Relaxed);
    SCALE.store(0, Ordering::Relaxed);
}

/// Ticks per nanosecond between two readings.
fn frequency(from: (u64, u64), to: (u64, u64)) -> f64 {
    to.0.saturating_sub(from.0) as f64 / to.1.saturating_sub(from.1).max(1) as f64
}

/// Takes a new anchor in place of `old`, whose time is over.
#[cold]
fn anchored_again(old: Anchor) -> Option<Nanos> {
    let (scale, length) = (SCALE.load(Ordering::Relaxed), ANCHOR_TICKS.load(Ordering::Relaxed));
    let Some((ticks, ns)) = both() else {
        // The next call tries again.
        let since = ticks().wrapping_sub(old.ticks);
        let told = if old.length > 0 && since <= 2 * length { old.after(since) } else { 0 };
        return Some(Nanos(kernel_now().0.max(told)));
    };
    let fresh = Anchor { ticks, ns, scale, length };
    let (anchor, difference_ns) = following(old, fresh);
    if let Some(difference_ns) = difference_ns {
        IS_COMPARED.store(true, Ordering::Relaxed);
        DIFFERENCE_NS.fetch_max(difference_ns, Ordering::Relaxed);
        if difference_ns > DIFFERENCE_NS_MAX {
            give_up();
            return None;
        }
    }
    ANCHOR.set(anchor);
    Some(Nanos(anchor.ns))
}

/// The anchor that follows `old`, by a fresh reading of both clocks and the calibrated scale, and how far the counter was from
/// the kernel's clock then; unknown after a pause, for which the frequency is not known well enough.
fn following(old: Anchor, fresh: Anchor) -> (Anchor, Option<u64>) {
    let since = fresh.ticks.wrapping_sub(old.ticks);
    if old.length == 0 || since > 2 * fresh.length {
        return (fresh, None);
    }
    let ns = old.after(since);
    let difference = fresh.ns as i64 - ns as i64;
    let slewed = fresh.scale as i128 * (ANCHOR_NS as i128 + i128::from(difference)) / ANCHOR_NS as i128;
    (Anchor { ns, scale: slewed.max(0) as u64, ..fresh }, Some(difference.unsigned_abs()))
}

/// Ticks and the kernel's nanoseconds of the same moment; none where the thread was interrupted each time.
fn both() -> Option<(u64, u64)> {
    let mut best: Option<(u64, u64, u64)> = None;
    for _ in 0..TRIES {
        let before = kernel_now().0;
        let ticks = ticks();
        let after = kernel_now().0;
        let apart = after.saturating_sub(before);
        if best.is_none_or(|(_, _, least)| apart < least) {
            best = Some((ticks, before + apart / 2, apart));
        }
    }
    best.filter(|(_, _, apart)| *apart <= READING_NS_MAX).map(|(ticks, ns, _)| (ticks, ns))
}

#[inline]
fn ticks() -> u64 {
    // SAFETY: every processor of this architecture has the instruction.
    unsafe { _rdtsc() }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Instant;

    use super::*;

    /// Of 2 ticks a nanosecond.
    const SCALE: u64 = 1 << 31;
    const LENGTH: u64 = 2 * ANCHOR_NS;

    #[test]
    fn a_difference_is_slewed_until_the_next_anchor() {
        let first = Anchor { ticks: 5_000, ns: 1_000_000, scale: SCALE, length: LENGTH };
        // The counter is 300 ns behind after 10 ms.
        let fresh = Anchor { ticks: 5_000 + LENGTH, ns: 1_000_000 + ANCHOR_NS + 300, ..first };
        let (second, difference) = following(first, fresh);
        assert_eq!((second.ns, difference), (1_000_000 + ANCHOR_NS, Some(300)));
        let fresh = Anchor { ticks: fresh.ticks + LENGTH, ns: fresh.ns + ANCHOR_NS, ..first };
        let (third, difference) = following(second, fresh);
        assert!(third.ns.abs_diff(fresh.ns) <= 1 && difference <= Some(1), "{difference:?}");
    }

    #[test]
    fn after_a_pause_the_kernel_is_right() {
        let first = Anchor { ticks: 5_000, ns: 1_000_000, scale: SCALE, length: LENGTH };
        let fresh = Anchor { ticks: 5_000 + 3 * LENGTH, ns: 99_000_000, ..first };
        let (second, difference) = following(first, fresh);
        assert_eq!((second.ns, difference), (99_000_000, None));
    }

    /// The tests that use the counter of the process have it one after the other.
    static PROCESS: Mutex<()> = Mutex::new(());

    #[test]
    fn a_counter_that_differs_is_given_up() {
        let _alone = PROCESS.lock();
        if crate::calibrate(Some("tsc")) == record::ClockMethod::ClockGettime {
            return;
        }
        let start = Instant::now();
        // On a busy machine the thread may pause for too long to compare.
        while is_used() && start.elapsed() < Duration::from_secs(10) {
            crate::now();
            let anchor = ANCHOR.get();
            ANCHOR.set(Anchor { ns: anchor.ns - 2 * DIFFERENCE_NS_MAX, ..anchor });
            std::thread::sleep(Duration::from_nanos(ANCHOR_NS * 11 / 10));
            crate::now();
        }
        assert!(!is_used());
        assert!(take_difference_max() > Some(Nanos(DIFFERENCE_NS_MAX)));
        let (before, now) = (kernel_now(), crate::now());
        assert!(now >= before, "the kernel is asked");
        assert_eq!(crate::calibrate(Some("tsc")), record::ClockMethod::ClockGettime, "also after the next calibration");
        assert!(!is_used());
        // For the other test of the process.
        IS_GIVEN_UP.store(false, Ordering::Relaxed);
    }

    #[test]
    fn a_counter_that_was_given_up_is_not_used_again() {
        let _alone = PROCESS.lock();
        give_up();
        use_frequency(2.0);
        let is_used_again = is_used();
        super::SCALE.store(0, Ordering::Relaxed);
        IS_GIVEN_UP.store(false, Ordering::Relaxed);
        assert!(!is_used_again);
    }

    #[test]
    fn a_thread_follows_the_kernel_and_never_goes_back() {
        let _alone = PROCESS.lock();
        if crate::calibrate(Some("tsc")) == record::ClockMethod::ClockGettime {
            return;
        }
        let begun = kernel_now();
        let (mut last, mut furthest) = (crate::now(), 0);
        while last < begun + Nanos(200_000_000) {
            let before = kernel_now().0;
            let now = crate::now();
            let after = kernel_now().0;
            // Where the kernel begins to correct its clock meanwhile, the counter is given up.
            assert!(now >= last || !is_used(), "{now:?} after {last:?}");
            if after - before < READING_NS_MAX {
                furthest = furthest.max(before.saturating_sub(now.0).max(now.0.saturating_sub(after)));
            }
            last = now;
        }
        assert!(furthest < 2 * DIFFERENCE_NS_MAX, "{furthest} ns from the kernel's clock");
        assert!(take_difference_max().is_some_and(|most| most.0 <= DIFFERENCE_NS_MAX) || !is_used());
    }
}
