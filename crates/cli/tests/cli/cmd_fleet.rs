//! `dbdyno fleet` and `dbdyno agent`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::Bench;

const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn agents_are_asked_for_their_clocks_and_start_together() {
    let bench = Bench::new();
    let text = bench.succeed(&["fleet", "check", "--agents", "3"]).out;
    for agent in ["agent-1", "agent-2", "agent-3"] {
        let line = text.lines().find(|line| line.starts_with(agent)).unwrap_or_else(|| panic!("no {agent}\n{text}"));
        assert!(line.contains("ns") || line.contains("µs") || line.contains("ms"), "{line}");
    }
    assert!(text.contains("3 agents started within "), "{text}");
    assert!(text.contains("! on one machine, which they share: agents agent-1, agent-2, agent-3"), "{text}");
    assert_eq!(fs::read_dir(bench.path()).unwrap().count(), 0, "no file is written");
}

/// The record that `fleet run` wrote, as JSON.
fn record(bench: &Bench, name: &str) -> Value {
    let text = bench.succeed(&["report", name, "--format", "json"]).out;
    serde_json::from_str(&text).unwrap()
}

/// What an independent script says of the histograms of the record `name`: how many it compared, and their values.
pub fn merged_histograms(bench: &Bench, name: &str) -> (u64, u64) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/merged_histograms.py");
    let text = bench.succeed(&["report", name, "--format", "json"]).out;
    let mut child =
        Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the histogram of a run is not the sum of those of its agents");
    let said = String::from_utf8(output.stdout).unwrap();
    let mut numbers = said.split_whitespace().map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// The change of a counter over the window of `run`.
fn counted(run: &Value, name: &str) -> u64 {
    let readings = run["readings"].as_array().unwrap();
    let at = |reading: &Value| reading["values"][name].as_u64().unwrap();
    at(&readings[readings.len() - 1]) - at(&readings[0])
}

#[test]
fn a_run_of_three_agents_counts_what_the_engine_counts() {
    let bench = Bench::new();
    let words =
        "fleet run --agents 3 --target local:postgres --tests T311 --jobs 2,6 --preset smoke --duration 1s --no-html";
    let output = bench.run(&words.split(' ').chain(["--record", "fleet.jsonl"]).collect::<Vec<&str>>());
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    assert!(output.out.contains("by 3 agents (agent-1, agent-2, agent-3), which started within"), "{}", output.out);
    let record = record(&bench, "fleet.jsonl");
    let runs = record["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for (run, agents) in runs.iter().zip([2, 3]) {
        let parts = run["agents"].as_array().unwrap();
        // Two jobs are for two agents, and the third has nothing to do.
        assert_eq!(parts.len(), agents, "{run}");
        let sum = |field: &str| parts.iter().map(|part| part["totals"][field].as_u64().unwrap()).sum::<u64>();
        let totals = &run["totals"];
        assert!(totals["steps"].as_u64() > Some(0));
        assert_eq!(totals["steps"], sum("steps"));
        assert_eq!(totals["transactions"], sum("transactions"));
        assert_eq!(run["service"]["count"], totals["steps"]);
        // The engine has counted them, too, and two rows each.
        let commits = counted(run, "commit_count") - counted(run, "bookkeeping_commit_count");
        assert_eq!(totals["transactions"], commits);
        assert_eq!(totals["rows"], counted(run, "postgres_row_inserted_count"));
        assert!(counted(run, "client_round_trip_count") >= 2 * commits);
        for part in parts {
            let offset = part["start"]["offset_ns"].as_i64().unwrap();
            assert!(offset.abs() < 1_000_000_000, "{part}");
        }
    }
    let steps: u64 = runs.iter().map(|run| run["totals"]["steps"].as_u64().unwrap()).sum();
    assert_eq!(merged_histograms(&bench, "fleet.jsonl"), (4, 2 * steps), "service and response times of two runs");
    let left: Vec<_> = fs::read_dir(bench.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 1, "the record alone is left: {left:?}");
}

#[test]
fn a_rate_is_that_of_all_agents_together_and_parameters_of_the_target_are_theirs_too() {
    let bench = Bench::new();
    let words = "fleet run --agents 3 --target null?rows=7 --tests T611 --jobs 4 --rate 100 --arrival fixed --preset smoke \
                 --duration 1s --no-html --record rate.jsonl";
    let output = bench.run(&words.split_whitespace().collect::<Vec<&str>>());
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    let record = record(&bench, "rate.jsonl");
    let run = &record["runs"][0];
    assert_eq!(run["totals"]["steps"], 100, "{}", run["totals"]);
    assert_eq!(run["totals"]["rows"], 700, "{}", run["totals"]);
    let of_agents: Vec<_> = run["agents"].as_array().unwrap().iter().map(|part| &part["totals"]["steps"]).collect();
    assert_eq!(of_agents, [50, 25, 25], "two jobs and one and one");
    let resumed = bench.run(&["run", "--resume", "rate.jsonl"]);
    assert_eq!(resumed.code, 2);
    assert!(
        resumed.err.contains("dbdyno fleet run --agents 3 --target 'null?rows=7' --resume rate.jsonl"),
        "{}",
        resumed.err
    );
}

