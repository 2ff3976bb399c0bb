//! `dbdyno load --read`: loaded tables are scanned, with cold caches where possible, and every answer is compared with
//! the loaded rows.

use serde_json::Value;

use crate::bench::{Bench, growth, runs};
use crate::cmd_load::{count, is_right, only_run};
use crate::load_stopped::Elsewhere;
use crate::local_server::servers;

/// Loads and scans 5000 rows in one session; returns the record and the output.
fn read(bench: &Bench, target: &str, more: &[&str]) -> (Value, String) {
    let load = ["load", "--read", "--rows", "5000", "--jobs", "1", "--preset", "smoke", "--record", "r.json"];
    let output = bench.succeed(&[&load[..], &["--target", target], more].concat());
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished", "{}", output.err);
    for run in record["runs"].as_array().unwrap() {
        if run["load"].is_object() { is_right(run, &output) } else { is_read(run) }
    }
    (record, output.out)
}

/// Checks that the run is done, its answers are right, and it read the whole table in every operation.
fn is_read(run: &Value) {
    assert_eq!(run["outcome"]["status"], "done", "{run}");
    let answers = &run["findings"][0];
    assert!(answers["verdict"] == "pass" && !answers["evidence"]["answers"].is_null(), "{answers}");
    let scans = run["totals"]["transactions"].as_u64().unwrap();
    assert!(scans >= 1);
    assert_eq!(run["totals"]["rows"].as_u64(), Some(5_000 * scans), "{}", run["totals"]);
    assert_eq!(run["parameters"]["table_rows"], 5_000);
    assert_eq!((&run["sweep"], &run["dop"]["jobs"]), (&"threads".into(), &1.into()));
    let code = run["test"].as_str().unwrap();
    if code.ends_with(",cold") {
        assert_eq!(scans, 1, "what was read once is cold no more");
        let output =
            run["findings"].as_array().unwrap().iter().find(|finding| finding["evidence"].get("page_cache").is_some());
        let output = output.unwrap_or_else(|| panic!("nothing is output of the page cache: {}", run["findings"]));
        assert!(output["evidence"]["page_cache"]["cold"].is_object(), "{output}");
    }
    if let Some(expected) = run["commits_expected"].as_u64() {
        let commits = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap_or(0);
        assert_eq!((expected, commits), (scans, scans));
    }
}

/// The codes of all runs in order, with their threads.
fn order(record: &Value) -> Vec<(String, u64)> {
    let runs = record["runs"].as_array().unwrap().iter();
    runs.map(|run| (run["test"].as_str().unwrap().to_owned(), run["dop"]["threads"].as_u64().unwrap())).collect()
}

