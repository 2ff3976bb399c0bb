//! Agents on several nodes of one database, and on a database of their own each.

use serde_json::Value;

use crate::bench::{Bench, finished, growth, runs};
use crate::cmd_fleet::merged_histograms;
use crate::far_server::FarServer;
use crate::fleet_hosts::system;
use crate::local_server::servers;

/// What each node counted itself, less what dbdyno did beside its steps.
fn commits(run: &Value) -> Vec<u64> {
    let own = |node: &Value| growth(node, "commit_count").unwrap() - growth(node, "bookkeeping_commit_count").unwrap();
    run["nodes"].as_array().unwrap().iter().map(own).collect()
}

fn jobs(run: &Value) -> Vec<u64> {
    run["nodes"].as_array().unwrap().iter().map(|node| node["jobs"].as_u64().unwrap()).collect()
}

#[test]
fn the_jobs_of_all_agents_are_spread_over_the_nodes() {
    let bench = Bench::new();
    let words = "fleet run --agents 2 --target local:postgres?replicas=2 --preset smoke --jobs 5 --nodes 3 --steps 23 \
                 --tests T611,T716 --seconds 60 --record n.jsonl";
    let output = bench.succeed(&words.split_whitespace().collect::<Vec<_>>());
    let record = bench.record("n.jsonl");
    let reads = runs(&record, "T611")[0];
    assert_eq!((&reads["dop"]["nodes"], &reads["totals"]["steps"]), (&3.into(), &115.into()), "{}", output.out);
    assert_eq!(jobs(reads), [2, 2, 1], "job i is on node i modulo 3, whichever agent has it");
    assert_eq!(commits(reads), [46, 46, 23], "what each node counted itself");
    for (node, steps) in reads["nodes"].as_array().unwrap().iter().zip([46, 46, 23]) {
        assert_eq!((&node["totals"]["steps"], &node["service"]["count"]), (&steps.into(), &steps.into()));
    }
    let writes = runs(&record, "T716")[0];
    assert_eq!((&writes["dop"]["nodes"], &writes["totals"]["steps"]), (&1.into(), &115.into()));
    merged_histograms(&bench, "n.jsonl");
    assert!(output.out.contains("5 jobs on 3 nodes"), "{}", output.out);
    let details = bench.succeed(&["report", "n.jsonl", "--details"]).out;
    assert!(details.contains("Nodes in the fastest run of each test on several"), "{details}");
    assert!(servers(&bench).is_empty());
}

#[test]
fn each_agent_has_a_database_of_its_own_and_all_their_hosts_are_observed() {
    let bench = Bench::new();
    let Some(([one, two], target)) = FarServer::two(&bench) else { return };
    let words = "fleet run --agents 2 --database-per-agent --jobs-per-agent 3 --tests T311 --preset smoke --steps 23 \
                 --seconds 60 --target";
    let (first, second) = (one.observe(""), two.observe(""));
    let words: Vec<&str> = words.split_whitespace().collect();
    let observe = ["--observe", &first, "--observe", &second];
    let output = bench.succeed(&[&words[..], &[&target, "--record", "d.jsonl"], &observe].concat());
    let record = bench.record("d.jsonl");
    assert_eq!(record["plan"]["database_per_agent"], true);
    let found = runs(&record, "T311");
    let dops: Vec<(u64, u64)> =
        found.iter().map(|run| (run["dop"]["nodes"].as_u64().unwrap(), run["dop"]["jobs"].as_u64().unwrap())).collect();
    assert_eq!(dops, [(1, 3), (2, 6)], "{}", output.out);
    assert_eq!((jobs(found[1]), commits(found[1])), (vec![3, 3], vec![69, 69]), "each has its own");
    assert_eq!(found[1]["agents"].as_array().unwrap().len(), 2);
    merged_histograms(&bench, "d.jsonl");
    // Only what a run uses is observed in it, and the processor time of both is added.
    let hosts = |run: &Value| run["server_hosts"].as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    assert_eq!((hosts(found[0]), hosts(found[1])), (vec!["db1".to_owned()], vec!["db1".to_owned(), "db2".to_owned()]));
    assert_eq!(record["server_hosts"][1]["directory"], two.directory.join("data").display().to_string());
    let details = bench.succeed(&["report", "d.jsonl", "--details"]).out;
    assert!(details.contains("host CPU") && details.contains("db1: ") && details.contains("; db2: "), "{details}");
    let text = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("each with a database of its own"), "{}", output.out);
    for server in [&one, &two] {
        let left = server.ask("select count(*) from pg_namespace where nspname like 'dbdyno%'");
        assert_eq!(left, "0", "a schema is left");
    }
    let once = bench.run(&[&words[..], &[&target, "--record", "x.jsonl"], &observe[..2]].concat());
    assert_eq!(once.code, 2);
    let message = "the target has 2 nodes, and --observe names 1 hosts";
    assert!(once.err.contains(message) && once.err.contains("hint: "), "{}", once.err);
}

#[test]
fn a_database_that_ends_is_an_event_and_the_others_go_on() {
    let bench = Bench::new();
    let Some(([_one, two], target)) = FarServer::two(&bench) else { return };
    let words = "fleet run --agents 2 --database-per-agent --jobs 4 --tests T611 --preset smoke --seconds 8 --warm-up 0 \
                 --record e.jsonl --target";
    let child = bench.start(&[&words.split_whitespace().collect::<Vec<_>>()[..], &[&target]].concat());
    two.wait_for_jobs();
    system("kill", &["-QUIT", &two.postmaster().to_string()]);
    let output = finished(child.wait_with_output().unwrap());
    let record = bench.record("e.jsonl");
    let run = runs(&record, "T611")[0];
    assert_eq!(run["outcome"]["status"], "done", "{}{}", output.out, output.err);
    let events = run["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!((&events[0]["node"], &events[0]["jobs"], &events[0]["kind"]), (&2.into(), &2.into(), &"lost".into()));
    let at = events[0]["at_ns"].as_u64().unwrap();
    assert!((100_000_000..8_000_000_000).contains(&at), "{at}");
    let steps = |index: usize| run["nodes"][index]["totals"]["steps"].as_u64().unwrap();
    assert!(steps(0) > steps(1) && steps(1) > 0);
    assert!(output.out.contains("was lost after"), "{}", output.out);
}

#[test]
fn databases_that_are_none_of_their_own_are_refused() {
    let bench = Bench::new();
    for (words, message) in [
        ("--agents 2 --target null?nodes=3", "2 agents need 2 databases, and the target has 3"),
        ("--agents 2 --target sqlite", "2 agents need 2 databases, and the target has 1"),
        ("--agents 2 --target local:postgres?replicas=1", "the servers of local:postgres?replicas=1 are one database"),
        ("--agents 2 --target null?nodes=2 --nodes 2", "cannot be used with"),
        ("--agents 2 --target null?nodes=2 --go-on", "cannot be used with"),
    ] {
        let words = format!("fleet run --database-per-agent --tests T611 --preset smoke {words}");
        let output = bench.run(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(output.code, 2, "{words}: {}", output.err);
        assert!(output.err.contains(message), "{words}: {}", output.err);
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
