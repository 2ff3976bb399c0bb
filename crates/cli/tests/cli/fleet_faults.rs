//! Fleets of eight agents in which something breaks: what was measured before stays as it is, what is missing is named, and
//! measuring goes on.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::bench::{Bench, Finished, finished, runs};
use crate::cmd_fleet::agents_of;
use crate::fleet_hosts::{is_root, system, wait_until, write};

const AGENTS: usize = 8;

/// The lines of runs in the record `name`, as they are in the file.
fn lines_of_runs(bench: &Bench, name: &str) -> Vec<String> {
    let text = fs::read_to_string(bench.path().join(name)).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.filter(|line| line.starts_with("{\"run\"")).map(str::to_owned).collect()
}

/// A fleet with these words, in the run after its first one.
fn in_second_run(bench: &Bench, record: &str, words: &[&str]) -> (Child, Vec<String>) {
    let common = "--target null --tests T611 --jobs 8 --repeats 3 --rate 400 --duration 2s --preset smoke --no-html";
    let arguments: Vec<&str> =
        ["fleet", "run"].into_iter().chain(common.split(' ')).chain(words.iter().copied()).collect();
    let mut command = bench.command(&[&arguments[..], &["--record", record]].concat());
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    wait_until("no run ends", || lines_of_runs(bench, record).len() == 1);
    let before = lines_of_runs(bench, record);
    (child, before)
}

fn numbers_of(record: &Value) -> Vec<u64> {
    runs(record, "T611").iter().map(|run| run["number"].as_u64().unwrap()).collect()
}

#[test]
fn a_coordinator_that_was_killed_is_gone_on_with_after_its_agents_have_ended() {
    let bench = Bench::new();
    let (mut child, before) = in_second_run(&bench, "r.jsonl", &["--agents", "8"]);
    // The second run starts two to four seconds after the first one has ended.
    std::thread::sleep(Duration::from_millis(4_500));
    let agents = agents_of(child.id());
    assert_eq!(agents.len(), AGENTS);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("agents are left", || agents.iter().all(|pid| !fs::exists(format!("/proc/{pid}")).unwrap()));
    bench.run(&["fleet", "collect", "r.jsonl"]);
    let resumed = bench.succeed(&["fleet", "run", "--agents", "8", "--resume", "r.jsonl", "--no-html"]);
    let record = bench.record("r.jsonl");
    assert_eq!((&record["status"], numbers_of(&record)), (&"finished".into(), vec![1, 2, 3]), "{}", resumed.err);
    assert!(lines_of_runs(&bench, "r.jsonl").starts_with(&before), "a run that had ended is changed");
    assert!(runs(&record, "T611").iter().all(|run| run["agents"].as_array().unwrap().len() == AGENTS));
}

#[test]
fn agents_that_have_no_room_for_their_results_are_named_and_cost_no_run() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let disk = bench.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let at = disk.display().to_string();
    system("mount", &["-t", "tmpfs", "-o", "size=16m", "tmpfs", &at]);
    let (child, before) = in_second_run(&bench, "r.jsonl", &["--agents", "8", "--dir", "disk"]);
    let mut file = fs::File::create(disk.join("full")).unwrap();
    while file.write_all(&[1; 512]).is_ok() {}
    let Finished { code, err, .. } = finished(child.wait_with_output().unwrap());
    drop(file);
    system("umount", &[&at]);
    assert_eq!(code, 0, "{err}");
    // Those that said so in the same second are one line.
    let told = |line: &str| match line.split_once(" agents do not keep their results until they are in the record: ") {
        Some((count, _)) => count.parse().unwrap_or(0),
        None => usize::from(line.contains(" does not keep its result until it is in the record: ")),
    };
    assert!(err.lines().map(told).sum::<usize>() >= AGENTS, "{err}");
    assert_eq!(numbers_of(&bench.record("r.jsonl")), [1, 2, 3]);
    assert!(lines_of_runs(&bench, "r.jsonl").starts_with(&before), "a run that had ended is changed");
}

/// An agent with a valid ticket that changes what the program says of its results in the second attempt.
const HOSTILE: &str = r#"#!/usr/bin/env python3
import hashlib, hmac, json, os, subprocess, sys, threading
program, way = os.environ["PROGRAM"], os.environ["WAY"]
line = b""
while not line.endswith(b"\n"):
    line += os.read(0, 1)
key, sent = json.loads(line)["message_key"].encode(), 0
agent = subprocess.Popen([program] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
agent.stdin.write(line)
def orders():
    while (some := os.read(0, 65536)):
        agent.stdin.write(some)
        agent.stdin.flush()
    agent.stdin.close()
agent.stdin.flush()
threading.Thread(target=orders, daemon=True).start()
def part(text):
    return len(text).to_bytes(8, "big") + text
def signed(place, content):
    global sent
    sent += 1
    number = sent.to_bytes(8, "big")
    place = part(place[0]) + (part(place[1]) if place[1:] else b"\xff" * 8)
    return number + hmac.new(key, b"from the agent" + place + number + content, hashlib.sha256).digest() + content
def changed(said):
    piece = said.get("piece")
    if piece and piece["attempt"]["epoch"] == 2:
        if way == "letters":
            piece["text"] = piece["text"][:1]
        else:
            result = json.loads(piece["text"])
            result["run"]["totals"]["steps"] = 2**64 - 1
            text = json.dumps(result)
            piece.update(text=text, total_bytes=len(text), sha256=hashlib.sha256(text.encode()).hexdigest())
    return said
def say(some):
    while some:
        some = some[os.write(1, some):]
while (line := agent.stdout.readline()):
    words = line.split()
    if words and words[0] == b"PUB":
        content = agent.stdout.read(int(words[-1]) + 2)[40:-2]
        payload = signed(words[1:-1], json.dumps(changed(json.loads(content))).encode())
        line = b"PUB %s %d\r\n%s\r\n" % (b" ".join(words[1:-1]), len(payload), payload)
    say(line)
"#;

#[test]
fn a_hostile_agent_costs_its_own_run_and_not_the_record() {
    for (way, message) in [("counts", "its results are impossible: "), ("letters", "its results end too early")] {
        let bench = Bench::new();
        let hostile = write(&bench, "hostile", HOSTILE);
        fs::set_permissions(&hostile, fs::Permissions::from_mode(0o755)).unwrap();
        let home = bench.path().display();
        let honest = |number: usize| format!("h{number} via=\"env HOME={home}\"\n");
        let program = env!("CARGO_BIN_EXE_dbdyno");
        let last = format!("h8 via=\"env HOME={home} PROGRAM={program} WAY={way}\" program={}\n", hostile.display());
        write(&bench, "hosts", &((1..AGENTS).map(honest).collect::<String>() + &last));
        let (child, before) = in_second_run(&bench, "r.jsonl", &["--hosts", "hosts", "--go-on"]);
        let Finished { code, err, .. } = finished(child.wait_with_output().unwrap());
        assert_eq!(code, 1, "{err}");
        let record = bench.record("r.jsonl");
        let found = runs(&record, "T611");
        let outcome = found[1]["outcome"].to_string();
        assert!(outcome.contains("failed") && outcome.contains(&format!("agent h8: {message}")), "{outcome}");
        assert!([0, 2].iter().all(|index: &usize| found[*index]["outcome"]["status"] == "done"), "{err}");
        assert!(lines_of_runs(&bench, "r.jsonl").starts_with(&before), "a run that had ended is changed");
    }
}
