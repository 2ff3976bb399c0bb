//! A real server: started, stopped, kept, left behind by a crashed owner.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Arc;

use engine::{Kind, Value};
use record::Bytes;

use super::*;
use crate::connect::Login;
use crate::session::{MysqlSession, SessionCounts};

fn scratch() -> tempfile::TempDir {
    // Short, so that the socket path fits next to the data.
    tempfile::Builder::new().prefix("dd").tempdir_in("/tmp").expect("temporary directory")
}

fn workspace(scratch: &tempfile::TempDir, keep: bool) -> Workspace {
    let cache_bytes = Some(Bytes::MIB.times(16));
    Workspace { directory: scratch.path().to_owned(), keep, cache_bytes, sessions_max: 4 }
}

/// The target without parameters, and its subdirectory.
struct Base {
    target: String,
    folder: &'static str,
}

impl Base {
    fn mariadb() -> Base {
        Base { target: "local:mariadb?".to_owned(), folder: "mariadb" }
    }

    /// The server that `./test.sh` installs.
    fn mysql() -> Base {
        let bin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/mysql/bin");
        let there = Path::new(bin).join("mysqld").exists();
        assert!(there, "no MySQL server in {bin}\nhint: run ./test.sh once, it installs one");
        Base { target: format!("local:mysql?bin={bin}&"), folder: "mysql" }
    }

    fn with(&self, parameters: &str) -> String {
        format!("{}{parameters}", self.target)
    }
}

fn flavour(target: &Target) -> Flavour {
    if target.scheme == "mysql" { Flavour::MySql } else { Flavour::MariaDb }
}

/// The actions of [`super::clean_up`] for both products, in the order in which engines are listed.
fn clean_up(directory: &Path) -> Result<Vec<String>> {
    Ok([super::clean_up(Flavour::MariaDb, directory)?, super::clean_up(Flavour::MySql, directory)?].concat())
}

fn start_target(text: &str, scratch: &tempfile::TempDir, keep: bool) -> Result<Cluster> {
    let target: Target = text.parse().expect("target");
    let mut started = start(flavour(&target), &target, &workspace(scratch, keep), Kept::First)?;
    assert_eq!(started.len(), 1);
    Ok(started.remove(0))
}

