//! Loads beside the measured tests: what they do is counted apart, and what they cost is the change of a pair.

use serde_json::Value;

use crate::aborted::{signal, wait_for_runs};
use crate::bench::{Bench, finished, growth, runs};
use crate::local_server::servers;

/// The verdict of a check of `run`, by the name of its evidence.
fn verdict<'a>(run: &'a Value, check: &str) -> Option<&'a str> {
    let findings = run["findings"].as_array().unwrap();
    findings.iter().find(|finding| !finding["evidence"][check].is_null())?["verdict"].as_str()
}

/// The steps and transactions of the load beside `run`.
fn counted(run: &Value) -> (u64, u64) {
    let totals = &run["loads_beside"][0]["totals"];
    assert_eq!(totals["failures"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>(), 0, "{run}");
    (totals["steps"].as_u64().unwrap(), totals["transactions"].as_u64().unwrap())
}

#[test]
fn a_load_is_beside_each_run_of_a_test_and_its_commits_are_held_against_the_engine() {
    let bench = Bench::new();
    let words =
        ["--tests", "T611,C11", "--preset", "smoke", "--jobs", "1,2", "--seconds", "0.3", "--record", "r.jsonl"];
    let load = ["--load-beside", "T616:jobs=2,rate=200", "--no-activity"];
    bench.succeed(&[&["run", "--target", "sqlite"][..], &words, &load].concat());
    let record = bench.record("r.jsonl");
    assert_eq!(record["plan"]["loads_beside"], serde_json::json!([{ "test": "T616", "jobs": 2, "rate": 200.0 }]));
    assert!(runs(&record, "C11").iter().all(|run| run["loads_beside"].is_null()), "a probe is measured alone");
    let measured = runs(&record, "T611");
    assert_eq!(measured.len(), 2);
    for run in &measured {
        let (steps, transactions) = counted(run);
        // 60 are expected, with a standard deviation of 8.
        assert!((20..=110).contains(&steps) && transactions == steps, "{}", run["loads_beside"]);
        let own = run["totals"]["transactions"].as_u64().unwrap();
        assert_eq!(verdict(run, "load_beside"), Some("pass"));
        if let Some(expected) = run["commits_expected"].as_u64() {
            assert_eq!((expected, verdict(run, "commit_count")), (own + transactions, Some("pass")), "{run}");
        }
        let service = &run["loads_beside"][0]["service"];
        assert_eq!(
            (service["count"].as_u64(), run["loads_beside"][0]["unit"].as_str()),
            (Some(steps), Some("transaction"))
        );
    }
    assert!(measured[0]["loads_beside"] != measured[1]["loads_beside"], "each run has arrivals of its own");
    let details = bench.succeed(&["report", "r.jsonl", "--details"]).out;
    let details = details.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(details.contains("beside T616, 2 jobs, 200.0 steps/s"), "{details}");
    bench.succeed(&["report", "r.jsonl", "--html", "r.html"]);
    let page = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    assert!(page.contains("--load-beside T616:jobs=2,rate=200"), "the command that repeats it");
    bench.succeed(&["export", "r.jsonl", "--format", "csv", "--out", "tables"]);
    let table = std::fs::read_to_string(bench.path().join("tables/loads_beside.csv")).unwrap();
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn the_order_mix_and_the_decision_queries_work_together() {
    let bench = Bench::new();
    let words = ["--tests", "C100", "--preset", "smoke", "--seconds", "1", "--jobs", "2", "--no-activity", "--no-html"];
    let run = |load: &str, record: &str| {
        let load = ["--target", "local:postgres", "--load-beside", load, "--record", record];
        bench.succeed(&[&["run"][..], &words, &load].concat());
        let record = bench.record(record);
        runs(&record, "C100")[0].clone()
    };
    let with_queries = run("H100:jobs=1", "h.jsonl");
    let (steps, transactions) = counted(&with_queries);
    assert!(steps > 0 && steps == transactions, "{}", with_queries["loads_beside"]);
    assert_eq!(verdict(&with_queries, "answers"), Some("pass"), "the conditions hold: {with_queries}");
    // Of a query that the engine cuts among processes each may commit.
    assert!(with_queries["commits_expected"].is_null());
    let with_rows = run("T616:jobs=1", "t.jsonl");
    let commits = growth(&with_rows, "commit_count").unwrap() - growth(&with_rows, "bookkeeping_commit_count").unwrap();
    let own = with_rows["totals"]["transactions"].as_u64().unwrap();
    assert!(own > 0 && counted(&with_rows).1 > 0);
    assert_eq!((commits, with_rows["commits_expected"].as_u64()), (own + counted(&with_rows).1, Some(commits)));
    let reversed = ["--tests", "H100", "--steps", "22", "--jobs", "1", "--load-beside", "C100:jobs=2,rate=50"];
    let more = ["--warehouses", "3", "--target", "local:postgres", "--no-activity", "--record", "q.jsonl"];
    bench.succeed(&[&["run", "--preset", "smoke"][..], &reversed, &more].concat());
    let record = bench.record("q.jsonl");
    let queries = runs(&record, "H100")[0];
    assert_eq!(queries["totals"]["steps"], 22, "{}", queries["totals"]);
    assert!(counted(queries).0 > 0 && verdict(queries, "load_beside") == Some("pass"));
    assert!(servers(&bench).is_empty());
}

#[test]
fn the_change_of_a_pair_is_the_loss_by_the_load_of_the_other_side() {
    let bench = Bench::new();
    let words = ["--tests", "T611", "--preset", "smoke", "--jobs", "1", "--pairs", "2", "--seconds", "0.2"];
    let more = ["--b-load-beside", "T616:jobs=4", "--record", "r.jsonl"];
    let output = bench.succeed(&[&["pair", "--a", "sqlite", "--b", "sqlite"][..], &words, &more].concat());
    let (a, b) = (bench.record("r-a.jsonl"), bench.record("r-b.jsonl"));
    assert_eq!(a["plan"]["paired"]["plan_hash"], b["plan"]["paired"]["plan_hash"]);
    assert!(a["plan"]["loads_beside"].is_null() && runs(&a, "T611").iter().all(|run| run["loads_beside"].is_null()));
    assert!(runs(&b, "T611").iter().all(|run| counted(run).0 > 0));
    // The answer stands in a frame.
    let text: String = output.out.replace('│', " ").split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(text.contains("what each test loses to the load beside B, T616, 4 jobs: A had none"), "{}", output.out);
    assert!(text.contains("identical workload, but for the load beside"), "{}", output.out);
    // Smoke is the only reason: loads are none between the sides of a pair.
    assert!(!text.contains("different load beside"), "{}", output.out);
    let alone = ["--tests", "T611", "--preset", "smoke", "--jobs", "1", "--seconds", "0.2"];
    bench.succeed(&[&["run", "--target", "sqlite", "--record", "alone.jsonl"][..], &alone].concat());
    let load = ["--load-beside", "T616:jobs=4", "--record", "beside.jsonl"];
    bench.succeed(&[&["run", "--target", "sqlite"][..], &alone, &load].concat());
    let unpaired = bench.run(&["compare", "alone.jsonl", "beside.jsonl"]).out;
    let unpaired: String = unpaired.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(unpaired.contains("different load beside: none and T616, 4 jobs"), "{unpaired}");
}

#[test]
fn loads_that_cannot_be_are_refused() {
    let bench = Bench::new();
    let refused = |words: &[&str], expected: &str| {
        let output = bench.run(&[words, &["--preset", "smoke", "--record", "r.jsonl"]].concat());
        assert_eq!(output.code, 2, "{words:?}\n{}", output.err);
        assert!(output.err.contains(expected) && output.err.contains("hint"), "{expected}: {}", output.err);
    };
    let beside = |tests: &'static str, load: &'static str| ["run", "--tests", tests, "--load-beside", load];
    refused(&beside("T611", "T611:jobs=1"), "T611 cannot be a load beside T611: both make the same tables");
    refused(&beside("C100", "C110:jobs=1"), "both make the tables of an order mix");
    refused(&beside("T611", "C11:jobs=1"), "C11 is a probe");
    refused(&beside("C11", "T611:jobs=1"), "no test of an engine");
    refused(&beside("T611", "T616"), "has no jobs");
    refused(&beside("T611", "C110:jobs=1"), "C110 cannot be a load beside: SQLite has");
    let fleet = ["fleet", "run", "--agents", "2", "--target", "local:postgres", "--tests", "T611"];
    refused(&[&fleet[..], &["--load-beside", "T616:jobs=1"]].concat(), "not of the agents of a fleet");
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn ctrl_c_ends_a_load_and_a_resumed_record_has_it_again() {
    let bench = Bench::new();
    let words = ["--preset", "smoke", "--seconds", "2", "--jobs", "1", "--tests", "T611,T716", "--record", "r.jsonl"];
    let child =
        bench.start(&[&["run", "--target", "local:postgres", "--load-beside", "H100:jobs=1"][..], &words].concat());
    wait_for_runs(&bench, "r.jsonl", 1);
    signal(child.id(), "INT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}\n{}", output.out, output.err);
    assert!(servers(&bench).is_empty());
    assert_eq!(bench.files().len(), 1, "only the record: {:?}", bench.files());
    let other = bench.run(&["run", "--resume", "r.jsonl", "--load-beside", "H100:jobs=2"]);
    assert!(other.code == 2 && other.err.contains("--load-beside H100:jobs=1"), "{}", other.err);
    bench.succeed(&["run", "--resume", "r.jsonl"]);
    let record = bench.record("r.jsonl");
    assert_eq!(record["status"], "finished");
    for test in ["T611", "T716"] {
        assert!(counted(runs(&record, test)[0]).0 > 0, "{test}");
    }
}
