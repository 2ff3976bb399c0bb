use super::*;

use std::collections::BTreeMap;
use std::sync::Mutex;

use engine::{Kind, Session, Value};
use record::FailureKind;
use tempfile::TempDir;

mod claim;
mod io;
mod lock;

engine_kit::conformance!(SQLITE, "sqlite");

/// The rollback journal takes other ways through locks and files.
mod with_a_rollback_journal {
    use super::SQLITE;
    engine_kit::conformance!(
        SQLITE,
        "sqlite?journal_mode=truncate&synchronous=normal&page_size=4096&temp_store=memory"
    );
}

/// A claimed node in a directory of its own.
struct Fixture {
    /// Does nothing but read counters.
    idle: Mutex<Box<dyn Session>>,
    node: Option<Box<dyn Node>>,
    directory: TempDir,
}

impl Fixture {
    fn new(target: &str) -> Fixture {
        let directory = tempfile::tempdir().expect("a directory");
        let node = open(target, directory.path(), false).expect("open");
        node.claim().expect("claim");
        let idle = Mutex::new(node.connect().expect("connect"));
        Fixture { idle, node: Some(node), directory }
    }

    fn node(&self) -> &dyn Node {
        self.node.as_deref().expect("open")
    }

    /// A session, and in the database a table `t` of one row.
    fn session_with_table(&self) -> Box<dyn Session> {
        let mut session = self.session();
        session.batch("create table t (id integer primary key, n integer not null) strict").expect("create");
        session.batch("insert into t values (1, 0)").expect("insert");
        session
    }

    /// A table `t` of 50 000 rows, all of it in the database and none in the log; and its pages.
    fn large_table(&self) -> u64 {
        let mut session = self.session_with_table();
        let rows = "with recursive n(i) as (select 2 union all select i + 1 from n where i < 50000) select i, i from n";
        session.batch(&format!("insert into t {rows}")).expect("insert");
        self.node().settle(&mut *session).expect("settle");
        std::fs::metadata(self.directory.path().join("sqlite/dbdyno.db")).expect("the database").len() / 8192
    }

    fn session(&self) -> Box<dyn Session> {
        self.node().connect().expect("connect")
    }

    fn counters(&self) -> BTreeMap<String, u64> {
        let mut idle = self.idle.lock().expect("no panic");
        self.node().counters(&mut **idle).expect("counters").0
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let closed = self.node.take().map(|node| node.close());
        if !std::thread::panicking() {
            closed.transpose().expect("close");
            assert!(self.directory.path().read_dir().expect("list").next().is_none(), "close leaves nothing");
        }
    }
}

fn open(target: &str, directory: &Path, keep: bool) -> Result<Box<dyn Node>> {
    let workspace = Workspace { directory: directory.to_owned(), keep, cache_bytes: None, sessions_max: 8 };
    SQLITE.open(&target.parse().expect("a target"), &workspace)
}

/// By how much each counter rose.
fn rise(before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    after.iter().map(|(name, value)| (name.clone(), value - before[name])).collect()
}

#[test]
fn a_target_with_a_place_or_a_login_is_refused_with_a_hint() {
    let directory = tempfile::tempdir().expect("a directory");
    for target in ["sqlite:///tmp/x.db", "sqlite://host", "sqlite://scott@/x", "sqlite?password=tiger"] {
        let error = open(target, directory.path(), false).err().expect(target);
        assert_eq!(error.kind, Kind::Usage, "{target}");
        assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("--dir")), "{target}: {error:?}");
        assert!(!format!("{error:?}").contains("tiger"));
    }
}