fn reasons(record: &Value) -> Vec<String> {
    let skipped = record["plan"]["skipped"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    skipped.map(|skip| format!("{}: {}", text(&skip["test"]), text(&skip["reason"]))).collect()
}

#[test]
fn each_loaded_table_is_scanned_cold_and_then_warm() {
    let bench = Bench::on_disk();
    let (record, out) =
        read(&bench, "local:postgres", &["--models", "plain,partitioned", "--form", "both", "--threads", "1,2"]);
    let mut expected = Vec::new();
    for model in ["", "@partitioned"] {
        expected.extend([(format!("L100{model}"), 1), (format!("L100{model},as-is"), 1)]);
        for test in ["L431", "L441"] {
            for threads in [1, 2] {
                expected.extend([(format!("{test}{model},cold"), threads), (format!("{test}{model}"), threads)]);
            }
        }
    }
    assert_eq!(order(&record), expected);
    assert_eq!(reasons(&record), [""; 0]);
    for model in ["", "@partitioned"] {
        let load = only_run(&record, &format!("L100{model},as-is"));
        for run in runs(&record, &format!("L431{model}")) {
            let scans = run["totals"]["transactions"].as_u64().unwrap();
            assert_eq!(run["totals"]["bytes"].as_u64(), Some(count(load, "table_bytes") * scans));
            assert_eq!(run["data_bytes"], load["load"]["flat_bytes"]);
        }
    }
    for words in
        ["Scans of the loaded tables, bytes", "L431 counts and sums all rows", "cold: engine restarted", "partitioned"]
    {
        assert!(out.contains(words), "no {words:?} in {out}");
    }
    assert_eq!(bench.succeed(&["report", "r.json"]).out.matches("Scans of the loaded tables, bytes").count(), 1);
    assert_eq!(bench.files().len(), 1, "a record and nothing else: {:?}", bench.files());
    assert!(servers(&bench).is_empty());
}

#[test]
fn an_embedded_engine_is_scanned_with_one_thread() {
    let bench = Bench::on_disk();
    let (record, _) = read(&bench, "sqlite", &["--threads", "1,2,4"]);
    assert_eq!(
        order(&record),
        ["L100", "L431,cold", "L431", "L441,cold", "L441"].map(|code| (code.to_owned(), 1)).to_vec()
    );
    let one = "at 2, 4 threads: this engine has no parallel query";
    assert_eq!(reasons(&record), [format!("L431: {one}"), format!("L441: {one}")]);
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn a_resumed_load_is_scanned_completely() {
    let bench = Bench::new();
    let load = ["load", "--rows", "5000", "--jobs", "1", "--keep", "--record", "a.json"];
    bench.succeed(&load);
    let (record, _) = read(&bench, "sqlite", &["--resume", "--keep"]);
    assert_eq!(count(only_run(&record, "L100"), "resumed_rows"), 5_000);
    assert!(
        runs(&record, "L431")[0]["data_bytes"].is_null(),
        "the source of the rest does not give figures of the whole"
    );
    bench.succeed(&["clean", "--yes"]);
}

#[test]
fn a_foreign_server_is_never_cold() {
    let elsewhere = Elsewhere::start();
    let bench = Bench::new();
    let (record, out) = read(&bench, &elsewhere.target(), &["--threads", "1"]);
    assert_eq!(order(&record), ["L100", "L431", "L441"].map(|code| (code.to_owned(), 1)).to_vec());
    let reasons = reasons(&record);
    for code in ["L431,cold", "L441,cold"] {
        assert!(
            reasons.iter().any(|reason| reason.starts_with(code) && reason.contains("all scans are warm")),
            "{reasons:?}"
        );
    }
    assert!(out.contains("no cold scans") && !out.contains("cold: engine"), "{out}");
    elsewhere.stop();
}

#[test]
fn a_dry_run_shows_scans_and_invalid_options_are_refused() {
    let bench = Bench::on_disk();
    let dry = bench.succeed(&["load", "--read", "--rows", "500", "--jobs", "1", "--dry-run"]);
    for words in
        ["L100 into a plain table cards", "L431,cold scans table cards with cold caches, 1 thread", "L441 scans"]
    {
        assert!(dry.out.contains(words), "no {words:?} in {}", dry.out);
    }
    for (arguments, words) in [
        (&["--threads", "2"][..], "--read"),
        (&["--no-probe"], "--read"),
        (&["--read", "--threads", "0"], "threads 0 is not a degree of parallelism"),
    ] {
        let output = bench.run(&[&["load", "--rows", "500"], arguments].concat());
        assert!(output.code == 2 && output.err.contains(words), "{arguments:?} {}: {}", output.code, output.err);
    }
}

#[test]
fn a_load_without_free_space_is_refused_before_it_starts() {
    let bench = Bench::new();
    let output = bench.run(&["load", "--rows", "10000000000000", "--jobs", "1", "--record", "r.json"]);
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    for words in ["are required in", "of flat file in one table", "are available", "hint: give a smaller --size"] {
        assert!(output.err.contains(words), "no {words:?} in {}", output.err);
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
