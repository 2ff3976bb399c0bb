//! The null engine: the conformance tests that need no results, and the cost of a statement.

use dbdyno_engine::null::NULL;
use dbdyno_engine::{
    Column, ColumnType, Engine, Kind, LineForm, Node, Result, RowSink, RowSource, Session, Value, Workspace,
};
use record::name;

engine_kit::conformance!(NULL, "null?rows=1", only [
    sessions_connect_and_reconnect,
    claiming_twice_is_claiming_once,
    inventory_is_filled,
    a_node_settles,
    twenty_three_commits_are_counted_as_twenty_three,
    twenty_three_reads_are_counted_as_the_capability_says,
    twenty_three_rollbacks_are_no_commits,
]);

fn node(target: &str) -> Result<Box<dyn Node>> {
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
    NULL.open(&target.parse().expect("a target"), &workspace)
}

#[test]
fn an_unknown_parameter_is_refused() {
    engine_kit::an_unknown_parameter_is_refused_and_leaves_nothing(&NULL, "null");
}

#[test]
fn an_address_or_an_invalid_number_is_rejected() {
    for target in [
        "null://host",
        "local:null",
        "null:///db",
        "null?rows=-1",
        "null?rows=4294967296",
        "null?rows=x",
        "null?nodes=0",
        "null?nodes=65",
    ] {
        let error = node(target).err().expect(target);
        assert_eq!(error.kind, Kind::Usage, "{target}: {error}");
    }
}

#[test]
fn every_statement_returns_as_many_rows_as_the_target_says() {
    for (target, rows) in [("null", 0), ("null?rows=3", 3)] {
        let mut session = node(target).expect("open").connect().expect("connect");
        let statement = session.prepare("anything").expect("prepare");
        assert_eq!(session.execute(statement, &[Value::Int(1)]).expect("execute"), rows);
        assert_eq!(session.query(statement, &[]).expect("query").len() as u64, rows);
    }
}

struct Counting(u64, Vec<Column>);

impl RowSource for Counting {
    fn columns(&self) -> &[Column] {
        &self.1
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        self.0 = self.0.wrapping_sub(1);
        if self.0 == u64::MAX {
            return false;
        }
        sink.int(1);
        true
    }
}

#[test]
fn a_load_takes_every_row_and_is_one_commit() {
    let node = node("null").expect("open");
    let mut session = node.connect().expect("connect");
    let mut rows = Counting(1_000, vec![Column::new("id", ColumnType::Int)]);
    assert_eq!(session.bulk("any", &mut rows).expect("bulk"), 1_000);
    let commits = |session: &mut dyn Session| node.counters(session).expect("counters").0[name::COMMIT_COUNT];
    assert_eq!(commits(&mut *session), 0, "nothing is published while a job runs");
    session.publish_counters().expect("publish");
    assert_eq!(commits(&mut *session), 1);
    session.begin().expect("begin");
    session.commit().expect("commit");
    assert!(session.append("any", &mut Counting(5, Vec::new())).is_err(), "there is no transaction");
    session.begin().expect("begin");
    assert_eq!(session.append("any", &mut Counting(5, Vec::new())).expect("append"), 5);
    let form = LineForm { columns: Vec::new(), separator: b'|', ends_with_separator: true };
    assert_eq!(session.append_lines("any", &form, b"a|\nb|\nc|").expect("lines"), 3);
    session.rollback().expect("rollback");
    drop(session);
    let mut other = node.connect().expect("connect");
    assert_eq!(commits(&mut *other), 2, "a closed session has published");
}

/// A generous limit that an allocation, a lock or a system call per statement would exceed, also in a debug build; the
/// figure itself is measured by every invocation and is part of its record.
#[test]
fn the_overhead_of_a_statement_is_negligible() {
    let mut session = node("null").expect("open").connect().expect("connect");
    let statement = session.prepare("anything").expect("prepare");
    let binds = [Value::Int(1)];
    let rounds = 200_000;
    let fastest = (0..5).map(|_| {
        let start = std::time::Instant::now();
        for _ in 0..rounds {
            std::hint::black_box(session.execute(std::hint::black_box(statement), &binds).expect("execute"));
        }
        start.elapsed().as_nanos() / rounds
    });
    let fastest_ns = fastest.min().expect("five rounds");
    assert!(fastest_ns < 200, "{fastest_ns} ns per statement");
}