#[test]
fn agents_are_added_with_all_their_jobs_and_their_scalability_is_judged() {
    let bench = Bench::new();
    let words = "fleet run --agents 3 --jobs-per-agent 2 --target null --tests T611 --preset smoke --repeats 2 --no-html \
                 --record added.jsonl";
    let output = bench.run(&words.split_whitespace().collect::<Vec<&str>>());
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    let record = record(&bench, "added.jsonl");
    let mut of_runs: Vec<(u64, usize)> = Vec::new();
    for run in record["runs"].as_array().unwrap() {
        let agents = run["agents"].as_array().unwrap();
        assert!(agents.iter().all(|agent| agent["jobs"] == 2), "{run}");
        of_runs.push((run["dop"]["jobs"].as_u64().unwrap(), agents.len()));
    }
    of_runs.sort_unstable();
    assert_eq!(of_runs, [(2, 1), (2, 1), (4, 2), (4, 2), (6, 3), (6, 3)]);
    assert!(output.err.contains("H3J6"), "{}", output.err);
    assert!(output.out.contains("fleet run --agents 3 --jobs-per-agent 2 "), "{}", output.out);
    let scale = bench.succeed(&["model", "scale", "added.jsonl", "--at", "128", "--claim", "1000G"]).out;
    assert!(scale.contains("N = agents"), "{scale}");
    assert!(scale.contains("1.000 T stmt/s at N = 128") && !scale.contains(" SUPPORTED"), "{scale}");
    let both = bench.run(&["fleet", "run", "--agents", "2", "--jobs-per-agent", "2", "--jobs", "4"]);
    assert_eq!(both.code, 2);
    assert!(both.err.contains("cannot be used with"), "{}", both.err);
}

#[test]
fn what_a_fleet_cannot_measure_is_refused() {
    let bench = Bench::new();
    let refused = [
        ("--target null --tests T611 --prove", 2, "cannot be measured by a fleet"),
        ("--target null --tests S11", 2, "probe S11"),
        ("--target sqlite --tests T611", 2, "agents cannot use sqlite"),
        ("--target postgres://me:SECRET@h1/d --tests T611", 2, "the password in the target is not handed to agents"),
    ];
    for (words, code, message) in refused {
        let words: Vec<&str> = words.split(' ').collect();
        let output = bench.run(&[&["fleet", "run", "--agents", "2", "--preset", "smoke"], &words[..]].concat());
        assert_eq!(output.code, code, "{words:?}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains("hint: "), "{}", output.err);
        assert!(!output.err.contains("SECRET"), "{}", output.err);
    }
    assert_eq!(fs::read_dir(bench.path()).unwrap().count(), 0, "no file is left");
}

/// Processes of agents below process `parent`.
pub fn agents_of(parent: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    let is_agent = |pid: &u32| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split('\0').any(|word| word == "agent")
    };
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(is_agent).collect()
}

/// The message server below process `parent`.
fn message_server(parent: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    let is_server =
        |pid: &u32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "nats-server");
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).find(is_server)
}

/// The same where there is one.
pub fn message_server_of(parent: u32) -> u32 {
    message_server(parent).expect("a message server")
}

