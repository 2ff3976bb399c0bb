//! `dbdyno run` on the default engine.

use crate::bench::{Bench, growth, runs};

const SMOKE: [&str; 6] = ["run", "--preset", "smoke", "--record", "r.json", "--jobs"];

#[test]
fn by_default_it_prints_a_spec_sheet_and_only_leaves_the_record() {
    let bench = Bench::new();
    let output = bench.succeed(&["run", "--preset", "smoke", "--jobs", "1,2"]);
    for word in ["T131", "T611", "T716", "C11", "SQLite", "Requested and not run", "dbdyno report"] {
        assert!(output.out.contains(word), "no {word} in\n{}", output.out);
    }
    let files = bench.files();
    assert_eq!(files.len(), 1, "only the record: {files:?}");
    let record = bench.record(files[0].to_str().unwrap());
    assert_eq!(record["status"], "finished");
    let planned = record["plan"]["runs"].as_array().unwrap().len();
    assert_eq!(record["runs"].as_array().unwrap().len(), planned);
    for run in record["runs"].as_array().unwrap() {
        assert_eq!(run["outcome"]["status"], "done", "{} {}", run["test"], run["outcome"]);
    }
}

#[test]
fn no_line_is_wider_than_a_terminal_of_80_columns_and_no_colour_is_shown_to_a_file() {
    let bench = Bench::new();
    let output = bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611,T721,C11"]);
    for line in output.out.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    assert!(!output.out.contains('\u{1b}'), "no escape sequences");
}

#[test]
fn twenty_three_transactions_are_twenty_three_everywhere() {
    let bench = Bench::new();
    bench.succeed(&[&SMOKE[..], &["1", "--tests", "T716", "--steps", "23", "--seconds", "60"]].concat());
    let record = bench.record("r.json");
    let run = runs(&record, "T716")[0];
    assert_eq!(run["totals"]["transactions"], 23);
    assert_eq!(run["totals"]["rows"], 23 * 32);
    assert_eq!(run["service"]["count"], 23);
    let steps = run["seconds"]["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|steps| steps.as_u64().unwrap()).sum::<u64>(), 23);
    assert_eq!(growth(run, "commit_count"), Some(23));
    let csv = bench.succeed(&["report", "r.json", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 2, "a head and one run: {csv}");
}

#[test]
fn tests_are_selected_by_code_and_by_layer() {
    let bench = Bench::new();
    bench.succeed(&[&SMOKE[..], &["1", "--tests", "memory,t611"]].concat());
    let record = bench.record("r.json");
    let tests: Vec<&str> = record["runs"].as_array().unwrap().iter().map(|run| run["test"].as_str().unwrap()).collect();
    assert!(tests.iter().all(|test| test.starts_with('M') || *test == "T611"), "{tests:?}");
    assert!(tests.contains(&"T611") && tests.iter().any(|test| test.starts_with('M')), "{tests:?}");
}

#[test]
fn probes_alone_need_no_engine() {
    let bench = Bench::new();
    let output = bench.succeed(&[&SMOKE[..], &["1", "--tests", "probes"]].concat());
    assert!(bench.record("r.json")["engine"].is_null(), "{}", output.out);
}

#[test]
fn a_quiet_run_only_prints_the_sheet() {
    let bench = Bench::new();
    let output = bench.succeed(&[&SMOKE[..], &["1", "--tests", "T611", "--quiet"]].concat());
    assert_eq!(output.err, "");
    assert!(output.out.contains("primary key access"));
}

#[test]
fn a_kept_database_is_reused_and_removed_on_request() {
    let bench = Bench::new();
    let first = ["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--keep", "--record", "1.json"];
    bench.succeed(&first);
    assert_eq!(bench.record("1.json")["data_sets"][0]["reused"], false);
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--record", "2.json"]);
    assert_eq!(bench.record("2.json")["data_sets"][0]["reused"], true);
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--seed", "7", "--record", "3.json"]);
    assert_eq!(bench.record("3.json")["data_sets"][0]["reused"], false, "another seed is other data");
    assert!(bench.path().join("dbdyno-data").exists());
    let refused = bench.run(&["clean"]);
    assert_eq!(refused.code, 2, "no terminal: {}", refused.err);
    assert!(bench.path().join("dbdyno-data").exists());
    bench.succeed(&["clean", "--yes"]);
    assert!(!bench.path().join("dbdyno-data").exists());
}

#[test]
fn a_dry_run_prints_the_plan() {
    let bench = Bench::new();
    let output = bench.succeed(&["run", "--dry-run", "--jobs", "1,2", "--tests", "T611,T332"]);
    assert!(output.out.contains("T611") && output.out.contains("T332"), "{}", output.out);
    assert!(output.out.contains("no table compression"), "{}", output.out);
    assert!(bench.files().is_empty(), "nothing is left: {:?}", bench.files());
}

#[test]
fn every_record_has_the_overhead_of_the_tool() {
    let bench = Bench::new();
    bench.succeed(&[&SMOKE[..], &["1", "--tests", "C11"]].concat());
    let instrument = &bench.record("r.json")["instrument"];
    for figure in ["clock_read_ns", "loop_step_ns", "null_engine_step_ns"] {
        assert!(instrument[figure].as_f64().unwrap() > 0.0, "{figure}");
    }
}
