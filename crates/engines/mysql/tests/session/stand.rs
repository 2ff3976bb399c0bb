//! A server to try sessions on.

use dbdyno_engine_mysql::MARIADB;
use engine::{Column, ColumnType, Engine, Node, RowSink, RowSource, Session, Site, Statement, Table, Target, Value};
use tempfile::TempDir;

/// A throwaway server with a claimed database; the directory is removed after it.
pub struct Stand {
    node: Option<Box<dyn Node>>,
    directory: TempDir,
}

impl Stand {
    pub fn new(parameters: &str) -> Stand {
        let directory = tempfile::Builder::new().prefix("dbdyno-session-").tempdir_in("/tmp").unwrap();
        let target: Target = format!("local:mariadb?{parameters}").parse().unwrap();
        let site = Site { directory: directory.path().to_owned(), keep: false, cache_bytes: None, sessions_max: 8 };
        let node = MARIADB.open(&target, &site).unwrap_or_else(|error| panic!("{error:?}"));
        node.claim().expect("claim");
        Stand { node: Some(node), directory }
    }

    pub fn node(&self) -> &dyn Node {
        self.node.as_deref().expect("open")
    }

    pub fn session(&self) -> Box<dyn Session> {
        self.node().connect().expect("connect")
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        let closed = self.node.take().map(Node::close);
        if !std::thread::panicking() {
            closed.expect("open").expect("close");
            assert_eq!(self.directory.path().read_dir().unwrap().count(), 0, "something is left");
        }
    }
}

pub fn prepare(session: &mut dyn Session, sql: &str) -> Statement {
    session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

pub fn ask(session: &mut dyn Session, sql: &str) -> Vec<Vec<Value<'static>>> {
    let statement = prepare(session, sql);
    session.query(statement, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

pub fn text(value: &str) -> Value<'static> {
    Value::Text(value.to_owned().into())
}

/// Rows of a key and an amount.
pub struct Rows {
    columns: Vec<Column>,
    next: i64,
    end: i64,
    amount: fn(i64, &mut dyn RowSink),
}

impl Rows {
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
        columns: vec![column("id", ColumnType::Int), column("order", amount)],
        key: None,
        indexes: Vec::new(),
        compressed: false,
    }
}

/// Makes the table of [`Rows`].
pub fn make(session: &mut dyn Session, name: &str) {
    for sql in (MARIADB.dialect().create)(&table(name)) {
        session.batch(&sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
}
