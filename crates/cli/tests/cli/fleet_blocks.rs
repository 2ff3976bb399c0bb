//! `dbdyno fleet blocks`: random blocks from several agents.

use serde_json::Value;

use crate::bench::{Bench, growth};
use crate::cmd_fleet::merged_histograms;

/// The run of random blocks of a measurement by two agents, with a record at `name`.
fn measured(bench: &Bench, name: &str, words: &str) -> Value {
    let all = format!(
        "fleet blocks --agents 2 --target local:postgres --schemas 2 --threads 2 --scale 1000 --work-unit 4 --no-probe \
         --no-html --record {name} {words}"
    );
    let output = bench.run(&all.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    assert!(output.out.contains("by 2 agents (agent-1, agent-2)"), "{}", output.out);
    bench.record(name)["runs"][0].clone()
}

#[test]
fn operations_of_agents_are_those_of_all_sessions_and_the_engine_counts_as_many() {
    let bench = Bench::new();
    let run = measured(&bench, "b.jsonl", "--work-loop 23 --update-pct 50");
    // Two sessions of each agent.
    let all = 2 * 2 * 23;
    assert_eq!((&run["totals"]["steps"], &run["totals"]["rows"]), (&all.into(), &(all * 4).into()), "{run}");
    let operations = run["blocks"]["operations"].as_array().unwrap();
    let sum = |field: &str| operations.iter().map(|of| of[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!((operations.len(), sum("steps"), sum("rows")), (2, all, all * 4), "reads and updates");
    assert_eq!(run["blocks"]["caches"], "preloaded", "by the coordinator");
    let commits = growth(&run, "commit_count").unwrap() - growth(&run, "bookkeeping_commit_count").unwrap();
    assert_eq!((commits, &run["commits_expected"]), (all, &all.into()));
    assert_eq!(merged_histograms(&bench, "b.jsonl"), (2, 2 * all));
    let details = bench.succeed(&["report", "b.jsonl", "--details"]).out;
    assert!(details.contains("Agents in the fastest run of each test"), "{details}");
}

#[test]
fn a_loop_in_the_engine_is_called_by_agents_and_created_once() {
    let bench = Bench::new();
    let run = measured(&bench, "e.jsonl", "--mode engine --run-time 0.5 --update-pct 10");
    let operations = run["blocks"]["operations"].as_array().unwrap();
    assert_eq!((operations.len(), &operations[0]["operation"]), (1, &"batch".into()));
    assert_eq!(operations[0]["steps"], run["totals"]["steps"]);
    assert!(run["agents"].as_array().unwrap().iter().all(|agent| agent["totals"]["steps"].as_u64() > Some(0)), "{run}");
}
