use super::*;

use engine::{Column, ColumnType, Kind, RowSink, RowSource, Session, Value};
use record::{FailureKind, name};
use tempfile::TempDir;

engine_kit::conformance!(DUCKDB, &target(""));

/// The target with the library that `./test.sh` puts into place, and `more` parameters.
fn target(more: &str) -> String {
    let library = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/duckdb/libduckdb.so");
    assert!(Path::new(library).exists(), "no DuckDB library at {library}\nhint: run ./test.sh once, it installs one");
    format!("duckdb?library={library}{more}")
}

/// A claimed node in a directory of its own.
struct Fixture {
    node: Option<Box<dyn Node>>,
    directory: TempDir,
}

impl Fixture {
    fn new(more: &str) -> Fixture {
        let directory = tempfile::tempdir().expect("a directory");
        let node = open(&target(more), directory.path(), false).expect("open");
        node.claim().expect("claim");
        Fixture { node: Some(node), directory }
    }

    fn node(&self) -> &dyn Node {
        self.node.as_deref().expect("open")
    }

    fn session(&self) -> Box<dyn Session> {
        self.node().connect().expect("connect")
    }

    /// A session, and in the database a table `t` of one row.
    fn session_with_table(&self) -> Box<dyn Session> {
        let mut session = self.session();
        session.batch("create table t (id bigint primary key, n bigint not null)").expect("create");
        session.batch("insert into t values (1, 0)").expect("insert");
        session
    }

    /// What the engine counts; `idle` was opened before, because opening a session is counted too.
    fn commits(&self, idle: &mut dyn Session) -> u64 {
        let (counters, reading) = self.node().counters(idle).expect("counters");
        assert_eq!(reading, 1);
        counters[name::COMMIT_COUNT]
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
    DUCKDB.open(&target.parse().expect("a target"), &workspace)
}

fn ask(session: &mut dyn Session, sql: &str) -> Vec<Vec<Value<'static>>> {
    let statement = session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    session.query(statement, &[]).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

#[test]
fn a_target_with_a_place_or_a_login_is_refused_with_a_hint() {
    let directory = tempfile::tempdir().expect("a directory");
    for target in ["duckdb:///tmp/x.db", "duckdb://host", "duckdb://scott@/x", "duckdb?password=tiger"] {
        let error = open(target, directory.path(), false).err().expect(target);
        assert_eq!(error.kind, Kind::Usage, "{target}");
        assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("--dir")), "{target}: {error:?}");
        assert!(!format!("{error:?}").contains("tiger"));
    }
}

#[test]
fn a_missing_library_leaves_nothing_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let error = open("duckdb?library=/nowhere/libduckdb.so", directory.path(), false).err().expect("no library");
    assert_eq!(error.kind, Kind::Missing);
    assert!(error.message.contains("/nowhere/libduckdb.so, given by the parameter library"), "{error}");
    assert!(directory.path().read_dir().expect("list").next().is_none());
}

#[test]
fn a_statement_that_cannot_be_run_is_refused() {
    let fixture = Fixture::new("");
    let mut session = fixture.session_with_table();
    for sql in ["", " ; ", "-- nothing", "select 1; select 2", "select $1, from where"] {
        assert_eq!(session.prepare(sql).expect_err(sql).kind, Kind::Statement, "{sql}");
    }
    assert_eq!(session.batch("select 1\0").expect_err("a zero byte").kind, Kind::Statement);
    let select = session.prepare("select n from t where id = $1;").expect("a statement may end with a semicolon");
    for binds in [&[][..], &[Value::Int(1), Value::Int(2)]] {
        let error = session.execute(select, binds).expect_err("a wrong number of binds");
        assert_eq!(error.kind, Kind::Statement);
        assert!(error.message.contains(&format!("{} values", binds.len())), "{error}");
    }
    let error = session.execute(engine::Statement(99), &[]).expect_err("a statement that is not there");
    assert_eq!(error.kind, Kind::Statement);
    let update = session.prepare("update t set n = $1").expect("prepare");
    let error = session.execute(update, &[Value::Text("seven".into())]).expect_err("a wrong type");
    assert_eq!(error.kind, Kind::Statement, "{error:?}");
    let error = session.execute(update, &[Value::Decimal("1x".into())]).expect_err("not a decimal");
    assert_eq!(error.kind, Kind::Statement);
    let time = session.prepare("select time '12:00:00'").expect("prepare");
    let error = session.execute(time, &[]).expect_err("a type that is not read");
    assert!(error.hint.is_some_and(|hint| hint.contains("varchar")));
    assert_eq!(session.execute(select, &[Value::Int(1)]).expect("the session lives on"), 1);
}

