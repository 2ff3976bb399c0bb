//! PostgreSQL-compatible servers, simulated by a real server without the features that they lack, a database each:
//! their own servers are not available here.

use dbdyno_engine_postgres::POSTGRES;
use engine::{Engine, Kind, Node, Target, Value, Workspace};
use engine_kit::Fixture;
use engine_kit::session::{Rows, ask, make, prepare};
use record::{EngineInventory, name};

/// A database modified by `sql`, as a target.
fn shaped(fixture: &Fixture, database: &str, sql: &str) -> String {
    let mut boss = fixture.session();
    boss.batch(&format!("create database {database}")).expect("create database");
    let rows = ask(&mut *boss, "select current_setting('unix_socket_directories')");
    let Value::Text(directory) = &rows[0][0] else { panic!("{rows:?}") };
    let target = format!("postgres://dbdyno@{}/{database}", directory.replace('/', "%2F"));
    let mut session = open(&target).connect().expect("connect");
    session.batch("set allow_system_table_mods = on").expect("as a superuser");
    session.batch(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    target
}

fn workspace() -> Workspace {
    Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 4 }
}

fn open(target: &str) -> Box<dyn Node> {
    let parsed: Target = target.parse().expect("a target");
    POSTGRES.open(&parsed, &workspace()).unwrap_or_else(|error| panic!("{target}: {error:?}"))
}

/// SQL by which `version()` returns `text`.
fn with_version(text: &str) -> String {
    format!(
        "alter function pg_catalog.version() rename to version_of_postgres; \
         create function pg_catalog.version() returns text language sql as $$ select '{text}' $$; "
    )
}

fn setting<'a>(inventory: &'a EngineInventory, name: &str) -> Option<&'a str> {
    inventory.settings.iter().find(|setting| setting.name == name).map(|setting| setting.value.as_str())
}

#[test]
fn compatible_servers_are_named_and_measured_as_far_as_they_support_it() {
    let fixture = Fixture::open(&POSTGRES, "local:postgres");
    postgres_has_everything(&fixture);
    cockroach_lacks_features_and_is_measured_nevertheless(&fixture);
    a_stub_lock_is_detected(&fixture);
    yugabyte_reports_its_nodes(&fixture);
    citus_is_an_extension(&fixture);
    aurora_has_a_log_of_its_own(&fixture);
    opengauss_is_named(&fixture);
}

fn postgres_has_everything(fixture: &Fixture) {
    let inventory = fixture.node().inventory().expect("inventory");
    assert_eq!(inventory.title, "PostgreSQL");
    assert_eq!((inventory.durable, setting(&inventory, "dbdyno.lock")), (Some(true), None));
    let caps = fixture.node().caps();
    assert!(caps.procedures && caps.partitions && caps.lines);
    let mut session = fixture.session();
    let error = session.batch("set enable_nonsense = off").expect_err("an error on PostgreSQL");
    assert_eq!(error.code.as_deref(), Some("42704"));
}

fn cockroach_lacks_features_and_is_measured_nevertheless(fixture: &Fixture) {
    let lacks = with_version("CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)")
        + "drop extension plpgsql; \
           alter function pg_catalog.pg_try_advisory_lock(int, int) rename to lock_away; \
           alter function pg_catalog.pg_stat_force_next_flush() rename to flush_away; \
           alter function pg_catalog.pg_is_in_recovery() rename to recovery_away; \
           alter function pg_catalog.pg_size_bytes(text) rename to size_away; \
           alter view pg_catalog.pg_stat_wal rename to wal_away; \
           alter view pg_catalog.pg_stat_bgwriter rename to writer_away; \
           alter view pg_catalog.pg_stat_replication rename to replication_away; \
           alter view pg_catalog.pg_settings rename to settings_away; \
           create view pg_catalog.pg_settings as select name, setting, unit from settings_away \
           where name not like 'enable%'";
    let node = open(&shaped(fixture, "cockroach", &lacks));
    assert!(!node.caps().procedures && node.caps().decimal && node.takes_writes());
    node.claim().expect("claim without a lock");
    let inventory = node.inventory().expect("inventory");
    assert_eq!((inventory.name.as_str(), inventory.title.as_str()), ("postgres", "CockroachDB"));
    assert!(inventory.version.starts_with("v23.1.11 (PostgreSQL "), "{}", inventory.version);
    assert_eq!((inventory.durable, inventory.cache_bytes), (None, None));
    assert!(inventory.block_bytes.is_some(), "it reports that");
    assert!(setting(&inventory, "dbdyno.lock").is_some_and(|value| value.starts_with("none")));
    assert!(setting(&inventory, "enable_bitmapscan").is_some_and(|value| value.contains("unknown")));
    assert_eq!(setting(&inventory, "max_parallel_workers"), None, "one that it knows is not missing");
    // Missing counters are absent.
    let mut session = node.connect().expect("connect");
    let (counters, _) = node.counters(&mut *session).expect("counters");
    assert!(counters.contains_key(name::COMMIT_COUNT) && !counters.contains_key(name::REDO_WRITE_BYTES));
    assert!(!counters.keys().any(|name| name.starts_with("postgres_wal_") || name.starts_with("postgres_checkpoint")));
    assert_eq!(session.publish_counters().expect("nothing to publish with"), 0);
    // A session works as on PostgreSQL, and a missing setting is ignored.
    session.batch("set enable_nonsense = off").expect("left out");
    session.batch("set enable_nonsense to").expect_err("a mistake is a mistake");
    make(fixture, &mut *session, "item");
    assert_eq!(session.bulk("item", &mut Rows::new(1000, |id, sink| sink.decimal(id, 2))).expect("bulk"), 1000);
    assert_eq!(ask(&mut *session, "select count(*) from dbdyno.item"), [[Value::Int(1000)]]);
    node.settle(&mut *session).expect("settle");
    drop(session);
    node.close().expect("the schema is removed");
}

