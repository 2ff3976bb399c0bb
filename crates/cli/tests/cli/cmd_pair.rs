//! `dbdyno pair`: two targets alternately.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::aborted::{signal, wait_for_runs};
use crate::bench::{Bench, finished, is_invalid, runs};
use crate::local_server::servers;

const SMALL: [&str; 8] = ["--preset", "smoke", "--jobs", "1", "--tests", "T611,T716", "--record", "r.json"];

fn pair<'a>(a: &'a str, b: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["pair", "--a", a, "--b", b][..], &SMALL[..], more].concat()
}

/// The runs of tests, without the control probes.
fn of_tests(record: &Value) -> Vec<Value> {
    let all = record["runs"].as_array().unwrap();
    all.iter().filter(|run| run["test"] != "C11").cloned().collect()
}

/// Test, degree and repeat of every run of a test, in the order of the record.
fn places(record: &Value) -> Vec<(String, u64, u64)> {
    let planned = |run: &Value| &record["plan"]["runs"][run["number"].as_u64().unwrap() as usize - 1];
    let place = |run: &Value| {
        let planned = planned(run);
        assert_eq!(planned["test"], run["test"]);
        let jobs = run["dop"]["jobs"].as_u64().unwrap();
        (run["test"].as_str().unwrap().to_owned(), jobs, planned["repeat"].as_u64().unwrap())
    };
    of_tests(record).iter().map(place).collect()
}

#[test]
fn both_sides_are_measured_in_turns_and_each_has_a_record_that_names_the_other() {
    let bench = Bench::new();
    let output = bench.succeed(&pair("sqlite", "sqlite", &["--pairs", "6"]));
    assert!(output.out.contains("r-a.json") && output.out.contains("r-b.json"), "{}", output.out);
    assert!(output.err.contains("26 runs"), "twelve on each side, and two of the machine: {}", output.err);
    assert_eq!(bench.files().iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>(), ["r-a.json", "r-b.json"]);
    let (a, b) = (bench.record("r-a.json"), bench.record("r-b.json"));
    for (record, side, other) in [(&a, "a", "r-b"), (&b, "b", "r-a")] {
        assert_eq!(record["status"], "finished");
        let hash = a["plan"]["paired"]["plan_hash"].as_str().unwrap();
        assert!(hash.len() == 71 && hash.starts_with("sha256:"), "{hash}");
        let letters: String = output.out.split_whitespace().collect();
        assert!(letters.contains(hash), "{}", output.out);
        let expected = serde_json::json!({ "side": side, "other": other, "other_target": "sqlite", "plan_hash": hash });
        assert_eq!(record["plan"]["paired"], expected);
        assert_eq!(record["plan"]["repeats"], 6);
        assert_eq!((runs(record, "T611").len(), runs(record, "T716").len()), (6, 6));
    }
    assert_eq!(places(&a), places(&b));
    let distinct: BTreeSet<_> = places(&a).into_iter().collect();
    assert_eq!(distinct.len(), 12, "each test once in each round");
    let (tests_a, tests_b) = (of_tests(&a), of_tests(&b));
    assert_eq!((a["runs"][0]["test"].as_str(), a["runs"][13]["test"].as_str()), (Some("C11"), Some("C11")));
    assert_eq!((&a["runs"][0], &a["runs"][13]), (&b["runs"][0], &b["runs"][13]), "one run of the machine");
    assert!(output.out.contains("control drift (C11): "), "{}", output.out);
    let start_of = |runs: &[Value], at: usize| runs[at]["started_at"].as_str().unwrap().to_owned();
    let first: Vec<bool> = (0..12).map(|at| start_of(&tests_a, at) < start_of(&tests_b, at)).collect();
    assert!(first.contains(&true) && first.contains(&false), "the lot decides who begins: {first:?}");
    for at in 1..12 {
        let (before, after) = (
            start_of(&tests_a, at - 1).max(start_of(&tests_b, at - 1)),
            start_of(&tests_a, at).min(start_of(&tests_b, at)),
        );
        assert!(before < after, "a pair begins when the one before it has ended");
    }
    for (one, other) in a["data_sets"].as_array().unwrap().iter().zip(b["data_sets"].as_array().unwrap()) {
        assert_eq!(one["fingerprint"], other["fingerprint"], "the same rows");
    }
}

#[test]
fn two_servers_of_our_own_do_not_collide_and_settings_may_differ() {
    let bench = Bench::new();
    let other = "local:postgres?shared_buffers=48MB";
    bench.succeed(&pair("local:postgres", other, &["--pairs", "2"]));
    let (a, b) = (bench.record("r-a.json"), bench.record("r-b.json"));
    assert_eq!(
        (a["engine"]["cache_bytes"].as_u64(), b["engine"]["cache_bytes"].as_u64()),
        (Some(16 << 20), Some(48 << 20))
    );
    assert_eq!(a["plan"]["large_rows"], b["plan"]["large_rows"], "whatever the caches are");
    assert_eq!(b["plan"]["paired"]["other_target"], "local:postgres");
    for record in [&a, &b] {
        for run in record["runs"].as_array().unwrap() {
            assert_eq!(run["outcome"]["status"], "done", "{}", run["outcome"]);
        }
    }
    assert!(servers(&bench).is_empty(), "a server was left behind");
    assert_eq!(bench.files().len(), 2, "{:?}", bench.files());
}

