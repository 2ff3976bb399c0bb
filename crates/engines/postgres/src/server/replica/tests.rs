//! Real replicas: started, synchronous, left behind by a crashed owner.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use engine::{Engine, Kind, Target};
use server::{Process, Signal};

use super::*;
use crate::POSTGRES;
use crate::server::tests::{is_empty, query_field, scratch, simulate_owner_crash, workspace};
use crate::server::{Kept, start_all};

fn start_target(text: &str, scratch: &tempfile::TempDir, keep: bool) -> Vec<Cluster> {
    let target: Target = text.parse().expect("target");
    start_all(&target, &workspace(scratch, keep), Kept::Primary).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn signal(pid: u32, signal: Signal) {
    let pid = rustix::process::Pid::from_raw(pid as i32).expect("a process");
    rustix::process::kill_process(pid, signal).expect("signal");
}

/// As a host in a target.
fn host(cluster: &Cluster) -> String {
    cluster.socket_directory.display().to_string().replace('/', "%2F")
}

#[test]
fn a_commit_waits_for_every_synchronous_replica() {
    let scratch = scratch();
    let clusters = start_target("local:postgres?replicas=2&synchronous=on", &scratch, false);
    let primary = &clusters[0];
    assert_eq!(query_field(primary, "select count(*) from pg_stat_replication where sync_state = 'sync'"), "2");
    assert_eq!(query_field(primary, "select count(*) from pg_replication_slots where active"), "2");
    // The WAL receiver writes to stable storage; the server itself continues without it.
    let receiver: u32 = query_field(&clusters[2], "select pid from pg_stat_wal_receiver").parse().expect("a process");
    signal(receiver, Signal::STOP);
    let (send, done) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            query_field(primary, "create table waited as select 23 as number");
            send.send(()).expect("send");
        });
        let early = done.recv_timeout(Duration::from_secs(1));
        signal(receiver, Signal::CONT);
        assert_eq!(early, Err(RecvTimeoutError::Timeout), "the commit did not wait");
        assert_eq!(done.recv_timeout(Duration::from_secs(30)), Ok(()), "the commit goes on");
    });
    let pids: Vec<u32> = clusters.iter().map(|cluster| cluster.postmaster_pid).collect();
    for cluster in clusters.into_iter().rev() {
        cluster.stop(false).expect("stop");
    }
    assert!(pids.iter().all(|pid| Process::of(*pid).is_none()));
    assert!(is_empty(&scratch));
}

#[test]
fn commits_do_not_wait_for_a_lost_synchronous_replica() {
    let scratch = scratch();
    let clusters = start_target("local:postgres?replicas=2&synchronous=on", &scratch, false);
    for (killed, left) in [(1, "FIRST 1 (replica2)"), (2, "")] {
        signal(clusters[killed].postmaster_pid, Signal::KILL);
        let (send, done) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                query_field(&clusters[0], &format!("create table after{killed} as select 23 as number"));
                send.send(()).expect("send");
            });
            // Committed before or after the primary was reconfigured; in both cases it returns.
            assert_eq!(done.recv_timeout(Duration::from_secs(30)), Ok(()), "commits go on");
        });
        let start = Instant::now();
        while query_field(&clusters[0], "show synchronous_standby_names") != left {
            assert!(start.elapsed() < Duration::from_secs(30), "the primary was not reconfigured");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    let start = Instant::now();
    while query_field(&clusters[0], "select count(*) from pg_replication_slots") != "0" {
        assert!(start.elapsed() < Duration::from_secs(30), "WAL is retained for a lost replica");
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(clusters);
    assert!(is_empty(&scratch));
}

#[test]
fn nodes_are_found_in_any_order() {
    let scratch = scratch();
    let clusters = start_target("local:postgres?replicas=1", &scratch, false);
    let (primary, replica) = (host(&clusters[0]), host(&clusters[1]));
    let target = format!("postgres://dbdyno@{replica},{primary}/postgres");
    let workspace = workspace(&scratch, false);
    let nodes = POSTGRES.open_all(&target.parse().expect("a target"), &workspace).expect("open");
    assert_eq!(nodes.iter().map(|node| node.takes_writes()).collect::<Vec<bool>>(), [false, true]);
    assert!(nodes[1].inventory().expect("inventory").durability.contains("1 replica that no commit waits for"));
    nodes[0].claim().map(|_| ()).expect_err("a replica takes no schema");
    nodes[1].claim().expect("claim");
    nodes[0].join().expect("join");
    let (mut first, mut here) = (nodes[1].connect().expect("connect"), nodes[0].connect().expect("connect"));
    first.batch("create table seen as select 23 as number").expect("in the schema");
    nodes[0].catch_up(&mut *here, &mut *first).expect("catch up");
    here.batch("select number from seen").expect("it is in the schema there too");
    let error = here.batch("create table here (id int8)").expect_err("read only");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Statement, Some("25006")));
    // A paused replay is waited for.
    here.batch("select pg_wal_replay_pause()").expect("pause");
    first.batch("insert into seen values (24)").expect("insert");
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            query_field(&clusters[1], "select pg_wal_replay_resume()");
        });
        nodes[0].catch_up(&mut *here, &mut *first).expect("catch up");
    });
    assert!(start.elapsed() >= Duration::from_millis(500), "it did not wait for the replay");
    let count = here.prepare("select count(*) from seen").expect("prepare");
    assert_eq!(here.query(count, &[]).expect("query"), [[Value::Int(2)]]);
    let open = |text: String| POSTGRES.open_all(&text.parse().expect("a target"), &workspace).map(|_| ());
    let error = open(format!("postgres://dbdyno@{primary}/postgres?nodes=all")).expect_err("over a Unix socket");
    assert!(error.kind == Kind::Usage && error.message.contains("does not report"), "{error:?}");
    let error = open(format!("postgres://dbdyno@{replica}/postgres?nodes=all")).expect_err("a replica");
    assert!(error.hint.is_some_and(|hint| hint.contains("primary")));
    let error = open(format!("postgres://dbdyno@{primary},%2Fnowhere/postgres")).expect_err("one is not there");
    assert!(error.kind == Kind::Unreachable && error.message.starts_with("node %2Fnowhere: "), "{error:?}");
    let chosen = |attribute: &str| {
        let text =
            format!("postgres://dbdyno@{replica},{primary},%2Fnowhere/postgres?target_session_attrs={attribute}");
        let nodes = POSTGRES.open_all(&text.parse().expect("a target"), &workspace).expect(attribute);
        assert_eq!(nodes.len(), 1);
        nodes[0].takes_writes()
    };
    for (attribute, is_primary) in [
        ("any", false),
        ("read-write", true),
        ("primary", true),
        ("read-only", false),
        ("standby", false),
        ("prefer-standby", false),
    ] {
        assert_eq!(chosen(attribute), is_primary, "{attribute}");
    }
    let error = open(format!("postgres://dbdyno@{primary}/postgres?target_session_attrs=standby")).expect_err("none");
    assert!(error.kind == Kind::Unreachable && error.message.contains("is a primary"), "{error:?}");
    open(format!("postgres://dbdyno@{primary}/postgres?target_session_attrs=prefer-standby")).expect("the primary");
    drop((first, here));
    for node in nodes {
        node.close().expect("close");
    }
    assert_eq!(query_field(&clusters[0], "select count(*) from pg_namespace where nspname = 'dbdyno'"), "0");
}