fn a_stub_lock_is_detected(fixture: &Fixture) {
    let stub = with_version("CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)")
        + "alter function pg_catalog.pg_try_advisory_lock(int, int) rename to lock_away; \
           create function pg_catalog.pg_try_advisory_lock(int, int) returns bool language sql as 'select true'";
    let node = open(&shaped(fixture, "stub", &stub));
    node.claim().expect("claim");
    assert!(setting(&node.inventory().expect("inventory"), "dbdyno.lock").is_some());
    node.close().expect("close");
    // A working lock is detected, for other flavours too.
    let node = open(&shaped(fixture, "locked", &with_version("CockroachDB CCL v99.1.0 (x86_64-pc-linux-gnu)")));
    node.claim().expect("claim");
    assert_eq!(setting(&node.inventory().expect("inventory"), "dbdyno.lock"), None);
    node.close().expect("close");
}

fn yugabyte_reports_its_nodes(fixture: &Fixture) {
    let target = shaped(fixture, "yugabyte", &with_version("PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu"));
    let node = open(&target);
    assert_eq!(node.inventory().expect("inventory").title, "YugabyteDB");
    let mut session = node.connect().expect("connect");
    let asked: Target = format!("{target}?nodes=all").parse().expect("a target");
    let error = POSTGRES.open_all(&asked, &workspace()).map(|_| ()).expect_err("it has no such function");
    assert!(error.kind == Kind::Usage && error.message.contains("does not report its nodes"), "{error:?}");
    // Both of its nodes are this server.
    session
        .batch(
            "create function public.yb_servers(out host text, out port int8) returns setof record language sql as \
             $$ select current_setting('unix_socket_directories'), 5432 from generate_series(1, 2) number $$",
        )
        .expect("create function");
    let nodes = POSTGRES.open_all(&asked, &workspace()).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(nodes.len(), 1, "a node that is named twice is one");
    assert!(nodes[0].name().ends_with(":5432"), "{}", nodes[0].name());
}

fn citus_is_an_extension(fixture: &Fixture) {
    let has = "insert into pg_catalog.pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion) \
               values (999999, 'citus', 10, 11, false, '12.1-1')";
    let node = open(&shaped(fixture, "citus", has));
    let inventory = node.inventory().expect("inventory");
    assert_eq!((inventory.title.as_str(), inventory.durable), ("PostgreSQL with Citus", Some(true)));
    assert!(inventory.version.starts_with("12.1-1 (PostgreSQL "), "{}", inventory.version);
}

fn aurora_has_a_log_of_its_own(fixture: &Fixture) {
    let shape = "create function pg_catalog.aurora_version() returns text language sql as $$ select '15.4.2' $$; \
                 alter function pg_catalog.pg_current_wal_insert_lsn() rename to lsn_away; \
                 create function pg_catalog.pg_current_wal_insert_lsn() returns pg_lsn language plpgsql as \
                 $$ begin raise exception using errcode = '0A000', message = 'not supported for Aurora'; end $$";
    let node = open(&shaped(fixture, "aurora", shape));
    let inventory = node.inventory().expect("inventory");
    assert_eq!((inventory.title.as_str(), inventory.durable), ("Amazon Aurora PostgreSQL", None));
    assert!(inventory.version.starts_with("15.4.2 ("), "{}", inventory.version);
    let mut session = node.connect().expect("connect");
    let (counters, _) = node.counters(&mut *session).expect("counters");
    assert!(!counters.contains_key(name::REDO_WRITE_BYTES) && counters.contains_key(name::COMMIT_COUNT));
    let one = prepare(&mut *session, "select 1");
    assert_eq!(session.query(one, &[]).expect("query"), [[Value::Int(1)]]);
}

fn opengauss_is_named(fixture: &Fixture) {
    let node =
        open(&shaped(fixture, "gauss", &with_version("(openGauss 5.0.0 build a07d57c3) compiled at 2023-03-29")));
    let inventory = node.inventory().expect("inventory");
    assert_eq!(inventory.title, "openGauss");
    assert!(inventory.version.starts_with("5.0.0 ("), "{}", inventory.version);
}
