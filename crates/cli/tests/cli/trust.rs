//! What others may do through this program: with a record that they have edited, with parts and directories that they have put
//! somewhere, and with what their servers and hosts say.

use std::fs::{self, File, FileTimes};
use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use record::{AgentStart, Attempt, JobShare, KeptPart, PartResult, Record};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bench::{Bench, Finished, runs};
use crate::fleet_hosts::{is_root, system};

const NOBODY: u32 = 65_534;

/// A record r.jsonl of T611 through SQLite, whose run is still to be measured.
fn interrupted(bench: &Bench, options: &[&str]) -> Value {
    let words = ["run", "--jobs", "1", "--steps", "23", "--preset", "smoke", "--record", "r.jsonl"];
    bench.run(&[&words[..], options].concat());
    let mut record = bench.record("r.jsonl");
    record["status"] = "interrupted".into();
    record["runs"] = Value::Array(Vec::new());
    bench.write_record("r.jsonl", &record);
    record
}

/// A server that nobody should reach.
struct Trap(TcpListener);

impl Trap {
    fn new() -> Trap {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Trap(listener)
    }

    fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    fn is_untouched(&self) -> bool {
        self.0.accept().is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }
}

#[test]
fn a_record_names_no_code_no_host_and_no_file() {
    let bench = Bench::new();
    let mut record = interrupted(&bench, &["--tests", "T611"]);
    let trap = Trap::new();
    let port = trap.port();
    fs::write(bench.path().join("secret"), "s3cret:19000\n").unwrap();
    record["tool"].as_object_mut().unwrap().remove("build");
    for target in [
        "duckdb?library=/nowhere/evil.so".to_owned(),
        format!("mariadb://me@127.0.0.1:{port}/shop?sslmode=require&enable_cleartext_plugin=1"),
        format!("postgres://me@127.0.0.1:{port}/shop"),
        format!("postgres?host=127.0.0.1&port={port}"),
        "postgres".to_owned(),
        "mariadb?nodes=all".to_owned(),
        "mysql".to_owned(),
        "oracle".to_owned(),
        "local:postgres?archive_command=touch%20pwned".to_owned(),
        "local:mariadb?bin=%2Ftmp".to_owned(),
        "oracle://me@db1/shop?wallet_location=%2Ftmp".to_owned(),
        format!("@{}", bench.path().join("secret").display()),
        "no such target".to_owned(),
    ] {
        record["plan"]["target"] = target.clone().into();
        bench.write_record("r.jsonl", &record);
        let output = bench.command(&["run", "--resume", "r.jsonl"]).env("MYSQL_PWD", "s3cret").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{target}: {said}");
        assert!(said.contains("the target is not taken from the record") && said.contains("--target"), "{said}");
        assert!(!said.contains("s3cret"), "{said}");
        assert!(trap.is_untouched(), "{target}");
        assert!(!bench.path().join("dbdyno-data").exists(), "{target}");
    }
}

/// Probes and databases remove what they find in their directories.
#[test]
fn a_record_names_no_directory_of_others() {
    let bench = Bench::new();
    let mut record = interrupted(&bench, &["--tests", "S11"]);
    let theirs = bench.path().join("ml/data/probes");
    fs::create_dir_all(&theirs).unwrap();
    fs::write(theirs.join("model"), "weeks of work").unwrap();
    for directory in [bench.path().join("ml").display().to_string(), "dbdyno-data".to_owned(), "/".to_owned()] {
        record["plan"]["directory"] = directory.clone().into();
        bench.write_record("r.jsonl", &record);
        let output = bench.run(&["run", "--resume", "r.jsonl"]);
        assert_eq!(output.code, 2, "{directory}: {}", output.err);
        assert!(output.err.contains("which is none of dbdyno"), "{}", output.err);
        assert_eq!(fs::read_to_string(theirs.join("model")).unwrap(), "weeks of work", "{directory}");
    }
}