#[test]
fn after_kill_9_the_next_start_stops_both_servers_and_the_pairs_before_are_kept() {
    let bench = Bench::new();
    let mut child = bench.start(&pair("local:postgres", "local:postgres", &["--pairs", "50", "--seconds", "0.3"]));
    wait_for_runs(&bench, "r-b.json", 2);
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert!(servers(&bench).len() >= 2, "both were orphaned");
    assert!(!bench.record("r-a.json")["runs"].as_array().unwrap().is_empty());
    let refused = bench.run(&["run", "--resume", "r-a.json"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("one side of a comparison in pairs"), "{}", refused.err);
    let cleaned = bench.succeed(&["clean", "--yes"]);
    assert!(cleaned.out.contains("stopped") || cleaned.out.contains("removed"), "{}", cleaned.out);
    assert!(servers(&bench).is_empty(), "a server was left behind");
    assert_eq!(bench.files().len(), 2, "{:?}", bench.files());
}

#[test]
fn ctrl_c_ends_both_sides_and_keeps_what_was_finished() {
    let bench = Bench::new();
    let child = bench.start(&pair("local:postgres", "sqlite", &["--pairs", "50", "--seconds", "0.3"]));
    wait_for_runs(&bench, "r-a.json", 1);
    wait_for_runs(&bench, "r-b.json", 1);
    signal(child.id(), "INT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}\n{}", output.out, output.err);
    for name in ["r-a.json", "r-b.json"] {
        let record = bench.record(name);
        assert_eq!(record["status"], "interrupted");
        assert!(!record["runs"].as_array().unwrap().is_empty());
    }
    assert!(servers(&bench).is_empty());
    assert_eq!(bench.files().len(), 2, "{:?}", bench.files());
}

#[test]
fn a_side_that_dies_ends_the_pair_and_is_named() {
    let bench = Bench::new();
    let child = bench.start(&pair("sqlite", "local:postgres", &["--pairs", "50", "--seconds", "0.3"]));
    let server = crate::local_server::wait_for_server(&bench);
    wait_for_runs(&bench, "r-b.json", 1);
    signal(server, "QUIT");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    assert!(output.err.contains("side B") && output.err.contains("hint: "), "{}", output.err);
    assert_eq!(bench.record("r-a.json")["status"], "failed");
    assert!(!bench.path().join("dbdyno-data").exists());
}

#[test]
fn what_cannot_be_paired_is_refused_with_a_hint() {
    let bench = Bench::new();
    let refusals = [
        (vec!["--tests", "C11"], "C11 does not depend on the target and cannot be compared in pairs"),
        (vec!["--tests", "T999"], "test T999 is not known"),
        (vec!["--pairs", "0"], "pairs 0 is not a number from 1 to 1000"),
        (vec!["--jobs", "0"], "jobs 0 is not a degree of parallelism"),
        (vec!["--tests", "T332"], "no test can be run on both sides"),
    ];
    for (options, message) in refusals {
        let output =
            bench.run(&[&["pair", "--a", "sqlite", "--b", "sqlite", "--preset", "smoke"][..], &options].concat());
        assert_eq!(output.code, 2, "{options:?}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains("hint: "), "{options:?}: {}", output.err);
    }
    std::fs::write(bench.path().join("r-b.json"), "{}").unwrap();
    let output = bench.run(&pair("sqlite", "sqlite", &[]));
    assert_eq!(output.code, 2);
    assert!(output.err.contains("record r-b.json exists"), "{}", output.err);
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn a_dry_run_says_how_long_it_takes_and_writes_nothing() {
    let bench = Bench::new();
    let output =
        bench.succeed(&pair("sqlite", "sqlite?synchronous=off", &["--pairs", "6", "--seconds", "5", "--dry-run"]));
    for words in ["side A", "sqlite?synchronous=off", "6 pairs", "T611", "duration"] {
        assert!(output.out.contains(words), "no {words} in\n{}", output.out);
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn it_ends_in_the_comparison_and_a_gate_decides_the_exit_code() {
    let bench = Bench::new();
    let sides = ["pair", "--a", "sqlite", "--b", "sqlite", "--jobs", "1", "--tests", "T611", "--pairs", "6"];
    let short = ["--seconds", "0.1", "--small-rows", "3200", "--large-rows", "3200"];
    let paired = |more: &[&str]| bench.run(&[&sides[..], &short, more].concat());
    let output = paired(&["--record", "r.json"]);
    assert_eq!(output.code, 0, "{}", output.err);
    // A pair with a run that is invalid by CPU steal does not count.
    let (a, b) = (bench.record("r-a.json"), bench.record("r-b.json"));
    let both = runs(&a, "T611").into_iter().zip(runs(&b, "T611"));
    let pairs = both.filter(|(one, other)| !is_invalid(one) && !is_invalid(other)).count();
    assert!(
        output.out.contains(&format!("paired, {pairs} pair")),
        "{pairs} pairs without an invalid run\n{}",
        output.out
    );
    let verdicts = ["FASTER", "SLOWER", "EQUIVALENT", "INCONCLUSIVE"];
    assert!(verdicts.iter().any(|verdict| output.out.contains(verdict)), "{}", output.out);
    let refused = paired(&["--record", "none.json", "--fail-if", "faster"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("\"faster\" is not a condition") && refused.err.contains("hint: "), "{}", refused.err);
    assert_eq!(bench.files().len(), 2, "{:?}", bench.files());
}

#[test]
fn a_condition_on_a_test_that_is_not_planned_is_a_mistake_and_nothing_is_measured() {
    let bench = Bench::new();
    let sides = ["pair", "--a", "sqlite", "--b", "sqlite", "--jobs", "1", "--tests", "T611", "--record", "r.json"];
    for more in [&["--dry-run"][..], &[]] {
        let output =
            bench.run(&[&sides[..], &["--quiet", "--fail-if", "T611:slower>5%,T999:slower>2%"], more].concat());
        let expected = "error: test T999 is required and not planned; planned: T611\n\
            hint: add it to --tests, or require one of these\n";
        assert_eq!((output.code, output.err.as_str(), output.out.as_str()), (2, expected, ""));
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