/// The first field of the last row of `sql`, over a connection of its own.
fn query_sql(cluster: &Cluster, sql: &str) -> String {
    let login = Arc::new(Login::of_socket(&cluster.socket, USER));
    let opened = login.open(None).expect("open");
    let mut session = MysqlSession::start(opened, login, &SessionCounts::default()).expect("session");
    let rows = session.query_sql(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    match rows.last().and_then(|row| row.first()) {
        Some(Value::Text(text) | Value::Decimal(text)) => text.clone().into_owned(),
        Some(Value::Int(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn is_empty(scratch: &tempfile::TempDir) -> bool {
    fs::read_dir(scratch.path()).expect("entries").next().is_none()
}

/// Simulates a crash of the owning dbdyno; returns the server process.
fn simulate_owner_crash(cluster: Cluster) -> Child {
    cluster.running.simulate_owner_crash()
}

/// The same tests for both products.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {
        mod on_mariadb {
            $(#[test] fn $test() { super::$test(&super::Base::mariadb()); })+
        }
        mod on_mysql {
            $(#[test] fn $test() { super::$test(&super::Base::mysql()); })+
        }
    };
}

on_both!(
    a_server_starts_as_planned_and_leaves_nothing,
    kept_data_are_reused_with_new_settings,
    what_a_crashed_owner_left_is_stopped_and_removed,
    settings_rejected_by_the_server_are_reported_and_leave_nothing,
    a_foreign_directory_is_not_touched,
);

fn a_server_starts_as_planned_and_leaves_nothing(base: &Base) {
    let scratch = scratch();
    let mode = fs::metadata(scratch.path()).expect("workspace").permissions().mode();
    let requested = base.with("sync_binlog=7&innodb-flush-log-at-trx-commit=2");
    let cluster = start_target(&requested, &scratch, false).expect("start");
    let performance_schema = if base.folder == "mysql" { "1" } else { "0" };
    for (name, expected) in [
        ("innodb_buffer_pool_size", "16777216"),
        ("sync_binlog", "7"),
        ("innodb_flush_log_at_trx_commit", "2"),
        ("innodb_doublewrite", "ON"),
        ("max_connections", "14"),
        ("skip_networking", "1"),
        ("performance_schema", performance_schema),
        ("log_bin", "0"),
        ("innodb_flush_method", "O_DIRECT"),
        ("innodb_stats_auto_recalc", "0"),
    ] {
        // Some switches are numbers.
        let as_number = |text: &str| text.replace("ON", "1").replace("OFF", "0");
        let found = query_sql(&cluster, &format!("select cast(@@global.{name} as char)"));
        assert_eq!(as_number(&found), as_number(expected), "{name}");
    }
    let socket = fs::metadata(cluster.socket.parent().expect("directory")).expect("socket directory");
    assert_eq!(socket.permissions().mode() & 0o777, 0o700);
    let pid = cluster.pid;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("stat");
    let group = stat.rsplit_once(')').expect("name").1.split_whitespace().nth(2).expect("group").to_owned();
    assert_eq!(group, pid.to_string(), "Ctrl-C of the terminal does not reach it");
    if rustix::process::geteuid().is_root() {
        assert_ne!(fs::metadata(format!("/proc/{pid}")).expect("process").uid(), 0);
    }
    cluster.stop(false).expect("stop");
    assert!(is_empty(&scratch));
    assert_eq!(fs::metadata(scratch.path()).expect("workspace").permissions().mode(), mode, "the mode is restored");
    assert!(Process::of(pid).is_none());
}

fn kept_data_are_reused_with_new_settings(base: &Base) {
    let scratch = scratch();
    let cluster = start_target(&base.with("innodb_page_size=8k"), &scratch, true).expect("start");
    query_sql(&cluster, "create database kept");
    query_sql(&cluster, "create table kept.numbers as select 23 as number");
    cluster.stop(true).expect("stop");
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0], "kept data are not removed");
    let error = start_target(&base.with("innodb_page_size=8k&max_connections=nonsense"), &scratch, true)
        .expect_err("bad setting");
    assert!(error.message.contains("max_connections"), "{error}");

    let cluster =
        start_target(&base.with("innodb_page_size=8k&max_connections=77"), &scratch, true).expect("start again");
    assert_eq!(query_sql(&cluster, "select number from kept.numbers"), "23");
    assert_eq!(query_sql(&cluster, "select @@max_connections"), "77");
    assert_eq!(query_sql(&cluster, "select @@innodb_page_size"), "8192");
    let mut server = simulate_owner_crash(cluster);
    let actions = clean_up(scratch.path()).expect("clean up");
    assert!(actions.iter().any(|line| line.contains("stopped server process")), "{actions:?}");
    assert!(actions.iter().any(|line| line.contains("kept the cluster")), "{actions:?}");
    server.wait().expect("end");

    let error = start_target(&base.with(""), &scratch, false).expect_err("pages of another size");
    assert!(error.message.contains("page size"), "{error}");
    let cluster = start_target(&base.with("innodb_page_size=8k"), &scratch, false).expect("start once more");
    assert_eq!(query_sql(&cluster, "select number from kept.numbers"), "23");
    drop(cluster);
    assert!(is_empty(&scratch), "a drop stops and removes too");
}

fn what_a_crashed_owner_left_is_stopped_and_removed(base: &Base) {
    let scratch = scratch();
    let cluster = start_target(&base.with(""), &scratch, false).expect("start");
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0], "its owner runs");
    let error = start_target(&base.with(""), &scratch, false).expect_err("taken");
    assert!(error.message.contains("in use"), "{error}");
    let pid = cluster.pid;
    let mut server = simulate_owner_crash(cluster);
    let actions = clean_up(scratch.path()).expect("clean up");
    assert!(actions[0].contains(&format!("stopped server process {pid}")), "{actions:?}");
    assert!(
        actions[1].starts_with("removed ") && actions[1].ends_with(&format!("/{}/data", base.folder)),
        "{actions:?}"
    );
    server.wait().expect("end");
    assert!(is_empty(&scratch));
    // A start replaces such a server too.
    let mut server = simulate_owner_crash(start_target(&base.with(""), &scratch, false).expect("start"));
    let reaper = std::thread::spawn(move || server.wait());
    let cluster = start_target(&base.with(""), &scratch, false).expect("start over it");
    reaper.join().expect("reaper").expect("end");
    cluster.stop(false).expect("stop");
    assert!(is_empty(&scratch));
}

fn settings_rejected_by_the_server_are_reported_and_leave_nothing(base: &Base) {
    let scratch = scratch();
    for (target, words) in [
        ("no_such_setting=1", "unknown variable 'no_such_setting=1'"),
        ("innodb_buffer_pool_size=abc", "innodb_buffer_pool_size=abc is rejected"),
        ("innodb_page_size=5k", "page size"),
        ("bin=/nonexistent", "/nonexistent"),
    ] {
        let error = start_target(&base.with(target), &scratch, false).expect_err(target);
        let expected = if target.contains("bin=") { Kind::Missing } else { Kind::Usage };
        assert_eq!(error.kind, expected, "{target}: {error}");
        assert!(error.message.contains(words), "{target}: {error}");
        assert!(is_empty(&scratch), "{target}");
    }
}

fn a_foreign_directory_is_not_touched(base: &Base) {
    let scratch = scratch();
    let foreign = scratch.path().join(base.folder).join("data");
    fs::create_dir_all(&foreign).expect("foreign data");
    assert_eq!(start_target(&base.with(""), &scratch, false).expect_err("foreign").kind, Kind::NotOurs);
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0]);
    assert!(foreign.is_dir());
}

