//! `dbdyno load` into DuckDB: rows, rejects, indexes, unsupported features, and a resumed load.

use std::fs;

use crate::bench::{Bench, runs};
use crate::cmd_load::{count, found, is_right, loaded, malformed, only_run, sum};
use crate::load_stopped::stopped_and_resumed;

/// DuckDB in the library installed by `test.sh`.
pub const TARGET: &str = concat!("duckdb?library=", env!("CARGO_MANIFEST_DIR"), "/../../target/duckdb/libduckdb.so");

/// The options of every load here.
const INTO: [&str; 2] = ["--target", TARGET];

#[test]
fn generated_rows_are_loaded_once_with_and_without_indexes() {
    let bench = Bench::new();
    for indexes in ["none", "before", "after"] {
        let name = format!("{indexes}.json");
        let options = ["--rows", "5k", "--jobs", "1,2", "--indexes", indexes];
        let (record, _) = loaded(&bench, &name, &[&INTO[..], &options].concat());
        let found_runs = runs(&record, "L100");
        assert_eq!(found_runs.len(), 2, "{indexes}");
        for run in found_runs {
            assert_eq!((count(run, "rows"), found(run, "rows")), (5_000, "5000"), "{indexes}");
            assert_eq!(run["load"]["index_build_ns"].is_u64(), indexes == "after", "{indexes}");
            assert!(count(run, "table_bytes") > 0, "{indexes}");
        }
        assert!(!bench.path().join("dbdyno-data").exists(), "nothing is left behind");
    }
}

#[test]
fn unsupported_features_are_skipped_with_a_reason() {
    let bench = Bench::new();
    let options = ["--rows", "5k", "--jobs", "1", "--models", "all", "--form", "both"];
    let (record, _) = loaded(&bench, "r.json", &[&INTO[..], &options].concat());
    let codes: Vec<&str> = record["runs"].as_array().unwrap().iter().map(|run| run["test"].as_str().unwrap()).collect();
    assert_eq!(codes, ["L100", "L100@compressed"]);
    let skipped = record["plan"]["skipped"].as_array().unwrap();
    let reason = |test: &str| {
        let found = skipped.iter().find(|skipped| skipped["test"] == test);
        found.unwrap_or_else(|| panic!("{test} is not skipped: {skipped:?}"))["reason"].as_str().unwrap()
    };
    assert!(reason("L100@partitioned").contains("has no partitioned tables"));
    assert!(reason("L100,as-is").contains("lines"), "{skipped:?}");
}

#[test]
fn too_many_rejected_lines_stop_a_load_that_can_be_resumed() {
    let bench = Bench::new();
    let (file, bad) = malformed();
    fs::write(bench.path().join("bad.tbl"), file).unwrap();
    let load = |record: &str, more: &[&str]| {
        let arguments = ["load", "bad.tbl", "--jobs", "2", "--batch", "4KiB", "--record", record];
        bench.run(&[&arguments[..], &INTO, more].concat())
    };
    let stopped = load("a.json", &["--max-errors", "2", "--indexes", "before"]);
    assert_eq!(stopped.code, 1, "{}\n{}", stopped.out, stopped.err);
    let broken = bench.record("a.json");
    let broken = only_run(&broken, "L100");
    assert_eq!(found(broken, "rows"), count(broken, "rows").to_string(), "only whole batches are in the table");
    let other = load("b.json", &["--resume", "--table", "another"]);
    assert!(other.code == 2 && other.err.contains("no load of table another was started here"), "{}", other.err);
    let gone_on = load("c.json", &["--max-errors", "5", "--resume", "--indexes", "before", "--rejects", "all.tbl"]);
    assert_eq!(gone_on.code, 0, "{}\n{}", gone_on.out, gone_on.err);
    let record = bench.record("c.json");
    let run = only_run(&record, "L100");
    is_right(run, &gone_on);
    assert_eq!((count(run, "resumed_rows") + count(run, "rows"), found(run, "rows")), (400, "400"));
    assert_eq!(found(run, "sum of purchase_amt"), sum(1..401));
    assert!(count(run, "rejected_rows") <= bad.len() as u64);
    bench.succeed(&["clean", "--yes"]);
}

#[test]
fn a_killed_load_is_resumed_without_duplicate_rows() {
    stopped_and_resumed(TARGET, "KILL");
}