#[test]
fn a_target_with_sizes_of_its_own_is_taken_and_one_that_is_named_again_as_well() {
    let bench = Bench::new();
    let target = ["--target", "sqlite?page_size=4096"];
    for resumed in [&["run", "--resume", "r.jsonl"][..], &["run", "--resume", "r.jsonl", target[0], target[1]]] {
        interrupted(&bench, &[&["--tests", "T611"], &target[..]].concat());
        bench.succeed(resumed);
        assert_eq!(runs(&bench.record("r.jsonl"), "T611").len(), 1);
        fs::remove_file(bench.path().join("r.jsonl")).unwrap();
    }
}

#[test]
fn host_and_target_are_compared_before_anything_is_opened() {
    let bench = Bench::new();
    let mut record = interrupted(&bench, &["--tests", "T611"]);
    let trap = Trap::new();
    let target = format!("postgres://me@127.0.0.1:{}/shop", trap.port());
    let resumed = |record: &Value, code: i32| {
        bench.write_record("r.jsonl", record);
        let output = bench.run(&["run", "--resume", "r.jsonl", "--target", &target]);
        assert_eq!(output.code, code, "{}", output.err);
        assert!(trap.is_untouched() && !bench.path().join("dbdyno-data").exists());
        output.err
    };
    let other_target = resumed(&record, 2);
    assert!(other_target.contains("was started with target sqlite"), "{other_target}");
    record["plan"]["target"] = target.clone().into();
    record["host"]["host_name"] = "elsewhere".into();
    let other_host = resumed(&record, 1);
    assert!(other_host.contains("was started with host elsewhere"), "{other_host}");
}

#[test]
fn a_record_that_others_may_write_names_nothing() {
    let bench = Bench::new();
    let path = bench.path().join("r.jsonl");
    let refused = |options: &[&str], why: &str| {
        let output = bench.run(&[&["run", "--resume", "r.jsonl"], options].concat());
        assert_eq!(output.code, 2, "{}", output.err);
        assert!(output.err.contains(why), "{}", output.err);
    };
    let mut record = interrupted(&bench, &["--tests", "T611"]);
    let everybody = || fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    everybody();
    refused(&[], "the target is not taken from the record: its file may be written by other users");
    if is_root() {
        fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        chown(&path, Some(NOBODY), None).unwrap();
        refused(&[], "its file belongs to user 65534");
    }
    bench.succeed(&["run", "--resume", "r.jsonl", "--target", "sqlite"]);
    record["plan"]["directory"] = "/var/tmp/dbdyno-data".into();
    bench.write_record("r.jsonl", &record);
    everybody();
    refused(&["--target", "sqlite"], "the directory is not taken from the record");
}

#[test]
fn test_files_and_peers_of_a_record_are_named_again() {
    let bench = Bench::new();
    let test =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../workload/catalogue/T611.toml")).unwrap();
    fs::write(bench.path().join("mine.toml"), test.replace("T611", "T901")).unwrap();
    let mut record = interrupted(&bench, &["--tests", "./mine.toml"]);
    assert_eq!(record["plan"]["test_files"][0], "./mine.toml");
    let resumed = |options: &[&str]| bench.run(&[&["run", "--resume", "r.jsonl"], options].concat());
    for (options, why) in [
        (&[][..], "test files are not taken from the record"),
        (&["--tests", "./mine.toml,./other.toml"], "test files are not taken from the record"),
        (&["--tests", "./mine.toml", "--network", "db1:5250"], "no measurement of the network"),
        (&["--tests", "./mine.toml", "--client-threads", "2"], "cannot be used with"),
    ] {
        let output = resumed(options);
        assert!(output.code == 2 && output.err.contains(why), "{options:?}: {}", output.err);
    }
    let output = resumed(&["--tests", "./mine.toml"]);
    assert_eq!(runs(&bench.record("r.jsonl"), "T901").len(), 1, "{}", output.err);
    record["plan"]["test_files"] = Value::Array(Vec::new());
    let trap = Trap::new();
    record["plan"]["network"] = serde_json::json!({
        "peer": format!("127.0.0.1:{}", trap.port()), "address": "127.0.0.1", "far": {}, "near": {}, "is_same_host": false,
    });
    bench.write_record("r.jsonl", &record);
    let output = resumed(&[]);
    let hint = format!("--network 127.0.0.1:{}", trap.port());
    assert!(output.code == 2 && output.err.contains("the peer of the network is not taken"), "{}", output.err);
    assert!(output.err.contains(&hint) && trap.is_untouched(), "{}", output.err);
}

