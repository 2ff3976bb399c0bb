//! A real server: started, stopped, kept, left behind by a crashed owner.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;

use engine::Kind;
use record::Bytes;
use server::{Process, Signal};

use super::*;

pub(super) fn scratch() -> tempfile::TempDir {
    // Short, so that the socket path fits next to the data.
    tempfile::Builder::new().prefix("dd").tempdir_in("/tmp").expect("temporary directory")
}

pub(super) fn workspace(scratch: &tempfile::TempDir, keep: bool) -> Workspace {
    let cache_bytes = Some(Bytes::MIB.times(16));
    Workspace { directory: scratch.path().to_owned(), keep, cache_bytes, sessions_max: 4 }
}

pub(super) fn start(target: &Target, workspace: &Workspace) -> Result<Cluster> {
    start_all(target, workspace, Kept::Primary).map(|mut clusters| clusters.remove(0))
}

fn start_target(text: &str, scratch: &tempfile::TempDir, keep: bool) -> Result<Cluster> {
    start(&text.parse().expect("target"), &workspace(scratch, keep))
}

/// The first field of the last row of a simple query, over a connection of its own.
pub(super) fn query_field(cluster: &Cluster, sql: &str) -> String {
    let mut stream =
        UnixStream::connect(cluster.socket_directory.join(format!(".s.PGSQL.{}", cluster.port))).expect("connect");
    let start = format!("user\0{}\0database\0{}\0\0", cluster.user, cluster.database);
    let packet = |kind: &[u8], body: &[u8]| [kind, &(body.len() as u32 + 4).to_be_bytes(), body].concat();
    let body = [&196_608_u32.to_be_bytes()[..], start.as_bytes()].concat();
    stream.write_all(&packet(b"", &body)).expect("start-up");
    stream.write_all(&packet(b"Q", format!("{sql}\0").as_bytes())).expect("query");
    stream.write_all(&packet(b"X", b"")).expect("terminate");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("answer");
    let (mut rest, mut field) = (response.as_slice(), String::new());
    while let [kind, a, b, c, d, tail @ ..] = rest {
        let (body, next) = tail.split_at(u32::from_be_bytes([*a, *b, *c, *d]) as usize - 4);
        match kind {
            b'E' => panic!("{sql}: {}", String::from_utf8_lossy(body)),
            b'D' => field = String::from_utf8_lossy(&body[6..]).into_owned(),
            _ => {}
        }
        rest = next;
    }
    field
}

pub(super) fn is_empty(scratch: &tempfile::TempDir) -> bool {
    fs::read_dir(scratch.path()).expect("entries").next().is_none()
}

/// The entry `name` of a process's status.
fn status(pid: u32, name: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).expect("status");
    text.lines().find_map(|line| line.strip_prefix(name)).expect("entry").trim_start_matches(':').trim().to_owned()
}

/// Simulates a crash of the owning dbdyno; returns the server process.
pub(super) fn simulate_owner_crash(cluster: Cluster) -> Child {
    cluster.running.simulate_owner_crash()
}