#[test]
fn a_statement_that_cannot_be_run_is_refused() {
    let fixture = Fixture::new("sqlite");
    let mut session = fixture.session_with_table();
    for sql in ["", " ; ", "-- nothing", "select 1; select 2", "select ?1, ?3 from"] {
        assert_eq!(session.prepare(sql).expect_err(sql).kind, Kind::Statement, "{sql}");
    }
    let select = session.prepare("select n from t where id = ?1;").expect("a statement may end with a semicolon");
    for binds in [&[][..], &[Value::Int(1), Value::Int(2)]] {
        let error = session.execute(select, binds).expect_err("a wrong number of binds");
        assert_eq!(error.kind, Kind::Statement);
        assert!(error.message.contains(&format!("{} values", binds.len())), "{error}");
    }
    let error = session.execute(engine::Statement(99), &[]).expect_err("a statement that is not there");
    assert_eq!(error.kind, Kind::Statement);
    let update = session.prepare("update t set n = ?1").expect("prepare");
    let error = session.execute(update, &[Value::Text("seven".into())]).expect_err("a wrong type in a strict table");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint));
    let error = session.execute(update, &[Value::Decimal("1x".into())]).expect_err("not a decimal");
    assert_eq!(error.kind, Kind::Statement);
    assert_eq!(session.execute(select, &[Value::Int(1)]).expect("the session lives on"), 1);
}

#[test]
fn a_statement_that_changes_no_rows_does_not_return_the_count_of_the_one_before() {
    let fixture = Fixture::new("sqlite");
    let mut session = fixture.session_with_table();
    let insert = session.prepare("insert into t (n) values (1), (2), (3)").expect("prepare");
    assert_eq!(session.execute(insert, &[]).expect("insert"), 3);
    let create = session.prepare("create table u (id integer)").expect("prepare");
    assert_eq!(session.execute(create, &[]).expect("create"), 0);
    let returning = session.prepare("delete from t where n > 0 returning id").expect("prepare");
    assert_eq!(session.execute(returning, &[]).expect("a change that returns rows"), 3);
}

#[test]
fn the_inventory_says_whether_a_commit_lasts() {
    for (target, durable, words) in [
        ("sqlite", true, "every commit is forced"),
        ("sqlite?synchronous=extra&journal_mode=delete", true, "every commit is forced"),
        ("sqlite?journal_mode=persist", true, "every commit is forced"),
        ("sqlite?journal_mode=delete", false, "removal of the journal"),
        ("sqlite?synchronous=normal", false, "stays whole"),
        ("sqlite?synchronous=normal&journal_mode=truncate", false, "wrong moment"),
        ("sqlite?synchronous=off", false, "nothing is forced"),
    ] {
        let inventory = Fixture::new(target).node().inventory().expect("inventory");
        assert_eq!(inventory.durable, Some(durable), "{target}");
        assert!(inventory.durability.contains(words), "{target}: {}", inventory.durability);
    }
}

#[test]
fn the_inventory_shows_what_the_library_answers() {
    let fixture = Fixture::new("sqlite?page_size=16KiB&mmap_size=1MiB&wal_autocheckpoint=7&journal_mode=persist");
    let inventory = fixture.node().inventory().expect("inventory");
    let value =
        |name: &str| inventory.settings.iter().find(|setting| setting.name == name).map(|setting| &*setting.value);
    assert_eq!(inventory.block_bytes, Some(record::Bytes(16384)));
    assert_eq!((value("mmap_size"), value("wal_autocheckpoint")), (Some("1048576"), Some("7")));
    assert_eq!((value("journal_mode"), value("synchronous")), (Some("persist"), Some("full")));
    assert!(value("compile_options").is_some_and(|options| options.contains("THREADSAFE")));
}

#[test]
fn a_full_database_is_a_matter_of_space() {
    let fixture = Fixture::new("sqlite");
    let mut session = fixture.session_with_table();
    session.batch("pragma max_page_count = 8").expect("a limit");
    let error = session.batch("create table big as select zeroblob(100000) as b").expect_err("no room");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Space, Some("SQLITE_FULL")), "{error:?}");
    session.rollback().expect("a rollback after SQLite has rolled back");
    session.batch("insert into t (n) values (1)").expect("the session lives on");
}