#[test]
fn every_type_that_is_read_is_read_right() {
    let fixture = Fixture::new("");
    let mut session = fixture.session();
    let long = "a text of more than twelve bytes";
    for (sql, expected) in [
        ("true", Value::Int(1)),
        ("(-128)::tinyint", Value::Int(-128)),
        ("255::utinyint", Value::Int(255)),
        ("(-32768)::smallint", Value::Int(-32768)),
        ("65535::usmallint", Value::Int(65535)),
        ("(-2147483648)::integer", Value::Int(-2_147_483_648)),
        ("4294967295::uinteger", Value::Int(4_294_967_295)),
        ("18446744073709551615::ubigint", Value::Decimal("18446744073709551615".into())),
        ("(-5)::hugeint", Value::Int(-5)),
        ("18446744073709551616::hugeint", Value::Decimal("18446744073709551616".into())),
        ("(-18446744073709551617)::hugeint", Value::Decimal("-18446744073709551617".into())),
        ("0.5::float", Value::Float(0.5)),
        ("1.25::decimal(4, 2)", Value::Decimal("1.25".into())),
        ("(-1.25)::decimal(9, 3)", Value::Decimal("-1.25".into())),
        ("99999999999999999999999999999999999.125::decimal(38, 3)", {
            Value::Decimal("99999999999999999999999999999999999.125".into())
        }),
        ("date '2010-02-28'", Value::Text("2010-02-28".into())),
        ("null", Value::Null),
        ("null::varchar", Value::Null),
        ("'exactly 12 b'", Value::Text("exactly 12 b".into())),
        ("'a text of more than twelve bytes'", Value::Text(long.into())),
    ] {
        assert_eq!(ask(&mut *session, &format!("select {sql}")), [[expected]], "{sql}");
    }
    let many = ask(&mut *session, "select case when i % 3 = 0 then null else i end from range(5000) as r(i)");
    assert_eq!(many.len(), 5_000, "more rows than a chunk has");
    for (row, i) in many.iter().zip(0..) {
        assert_eq!(row[0], if i % 3 == 0 { Value::Null } else { Value::Int(i) });
    }
}

#[test]
fn a_statement_that_changes_no_rows_counts_none() {
    let fixture = Fixture::new("");
    let mut session = fixture.session_with_table();
    let insert = session.prepare("insert into t values (2, 2), (3, 3), (4, 4)").expect("prepare");
    assert_eq!(session.execute(insert, &[]).expect("insert"), 3);
    let create = session.prepare("create table u (id integer)").expect("prepare");
    assert_eq!(session.execute(create, &[]).expect("create"), 0);
    let returning = session.prepare("delete from t where n > 0 returning id").expect("prepare");
    assert_eq!(session.execute(returning, &[]).expect("a change that returns rows"), 3);
}

