//! Ctrl-C, kill -9, a server that dies: finished runs are kept, servers are stopped, and the record is resumed.

use std::time::{Duration, Instant};

use crate::bench::{Bench, finished, runs};
use crate::local_server::{servers, wait_for_server};

/// Sends the signal `name` to the process `pid`.
pub fn signal(pid: u32, name: &str) {
    let status = std::process::Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap();
    assert!(status.success(), "kill -{name} {pid}");
}

/// Waits until the record holds at least `count` runs.
pub fn wait_for_runs(bench: &Bench, name: &str, count: usize) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if store::read(&bench.path().join(name)).is_ok_and(|record| record.runs.len() >= count) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the record does not hold {count} runs after 60 s");
}

#[test]
fn ctrl_c_keeps_finished_runs_and_stops_everything() {
    let bench = Bench::new();
    let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--seconds", "1", "--jobs", "1"];
    let child = bench.start(&[&arguments[..], &["--tests", "T611,T616,T431,T716,T311", "--record", "r.json"]].concat());
    wait_for_runs(&bench, "r.json", 1);
    signal(child.id(), "INT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}\n{}", output.out, output.err);
    let record = bench.record("r.json");
    assert_eq!(record["status"], "interrupted");
    assert!(!record["runs"].as_array().unwrap().is_empty());
    assert!(servers(&bench).is_empty());
    assert_eq!(bench.files().len(), 1, "only the record: {:?}", bench.files());
    assert!(output.err.contains("--resume") || output.out.contains("--resume"), "{}\n{}", output.out, output.err);
    bench.succeed(&["run", "--resume", "r.json"]);
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished");
    assert_eq!(record["runs"].as_array().unwrap().len(), record["plan"]["runs"].as_array().unwrap().len());
}

#[test]
fn ctrl_c_cancels_a_running_statement() {
    let bench = Bench::new();
    let test = r#"
code = "T901"
layer = "cpu"
unit = "statement"
operations = 1
summary = "one long statement"
answers = "nothing"
not = "anything"
cost = "a minute"
limits = "none"
sweep = "jobs"

[[statement]]
name = "work"
sql = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000000) select count(*) from n"
expect = { rows = 1 }
"#;
    std::fs::write(bench.path().join("long.toml"), test).unwrap();
    let child = bench.start(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "long.toml", "--record", "r.json"]);
    let waiting = Instant::now();
    while !bench.path().join("dbdyno-data").exists() && waiting.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(2));
    signal(child.id(), "INT");
    let start = Instant::now();
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}\n{}", output.out, output.err);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(!bench.path().join("dbdyno-data").exists());
}

#[test]
fn after_kill_9_the_next_start_cleans_up_and_resume_finishes() {
    let bench = Bench::new();
    let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--seconds", "1", "--jobs", "1"];
    let mut child = bench.start(&[&arguments[..], &["--tests", "T611,T616,T716", "--record", "r.json"]].concat());
    wait_for_runs(&bench, "r.json", 1);
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert!(!servers(&bench).is_empty(), "the server was orphaned");
    let finished = bench.record("r.json")["runs"].clone();
    let output = bench.succeed(&["run", "--resume", "r.json"]);
    assert!(output.err.contains("stopped") || output.err.contains("removed"), "it says what it found: {}", output.err);
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished");
    for run in finished.as_array().unwrap() {
        assert!(record["runs"].as_array().unwrap().contains(run), "a finished run was lost or repeated");
    }
    for test in ["T611", "T616", "T716"] {
        assert_eq!(runs(&record, test).len(), 1, "{test}");
    }
    assert!(servers(&bench).is_empty());
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn a_server_that_dies_during_a_run_is_reported_and_earlier_runs_are_kept() {
    let bench = Bench::new();
    let arguments = ["run", "--target", "local:postgres", "--preset", "smoke", "--seconds", "2", "--jobs", "1"];
    let child = bench.start(&[&arguments[..], &["--tests", "T611,T616", "--record", "r.json"]].concat());
    let server = wait_for_server(&bench);
    wait_for_runs(&bench, "r.json", 1);
    signal(server, "QUIT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    assert!(output.err.contains("hint: "), "{}", output.err);
    let record = bench.record("r.json");
    assert_eq!(record["status"], "failed");
    assert_eq!(runs(&record, "T611")[0]["outcome"]["status"], "done");
    assert!(servers(&bench).is_empty());
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}
