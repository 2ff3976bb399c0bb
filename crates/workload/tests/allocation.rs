//! The hot path of the interpreter does not allocate: counted by the allocator of this test.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use dbdyno_workload::{Sizes, TestContext, catalogue, jobs};
use engine::{Engine, Workspace, null::NULL};
use measure::Work;
use record::{Dop, Preset};

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
    for test in catalogue() {
        let mut job = jobs(test, &context, Dop::jobs(1)).expect("jobs").remove(0);
        let before = ALLOCATIONS.with(Cell::get);
        for number in 0..1_000 {
            job.step(number).expect("a step");
        }
        let allocated = ALLOCATIONS.with(Cell::get) - before;
        assert_eq!(allocated, 0, "{} allocates", test.code);
    }
}