#[test]
fn a_commit_that_fails_ends_its_transaction() {
    let fixture = Fixture::new("");
    let mut first = fixture.session_with_table();
    let mut second = fixture.session();
    first.begin().expect("begin");
    second.begin().expect("begin");
    first.batch("insert into t values (7, 1)").expect("insert");
    second.batch("insert into t values (7, 2)").expect("the other insert is not seen yet");
    first.commit().expect("commit");
    let error = second.commit().expect_err("a duplicate key");
    assert_eq!(error.kind, Kind::Step(FailureKind::Constraint), "{error:?}");
    second.rollback().expect("there is nothing to roll back");
    assert_eq!(second.commit().expect_err("no transaction").kind, Kind::Step(FailureKind::Other));
    second.begin().expect("begin");
    second.batch("update t set n = 5 where id = 7").expect("update");
    second.commit().expect("commit");
    assert_eq!(ask(&mut *first, "select n from t where id = 7"), [[Value::Int(5)]]);
}

#[test]
fn a_transaction_in_which_a_statement_failed_is_never_taken_for_committed() {
    let fixture = Fixture::new("");
    let mut session = fixture.session_with_table();
    session.begin().expect("begin");
    session.batch("insert into t values (2, 2)").expect("insert");
    session.batch("insert into t values (1, 1)").expect_err("a duplicate key");
    let error = session.commit().expect_err("the insert before is gone");
    assert_eq!(error.kind, Kind::Step(FailureKind::Other));
    assert!(error.message.contains("rolled back"), "{error}");
    assert_eq!(ask(&mut *session, "select count(*) from t"), [[Value::Int(1)]]);
    session.begin().expect("the session lives on");
    session.batch("insert into t values (2, 2)").expect("insert");
    session.commit().expect("commit");
    assert_eq!(ask(&mut *session, "select count(*) from t"), [[Value::Int(2)]]);
}

#[test]
fn what_failed_is_not_counted_as_a_commit() {
    let fixture = Fixture::new("");
    let mut session = fixture.session_with_table();
    let mut other = fixture.session();
    let insert = session.prepare("insert into t values ($1, 0)").expect("prepare");
    let update = other.prepare("update t set n = n + 1 where id = 1").expect("prepare");
    let before = fixture.commits(&mut *other);
    for number in 0..10 {
        session.execute(insert, &[Value::Int(1)]).expect_err("a duplicate key");
        session.prepare("select nothing from t").expect_err("no such column");
        session.prepare("selec").expect_err("not SQL");
        session.begin().expect("begin");
        session.batch("update t set n = n + 1 where id = 1").expect("update");
        let error = other.execute(update, &[]).expect_err("a conflict");
        assert_eq!(error.kind, Kind::Step(FailureKind::Serialization), "{error:?}");
        session.commit().expect("commit");
        session.begin().expect("begin");
        session.execute(insert, &[Value::Int(100 + number)]).expect("insert");
        session.rollback().expect("rollback");
    }
    assert_eq!(fixture.commits(&mut *other) - before - 1, 10);
}

