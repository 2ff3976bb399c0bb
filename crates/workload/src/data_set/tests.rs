//! Loads on the null engine. The reuse of a table is tested with engines that store rows.

use std::cell::RefCell;

use engine::null::NULL;
use engine::{Engine, Node, Workspace};
use record::{FailureKind, Preset};

use super::*;
use crate::ROW_BYTES;
use crate::Sizes;

fn node() -> Box<dyn Node> {
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 8 };
    NULL.open(&"null".parse().expect("a target"), &workspace).expect("a node")
}

#[test]
fn each_table_is_loaded_once_with_all_its_rows_and_the_progress_is_reported() {
    let (node, sizes, stop) = (node(), Sizes::derive(Preset::Smoke, None, 42), AtomicBool::new(false));
    let context = TestContext { engine: &NULL, node: node.as_ref(), others: &[], sizes: &sizes };
    let reported = RefCell::new(Vec::new());
    let progress = |progress: Progress| reported.borrow_mut().push(progress);
    let cpu = std::cell::Cell::new(0);
    let server_cpu = || {
        cpu.set(cpu.get() + 5);
        Some(Nanos(cpu.get()))
    };
    let loading = Loading { jobs: 3, stop: &stop, progress: &progress, server_cpu: &server_cpu };
    let tests = crate::catalogue().iter();
    let sets = ensure(&context, &needed(tests), &loading).expect("loaded");
    assert_eq!(
        sets.iter().map(|set| (set.table.as_str(), set.rows)).collect::<Vec<_>>(),
        [("small", 3_200), ("large", 32_000)]
    );
    for set in &sets {
        assert_eq!((set.reused, set.jobs, set.size_bytes), (false, 3, ROW_BYTES.times(set.rows)));
        assert_eq!(set.server_cpu_ns, Some(Nanos(5)));
        assert_eq!(set.generator_cpu_ns, None, "it works in this process");
        assert!(set.load_ns.is_some() && set.finish_ns.is_some());
    }
    let reported = reported.into_inner();
    for set in &sets {
        let last = reported.iter().rfind(|progress| progress.table == set.table).expect("reported");
        assert_eq!((last.rows_done, last.rows), (set.rows, set.rows));
    }
}

#[test]
fn an_aborted_load_is_an_error() {
    let (node, sizes, stop) = (node(), Sizes::derive(Preset::Smoke, None, 42), AtomicBool::new(true));
    let context = TestContext { engine: &NULL, node: node.as_ref(), others: &[], sizes: &sizes };
    let loading = Loading { jobs: 2, stop: &stop, progress: &|_| {}, server_cpu: &|| None };
    let error = ensure(&context, &[DataTable::Small], &loading).expect_err("aborted");
    assert_eq!(error.failure(), Some(FailureKind::Cancelled));
    assert_eq!(error.message, "the load of table small was interrupted");
    assert!(ensure(&context, &[], &loading).is_ok_and(|sets| sets.is_empty()));
}

#[test]
fn only_the_tables_that_tests_work_on_are_needed() {
    let test = |code: &str| crate::catalogue().iter().find(|test| test.code == code).expect(code);
    assert!(needed([test("T131"), test("T311")]).is_empty());
    assert_eq!(needed([test("T616"), test("T611"), test("T621")]), [DataTable::Small, DataTable::Large]);
}