#[test]
fn a_server_starts_as_planned_and_leaves_nothing() {
    let scratch = scratch();
    let mode = fs::metadata(scratch.path()).expect("workspace").permissions().mode();
    let cluster = start_target("local:postgres?work_mem=3MB&fsync=off", &scratch, false).expect("start");
    for (name, expected) in [
        ("shared_buffers", "16MB"),
        ("work_mem", "3MB"),
        ("fsync", "off"),
        ("synchronous_commit", "on"),
        ("max_connections", "14"),
        ("listen_addresses", ""),
        ("data_checksums", "on"),
        ("server_encoding", "UTF8"),
        ("jit", "off"),
    ] {
        assert_eq!(query_field(&cluster, &format!("show {name}")), expected, "{name}");
    }
    assert_eq!(query_field(&cluster, "select datcollate from pg_database where datname = current_database()"), "C");
    assert_eq!(
        query_field(&cluster, "select count(*) from pg_settings where pending_restart or sourcefile like '%auto%'"),
        "0"
    );
    let names = super::HARMLESS.iter().map(|name| format!("('{name}')")).collect::<Vec<String>>().join(",");
    let texts_and_unknown = format!(
        "select string_agg(column1, ' ' order by column1) from (values {names}) settings \
         left join pg_settings on name = column1 where vartype is null or vartype = 'string'"
    );
    // Parameters of dbdyno, and settings of later versions: numbers and a choice.
    let others = "io_combine_limit io_max_concurrency io_method io_workers replicas synchronous version";
    assert_eq!(query_field(&cluster, &texts_and_unknown), others, "a record brings no text");
    let socket = fs::metadata(&cluster.socket_directory).expect("socket directory");
    assert_eq!(socket.permissions().mode() & 0o777, 0o700);
    let pid = cluster.postmaster_pid;
    let group = fs::read_to_string(format!("/proc/{pid}/stat")).expect("stat");
    let group = group.rsplit_once(')').expect("name").1.split_whitespace().nth(2).expect("group").to_owned();
    assert_eq!(group, pid.to_string(), "Ctrl-C of the terminal does not reach it");
    if rustix::process::geteuid().is_root() {
        assert_ne!(status(pid, "Uid").split_whitespace().next(), Some("0"));
        assert_eq!(status(pid, "Groups"), "", "no supplementary group of root remains");
        assert_ne!(socket.uid(), 0);
    }
    cluster.stop(false).expect("stop");
    assert!(is_empty(&scratch));
    assert_eq!(fs::metadata(scratch.path()).expect("workspace").permissions().mode(), mode, "the mode is restored");
    assert!(Process::of(pid).is_none());
}

#[test]
fn a_kept_cluster_is_reused_with_new_settings() {
    let scratch = scratch();
    let cluster = start_target("local:postgres?data_checksums=off", &scratch, true).expect("start");
    query_field(&cluster, "create table kept as select 23 as number");
    query_field(&cluster, "alter system set work_mem = '7MB'");
    cluster.stop(true).expect("stop");
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0], "kept data are not removed");

    let error = start_target("local:postgres?data_checksums=on", &scratch, true).expect_err("other checksums");
    assert_eq!(error.kind, Kind::Usage);
    let error = start_target("local:postgres?work_mem=nonsense", &scratch, true).expect_err("bad setting");
    assert!(error.message.contains("work_mem"), "{error}");

    let cluster = start_target("local:postgres?work_mem=5MB", &scratch, true).expect("start again");
    assert_eq!(query_field(&cluster, "select number from kept"), "23");
    assert_eq!(query_field(&cluster, "show work_mem"), "5MB");
    assert_eq!(query_field(&cluster, "show data_checksums"), "off");
    let mut server = simulate_owner_crash(cluster);
    let actions = clean_up(scratch.path()).expect("clean up");
    assert!(actions.iter().any(|line| line.contains("stopped server process")), "{actions:?}");
    assert!(actions.iter().any(|line| line.contains("kept the cluster")), "{actions:?}");
    server.wait().expect("end");

    let cluster = start_target("local:postgres", &scratch, false).expect("start once more");
    assert_eq!(query_field(&cluster, "select number from kept"), "23");
    drop(cluster);
    assert!(is_empty(&scratch), "a drop stops and removes too");
}

#[test]
fn what_a_crashed_owner_left_is_stopped_and_removed() {
    let scratch = scratch();
    let cluster = start_target("local:postgres", &scratch, false).expect("start");
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0], "its owner runs");
    let error = start_target("local:postgres", &scratch, false).expect_err("taken");
    assert!(error.message.contains("in use"), "{error}");
    let pid = cluster.postmaster_pid;
    let mut server = simulate_owner_crash(cluster);
    // A stopped (SIGSTOP) server is terminated too.
    rustix::process::kill_process(rustix::process::Pid::from_child(&server), Signal::STOP).expect("stop");
    let actions = clean_up(scratch.path()).expect("clean up");
    assert!(actions[0].contains(&format!("stopped server process {pid}")), "{actions:?}");
    assert!(actions[1].starts_with("removed ") && actions[1].ends_with("/postgres/data"), "{actions:?}");
    server.wait().expect("end");
    assert!(is_empty(&scratch));
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0], "nothing is left to remove");
}

