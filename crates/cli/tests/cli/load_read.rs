//! `dbdyno load --read`: what was loaded is read in each way, from empty caches where they can be emptied, and every answer
//! is held against what was loaded.

use serde_json::Value;

use crate::bench::{Bench, growth, runs};
use crate::cmd_load::{count, is_right, only_run};
use crate::load_stopped::Elsewhere;
use crate::local_server::servers;

/// Loads 5000 rows in one session and reads them; the record, and what was printed.
fn read(bench: &Bench, target: &str, more: &[&str]) -> (Value, String) {
    let load = ["load", "--read", "--rows", "5000", "--jobs", "1", "--preset", "smoke", "--record", "r.json"];
    let said = bench.succeed(&[&load[..], &["--target", target], more].concat());
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished", "{}", said.err);
    for run in record["runs"].as_array().unwrap() {
        if run["load"].is_object() { is_right(run, &said) } else { is_read(run) }
    }
    (record, said.out)
}

/// Demands that the run was done, that its answers were right, and that it read the whole table as often as it says.
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
        let said =
            run["findings"].as_array().unwrap().iter().find(|finding| finding["evidence"].get("page_cache").is_some());
        let said = said.unwrap_or_else(|| panic!("nothing is said of the page cache: {}", run["findings"]));
        assert!(said["evidence"]["page_cache"]["cold"].is_object(), "{said}");
    }
    if let Some(expected) = run["commits_expected"].as_u64() {
        let commits = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap_or(0);
        assert_eq!((expected, commits), (scans, scans));
    }
}

/// The codes of all runs in their order, with the threads of each.
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
fn each_loaded_table_is_read_cold_and_then_warm() {
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
    for words in ["READING WHAT WAS LOADED", "L431 counts all rows", "cold: the engine started anew", "partitioned"] {
        assert!(out.contains(words), "no {words:?} in {out}");
    }
    assert_eq!(bench.succeed(&["report", "r.json"]).out.matches("READING WHAT WAS LOADED").count(), 1);
    assert_eq!(bench.files().len(), 1, "a record and nothing else: {:?}", bench.files());
    assert!(servers(&bench).is_empty());
}

#[test]
fn an_engine_in_this_process_is_read_with_one_thread() {
    let bench = Bench::on_disk();
    let (record, _) = read(&bench, "sqlite", &["--threads", "1,2,4"]);
    assert_eq!(
        order(&record),
        ["L100", "L431,cold", "L431", "L441,cold", "L441"].map(|code| (code.to_owned(), 1)).to_vec()
    );
    let one = "at 2, 4 threads: this engine runs a query with one";
    assert_eq!(reasons(&record), [format!("L431: {one}"), format!("L441: {one}")]);
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn what_was_gone_on_with_is_read_whole() {
    let bench = Bench::new();
    let load = ["load", "--rows", "5000", "--jobs", "1", "--keep", "--record", "a.json"];
    bench.succeed(&load);
    let (record, _) = read(&bench, "sqlite", &["--resume", "--keep"]);
    assert_eq!(count(only_run(&record, "L100"), "resumed_rows"), 5_000);
    assert!(
        runs(&record, "L431")[0]["data_bytes"].is_null(),
        "what the rest was loaded from says nothing of the whole"
    );
    bench.succeed(&["clean", "--yes"]);
}

#[test]
fn a_server_of_somebody_else_is_never_called_cold() {
    let elsewhere = Elsewhere::start();
    let bench = Bench::new();
    let (record, out) = read(&bench, &elsewhere.target(), &["--threads", "1"]);
    assert_eq!(order(&record), ["L100", "L431", "L441"].map(|code| (code.to_owned(), 1)).to_vec());
    let reasons = reasons(&record);
    for code in ["L431,cold", "L441,cold"] {
        assert!(reasons.iter().any(|reason| reason.starts_with(code) && reason.contains("read warm")), "{reasons:?}");
    }
    assert!(out.contains("nothing was read cold") && !out.contains("cold: the engine"), "{out}");
    elsewhere.stop();
}

#[test]
fn what_would_be_read_is_shown_before_and_what_cannot_be_is_refused() {
    let bench = Bench::on_disk();
    let dry = bench.succeed(&["load", "--read", "--rows", "500", "--jobs", "1", "--dry-run"]);
    for words in
        ["L100 into a plain table cards", "L431,cold reads table cards with empty caches, 1 thread", "L441 reads"]
    {
        assert!(dry.out.contains(words), "no {words:?} in {}", dry.out);
    }
    for (arguments, words) in [
        (&["--threads", "2"][..], "--read"),
        (&["--no-probe"], "--read"),
        (&["--read", "--threads", "0"], "threads 0 is not a degree of parallelism"),
    ] {
        let said = bench.run(&[&["load", "--rows", "500"], arguments].concat());
        assert!(said.code == 2 && said.err.contains(words), "{arguments:?} {}: {}", said.code, said.err);
    }
}

#[test]
fn a_load_without_room_is_refused_before_it_begins() {
    let bench = Bench::new();
    let said = bench.run(&["load", "--rows", "10000000000000", "--jobs", "1", "--record", "r.json"]);
    assert_eq!(said.code, 1, "{}\n{}", said.out, said.err);
    for words in ["are needed in", "of flat file in one table", "are free", "hint: give a smaller --size"] {
        assert!(said.err.contains(words), "no {words:?} in {}", said.err);
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
