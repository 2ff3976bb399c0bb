//! The hot path of the interpreter does not allocate: counted by the allocator of this test.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use dbdyno_workload::{Sizes, Test, TestContext, catalogue, jobs};
use engine::{Engine, Workspace, null::NULL};
use measure::Work;
use record::{Dop, Preset};

/// A time in a range that none was in before makes a histogram grow, of a statement as of a tally: some do in 1,000 steps beside
/// other programs, whereas what a step allocates it allocates in each.
const GROWTHS_MAX: u64 = 50;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is forwarded to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller guarantees what the system allocator requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_step_of_any_test_allocates_nothing() {
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
    let node = NULL.open(&"null?rows=1".parse().expect("a target"), &workspace).expect("a node");
    let sizes = Sizes::derive(Preset::Smoke, None, 42);
    let context = TestContext { engine: &NULL, node: node.as_ref(), others: &[], sizes: &sizes };
    // To open a session is to allocate it, and so is to keep an answer, which this engine has none of.
    let is_tried = |test: &&Test| !test.connects() && test.missing(node.caps(), &NULL).is_none();
    for test in catalogue().iter().filter(is_tried) {
        let mut job = jobs(test, &context, Dop::jobs(1)).expect("jobs").remove(0);
        let allocated = |round: u64| {
            let before = ALLOCATIONS.with(Cell::get);
            for number in 0..1_000 {
                job.step(1_000 * round + number).unwrap_or_else(|broken| panic!("{}: {broken}", test.code));
            }
            ALLOCATIONS.with(Cell::get) - before
        };
        let fewest = (0..5).map(allocated).min().unwrap_or(u64::MAX);
        assert!(fewest <= GROWTHS_MAX, "{} allocates {fewest} times in 1,000 steps", test.code);
    }
}
