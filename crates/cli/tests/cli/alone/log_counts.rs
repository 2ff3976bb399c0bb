//! Commits and bytes of log: what is reported, against the log of the engine and the flushes of the device.

use serde_json::Value;

use crate::bench::{Bench, growth, runs};

/// The run of `code` in 400 steps of one job, on a server of its own.
fn measured(bench: &Bench, code: &str) -> Value {
    let words =
        ["run", "--target", "local:postgres", "--tests", code, "--jobs", "1", "--steps", "400", "--seconds", "60"];
    let more = ["--preset", "smoke", "--no-activity", "--no-html", "--quiet", "--record", &format!("{code}.jsonl")];
    bench.succeed(&[&words[..], &more].concat());
    runs(&bench.record(&format!("{code}.jsonl")), code)[0].clone()
}

/// Whether `count` is `expected` within a twentieth.
fn agrees(count: u64, expected: u64) -> bool {
    20 * count.abs_diff(expected) <= expected
}

#[test]
fn each_bare_commit_is_a_sync_of_the_log_and_a_flush_of_the_device() {
    let bench = Bench::new().alone();
    let run = measured(&bench, "T321");
    assert_eq!(run["totals"]["transactions"], 400);
    let syncs = growth(&run, "redo_sync_count").unwrap();
    assert!(agrees(syncs, 400), "{syncs} syncs");
    // Others may flush the device as well; a file system in memory has none.
    if let Some(flushes) = growth(&run, "device_flush_count").filter(|flushes| *flushes > 0) {
        assert!(flushes >= 380, "{flushes} flushes");
    }
}

#[test]
fn the_log_holds_the_bytes_of_the_rows_and_little_more() {
    let bench = Bench::new().alone();
    let run = measured(&bench, "T322");
    let rows_bytes = run["totals"]["bytes"].as_u64().unwrap();
    assert_eq!(rows_bytes, 400 * 32 * 1_908);
    let log_bytes = growth(&run, "redo_write_bytes").unwrap();
    // By the log's own count of its records, and by the distance between two positions in it.
    let record_bytes = growth(&run, "postgres_wal_record_bytes").unwrap();
    assert!(agrees(record_bytes, log_bytes), "{record_bytes} of {log_bytes}");
    assert!((rows_bytes..rows_bytes + rows_bytes / 10).contains(&log_bytes), "{log_bytes} for {rows_bytes}");
}
