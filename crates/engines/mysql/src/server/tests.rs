//! A real server: started, stopped, kept, left behind by an owner that died.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Arc;

use engine::{Kind, Value};
use record::Bytes;

use super::*;
use crate::connect::Login;
use crate::session::{MysqlSession, SessionCounts};

fn scratch() -> tempfile::TempDir {
    // Short, so that the socket fits beside the data.
    tempfile::Builder::new().prefix("dd").tempdir_in("/tmp").expect("temporary directory")
}

fn workspace(scratch: &tempfile::TempDir, keep: bool) -> Workspace {
    let cache_bytes = Some(Bytes::MIB.times(16));
    Workspace { directory: scratch.path().to_owned(), keep, cache_bytes, sessions_max: 4 }
}

/// What is started: the target without parameters of its own, and the name of its folder.
struct Base {
    target: String,
    folder: &'static str,
}

impl Base {
    fn mariadb() -> Base {
        Base { target: "local:mariadb?".to_owned(), folder: "mariadb" }
    }

    /// The server that `./test.sh` puts into place.
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

/// What [`super::clean_up`] says of both products, in the order in which engines are listed.
fn clean_up(directory: &Path) -> Result<Vec<String>> {
    Ok([super::clean_up(Flavour::MariaDb, directory)?, super::clean_up(Flavour::MySql, directory)?].concat())
}

fn begin(text: &str, scratch: &tempfile::TempDir, keep: bool) -> Result<Cluster> {
    let target: Target = text.parse().expect("target");
    let mut started = start(flavour(&target), &target, &workspace(scratch, keep))?;
    assert_eq!(started.len(), 1);
    Ok(started.remove(0))
}

/// The first field of the last row of `sql`, over a connection of its own.
fn ask(cluster: &Cluster, sql: &str) -> String {
    let login = Arc::new(Login::of_socket(&cluster.socket, USER));
    let opened = login.open(None).expect("open");
    let mut session = MysqlSession::start(opened, login, &SessionCounts::default()).expect("session");
    let rows = session.ask(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    match rows.last().and_then(|row| row.first()) {
        Some(Value::Text(text) | Value::Decimal(text)) => text.clone().into_owned(),
        Some(Value::Int(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn is_empty(scratch: &tempfile::TempDir) -> bool {
    fs::read_dir(scratch.path()).expect("entries").next().is_none()
}

/// Makes a running server look as if its dbdyno had died. Returns the server, for us to take its exit status.
fn abandon(cluster: Cluster) -> Child {
    cluster.running.abandon()
}

/// The same for both products.
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
    kept_data_are_taken_again_with_new_settings,
    what_a_dead_owner_left_is_stopped_and_removed,
    what_the_server_refuses_is_said_in_its_words_and_leaves_nothing,
    a_directory_that_somebody_else_filled_is_left_alone,
);

fn a_server_starts_as_planned_and_leaves_nothing(base: &Base) {
    let scratch = scratch();
    let mode = fs::metadata(scratch.path()).expect("site").permissions().mode();
    let asked = base.with("sync_binlog=7&innodb-flush-log-at-trx-commit=2");
    let cluster = begin(&asked, &scratch, false).expect("start");
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
        // Some switches answer as numbers.
        let as_number = |text: &str| text.replace("ON", "1").replace("OFF", "0");
        let found = ask(&cluster, &format!("select cast(@@global.{name} as char)"));
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
    assert_eq!(fs::metadata(scratch.path()).expect("site").permissions().mode(), mode, "the mode is put back");
    assert!(Process::of(pid).is_none());
}

fn kept_data_are_taken_again_with_new_settings(base: &Base) {
    let scratch = scratch();
    let cluster = begin(&base.with("innodb_page_size=8k"), &scratch, true).expect("start");
    ask(&cluster, "create database kept");
    ask(&cluster, "create table kept.numbers as select 23 as number");
    cluster.stop(true).expect("stop");
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0], "what was kept on purpose stays");
    let error =
        begin(&base.with("innodb_page_size=8k&max_connections=nonsense"), &scratch, true).expect_err("bad setting");
    assert!(error.message.contains("max_connections"), "{error}");

    let cluster = begin(&base.with("innodb_page_size=8k&max_connections=77"), &scratch, true).expect("start again");
    assert_eq!(ask(&cluster, "select number from kept.numbers"), "23");
    assert_eq!(ask(&cluster, "select @@max_connections"), "77");
    assert_eq!(ask(&cluster, "select @@innodb_page_size"), "8192");
    let mut server = abandon(cluster);
    let said = clean_up(scratch.path()).expect("clean up");
    assert!(said.iter().any(|line| line.contains("stopped server process")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("kept the cluster")), "{said:?}");
    server.wait().expect("end");

    let error = begin(&base.with(""), &scratch, false).expect_err("pages of another size");
    assert!(error.message.contains("page size"), "{error}");
    let cluster = begin(&base.with("innodb_page_size=8k"), &scratch, false).expect("start once more");
    assert_eq!(ask(&cluster, "select number from kept.numbers"), "23");
    drop(cluster);
    assert!(is_empty(&scratch), "a drop stops and removes too");
}

fn what_a_dead_owner_left_is_stopped_and_removed(base: &Base) {
    let scratch = scratch();
    let cluster = begin(&base.with(""), &scratch, false).expect("start");
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0], "its owner lives");
    let error = begin(&base.with(""), &scratch, false).expect_err("taken");
    assert!(error.message.contains("in use"), "{error}");
    let pid = cluster.pid;
    let mut server = abandon(cluster);
    let said = clean_up(scratch.path()).expect("clean up");
    assert!(said[0].contains(&format!("stopped server process {pid}")), "{said:?}");
    assert!(said[1].starts_with("removed ") && said[1].ends_with(&format!("/{}/data", base.folder)), "{said:?}");
    server.wait().expect("end");
    assert!(is_empty(&scratch));
    // A start takes the place of such a one too.
    let mut server = abandon(begin(&base.with(""), &scratch, false).expect("start"));
    let reaper = std::thread::spawn(move || server.wait());
    let cluster = begin(&base.with(""), &scratch, false).expect("start over it");
    reaper.join().expect("reaper").expect("end");
    cluster.stop(false).expect("stop");
    assert!(is_empty(&scratch));
}

fn what_the_server_refuses_is_said_in_its_words_and_leaves_nothing(base: &Base) {
    let scratch = scratch();
    for (target, words) in [
        ("no_such_setting=1", "unknown variable 'no_such_setting=1'"),
        ("innodb_buffer_pool_size=abc", "innodb_buffer_pool_size=abc is refused"),
        ("innodb_page_size=5k", "page size"),
        ("bin=/nonexistent", "/nonexistent"),
    ] {
        let error = begin(&base.with(target), &scratch, false).expect_err(target);
        let expected = if target.contains("bin=") { Kind::Missing } else { Kind::Usage };
        assert_eq!(error.kind, expected, "{target}: {error}");
        assert!(error.message.contains(words), "{target}: {error}");
        assert!(is_empty(&scratch), "{target}");
    }
}

fn a_directory_that_somebody_else_filled_is_left_alone(base: &Base) {
    let scratch = scratch();
    let foreign = scratch.path().join(base.folder).join("data");
    fs::create_dir_all(&foreign).expect("foreign data");
    assert_eq!(begin(&base.with(""), &scratch, false).expect_err("foreign").kind, Kind::NotOurs);
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0]);
    assert!(foreign.is_dir());
}