/// Writes a part as an agent keeps it, of run `run`; its result says that it is of run `says`.
fn keep_part(bench: &Bench, record: &Record, run: u32, says: u32, by: &str) -> PathBuf {
    let mut result = record.runs[0].clone();
    result.number = says;
    result.title = "FORGED".to_owned();
    let part = KeptPart {
        record: record.key(),
        fleet: "f".to_owned(),
        attempt: Attempt { epoch: 1, run },
        agent: by.to_owned(),
        share: JobShare::whole(1),
        start: AgentStart::default(),
        result: PartResult { run: result, host_threads: 1 },
    };
    let folder = bench.path().join("dbdyno-parts");
    let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
    let digest = Sha256::digest(format!("f {by}"));
    let whose: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("run-{run}-attempt-1-{whose}.part"));
    fs::write(&path, serde_json::to_vec(&part).unwrap()).unwrap();
    path
}

/// A record r.jsonl of a fleet, with run 1 done and run 2 planned.
fn of_a_fleet(bench: &Bench) -> Record {
    let words = "run --tests T611 --jobs 1 --steps 23 --preset smoke --record r.jsonl --no-html";
    bench.run(&words.split(' ').collect::<Vec<_>>());
    let mut record: Record = serde_json::from_value(bench.record("r.jsonl")).unwrap();
    record.plan.agents = Some(1);
    let mut second = record.plan.runs[0].clone();
    (second.number, second.repeat) = (2, 2);
    record.plan.runs = vec![record.plan.runs[0].clone(), second];
    record.runs.truncate(1);
    bench.write_record("r.jsonl", &serde_json::to_value(&record).unwrap());
    record
}

#[test]
fn a_part_becomes_what_the_plan_says_or_nothing_and_what_is_not_in_the_record_stays() {
    let bench = Bench::new();
    let record = of_a_fleet(&bench);
    let path = bench.path().join("r.jsonl");
    let before = fs::read(&path).unwrap();
    let forged = keep_part(&bench, &record, 2, 1, "agent-1");
    let unplanned = keep_part(&bench, &record, 3, 3, "agent-1");
    let folder = bench.path().join("dbdyno-parts");
    // A pipe is not waited for, and a damaged part hides no other one.
    system("mkfifo", &[&folder.join("pipe.part").display().to_string()]);
    fs::write(folder.join("damaged.part"), "{").unwrap();
    let collected = bench.run(&["fleet", "collect", "r.jsonl"]);
    assert_eq!(collected.code, 1, "{}\n{}", collected.out, collected.err);
    for words in ["run 2 (T611 J1): the part of agent agent-1 is of run 1", "run 3: not in the plan"] {
        assert!(collected.out.contains(words), "{}", collected.out);
    }
    for words in ["pipe.part is passed over: it is no file", "damaged.part is passed over: it is damaged"] {
        assert!(collected.err.contains(words), "{}", collected.err);
    }
    assert_eq!(fs::read(&path).unwrap(), before, "no finished run is replaced");
    assert!(forged.exists() && unplanned.exists(), "what is not in the record is not removed");
    let right = keep_part(&bench, &record, 2, 2, "agent-1");
    let collected = bench.run(&["fleet", "collect", "r.jsonl"]);
    assert!(collected.out.contains("run 2 (T611 J1): complete with the parts of agent-1"), "{}", collected.out);
    assert!(!right.exists() && unplanned.exists(), "exactly what was merged is removed");
    let after = bench.record("r.jsonl");
    assert_eq!(after["runs"][0], serde_json::to_value(&record.runs[0]).unwrap());
    assert_ne!(after["runs"][1]["title"], "FORGED", "the catalogue describes it");
    bench.run(&["fleet", "collect", "r.jsonl", "--discard"]);
    assert!(!unplanned.exists());
}

/// A directory below that of `bench` as a killed fleet would have left it, with `mark`.
fn left(bench: &Bench, name: &str, mark: &str) -> PathBuf {
    let path = bench.path().join(name);
    fs::DirBuilder::new().mode(0o700).create(&path).unwrap();
    fs::write(path.join("mark"), mark).unwrap();
    fs::write(path.join("thesis.tex"), "mine").unwrap();
    let before = FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(3_600));
    File::open(&path).unwrap().set_times(before).unwrap();
    path
}