#[test]
fn a_kept_primary_gets_new_replicas_and_forgets_the_old() {
    let scratch = scratch();
    let clusters = start_target("local:postgres?replicas=1&synchronous=remote_apply", &scratch, true);
    assert_eq!(query_field(&clusters[0], "show synchronous_commit"), "remote_apply");
    query_field(&clusters[0], "create table kept as select 23 as number");
    assert_eq!(query_field(&clusters[1], "select number from kept"), "23", "what is committed has been applied");
    for cluster in clusters.into_iter().rev() {
        cluster.stop(true).expect("stop");
    }
    let names: Vec<_> =
        fs::read_dir(scratch.path()).expect("entries").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["postgres"], "a replica is not worth keeping");
    let clusters = start_target("local:postgres?replicas=1", &scratch, true);
    assert_eq!(query_field(&clusters[1], "select number from kept"), "23");
    assert_eq!(query_field(&clusters[1], "show cluster_name"), "dbdyno");
    for cluster in clusters.into_iter().rev() {
        cluster.stop(true).expect("stop");
    }
    let alone = start_target("local:postgres", &scratch, false);
    assert_eq!(query_field(&alone[0], "select count(*) from pg_replication_slots"), "0");
    drop(alone);
    assert!(is_empty(&scratch));
}

#[test]
fn replicas_that_a_dead_owner_left_are_stopped_and_removed() {
    let scratch = scratch();
    let leave = |scratch: &tempfile::TempDir| -> Vec<Child> {
        let clusters = start_target("local:postgres?replicas=2", scratch, false);
        assert_eq!(super::super::clean_up(scratch.path()).expect("clean up"), [""; 0], "their owner lives");
        clusters.into_iter().map(simulate_owner_crash).collect()
    };
    let mut servers = leave(&scratch);
    let actions = super::super::clean_up(scratch.path()).expect("clean up");
    assert_eq!(actions.iter().filter(|line| line.starts_with("stopped server process")).count(), 3, "{actions:?}");
    servers.iter_mut().for_each(|server| assert!(server.wait().is_ok()));
    assert!(is_empty(&scratch));
    // The next start does the same, also one that wants no replicas.
    let servers = leave(&scratch);
    let reapers: Vec<_> = servers.into_iter().map(|mut server| std::thread::spawn(move || server.wait())).collect();
    drop(start_target("local:postgres", &scratch, false));
    reapers.into_iter().for_each(|reaper| assert!(reaper.join().expect("reaper").is_ok()));
    assert!(is_empty(&scratch));
}

#[test]
fn a_path_with_quotes_stays_one_value() {
    let settings = settings_of_replica(Path::new("/it's\\here"), 2);
    assert!(settings[0].value.starts_with("host='/it\\'s\\\\here' port=5432 "), "{}", settings[0].value);
    assert!(settings[0].value.ends_with("application_name=replica2"));
}
