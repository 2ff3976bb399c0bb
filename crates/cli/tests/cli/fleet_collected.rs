//! Runs of a fleet whose coordinator, or the way to an agent, is lost: agents keep their results, and the record is
//! completed with them.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, Finished, runs};
use crate::cmd_fleet::{agents_of, merged_histograms, message_server_of};

const PATIENCE: Duration = Duration::from_secs(60);

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Starts `dbdyno fleet` with `words`, and returns in mid-run: so many seconds after tables are loaded, where the start is
/// two to four seconds after that.
fn in_mid_run(bench: &Bench, words: &str, record: &str, seconds: u64) -> (Child, Vec<u32>) {
    let arguments: Vec<&str> = words.split(' ').chain(["--no-html", "--record", record]).collect();
    let child = bench.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let path = bench.path().join(record);
    wait_until("no table is loaded", || fs::read_to_string(&path).is_ok_and(|text| text.contains("data_set")));
    std::thread::sleep(Duration::from_secs(seconds));
    let agents = agents_of(child.id());
    (child, agents)
}

fn parts(bench: &Bench) -> usize {
    fs::read_dir(bench.path().join("dbdyno-parts")).map_or(0, |entries| {
        let is_part = |entry: &std::io::Result<fs::DirEntry>| {
            entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".part"))
        };
        entries.filter(is_part).count()
    })
}

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

/// `fleet collect` succeeds, and its run number 1 has `steps` steps and nothing of a coordinator.
fn collect(bench: &Bench, record: &str) -> (Finished, Value) {
    let collected = bench.succeed(&["fleet", "collect", record]);
    assert_eq!(parts(bench), 0);
    assert!(!bench.path().join("dbdyno-parts").exists(), "the folder goes with the last part");
    let record = bench.record(record);
    assert_eq!(record["status"], "finished");
    (collected, record)
}

#[test]
fn a_killed_coordinator_costs_no_step() {
    let bench = Bench::new();
    let words = "fleet run --agents 2 --target null --tests T611 --jobs 4 --steps 2000 --rate 500 --duration 60s --preset smoke";
    let (mut child, agents) = in_mid_run(&bench, words, "r.jsonl", 9);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((agents.len(), parts(&bench)), (2, 0), "it was killed in mid-run");
    let early = bench.run(&["fleet", "collect", "r.jsonl"]);
    assert!(early.code == 1 && early.err.contains("no agent keeps a part of r.jsonl"), "{}", early.err);
    wait_until("the agents keep no parts", || parts(&bench) == 2);
    let (collected, record) = collect(&bench, "r.jsonl");
    assert!(collected.out.contains("run 1 (T611 J4): complete with the parts of "), "{}", collected.out);
    let run = runs(&record, "T611")[0];
    assert_eq!(run["totals"]["steps"], 4 * 2_000);
    assert_eq!(run["agents"].as_array().unwrap().len(), 2);
    for agent in run["agents"].as_array().unwrap() {
        assert_eq!(agent["totals"]["steps"], 2 * 2_000);
        assert!(agent["start"]["clock_error_ns"].as_u64() > Some(0), "{agent}");
    }
    assert_eq!(merged_histograms(&bench, "r.jsonl").0, 2);
    let findings = run["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["evidence"]["commit_count"]["not_read"].is_object()), "{findings:?}");
    let again = bench.succeed(&["fleet", "collect", "r.jsonl"]);
    assert!(again.out.contains("r.jsonl is complete"), "{}", again.out);
}

#[test]
fn a_killed_message_server_costs_no_step() {
    let bench = Bench::new();
    let words = "fleet run --agents 2 --target null --tests T611 --jobs 4 --steps 2000 --rate 500 --duration 60s --preset smoke";
    let (child, agents) = in_mid_run(&bench, words, "r.jsonl", 9);
    signal("-KILL", message_server_of(child.id()));
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), agents.len()), (Some(1), 2), "{said}");
    assert!(said.contains("message server") && said.contains("dbdyno fleet collect r.jsonl"), "{said}");
    assert_eq!(runs(&bench.record("r.jsonl"), "T611")[0]["outcome"]["status"], "failed", "no figure is claimed");
    wait_until("the agents keep no parts", || parts(&bench) == 2);
    let (_, record) = collect(&bench, "r.jsonl");
    assert_eq!(runs(&record, "T611")[0]["totals"]["steps"], 4 * 2_000);
}

