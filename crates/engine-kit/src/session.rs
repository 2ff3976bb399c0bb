//! Helpers for tests of sessions, and rows to load.

use std::time::{Duration, Instant};

use crate::Fixture;
use engine::{Column, ColumnType, Kind, LineForm, Node, RowSink, RowSource, Session, Statement, Table, Value};
use record::FailureKind;

/// Prepares `sql`, which has to succeed.
pub fn prepare(session: &mut dyn Session, sql: &str) -> Statement {
    session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

/// The rows of `sql`.
pub fn ask(session: &mut dyn Session, sql: &str) -> Vec<Vec<Value<'static>>> {
    let statement = prepare(session, sql);
    session.query(statement, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

/// `value` as a value of a row.
pub fn text(value: &str) -> Value<'static> {
    Value::Text(value.to_owned().into())
}

/// A statement that would run for minutes is cancelled, and its session remains usable.
pub fn cancel(node: &dyn Node, long: &str) {
    let mut session = node.connect().expect("connect");
    let canceller = session.canceller().expect("a canceller");
    let long = prepare(&mut *session, long);
    let start = Instant::now();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            canceller.cancel().expect("cancel");
        });
        session.execute(long, &[])
    });
    let error = outcome.expect_err("it was cancelled");
    assert_eq!(error.kind, Kind::Step(FailureKind::Cancelled), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
    session.begin().expect("the session remains usable");
}

/// Rows with a key, counted from 0, and an amount in cents, computed from the key.
pub struct Rows {
    columns: Vec<Column>,
    /// Number of rows returned so far.
    pub next: i64,
    end: i64,
    amount: fn(i64, &mut dyn RowSink),
}

impl Rows {
    /// Rows with the numbers below `count`, each filled by `amount`.
    pub fn new(count: i64, amount: fn(i64, &mut dyn RowSink)) -> Rows {
        Rows { columns: table("any").columns, next: 0, end: count, amount }
    }
}

impl RowSource for Rows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next == self.end {
            return false;
        }
        sink.int(self.next);
        (self.amount)(self.next, sink);
        self.next += 1;
        true
    }
}

fn table(name: &str) -> Table {
    let column = |name: &str, kind| Column::new(name, kind);
    let amount = ColumnType::Decimal { precision: 8, scale: 2 };
    Table {
        name: name.to_owned(),
        // A name that must be quoted.
        columns: vec![column("id", ColumnType::Int), column("order", amount)],
        key: Vec::new(),
        indexes: Vec::new(),
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

/// Creates the table `name` of [`Rows`].
pub fn make(fixture: &Fixture, session: &mut dyn Session, name: &str) {
    fixture.create(session, &table(name));
}

/// For rows and for lines: the error names the third row of an append as `position`.
pub fn an_append_that_fails_names_its_row(fixture: &Fixture, position: &str) {
    let mut session = fixture.session();
    make(fixture, &mut *session, "named");
    session.begin().expect("begin");
    let mut rows = Rows::new(10, |id, sink| sink.decimal(if id == 2 { 10_000_000_000 } else { id }, 2));
    let error = session.append("named", &mut rows).expect_err("a numeric overflow");
    assert!(error.message.contains(position), "{error}");
    session.rollback().expect("rollback");
    session.begin().expect("begin");
    let form =
        LineForm { columns: vec!["id".to_owned(), "order".to_owned()], separator: b'\t', ends_with_separator: false };
    let error = session.append_lines("named", &form, b"1\t2\n3\t4\n5\tsix\n7\t8\n").expect_err("no number");
    assert!(error.message.contains(position) && error.message.contains("six"), "{error}");
    session.rollback().expect("rollback");
    session.begin().expect("begin");
    assert_eq!(session.append_lines("named", &form, b"1\t2\n3\t4\n").expect("lines"), 2);
    session.commit().expect("commit");
    assert_eq!(ask(&mut *session, "select count(*) from named"), [[Value::Int(2)]]);
}
