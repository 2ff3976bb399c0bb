//! The test fixture: a node in a directory of its own, its sessions, the table of the kit.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use engine::{
    Column, ColumnType, Engine, Index, Node, Result, Session, Statement, Table, Target, Value, Workspace, close_all,
    writer_first,
};

/// A directory that is created for one fixture and removed with it.
pub(super) struct Directory(pub(super) PathBuf);

impl Directory {
    pub(super) fn new() -> Directory {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // Short, because the path of a Unix socket in it must fit into 107 bytes.
        let name = format!("dbdyno-kit-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // A crashed process with the same id may have left one.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap_or_else(|error| panic!("create {}: {error}", path.display()));
        Directory(path)
    }

    /// The names of its entries.
    pub(super) fn contents(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap_or_else(|error| panic!("list {}: {error}", self.0.display()));
        entries.map(|entry| entry.expect("directory entry").file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Opens every node of `engine` in `directory` and closes all but the one that accepts writes.
pub(super) fn open(engine: &dyn Engine, target: &str, directory: &Path, keep: bool) -> Result<Box<dyn Node>> {
    let mut nodes = open_all(engine, target, directory, keep)?;
    let others = nodes.split_off(1);
    close_all(others)?;
    Ok(nodes.remove(0))
}

/// Opens every node of `engine` in `directory`; the first accepts writes.
fn open_all(engine: &dyn Engine, target: &str, directory: &Path, keep: bool) -> Result<Vec<Box<dyn Node>>> {
    let target: Target = target.parse().unwrap_or_else(|error| panic!("{error}"));
    let workspace = Workspace { directory: directory.to_owned(), keep, cache_bytes: None, sessions_max: 8 };
    let mut nodes = engine.open_all(&target, &workspace)?;
    assert!(writer_first(&mut nodes), "a node that takes writes");
    Ok(nodes)
}

/// Claimed nodes in a directory of their own, closed when they are dropped.
pub struct Fixture {
    /// The engine under test.
    pub engine: &'static dyn Engine,
    /// Its target.
    pub target: Target,
    nodes: Vec<Box<dyn Node>>,
    directory: Directory,
}

impl Fixture {
    /// Opens every node, claims the first, joins the others.
    pub fn open(engine: &'static dyn Engine, target: &str) -> Fixture {
        let directory = Directory::new();
        let nodes = open_all(engine, target, &directory.0, false);
        let nodes = nodes.unwrap_or_else(|error| panic!("open {target}: {error:?}"));
        let fixture = Fixture { engine, target: target.parse().expect("parsed before"), nodes, directory };
        fixture.node().claim().expect("claim");
        fixture.nodes[1..].iter().for_each(|node| node.join().expect("join"));
        fixture
    }

    /// The node that accepts writes.
    pub fn node(&self) -> &dyn Node {
        self.nodes[0].as_ref()
    }

    /// All nodes, the one that accepts writes first.
    pub fn nodes(&self) -> &[Box<dyn Node>] {
        &self.nodes
    }

    /// The workspace's directory.
    pub fn directory(&self) -> &Path {
        &self.directory.0
    }

    /// A new session.
    pub fn session(&self) -> Box<dyn Session> {
        self.node().connect().expect("connect")
    }

    /// `sql` with each `{1}`, `{2}`, ... replaced by the placeholder of the dialect.
    pub fn sql(&self, sql: &str) -> String {
        (1..=9).fold(sql.to_owned(), |text, position| {
            text.replace(&format!("{{{position}}}"), &self.engine.dialect().placeholder.at(position))
        })
    }

    /// Prepares `sql`, written with `{1}`, `{2}`, ...
    pub fn prepare(&self, session: &mut dyn Session, sql: &str) -> Statement {
        let sql = self.sql(sql);
        session.prepare(&sql).unwrap_or_else(|error| panic!("prepare {sql}: {error:?}"))
    }

    /// Prepares and runs `sql`; returns its rows.
    pub fn query(&self, session: &mut dyn Session, sql: &str, binds: &[Value<'_>]) -> Vec<Vec<Value<'static>>> {
        let statement = self.prepare(session, sql);
        session.query(statement, binds).unwrap_or_else(|error| panic!("query {sql}: {error:?}"))
    }

    /// How many rows `table` has, as `session` sees it.
    pub fn count(&self, session: &mut dyn Session, table: &str) -> i64 {
        match self.query(session, &format!("select count(*) from {table}"), &[]).as_slice() {
            [row] => match row.as_slice() {
                [Value::Int(count)] => *count,
                other => panic!("count(*) of {table} is {other:?}"),
            },
            other => panic!("count(*) of {table} gave {} rows", other.len()),
        }
    }

    /// Runs statements of the dialect.
    pub fn batch(&self, session: &mut dyn Session, statements: &[String]) {
        for sql in statements {
            session.batch(sql).unwrap_or_else(|error| panic!("batch {sql}: {error:?}"));
        }
    }

    /// Recreates `table`, finished and empty.
    pub fn make(&self, session: &mut dyn Session, table: &Table) {
        self.create(session, table);
        self.batch(session, &(self.engine.dialect().finish)(table));
    }

    /// Recreates `table`, empty and ready for bulk loading.
    pub fn create(&self, session: &mut dyn Session, table: &Table) {
        self.batch(session, &(self.engine.dialect().drop)(&table.name));
        self.batch(session, &(self.engine.dialect().create)(table));
    }

    /// A finished table `name` with rows 1 to `rows`.
    pub fn filled(&self, session: &mut dyn Session, name: &str, rows: i64) -> Table {
        let table = table(name);
        self.make(session, &table);
        let insert = self.prepare(session, &insert(name));
        for id in 1..=rows {
            assert_eq!(session.execute(insert, &row(id)).expect("insert"), 1, "an insert of one row changes one row");
        }
        table
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let closed = close_all(std::mem::take(&mut self.nodes));
        let left = self.directory.contents();
        if !std::thread::panicking() {
            closed.unwrap_or_else(|error| panic!("close: {error:?}"));
            assert!(left.is_empty(), "close left {left:?} in the directory");
        }
    }
}

/// One fixture for the tests of a module: it exists as long as one of them holds it or waits for it, because a test
/// cannot know whether it is the last one.
pub struct SharedFixture {
    fixture: Mutex<Weak<Mutex<Fixture>>>,
}

impl SharedFixture {
    /// None is open yet.
    #[allow(clippy::new_without_default)] // A static needs a const function.
    pub const fn new() -> SharedFixture {
        SharedFixture { fixture: Mutex::new(Weak::new()) }
    }
}

/// Runs one test on a node of its own.
pub fn on_fresh_node(engine: &'static dyn Engine, target: &str, point: fn(&Fixture)) {
    point(&Fixture::open(engine, target));
}

/// Runs one test on the shared node, exclusively: tests use counters of the whole node.
pub fn on_shared_node(shared: &SharedFixture, engine: &'static dyn Engine, target: &str, point: fn(&Fixture)) {
    let fixture = {
        let mut slot = shared.fixture.lock().unwrap_or_else(PoisonError::into_inner);
        slot.upgrade().unwrap_or_else(|| {
            let fixture = Arc::new(Mutex::new(Fixture::open(engine, target)));
            *slot = Arc::downgrade(&fixture);
            fixture
        })
    };
    point(&fixture.lock().unwrap_or_else(PoisonError::into_inner));
}

/// The table of the kit: a key, an index, a column of each type.
pub(super) fn table(name: &str) -> Table {
    let column = |name: &str, kind| Column::new(name, kind);
    Table {
        name: name.to_owned(),
        columns: vec![
            column("id", ColumnType::Int),
            column("whole", ColumnType::Int),
            column("ratio", ColumnType::Float),
            column("amount", ColumnType::Decimal { precision: 18, scale: 2 }),
            column("note", ColumnType::Text { size: 40 }),
        ],
        key: vec!["id".to_owned()],
        indexes: vec![Index { name: format!("{name}_whole"), columns: vec!["whole".to_owned()] }],
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

/// Inserts one row into the table of the kit.
pub(super) fn insert(name: &str) -> String {
    format!("insert into {name} (id, whole, ratio, amount, note) values ({{1}}, {{2}}, {{3}}, {{4}}, {{5}})")
}

/// Row `id` of the table of the kit.
pub(super) fn row(id: i64) -> [Value<'static>; 5] {
    let cents = Value::Decimal(decimal(id * 25).into());
    [Value::Int(id), Value::Int(id % 10), Value::Float(id as f64 / 8.0), cents, Value::Text(format!("row {id}").into())]
}

/// `cents` hundredths in the shortest form.
pub(super) fn decimal(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let text = format!("{sign}{}.{:02}", cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The value that is returned for a decimal: itself, or the nearest double if the engine has no exact decimal.
pub(super) fn returned(fixture: &Fixture, value: &Value<'static>) -> Value<'static> {
    match value {
        Value::Decimal(text) if !fixture.node().caps().decimal => Value::Float(text.parse().expect("a number")),
        other => other.clone(),
    }
}