#[test]
fn two_seconds_without_one_agent_are_in_the_latencies_of_all() {
    let bench = Bench::new();
    let words =
        "fleet run --agents 2 --target null --tests T611 --jobs 2 --rate 4000 --duration 10s --preset smoke --no-html";
    let arguments: Vec<&str> = words.split(' ').chain(["--record", "stall.jsonl"]).collect();
    let child = bench.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let path = bench.path().join("stall.jsonl");
    let start = Instant::now();
    while !fs::read_to_string(&path).is_ok_and(|text| text.contains("data_set")) {
        assert!(start.elapsed() < PATIENCE, "no table is loaded");
        std::thread::sleep(Duration::from_millis(20));
    }
    // The start is two to four seconds later.
    std::thread::sleep(Duration::from_secs(6));
    let stopped = agents_of(child.id())[1].to_string();
    let signal = |name: &str| assert!(Command::new("kill").args([name, &stopped]).status().unwrap().success());
    signal("-STOP");
    std::thread::sleep(Duration::from_secs(2));
    signal("-CONT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let run = &record(&bench, "stall.jsonl")["runs"][0];
    let longest = |of: &Value| of["response"]["p999_ns"].as_u64().unwrap();
    assert!(longest(run) > 1_000_000_000, "{}", run["response"]);
    let of_agents: Vec<u64> = run["agents"].as_array().unwrap().iter().map(longest).collect();
    assert!(of_agents[0] < 1_000_000_000 && of_agents[1] > 1_000_000_000, "{of_agents:?}");
}

#[test]
fn an_agent_that_is_killed_ends_the_runs_and_loses_none_that_has_ended() {
    let bench = Bench::new();
    let words = "fleet run --agents 2 --target null --tests T611,T311 --jobs 2 --preset smoke --duration 10s --no-html";
    let arguments: Vec<&str> = words.split(' ').chain(["--record", "lost.jsonl"]).collect();
    let child = bench.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    let agents = loop {
        let agents = agents_of(child.id());
        if agents.len() == 2 {
            break agents;
        }
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    };
    // It is in its first run by then, or about to start it.
    std::thread::sleep(Duration::from_secs(6));
    let killed = Command::new("kill").args(["-9", &agents[1].to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("agent-2") && said.contains("lost"), "{said}");
    let record = record(&bench, "lost.jsonl");
    let runs = record["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "no later run is tried: {said}");
    assert_eq!(runs[0]["outcome"]["status"], "failed");
    assert!(agents.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()), "no agent is left");
}

#[test]
fn a_manifest_makes_the_hosts_of_its_file() {
    let bench = Bench::new();
    let print = |words: &str| bench.run(&["fleet", "manifest"].into_iter().chain(words.split(' ')).collect::<Vec<_>>());
    let set = print("kubernetes --agents 3 --cpus 2 --memory 4GiB");
    assert_eq!(set.code, 0, "{}", set.err);
    assert!(set.out.contains("  replicas: 3\n") && set.out.contains("memory: 4096Mi"), "{}", set.out);
    let hosts = print("kubernetes --agents 3 --hosts").out;
    assert_eq!(hosts.lines().count(), 3);
    assert!(hosts.ends_with("dbdyno-2 dir=/data via=\"kubectl exec -i dbdyno-2 --\"\n"), "{hosts}");
    for (words, message) in [
        ("compose --agents 2 --volume 10G", "volumes of Compose have no size"),
        ("kubernetes --agents 2 --name A", "\"A\" cannot be the name of hosts"),
        ("kubernetes --agents 2 --storage-class x", "give --volume SIZE"),
        ("compose --agents 2 --storage-class x", "no storage class"),
        ("kubernetes --agents 0", "agents 0"),
        ("swarm --agents 2", "invalid value 'swarm'"),
    ] {
        let refused = print(words);
        assert_eq!(refused.code, 2, "{words}: {}", refused.err);
        assert!(refused.err.contains(message), "{words}: {}", refused.err);
    }
}

#[test]
fn numbers_of_agents_have_limits() {
    let bench = Bench::new();
    for (agents, word) in [("0", "agents"), ("301", "300"), ("x", "x")] {
        let output = bench.run(&["fleet", "check", "--agents", agents]);
        assert_eq!(output.code, 2, "{}", output.err);
        assert!(output.err.contains(word), "{}", output.err);
    }
}

#[test]
fn an_agent_without_a_ticket_says_so_and_shows_nothing_of_it() {
    let bench = Bench::new();
    for text in ["", "{\"seed\":\"SUSECRET\"}\n"] {
        let mut command = bench.command(&["agent", "--join", "-"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("no ticket on the standard input") && said.contains("hint: "), "{said}");
        assert!(!said.contains("SECRET"), "{said}");
    }
    let argument = bench.run(&["agent", "--join", "SUSECRET"]);
    assert_eq!(argument.code, 2);
    assert!(argument.err.contains("standard input only") && !argument.err.contains("SECRET"), "{}", argument.err);
}

#[test]
fn a_coordinator_that_is_killed_leaves_no_server() {
    let bench = Bench::new();
    let mut child = bench.command(&["fleet", "check", "--agents", "2"]).stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    let server = loop {
        if let Some(pid) = message_server(child.id()) {
            break pid.to_string();
        }
        assert!(start.elapsed() < PATIENCE, "no server was started");
        std::thread::sleep(Duration::from_millis(2));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let comm = |pid: &str| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    while comm(&server).trim() == "nats-server" && !is_zombie(&server) {
        assert!(start.elapsed() < PATIENCE, "the server goes on without its coordinator");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_zombie(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('Z'))
}
