//! `dbdyno run` on the engine that needs nothing.

use crate::bench::{Bench, growth, runs};

const SMOKE: [&str; 6] = ["run", "--preset", "smoke", "--record", "r.json", "--jobs"];

#[test]
fn without_options_but_a_size_it_ends_in_a_spec_sheet_and_leaves_nothing_but_the_record() {
    let bench = Bench::new();
    let said = bench.succeed(&["run", "--preset", "smoke", "--jobs", "1,2"]);
    for word in ["T131", "T611", "T716", "P111", "SQLite", "SKIPPED", "dbdyno report"] {
        assert!(said.out.contains(word), "no {word} in\n{}", said.out);
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
    let said = bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611,T721,P111"]);
    for line in said.out.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    assert!(!said.out.contains('\u{1b}'), "no escape sequences");
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
    assert!(tests.iter().all(|test| test.starts_with("P2") || *test == "T611"), "{tests:?}");
    assert!(tests.contains(&"T611") && tests.iter().any(|test| test.starts_with("P2")), "{tests:?}");
}

#[test]
fn probes_alone_need_no_engine() {
    let bench = Bench::new();
    let said = bench.succeed(&[&SMOKE[..], &["1", "--tests", "probes"]].concat());
    assert!(bench.record("r.json")["engine"].is_null(), "{}", said.out);
}

#[test]
fn a_quiet_run_says_nothing_but_the_sheet() {
    let bench = Bench::new();
    let said = bench.succeed(&[&SMOKE[..], &["1", "--tests", "T611", "--quiet"]].concat());
    assert_eq!(said.err, "");
    assert!(said.out.contains("T611"));
}

#[test]
fn a_kept_database_is_used_again_and_removed_on_request() {
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
    assert_eq!(refused.code, 2, "nobody to ask: {}", refused.err);
    assert!(bench.path().join("dbdyno-data").exists());
    bench.succeed(&["clean", "--yes"]);
    assert!(!bench.path().join("dbdyno-data").exists());
}

#[test]
fn the_plan_can_be_seen_before_it_is_carried_out() {
    let bench = Bench::new();
    let said = bench.succeed(&["run", "--dry-run", "--jobs", "1,2", "--tests", "T611,T332"]);
    assert!(said.out.contains("T611") && said.out.contains("T332"), "{}", said.out);
    assert!(said.out.contains("no table compression"), "{}", said.out);
    assert!(bench.files().is_empty(), "nothing is left: {:?}", bench.files());
}

#[test]
fn the_loop_and_the_instrument_are_measured_in_every_record() {
    let bench = Bench::new();
    bench.succeed(&[&SMOKE[..], &["1", "--tests", "P111"]].concat());
    let instrument = &bench.record("r.json")["instrument"];
    for figure in ["clock_read_ns", "loop_step_ns", "null_engine_step_ns"] {
        assert!(instrument[figure].as_f64().unwrap() > 0.0, "{figure}");
    }
}