/// The sum of `kept.numbers` on each of `cluster`.
fn sums(cluster: &[Cluster]) -> Vec<String> {
    cluster.iter().map(|node| ask(node, "select cast(sum(number) as char) from kept.numbers")).collect()
}

#[test]
fn several_nodes_are_one_database_of_which_one_copy_is_kept() {
    let scratch = scratch();
    // Every statement waits until the node has what the others have.
    let begin = |text: &str, keep| {
        let target: Target = format!("{text}&wsrep_sync_wait=7").parse().expect("target");
        start(Flavour::MariaDb, &target, &workspace(&scratch, keep))
    };
    let nodes = begin("local:mariadb?nodes=3", true).expect("start");
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["node1", "node2", "node3"]);
    for node in &nodes {
        for (name, expected) in [("wsrep_cluster_size", "3"), ("wsrep_local_state_comment", "Synced")] {
            let sql =
                format!("select variable_value from information_schema.global_status where variable_name = '{name}'");
            assert_eq!(ask(node, &sql), expected, "{name} of {}", node.name);
        }
    }
    ask(&nodes[1], "create or replace database kept");
    ask(&nodes[2], "create table kept.numbers (number int primary key)");
    ask(&nodes[0], "insert into kept.numbers values (11)");
    ask(&nodes[2], "insert into kept.numbers values (12)");
    assert_eq!(sums(&nodes), ["23"; 3]);
    nodes.into_iter().rev().for_each(|node| node.stop(true).expect("stop"));
    let names = fs::read_dir(scratch.path()).expect("entries").map(|entry| entry.expect("entry").file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["mariadb"], "one copy stays");
    // Another number of nodes takes it; what a dead owner leaves of all is found.
    let nodes = begin("local:mariadb?nodes=2", true).expect("start again");
    assert_eq!(sums(&nodes), ["23"; 2]);
    let left: Vec<Child> = nodes.into_iter().map(abandon).collect();
    let said = clean_up(scratch.path()).expect("clean up");
    assert_eq!(said.iter().filter(|line| line.contains("stopped server process")).count(), 2, "{said:?}");
    assert!(said.iter().any(|line| line.contains("kept the cluster")), "{said:?}");
    for mut server in left {
        server.wait().expect("end");
    }
    // A crash has left these data without a position of their own.
    let nodes = begin("local:mariadb?nodes=2", false).expect("start once more");
    assert_eq!(sums(&nodes), ["23"; 2]);
    drop(nodes);
    assert!(is_empty(&scratch), "a drop stops and removes all of them");
}

#[test]
fn nodes_that_cannot_be_leave_nothing() {
    let scratch = scratch();
    for (target, kind, words) in [
        ("local:mariadb?nodes=2&wsrep_provider=/nonexistent.so", Kind::Missing, "/nonexistent.so"),
        ("local:mariadb?nodes=2&no_such_setting=1", Kind::Usage, "no_such_setting"),
        ("local:mariadb?nodes=2&wsrep_provider_options=no.such%3D1", Kind::Usage, "wsrep_provider_options"),
    ] {
        let error = begin(target, &scratch, false).expect_err(target);
        assert_eq!(error.kind, kind, "{target}: {error}");
        assert!(error.message.contains(words), "{target}: {error}");
        assert!(is_empty(&scratch), "{target}");
    }
}
