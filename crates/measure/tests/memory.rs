//! Memory of tallies: 8,192 sessions with three streams each have 25,000.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use dbdyno_measure::{Done, StepStart, Tally};
use record::Nanos;

thread_local! {
    /// Allocated bytes of this thread, and its calls of the allocator.
    static TAKEN: Cell<(i64, u64)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn count(bytes: i64) {
    // The thread-local may be destroyed already in an ending thread.
    let _ = TAKEN.try_with(|taken| taken.set((taken.get().0 + bytes, taken.get().1 + 1)));
}

// SAFETY: every call is forwarded to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that `make` leaves allocated.
fn taken<T>(make: impl FnOnce() -> T) -> (T, i64) {
    let before = TAKEN.get().0;
    let made = make();
    (made, TAKEN.get().0 - before)
}

/// A window of a week: the longest series of seconds.
const SECONDS_MAX: usize = 7 * 86_400;

const SECOND: u64 = 1_000_000_000;

fn count_step(tally: &mut Tally, ended: u64, service: u64, response: u64) {
    let turn = StepStart { number: 0, due: Nanos(ended - response), begun: Nanos(ended - service), was_idle: true };
    tally.record(&turn, Nanos(ended), &Done { operations: 1, rows: 1, ..Done::default() });
}

#[test]
fn an_empty_tally_needs_almost_no_memory() {
    let (tally, bytes) = taken(|| Tally::new(Nanos(0), SECONDS_MAX));
    assert!(bytes + (size_of_val(&tally) as i64) < 16_000, "{bytes} bytes");
    let (_, bytes) = taken(|| vec![tally; 1_000]);
    assert!(bytes < 1_000 * 16_000, "{bytes} bytes of their clones");
}

#[test]
fn a_tally_of_an_idle_session_needs_little_memory() {
    let (_tally, bytes) = taken(|| {
        let mut tally = Tally::new(Nanos(0), SECONDS_MAX);
        // A minute, six steps a second, from a tenth of a millisecond to a second, no two alike.
        for step in 1..=360 {
            let service = 100_000 * (1 + step * step % 10_000);
            count_step(&mut tally, SECOND + SECOND * step / 6, service, service + 1_000);
        }
        tally
    });
    assert!(bytes < 200_000, "{bytes} bytes");
}

#[test]
fn similar_steps_allocate_nothing() {
    let mut tally = Tally::new(Nanos(0), SECONDS_MAX);
    let steps = |tally: &mut Tally, start: u64| {
        let calls = TAKEN.get().1;
        for step in 0..50_000 {
            let service = 1_000 + 37 * (step % 1_000);
            count_step(tally, start + SECOND + 1_000 * step, service, service + 500);
        }
        TAKEN.get().1 - calls
    };
    assert!(steps(&mut tally, 0) > 0, "the warm-up");
    tally.begin_again(Nanos(20 * SECOND));
    assert_eq!(steps(&mut tally, 20 * SECOND), 0, "the window");
}
