//! `dbdyno fleet load`: bulk loads from several agents.

use serde_json::Value;

use crate::bench::{Bench, Finished, growth};
use crate::cmd_fleet::merged_histograms;

fn fleet_load(bench: &Bench, words: &str) -> Finished {
    let all = format!("fleet load --agents 3 --target local:postgres --no-html {words}");
    bench.run(&all.split_whitespace().collect::<Vec<_>>())
}

/// The load of a record, whose rows are those of the source, of the agents, and of the table.
fn loaded(bench: &Bench, output: &Finished, rows: u64) -> Value {
    assert_eq!(output.code, 0, "{}{}", output.out, output.err);
    let record = bench.record("l.jsonl");
    let run = &record["runs"][0];
    let load = &run["load"];
    assert_eq!((&run["totals"]["rows"], &load["rows"]), (&rows.into(), &rows.into()), "{load}");
    let of_agents = run["agents"].as_array().unwrap();
    assert_eq!(of_agents.len(), 3);
    assert_eq!(of_agents.iter().map(|agent| agent["totals"]["rows"].as_u64().unwrap()).sum::<u64>(), rows);
    let checked = load["checked"].as_array().unwrap();
    assert!(checked.len() >= 2 && checked.iter().all(|check| check["found"] == check["expected"]), "{checked:?}");
    assert_eq!(checked[0]["found"], rows.to_string(), "in the table");
    let steps = &run["totals"]["transactions"];
    assert_eq!((&load["batches"], &run["commits_expected"]), (steps, steps));
    let commits = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap();
    assert_eq!(*steps, commits);
    assert_eq!(merged_histograms(bench, "l.jsonl").0, 2);
    run.clone()
}

#[test]
fn generated_rows_are_dealt_to_the_sessions_of_all_agents() {
    let bench = Bench::new();
    let output = fleet_load(&bench, "--rows 23000 --batch 64K --jobs 4 --indexes after --record l.jsonl");
    let run = loaded(&bench, &output, 23_000);
    // Batches are dealt in turn: the agent with two of four sessions has half of them, or one more.
    let batches = |agent: usize| run["agents"][agent]["totals"]["steps"].as_u64().unwrap();
    assert!(batches(0).abs_diff(batches(1) + batches(2)) <= 2, "{}", run["agents"]);
    assert!(run["load"]["index_build_ns"].as_u64() > Some(0), "by the coordinator");
    let stages = run["load"]["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage["kind"] == "send" && stage["threads"] == 4), "{stages:?}");
}

#[test]
fn each_file_is_read_by_one_agent() {
    let bench = Bench::new();
    bench.succeed(&["generate", "cards", "--rows", "9000", "--files", "4", "--compress", "gzip", "-o", "cards"]);
    let mut files: Vec<String> = std::fs::read_dir(bench.path().join("cards"))
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .filter(|path| path.ends_with(".gz"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 4);
    let output = fleet_load(&bench, &format!("--jobs 4 --record l.jsonl {}", files.join(" ")));
    let run = loaded(&bench, &output, 9_000);
    assert_eq!((&run["load"]["compression"], &run["load"]["rejected_rows"]), (&"gzip".into(), &0.into()));
}

#[test]
fn what_agents_cannot_read_is_refused() {
    let bench = Bench::new();
    let output = fleet_load(&bench, "--record l.jsonl -");
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("a pipe cannot be read by a fleet"), "{}", output.err);
    let rejects = fleet_load(&bench, "--rows 100 --rejects r --record l.jsonl");
    assert_eq!(rejects.code, 2, "{}", rejects.err);
    assert!(rejects.err.contains("rejected lines are not written to r: agents count them"), "{}", rejects.err);
    let null =
        bench.run(&["fleet", "load", "--agents", "2", "--target", "null", "--rows", "100", "--record", "l.jsonl"]);
    assert_eq!(null.code, 2, "{}", null.err);
    assert!(null.err.contains("agents cannot load null together: it keeps no rows"), "{}", null.err);
    assert!(!bench.path().join("l.jsonl").exists());
}