#[test]
fn an_agent_that_was_stopped_is_lost_and_its_part_is_collected() {
    let bench = Bench::new();
    let words = "fleet run --agents 2 --go-on --target null --tests T611,T311 --jobs 2 --duration 8s --preset smoke";
    let (child, agents) = in_mid_run(&bench, words, "r.jsonl", 6);
    signal("-STOP", agents[1]);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("agent agent-2: nothing was heard of it for "), "{said}");
    assert!(said.contains("agent agent-2 is lost") && said.contains("operations of all"), "{said}");
    let record = bench.record("r.jsonl");
    let outcome = &runs(&record, "T611")[0]["outcome"];
    assert_eq!(outcome["status"], "failed", "no figure is claimed for it: {outcome}");
    let others = runs(&record, "T311")[0];
    assert_eq!(others["outcome"]["status"], "done", "{said}");
    assert_eq!(others["agents"].as_array().unwrap().len(), 1, "the other one goes on");
    // The kernel lets a stopped process go on when its parent ends; a second time has no effect.
    signal("-CONT", agents[1]);
    wait_until("it keeps no part", || parts(&bench) == 2);
    let (kept, away) = (bench.path().join("dbdyno-parts"), bench.path().join("away"));
    let part = fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
    fs::rename(&part, &away).unwrap();
    let early = bench.run(&["fleet", "collect", "r.jsonl"]);
    assert_eq!(early.code, 1, "{}", early.err);
    assert!(
        early.out.contains("incomplete; parts of agent-") && early.out.contains("have 1 of 2 jobs"),
        "{}",
        early.out
    );
    fs::rename(&away, &part).unwrap();
    let (_, record) = collect(&bench, "r.jsonl");
    let run = runs(&record, "T611")[0];
    let steps = |agent: usize| run["agents"][agent]["totals"]["steps"].as_u64().unwrap();
    assert_eq!(run["totals"]["steps"], steps(0) + steps(1));
    assert_eq!(runs(&record, "T611").len(), 1, "it takes the place of the failed one");
}

#[test]
fn a_full_disk_at_the_coordinator_costs_no_run() {
    if !rustix::process::getuid().is_root() {
        return;
    }
    let bench = Bench::new();
    let disk = bench.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = |arguments: &[&str]| Command::new(arguments[0]).args(&arguments[1..]).status().unwrap().success();
    let at = disk.display().to_string();
    assert!(mounted(&["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", &at]));
    let words = "fleet run --agents 2 --target null --tests T611 --jobs 2 --duration 5s --preset smoke";
    let (child, _) = in_mid_run(&bench, words, "disk/r.jsonl", 4);
    let filled = fs::write(disk.join("full"), vec![1; 1 << 20]);
    assert!(filled.is_err(), "the disk takes a megabyte");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot be written") && said.contains("fleet collect"), "{said}");
    assert_eq!(parts(&bench), 2, "{said}");
    fs::remove_file(disk.join("full")).unwrap();
    let collected = bench.run(&["fleet", "collect", "disk/r.jsonl"]);
    let record = bench.record("disk/r.jsonl");
    assert!(mounted(&["umount", &at]));
    assert_eq!(collected.code, 0, "{}", collected.err);
    assert_eq!(runs(&record, "T611")[0]["outcome"]["status"], "done");
}

#[test]
fn nothing_to_collect_is_said_and_why() {
    let bench = Bench::new();
    // Whether it is valid is not asked.
    bench.run(
        &"run --target null --tests T611 --steps 23 --preset smoke --record own.jsonl --no-html"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    let mut failed = bench.record("own.jsonl");
    failed["plan"]["agents"] = 2.into();
    failed["runs"][0]["outcome"] = serde_json::json!({ "status": "failed", "message": "an agent is lost" });
    bench.write_record("failed.jsonl", &failed);
    for (words, code, message) in [
        ("fleet collect failed.jsonl", 1, "no agent keeps a part of failed.jsonl"),
        ("fleet collect own.jsonl", 2, "the runs of own.jsonl are of one process"),
        ("fleet collect none.jsonl", 2, "none.jsonl"),
    ] {
        let output = bench.run(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(output.code, code, "{words}: {}", output.err);
        assert!(output.err.contains(message), "{}", output.err);
    }
}
