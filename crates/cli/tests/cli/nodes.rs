//! Targets with several nodes: jobs are spread, each node has its figures, and a killed node is an event.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, finished, growth, runs};
use crate::local_server::{command_line, servers};

#[test]
fn jobs_are_spread_and_the_nodes_add_up() {
    let bench = Bench::new();
    let arguments = ["run", "--target", "null?rows=1&nodes=3", "--preset", "smoke", "--jobs", "1,5"];
    // The run may be invalid because the null engine is cheaper than the loop.
    let output = bench.run(&[&arguments[..], &["--tests", "T611,T426", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    let degrees = |code: &str| -> Vec<(u64, u64, u64)> {
        let dop = |run: &&Value| ["nodes", "jobs", "threads"].map(|name| run["dop"][name].as_u64().unwrap()).into();
        runs(&record, code).iter().map(dop).collect()
    };
    assert_eq!(degrees("T611"), [(1, 1, 1), (3, 5, 1), (1, 5, 1), (2, 5, 1)]);
    assert_eq!(degrees("T426"), [(1, 1, 1), (1, 1, 5)], "threads inside a statement work on one node");
    for run in runs(&record, "T611") {
        let nodes = run["nodes"].as_array().map_or(&[][..], Vec::as_slice);
        let count = run["dop"]["nodes"].as_u64().unwrap() as usize;
        assert_eq!(nodes.len(), if count == 1 { 0 } else { count });
        if count > 1 {
            let sum = |name: &str| nodes.iter().map(|node| node["totals"][name].as_u64().unwrap()).sum::<u64>();
            assert_eq!(sum("steps"), run["totals"]["steps"].as_u64().unwrap());
            assert_eq!(sum("operations"), run["totals"]["operations"].as_u64().unwrap());
            assert_eq!(nodes.iter().map(|node| node["jobs"].as_u64().unwrap()).sum::<u64>(), 5);
            let counted = growth(run, "commit_count").unwrap();
            assert_eq!(counted, run["totals"]["transactions"].as_u64().unwrap(), "the sum over the nodes");
            let per_node: u64 = nodes.iter().map(|node| growth(node, "commit_count").unwrap()).sum();
            assert_eq!(per_node, counted);
        }
    }
    assert_eq!(record["engine"]["nodes"], 3);
    assert_eq!(record["nodes"].as_array().unwrap().len(), 3);
    assert!(output.out.contains("N3J5"), "{}", output.out);
    bench.succeed(&["report", "r.json", "--html", "r.html"]);
    let page = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    assert!(page.contains("Figures of each node") && page.contains("nowhere 3"));
}

#[test]
fn numbers_of_nodes_are_selected_and_checked() {
    let bench = Bench::new();
    let run = |nodes: &str, record: &str| {
        let target = "null?nodes=3";
        let arguments = ["run", "--target", target, "--preset", "smoke", "--jobs", "2,4", "--tests", "T611"];
        bench.run(&[&arguments[..], &["--nodes", nodes, "--record", record]].concat())
    };
    run("1,3", "asked.json");
    let record = bench.record("asked.json");
    let counts: Vec<u64> = runs(&record, "T611").iter().map(|run| run["dop"]["nodes"].as_u64().unwrap()).collect();
    assert_eq!(counts, [1, 1, 3], "two jobs do not suffice for three nodes");
    for (nodes, words) in [
        ("0", "nodes 0 is not a number of nodes"),
        ("x", "nodes x is not a whole number"),
        ("4", "nodes 4 is more than the target has: 3"),
    ] {
        let output = run(nodes, "refused.json");
        assert_eq!(output.code, 2);
        assert!(output.err.contains(words) && output.err.contains("hint:"), "{}", output.err);
    }
}

#[test]
fn replicas_read_and_the_primary_writes() {
    let bench = Bench::new();
    let target = "local:postgres?replicas=2&synchronous=on&autovacuum=off";
    let arguments = ["run", "--target", target, "--preset", "smoke", "--jobs", "3", "--steps", "23", "--seconds", "60"];
    let output =
        bench.succeed(&[&arguments[..], &["--nodes", "3", "--tests", "T611,T716", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    assert_eq!(record["engine"]["nodes"], 3);
    let reads = runs(&record, "T611")[0];
    assert_eq!((reads["dop"]["nodes"].as_u64(), reads["totals"]["steps"].as_u64()), (Some(3), Some(69)));
    for node in reads["nodes"].as_array().unwrap() {
        assert_eq!(node["totals"]["steps"], 23);
        let counted = growth(node, "commit_count").unwrap() - growth(node, "bookkeeping_commit_count").unwrap();
        assert_eq!(counted, 23, "node {}: what it counted itself", node["node"]);
    }
    let writes = runs(&record, "T716")[0];
    assert_eq!(writes["dop"]["nodes"], 1, "only the primary takes writes");
    assert!(output.out.contains("Nodes in the fastest run of each test on several"), "{}", output.out);
    assert!(servers(&bench).is_empty() && bench.files().len() == 1, "{:?}", bench.files());
}

#[test]
fn a_killed_synchronous_replica_is_an_event_of_runs_that_only_wait_for_it() {
    // All jobs work on the primary, but the platform changes when a replica is lost.
    let run = with_a_node_killed(
        "local:postgres?replicas=2&synchronous=on",
        ("T716", "--nodes 1"),
        "/postgres-replica2/",
        0,
        9,
    );
    assert_eq!(run["dop"]["nodes"], 1);
}

#[test]
fn a_killed_replica_is_an_event_of_the_run() {
    let run = with_a_node_killed("local:postgres?replicas=2", ("T611", "--nodes 3"), "/postgres-replica2/", 2, 9);
    let steps = |node: usize| run["nodes"][node]["totals"]["steps"].as_u64().unwrap();
    assert!(steps(2) > 0 && steps(2) < steps(1), "the killed node worked until it was killed");
}

#[test]
fn a_killed_replica_ends_its_sessions_and_not_the_others_of_their_thread() {
    let more = "--nodes 3 --client-threads 1";
    let run = with_a_node_killed("local:postgres?replicas=2", ("T611", more), "/postgres-replica2/", 2, 9);
    assert_eq!(run["client_threads"]["threads"], 1);
}

#[test]
fn a_killed_node_of_a_cluster_is_an_event_and_the_others_go_on() {
    // The remaining nodes stall for some seconds before they evict the lost one.
    with_a_node_killed("local:mariadb?nodes=3", ("T311", "--nodes 3"), "/mariadb-3/", 2, 24);
}

/// The run of a test by six jobs, with `more` arguments, in which the third node was killed, whose server works in
/// `directory`, with the `jobs` that ended with it; after the checks that apply to all engines.
fn with_a_node_killed(target: &str, (test, more): (&str, &str), directory: &str, jobs: u64, seconds: u64) -> Value {
    let bench = Bench::new();
    let arguments = ["run", "--target", target, "--preset", "smoke", "--jobs", "6", "--tests", test];
    let window = seconds.to_string();
    let more: Vec<&str> = more.split(' ').collect();
    let ends = ["--seconds", &window, "--warm-up", "0", "--record", "r.json"];
    let mut child = bench.start(&[&arguments[..], &more, &ends].concat());
    wait_for_the_run(&bench, &mut child, seconds);
    let victim = *servers(&bench).iter().find(|pid| command_line(**pid).contains(directory)).expect("the last node");
    assert!(Command::new("kill").args(["-KILL", &victim.to_string()]).status().unwrap().success());
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "{}\n{}", output.out, output.err);
    let record = bench.record("r.json");
    let run = runs(&record, test)[0].clone();
    assert_eq!(run["outcome"]["status"], "done", "{}", run["outcome"]);
    let events = run["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!((&events[0]["kind"], &events[0]["node"], &events[0]["jobs"]), (&"lost".into(), &3.into(), &jobs.into()));
    let at = (events[0]["at_ns"].as_u64().unwrap() / 1_000_000_000) as usize;
    let steps: Vec<u64> =
        run["seconds"]["steps"].as_array().unwrap().iter().map(|steps| steps.as_u64().unwrap()).collect();
    let (before, after) = (&steps[..at], &steps[at + 1..]);
    assert!(
        before.iter().any(|steps| *steps > 0) && after.iter().any(|steps| *steps > 0),
        "lost after {at} s: {steps:?}"
    );
    let words = output.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains("was lost after") && words.contains("/s after"), "{}", output.out);
    assert!(servers(&bench).is_empty() && bench.files().len() == 1, "{:?}", bench.files());
    run
}

/// Waits until the record shows that the servers are running, and jobs are certainly active.
fn wait_for_the_run(bench: &Bench, child: &mut Child, seconds: u64) {
    let start = Instant::now();
    while !bench.path().join("r.json").exists() {
        assert!(start.elapsed() < Duration::from_secs(120), "no servers within two minutes");
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(seconds / 3));
}
