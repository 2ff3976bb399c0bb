//! Words that tests of sessions are written with, and rows to load.

use std::time::{Duration, Instant};

use engine::conformance::Stand;
use engine::{Column, ColumnType, Kind, Node, RowSink, RowSource, Session, Statement, Table, Value};
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

/// A statement that would run for minutes is broken off, and its session lives on.
pub fn cancel(node: &dyn Node, long: &str) {
    let mut session = node.connect().expect("connect");
    let canceller = session.canceller().expect("a canceller");
    let long = prepare(&mut *session, long);
    let begun = Instant::now();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            canceller.cancel().expect("cancel");
        });
        session.execute(long, &[])
    });
    let error = outcome.expect_err("it is not over");
    assert_eq!(error.kind, Kind::Step(FailureKind::Cancelled), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    session.begin().expect("the session lives on");
}

/// Rows of a key, which counts from 0, and an amount in cents, which a function of the key makes.
pub struct Rows {
    columns: Vec<Column>,
    /// How many were made.
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
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    let amount = ColumnType::Decimal { precision: 8, scale: 2 };
    Table {
        name: name.to_owned(),
        // A name that must be quoted.
        columns: vec![column("id", ColumnType::Int), column("order", amount)],
        key: None,
        indexes: Vec::new(),
        compressed: false,
        partitions: None,
    }
}

/// Makes the table `name` of [`Rows`].
pub fn make(stand: &Stand, session: &mut dyn Session, name: &str) {
    stand.create(session, &table(name));
}