#[test]
fn a_start_replaces_what_a_crashed_owner_left() {
    let scratch = scratch();
    let mut server = simulate_owner_crash(start_target("local:postgres", &scratch, false).expect("start"));
    let reaper = std::thread::spawn(move || server.wait());
    let cluster = start_target("local:postgres", &scratch, false).expect("start over it");
    reaper.join().expect("reaper").expect("end");
    cluster.stop(false).expect("stop");
    assert!(is_empty(&scratch));
}

#[test]
fn a_path_too_long_for_a_socket_gets_one_in_another_directory() {
    let scratch = scratch();
    let deep = scratch.path().join("d".repeat(100));
    fs::create_dir(&deep).expect("deep directory");
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).expect("mode");
    let workspace = Workspace { directory: deep.clone(), ..workspace(&scratch, false) };
    let cluster = start(&"local:postgres".parse().expect("target"), &workspace).expect("start");
    let socket = cluster.socket_directory.clone();
    assert!(!socket.starts_with(&deep));
    assert_eq!(query_field(&cluster, "select 1"), "1");
    cluster.stop(false).expect("stop");
    assert!(!socket.exists());
    assert!(fs::read_dir(&deep).expect("entries").next().is_none());
}

#[test]
fn settings_rejected_by_the_server_are_reported_and_leave_nothing() {
    let scratch = scratch();
    for (target, statements) in [
        ("local:postgres?no_such_setting=1", "unrecognized configuration parameter \"no_such_setting\""),
        ("local:postgres?work_mem=much", "invalid value for parameter \"work_mem\": \"much\""),
        ("local:postgres?max_connections=0", "outside the valid range"),
        ("local:postgres?archive_mode=on&wal_level=minimal", "WAL archival cannot be enabled"),
        ("local:postgres?shared_buffers=7000GB&huge_pages=off", "shared memory"),
    ] {
        let error = start_target(target, &scratch, false).expect_err(target);
        assert_eq!(error.kind, Kind::Usage, "{target}: {error}");
        assert!(error.message.contains(statements), "{target}: {error}");
        assert!(is_empty(&scratch), "{target}");
    }
}

#[test]
fn missing_programs_are_reported_and_leave_nothing() {
    let scratch = scratch();
    let error = start_target("local:postgres?bin=/nonexistent", &scratch, false).expect_err("no programs");
    assert_eq!(error.kind, Kind::Missing);
    assert!(error.message.contains("/nonexistent"), "{error}");
    assert!(is_empty(&scratch));
}

#[test]
fn a_foreign_directory_is_not_touched() {
    let scratch = scratch();
    let not_postgres = scratch.path().join("postgres/data");
    fs::create_dir_all(&not_postgres).expect("foreign cluster");
    assert_eq!(start_target("local:postgres", &scratch, false).expect_err("foreign").kind, Kind::NotOurs);
    assert_eq!(clean_up(scratch.path()).expect("clean up"), [""; 0]);
    fs::write(scratch.path().join("postgres/state"), "something else\n").expect("foreign file");
    assert_eq!(clean_up(scratch.path()).expect_err("foreign file").kind, Kind::NotOurs);
    assert_eq!(start_target("local:postgres", &scratch, false).expect_err("foreign file").kind, Kind::NotOurs);
    assert!(not_postgres.is_dir());
}

#[test]
fn a_directory_inaccessible_to_the_server_s_user_is_named() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root starts the server as another user.
    }
    let scratch = scratch();
    let inner = scratch.path().join("inner");
    fs::create_dir(&inner).expect("inner");
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o700)).expect("mode");
    let workspace = Workspace { directory: inner.clone(), ..workspace(&scratch, false) };
    let error = start(&"local:postgres".parse().expect("target"), &workspace).expect_err("barred");
    assert_eq!(error.kind, Kind::Usage);
    assert!(error.message.contains(&format!("may not enter {}", scratch.path().display())), "{error}");
    assert!(fs::read_dir(&inner).expect("entries").next().is_none());
}