/// Rows whose fields do not fit the table of the load.
struct Misfit(&'static [Column], fn(&mut dyn RowSink), u32);

impl RowSource for Misfit {
    fn columns(&self) -> &[Column] {
        self.0
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        self.2 += 1;
        (self.1)(sink);
        self.2 < 5
    }
}

#[test]
fn a_load_of_what_does_not_fit_is_refused_and_loads_nothing() {
    let fixture = Fixture::new("");
    let mut session = fixture.session_with_table();
    session.batch("create table d (id bigint, amount decimal(4, 2))").expect("create");
    let column = |name: &str, kind| Column::new(name, kind);
    let amount = ColumnType::Decimal { precision: 4, scale: 2 };
    let columns: &'static [Column] = vec![column("id", ColumnType::Int), column("amount", amount)].leak();
    let unknown: &'static [Column] = vec![column("id", ColumnType::Int), column("nothing", amount)].leak();
    let wide = ColumnType::Decimal { precision: 30, scale: 2 };
    let wide: &'static [Column] = vec![column("id", ColumnType::Int), column("amount", wide)].leak();
    type Push = fn(&mut dyn RowSink);
    let refused: [(&'static [Column], Push, &str); 6] = [
        (columns, |sink| sink.int(1), "1 fields, not 2"),
        (columns, |sink| (sink.int(1), sink.text("x")).1, "a text in column 2"),
        (columns, |sink| (sink.int(1), sink.decimal(10_000, 2)).1, "100 in column 2"),
        (columns, |sink| (sink.int(1), sink.decimal(1, 2), sink.int(3)).2, "more than 2 fields"),
        (unknown, |sink| (sink.int(1), sink.decimal(1, 2)).1, "nothing"),
        (wide, |sink| (sink.int(1), sink.decimal(1, 2)).1, "amount"),
    ];
    for (columns, push, words) in refused {
        let error = session.bulk("d", &mut Misfit(columns, push, 0)).expect_err(words);
        assert_eq!(error.kind, Kind::Statement, "{error:?}");
        assert!(error.message.contains(words), "{error} does not say {words}");
    }
    assert_eq!(ask(&mut *session, "select count(*) from d"), [[Value::Int(0)]]);
    let mut fits = Misfit(columns, |sink| (sink.int(1), sink.decimal(5, 1)).1, 0);
    assert_eq!(session.bulk("d", &mut fits).expect("a load"), 4);
    let row = vec![Value::Int(1), Value::Decimal("0.5".into())];
    assert_eq!(ask(&mut *session, "select id, amount from d limit 1"), [row]);
}

#[test]
fn the_inventory_shows_what_was_set_beside_the_default() {
    let fixture = Fixture::new("&memory_limit=1GiB&checkpoint_threshold=4MiB");
    let inventory = fixture.node().inventory().expect("inventory");
    let setting = |name: &str| inventory.settings.iter().find(|setting| setting.name == name).expect(name);
    assert_eq!(
        (setting("memory_limit").value.as_str(), inventory.cache_bytes),
        ("1.0 GiB", Some(record::Bytes(1 << 30)))
    );
    assert_ne!(setting("memory_limit").default.as_deref(), Some("1.0 GiB"));
    assert_eq!(setting("checkpoint_threshold").value, "4.0 MiB");
    assert_eq!(setting("checkpoint_threshold").default.as_deref(), Some("16.0 MiB"));
    assert_eq!(setting("autoload_known_extensions").value, "false");
    assert_eq!(inventory.block_bytes, Some(record::Bytes(262_144)));
    assert_eq!(inventory.durable, Some(true));
}

#[test]
fn too_little_memory_is_a_counted_step_with_a_hint() {
    let fixture = Fixture::new("&memory_limit=2MiB");
    let mut session = fixture.session();
    session.batch("set threads = 1").expect("set");
    let sql = "select count(*) from (select i, list(i) from range(3000000) as r(i) group by i)";
    let error = session.batch(sql).expect_err("out of memory");
    assert_eq!(error.kind, Kind::Step(FailureKind::Other), "{error:?}");
    assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("memory_limit")), "{error:?}");
    assert_eq!(ask(&mut *session, "select 1"), [[Value::Int(1)]]);
}

#[test]
fn a_database_that_was_not_closed_is_removed_by_the_next_start_and_one_that_is_kept_is_not() {
    let directory = tempfile::tempdir().expect("a directory");
    let node = open(&target(""), directory.path(), true).expect("open");
    node.claim().expect("claim");
    node.connect().expect("connect").batch("create table t (id bigint)").expect("create");
    node.close().expect("close");
    assert!(DUCKDB.clean_up(directory.path()).expect("kept").is_empty());
    let node = open(&target(""), directory.path(), false).expect("open");
    node.claim().expect("claim");
    // Dropped, not closed: as a killed invocation leaves it.
    drop(node);
    assert!(directory.path().join("duckdb/dbdyno.duckdb").exists());
    assert_eq!(DUCKDB.clean_up(directory.path()).expect("an orphan").len(), 1);
    assert!(directory.path().read_dir().expect("list").next().is_none());
}