/// The sum of `kept.numbers` on each of `cluster`.
#[test]
fn the_log_is_made_with_the_size_of_the_target_and_was_written_as_a_whole() {
    let scratch = scratch();
    let cluster = start_target("local:mariadb?innodb_log_file_size=32M", &scratch, false).expect("start");
    let log = fs::File::open(cluster.data_directory.join("ib_logfile0")).expect("a log");
    assert_eq!(log.metadata().expect("its size").len(), 32 << 20);
    assert!(server::is_written(&log).expect("its holes"));
    cluster.stop(false).expect("stop");
}

#[test]
fn no_setting_that_a_record_brings_is_a_text() {
    let scratch = scratch();
    let cluster = start_target("local:mariadb", &scratch, false).expect("start");
    let names = HARMLESS.iter().map(|name| format!("select '{name}' as name")).collect::<Vec<String>>().join(" union ");
    let texts_and_unknown = format!(
        "select group_concat(name order by name separator ' ') from ({names}) as settings \
         left join information_schema.system_variables on variable_name = name \
         where variable_type is null or variable_type like '%char%'"
    );
    // Those of MySQL alone, of former versions, and of dbdyno.
    let others = "innodb_buffer_pool_instances innodb_page_cleaners innodb_redo_log_capacity nodes";
    assert_eq!(query_sql(&cluster, &texts_and_unknown), others);
    cluster.stop(false).expect("stop");
}

fn sums(cluster: &[Cluster]) -> Vec<String> {
    cluster.iter().map(|node| query_sql(node, "select cast(sum(number) as char) from kept.numbers")).collect()
}

#[test]
fn several_nodes_are_one_database_of_which_one_copy_is_kept() {
    let scratch = scratch();
    // Every statement waits until the node has applied all writes.
    let start_target = |text: &str, keep| {
        let target: Target = format!("{text}&wsrep_sync_wait=7").parse().expect("target");
        start(Flavour::MariaDb, &target, &workspace(&scratch, keep), Kept::First)
    };
    let nodes = start_target("local:mariadb?nodes=3", true).expect("start");
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["node1", "node2", "node3"]);
    for node in &nodes {
        for (name, expected) in [("wsrep_cluster_size", "3"), ("wsrep_local_state_comment", "Synced")] {
            let sql =
                format!("select variable_value from information_schema.global_status where variable_name = '{name}'");
            assert_eq!(query_sql(node, &sql), expected, "{name} of {}", node.name);
        }
    }
    query_sql(&nodes[1], "create or replace database kept");
    query_sql(&nodes[2], "create table kept.numbers (number int primary key)");
    query_sql(&nodes[0], "insert into kept.numbers values (11)");
    query_sql(&nodes[2], "insert into kept.numbers values (12)");
    assert_eq!(sums(&nodes), ["23"; 3]);
    nodes.into_iter().rev().for_each(|node| node.stop(true).expect("stop"));
    let names = fs::read_dir(scratch.path()).expect("entries").map(|entry| entry.expect("entry").file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["mariadb"], "one copy is kept");
    // Another number of nodes reuses it; leftovers of all nodes are found.
    let nodes = start_target("local:mariadb?nodes=2", true).expect("start again");
    assert_eq!(sums(&nodes), ["23"; 2]);
    let left: Vec<Child> = nodes.into_iter().map(simulate_owner_crash).collect();
    let actions = clean_up(scratch.path()).expect("clean up");
    assert_eq!(actions.iter().filter(|line| line.contains("stopped server process")).count(), 2, "{actions:?}");
    assert!(actions.iter().any(|line| line.contains("kept the cluster")), "{actions:?}");
    for mut server in left {
        server.wait().expect("end");
    }
    // After the crash these data have no position.
    let nodes = start_target("local:mariadb?nodes=2", false).expect("start once more");
    assert_eq!(sums(&nodes), ["23"; 2]);
    drop(nodes);
    assert!(is_empty(&scratch), "a drop stops and removes all of them");
}

#[test]
fn invalid_nodes_leave_nothing() {
    let scratch = scratch();
    for (target, kind, words) in [
        ("local:mariadb?nodes=2&wsrep_provider=/nonexistent.so", Kind::Missing, "/nonexistent.so"),
        ("local:mariadb?nodes=2&no_such_setting=1", Kind::Usage, "no_such_setting"),
        ("local:mariadb?nodes=2&wsrep_provider_options=no.such%3D1", Kind::Usage, "wsrep_provider_options"),
    ] {
        let error = start_target(target, &scratch, false).expect_err(target);
        assert_eq!(error.kind, kind, "{target}: {error}");
        assert!(error.message.contains(words), "{target}: {error}");
        assert!(is_empty(&scratch), "{target}");
    }
}