#[test]
fn only_directories_of_ours_are_removed_and_after_a_question() {
    let bench = Bench::new();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let mark = format!("this directory was made by a process of dbdyno and is removed by it\nboot {}\n", boot.trim());
    let foreign = [
        left(&bench, "dbdyno-agents-thesis", "notes"),
        left(&bench, "dbdyno-agents-remote", &mark.replace("boot", "b")),
    ];
    let nothing = bench.succeed(&["clean", "--yes"]);
    assert!(nothing.out.contains("no data of dbdyno"), "{}", nothing.out);
    let ours = left(&bench, "dbdyno-agents-abc123", &mark);
    let asked = bench.run(&["clean"]);
    assert!(asked.code == 2 && asked.err.contains("is not removed without confirmation"), "{}", asked.err);
    assert!(ours.exists());
    let removed = bench.succeed(&["clean", "--yes"]);
    assert!(removed.out.contains("dbdyno-agents-abc123, which a fleet that was killed had left"), "{}", removed.out);
    assert!(!ours.exists() && foreign.iter().all(|path| path.join("thesis.tex").exists()));
}

/// What must not be in what is printed: control characters but line feeds.
fn commands(printed: &str) -> Vec<char> {
    printed.chars().filter(|letter| letter.is_control() && *letter != '\n').collect()
}

#[test]
fn escape_sequences_of_servers_and_hosts_reach_no_terminal() {
    let bench = Bench::new();
    let strange = "busy\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[1;1Hall valid";
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // The packet by which a server refuses a client before the greeting.
    let packet = [&[0xff, 0x10, 0x04][..], strange.as_bytes()].concat();
    let packet = [&[packet.len() as u8, 0, 0, 0][..], &packet].concat();
    std::thread::spawn(move || listener.incoming().flatten().try_for_each(|mut client| client.write_all(&packet)));
    let target = format!("mariadb://me@127.0.0.1:{port}/shop");
    let of_server = bench.run(&["run", "--target", &target, "--tests", "T611", "--preset", "smoke"]);
    let script = "printf 'dbdyno-host Plan\\0339 \\033]0;pwn\\007\\n'";
    fs::write(bench.path().join("host.sh"), script).unwrap();
    fs::write(bench.path().join("hosts"), "x via=\"sh host.sh\"\n").unwrap();
    let of_host = bench.run(&["fleet", "check", "--hosts", "hosts"]);
    for (Finished { code, out, err }, word) in [(of_server, "busy"), (of_host, "host x")] {
        assert!(code == 1 && err.contains(word), "{code}: {err}");
        assert!(commands(&err).is_empty() && commands(&out).is_empty(), "{err:?} {out:?}");
    }
}

#[test]
fn texts_of_a_record_are_no_formulas_of_a_spreadsheet() {
    let bench = Bench::new();
    let mut record = interrupted(&bench, &["--tests", "T611"]);
    let first = serde_json::to_value(of_a_fleet_run(&bench)).unwrap();
    record["runs"] = Value::Array(vec![first]);
    record["runs"][0]["title"] = "=HYPERLINK(1)".into();
    bench.write_record("r.jsonl", &record);
    let shown = bench.succeed(&["report", "r.jsonl", "--format", "csv"]).out;
    bench.succeed(&["export", "r.jsonl", "--format", "csv", "--out", "tables"]);
    let written = fs::read_to_string(bench.path().join("tables/runs.csv")).unwrap();
    for text in [shown, written] {
        assert!(text.contains(",'=HYPERLINK(1)") && !text.contains(",=HYPERLINK(1)"), "{text}");
    }
}

/// A run of T611, which another record has.
fn of_a_fleet_run(bench: &Bench) -> record::Run {
    let words = "run --tests T611 --jobs 1 --steps 23 --preset smoke --record other.jsonl --no-html";
    bench.run(&words.split(' ').collect::<Vec<_>>());
    let record: Record = serde_json::from_value(bench.record("other.jsonl")).unwrap();
    record.runs[0].clone()
}
