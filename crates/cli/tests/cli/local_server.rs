//! `dbdyno run --target local:postgres`: a real server, started, measured, removed.

use serde_json::Value;

use crate::bench::{Bench, growth, runs};

/// Processes whose command line contains the directory of this test: its servers.
pub fn servers(bench: &Bench) -> Vec<u32> {
    let wanted = bench.path().to_string_lossy().into_owned();
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| command_line(*pid).contains(&wanted))
        .filter(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| !exe.ends_with("dbdyno")))
        .collect()
}

/// The command line of a process.
pub fn command_line(pid: u32) -> String {
    String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).into_owned()
}

#[test]
fn every_supported_test_has_a_row_and_nothing_is_left_behind() {
    let bench = Bench::new();
    let output = bench.succeed(&[
        "run",
        "--target",
        "local:postgres",
        "--preset",
        "smoke",
        "--jobs",
        "1,2",
        "--record",
        "r.json",
    ]);
    let record = bench.record("r.json");
    let codes = [
        "T131", "T132", "T133", "T141", "T151", "T152", "T161", "T421", "T611", "T621", "T641", "T651", "T652", "T461",
        "T462", "T463", "T741", "T731", "C100", "C110", "H100", "T211", "T426", "T626", "T721", "T722", "T751", "T752",
        "T753", "T755", "T331", "T341", "T342", "T343", "T344", "T351", "T352", "T361", "T362", "T363", "T431", "T441",
        "T512", "T311", "T321", "T322", "T616", "T716",
    ];
    for code in codes {
        let runs = runs(&record, code);
        assert!(!runs.is_empty(), "no run of {code}");
        for run in runs {
            assert_eq!(run["outcome"]["status"], "done", "{code}: {}", run["outcome"]);
        }
        assert!(output.out.contains(code), "{code} is not on the sheet");
    }
    let skipped: Vec<&Value> = record["plan"]["skipped"].as_array().unwrap().iter().collect();
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert_eq!(skipped[0]["test"], "T332");
    assert_eq!(record["engine"]["temporary"], true);
    assert!(servers(&bench).is_empty(), "a server was left behind");
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn the_engine_counts_each_checkpoint_that_was_asked_for_and_ended() {
    let bench = Bench::new();
    let words =
        "run --target local:postgres --preset smoke --tests T721,T722 --jobs 1 --seconds 2 --no-html --record c.jsonl";
    bench.succeed(&words.split(' ').collect::<Vec<_>>());
    let record = bench.record("c.jsonl");
    let run = runs(&record, "T722")[0];
    let asked = &run["checkpoints"];
    let completed = asked["completed"].as_u64().unwrap();
    assert_eq!((&asked["wanted"], asked.get("refusal")), (&3.into(), None), "{asked}");
    // The last one may end after the window: the engine counts it when it is asked for.
    let counted = growth(run, "postgres_checkpoint_count").unwrap();
    assert!(completed >= 1 && (completed..=3).contains(&counted), "{counted} are counted: {asked}");
    let plain = runs(&record, "T721")[0];
    assert_eq!((plain.get("checkpoints"), growth(plain, "postgres_checkpoint_count")), (None, Some(0)));
}

#[test]
fn round_trips_between_threads_are_in_the_record_of_a_server_on_this_host_alone() {
    let bench = Bench::new();
    let arguments = ["--preset", "smoke", "--tests", "T611", "--jobs", "1,2", "--no-html", "--record"];
    let of = |target: &str, path: &str| {
        bench.succeed(&[&["run", "--target", target][..], &arguments, &[path]].concat());
        bench.record(path)["local_round_trips"].clone()
    };
    let found = of("local:postgres", "server.jsonl");
    let processors = found["processors"].as_u64().unwrap();
    let cases = found["cases"].as_array().unwrap();
    assert_eq!(cases.len(), if processors == 1 { 3 } else { 9 }, "{found}");
    for case in cases {
        let time = |name: &str| case["latency"][name].as_u64().unwrap();
        assert!(time("count") > 0 && time("min_ns") > 0 && time("min_ns") <= time("p50_ns"), "{case}");
    }
    // Programs on one processor have no case of two.
    let one = "exec taskset -c 0 \"$@\"";
    let arguments =
        ["run", "--target", "local:postgres", "--preset", "smoke", "--tests", "T611", "--no-html", "--record"];
    let confined = [&["-c", one, "sh", env!("CARGO_BIN_EXE_dbdyno")], &arguments[..], &["one.jsonl"]].concat();
    let status = std::process::Command::new("sh").args(confined).current_dir(bench.path()).output().unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    let found = &bench.record("one.jsonl")["local_round_trips"];
    let waiting: Vec<&Value> = found["cases"].as_array().unwrap().iter().map(|case| &case["waiting"]).collect();
    assert_eq!((found["processors"].as_u64(), waiting), (Some(1), vec![&Value::from("one_processor"); 3]));
    assert_eq!(of("sqlite", "inside.jsonl"), Value::Null, "it has no server");
    assert_eq!(bench.record("inside.jsonl")["engine"]["sessions_share_file_lock"], true);
    assert_eq!(bench.record("server.jsonl")["engine"]["sessions_share_file_lock"], Value::Null);
    assert!(servers(&bench).is_empty(), "a server was left behind");
}

#[test]
fn twenty_three_transactions_are_twenty_three_for_the_engine_too() {
    let bench = Bench::new();
    // Autovacuum commits its own transactions in the same database.
    let target = "local:postgres?autovacuum=off";
    let arguments = ["run", "--target", target, "--preset", "smoke", "--jobs", "1", "--steps", "23", "--seconds", "60"];
    bench.succeed(&[&arguments[..], &["--tests", "T616,T311,T611", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    for (test, rows) in [("T616", 23 * 32), ("T311", 23 * 2), ("T611", 23)] {
        let run = runs(&record, test)[0];
        assert_eq!(run["totals"]["transactions"], 23, "{test}");
        assert_eq!(run["totals"]["rows"], rows, "{test}");
        let engine = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap();
        assert_eq!(engine, 23, "{test}: what the engine counted, less what dbdyno did to read it");
    }
}

#[test]
fn settings_of_the_server_are_taken_from_the_target_and_recorded() {
    let bench = Bench::new();
    let target = "local:postgres?shared_buffers=48MB&synchronous_commit=off";
    let output = bench.succeed(&["inventory", "--target", target, "--format", "json"]);
    let shown: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(shown["engine"]["cache_bytes"], 48 << 20);
    assert_eq!(shown["engine"]["durable"], false);
    let refused = bench.run(&["run", "--target", "local:postgres?no_such_setting=1", "--tests", "T611"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("no_such_setting"), "{}", refused.err);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn placement_is_explicit_and_recorded() {
    let bench = Bench::new();
    for placement in ["spread", "paired"] {
        let record = format!("{placement}.json");
        let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--jobs", "1,2", "--tests", "T611"];
        let output = bench.succeed(&[&arguments[..], &["--placement", placement, "--record", &record]].concat());
        assert_eq!(bench.record(&record)["plan"]["placement"], placement);
        assert!(!output.err.contains("could not be pinned"), "{}", output.err);
    }
}

#[test]
fn the_server_does_not_run_as_root() {
    let bench = Bench::new();
    let mut child = bench.start(&[
        "run",
        "--target",
        "local:postgres",
        "--preset",
        "smoke",
        "--seconds",
        "3",
        "--jobs",
        "1",
        "--tests",
        "T611",
    ]);
    let pid = wait_for_server(&bench);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let uid = status.lines().find(|line| line.starts_with("Uid:")).unwrap().split_whitespace().nth(1).unwrap();
    assert_ne!(uid, "0");
    assert!(child.wait().unwrap().success());
}

/// Waits until the server of `bench` is running.
pub fn wait_for_server(bench: &Bench) -> u32 {
    for _ in 0..600 {
        if let Some(pid) = servers(bench).into_iter().find(|pid| is_postmaster(*pid)) {
            return pid;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("no server within 30 s");
}

/// Excludes the server program as run by `initdb`.
fn is_postmaster(pid: u32) -> bool {
    let line = command_line(pid);
    std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.ends_with("postgres"))
        && !["--boot", "--single", "--check"].iter().any(|option| line.contains(option))
}
