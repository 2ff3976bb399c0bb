//! `dbdyno blocks`: exact rows and mixes, commits counted by the engine, and reads with cold caches.

use serde_json::Value;

use crate::bench::{Bench, growth, runs};

const ENGINES: [&str; 3] = ["sqlite", "local:postgres", "local:mariadb"];

/// The settings of a published measurement.
const SLOB_CONF: &str = include_str!("../../../workload/src/blocks/settings/slob.conf");

/// Measures; returns the record and the output.
fn measured(bench: &Bench, arguments: &[&str]) -> (Value, String) {
    let output = bench.succeed(&[&["blocks", "--no-probe", "--record", "r.json"], arguments].concat());
    let record = bench.record("r.json");
    assert_eq!(record["status"], "finished", "{}", output.err);
    for run in record["runs"].as_array().unwrap() {
        assert_eq!(run["outcome"]["status"], "done", "{run}");
        assert_ne!(run["findings"][0]["evidence"]["answers"], Value::Null);
        assert_eq!(run["findings"][0]["verdict"], "pass", "{}", output.out);
    }
    (record, output.out)
}

/// Steps and rows of one kind of operation of a run.
fn kind(run: &Value, name: &str) -> (u64, u64) {
    let kinds = run["blocks"]["operations"].as_array().unwrap();
    let found = kinds.iter().find(|kind| kind["operation"] == name);
    found.map_or((0, 0), |kind| (kind["steps"].as_u64().unwrap(), kind["rows"].as_u64().unwrap()))
}

/// Commits that the engine counted for the steps of a run alone.
fn commits(run: &Value) -> u64 {
    let bookkeeping = growth(run, "bookkeeping_commit_count").unwrap_or(0);
    growth(run, "commit_count").unwrap() - bookkeeping
}

pub fn only_run(record: &Value) -> &Value {
    let found = runs(record, "B100");
    assert_eq!(found.len(), 1);
    found[0]
}

#[test]
fn a_hundred_operations_have_exactly_their_mix_and_their_rows() {
    for target in ENGINES {
        let bench = Bench::new();
        let mix = ["--update-pct", "30", "--scan-pct", "10", "--scan-table-size", "40", "--redo-stress", "heavy"];
        let size = ["--scale", "500", "--work-unit", "16", "--work-loop", "100", "--schemas", "2", "--warm-up", "0.1"];
        let (record, out) = measured(&bench, &[&["--target", target], &mix[..], &size[..]].concat());
        let run = only_run(&record);
        let rows_of_scan = if target == "local:mariadb" { 80 } else { 40 };
        // 30 of 100 are updates, a tenth of the other 70 scans; two sessions.
        assert_eq!(kind(run, "update"), (60, 60 * 16), "{target}");
        assert_eq!(kind(run, "scan"), (14, 14 * rows_of_scan), "{target}");
        assert_eq!(kind(run, "read"), (126, 126 * 16), "{target}");
        assert_eq!(run["totals"]["operations"], 200);
        let expected = run["commits_expected"].as_u64().unwrap();
        assert_eq!(expected, if target == "sqlite" { 60 } else { 200 }, "what only reads is no commit of {target}");
        assert_eq!(commits(run), expected, "{target}");
        for words in ["SLOB-style summary", "Per-operation averages", "exec/s", "30 % of the operations update 19"] {
            assert!(out.contains(words), "no {words:?} in {out}");
        }
        assert_eq!(bench.files().len(), 1, "a record and nothing else: {:?}", bench.files());
        let resumed = bench.run(&["run", "--resume", "r.json"]);
        assert!(resumed.code == 2 && resumed.err.contains("it is a record of dbdyno blocks"), "{}", resumed.err);
        let again = bench.succeed(&["report", "r.json"]);
        assert!(again.out.contains("SLOB-style summary"), "{}", again.out);
    }
}

#[test]
fn twenty_three_operations_are_twenty_three_commits() {
    for target in ENGINES {
        let bench = Bench::new();
        let sizes =
            ["--scale", "300", "--work-unit", "8", "--work-loop", "23", "--update-pct", "100", "--warm-up", "0"];
        let (record, _) = measured(&bench, &[&["--target", target], &sizes[..]].concat());
        let run = only_run(&record);
        assert_eq!(run["totals"]["operations"], 23, "{target}");
        assert_eq!(run["totals"]["rows"], 23 * 8, "{target}");
        assert_eq!((run["commits_expected"].as_u64(), commits(run)), (Some(23), 23), "{target}");
    }
}

#[test]
fn cached_blocks_cause_no_reads() {
    for target in ENGINES {
        let bench = Bench::new();
        let sizes = ["--scale", "1000", "--run-time", "0.3", "--update-pct", "0"];
        let (record, out) = measured(&bench, &[&["--target", target], &sizes[..]].concat());
        let run = only_run(&record);
        assert_eq!(run["blocks"]["caches"], "preloaded", "{target}");
        assert!(run["totals"]["operations"].as_u64().unwrap() > 0);
        assert_eq!(growth(run, "physical_read_count"), Some(0), "{target}\n{out}");
        assert!(growth(run, "logical_read_count").unwrap() >= run["totals"]["rows"].as_u64().unwrap(), "{target}");
    }
}

#[test]
fn a_cold_run_reads_each_block() {
    for target in ENGINES {
        let bench = Bench::on_disk();
        let sizes = ["--cold", "--scale", "20480", "--work-unit", "128", "--update-pct", "0"];
        let (record, _) = measured(&bench, &[&["--target", target], &sizes[..]].concat());
        let run = only_run(&record);
        assert_eq!(run["blocks"]["caches"], "cold", "{target}");
        let operations = run["totals"]["operations"].as_u64().unwrap();
        assert_eq!(operations, 19, "an eighth of 160, but for the one that warmed up");
        let reads = growth(run, "physical_read_count").unwrap() as f64 / (operations * 128) as f64;
        assert!((0.98..1.02).contains(&reads), "{target} read {reads} blocks for each of the work unit");
        // Other programs may add reads of the device. A tmpfs has no device.
        let is_on_device = run["blocks"]["page_cached"].as_f64().is_some_and(|share| share < 0.05);
        if let Some(device) = growth(run, "device_read_count").filter(|_| is_on_device) {
            let device = device as f64 / (operations * 128) as f64;
            assert!(device > 0.95, "{target} had the device read {device} blocks for each of the work unit");
        }
    }
}

#[test]
fn the_settings_of_a_published_measurement_are_supported() {
    for target in ENGINES {
        let bench = Bench::new();
        std::fs::write(bench.path().join("slob.conf"), SLOB_CONF).unwrap();
        let smaller = ["slob.conf", "--run-time", "0.3", "--scale", "2000", "--target", target];
        let (record, out) = measured(&bench, &smaller);
        let run = only_run(&record);
        let parameters = &run["parameters"];
        assert_eq!((parameters["update_pct"].as_i64(), parameters["work_unit"].as_i64()), (Some(30), Some(64)));
        assert!(kind(run, "update").0 > 0 && kind(run, "read").0 > 0, "{target}\n{out}");
        assert_eq!(kind(run, "update").1, kind(run, "update").0 * 64, "{target}");
    }
}

#[test]
fn a_loop_in_the_engine_does_the_same() {
    for target in ["local:postgres", "local:mariadb"] {
        let bench = Bench::new();
        let mix = ["--update-pct", "30", "--scan-pct", "10", "--scan-table-size", "40", "--threads", "2"];
        // Fewer start keys than operations per call.
        let size = ["--mode", "engine", "--scale", "100", "--work-unit", "90", "--work-loop", "100", "--warm-up", "0"];
        let (record, out) = measured(&bench, &[&["--target", target], &mix[..], &size[..]].concat());
        let run = only_run(&record);
        let rows_of_scan = if target == "local:mariadb" { 80 } else { 40 };
        assert_eq!(run["totals"]["operations"], 200, "{target}");
        assert_eq!(run["totals"]["rows"], 2 * (93 * 90 + 7 * rows_of_scan), "{target}");
        assert_eq!(kind(run, "batch").0, 10, "{target}: calls of 20");
        assert_eq!((run["commits_expected"].as_u64(), commits(run)), (Some(200), 200), "{target}");
        assert!(out.contains("server-side loop"), "{out}");
    }
}

#[test]
fn the_tiers_of_caches_are_distinguished() {
    for target in ["sqlite", "local:postgres"] {
        let bench = Bench::new();
        let sizes = ["--cache", "2MiB,64MiB", "--scale", "2000", "--run-time", "0.3", "--update-pct", "0"];
        let (record, out) = measured(&bench, &[&["--target", target], &sizes[..]].concat());
        let found = [runs(&record, "B100@2MiB"), runs(&record, "B100@64MiB")].concat();
        assert_eq!(found.len(), 2);
        let reads: Vec<u64> = found.iter().map(|run| growth(run, "physical_read_count").unwrap()).collect();
        assert!(reads[0] > 1_000 && reads[1] == 0, "{target}: {reads:?}");
        let caches: Vec<u64> = found.iter().map(|run| run["blocks"]["cache_bytes"].as_u64().unwrap()).collect();
        assert_eq!(caches, [2 << 20, 64 << 20], "{target}");
        assert!(out.contains("Reads per operation"), "{out}");
        assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
    }
}

#[test]
fn a_pause_is_no_part_of_an_operation() {
    let bench = Bench::new();
    let pause = ["--think-frequency", "1", "--think-min", "0.02", "--think-max", "0.03", "--update-pct", "0"];
    let size = ["--scale", "200", "--work-unit", "4", "--work-loop", "20", "--warm-up", "0"];
    let (record, _) = measured(&bench, &[&pause[..], &size[..]].concat());
    let run = only_run(&record);
    assert!(run["window_ns"].as_u64().unwrap() >= 20 * 20_000_000, "the pauses are in the window");
    assert!(run["service"]["p50_ns"].as_u64().unwrap() < 20_000_000, "and in no operation");
    assert_eq!(run["pace"]["think_time"]["think_ns"], 25_000_000);
}

#[test]
fn what_cannot_be_measured() {
    let bench = Bench::new();
    let refused = |arguments: &[&str], words: &[&str]| {
        let output = bench.run(&[&["blocks"], arguments].concat());
        assert_eq!(output.code, 2, "{arguments:?}\n{}\n{}", output.out, output.err);
        for word in words.iter().chain(&["hint: "]) {
            assert!(output.err.contains(word), "no {word:?} in {:?}", output.err);
        }
        assert!(!output.err.contains("tiger"), "{}", output.err);
    };
    refused(&["--target", "duckdb"], &["random blocks cannot be measured on DuckDB", "by column,"]);
    refused(&["--mode", "engine"], &["SQLite has no procedures that commit", "--mode client"]);
    refused(&["--mode", "engine", "--target", "local:postgres", "--think-frequency", "2"], &["no think time"]);
    refused(&["--update-pct", "101"], &["update-pct 101 is out of range"]);
    refused(&["--scale", "10"], &["scale 10 is out of range"]);
    refused(&["--scale", "200", "--work-unit", "300"], &["a work unit of 300 does not fit"]);
    refused(&["--scale", "200", "--cold"], &["too small to visit each at most once"]);
    refused(&["--hotspot", "--scale", "200"], &["the hot spot ends at block 3072"]);
    refused(&["--cache", "lots"], &["cache lots is not a size"]);
    refused(&["--cache="], &["cache \"\" is not a size"]);
    refused(&["--scale="], &["scale \"\" is neither"]);
    refused(&["--hotspot-mb", "4"], &["--hotspot-mb has no effect: there is no hot spot", "give --hotspot"]);
    refused(&["--think-max", "1"], &["--think-max has no effect", "--think-frequency"]);
    refused(&["--hot-schema-frequency", "3"], &["--hot-schema-frequency has no effect", "--schemas 2"]);
    refused(&["--cold", "--hotspot"], &["a cold run visits no block twice", "a hot spot is", "--hotspot (DO_HOTSPOT)"]);
    refused(&["--cold", "--schemas", "2", "--hot-schema-frequency", "3"], &["visits no block twice", "a hot schema"]);
    refused(&["--cold", "--work-loop", "20"], &["more than the 19", "reads ahead", "a --scale of 10752 blocks"]);
    refused(&["nowhere.conf"], &["nowhere.conf cannot be read"]);
    for (text, words) in [
        ("SYSDBA_PASSWD=tiger\nUPDATE_PERCENT=3\n", "line 2: UPDATE_PERCENT is not a setting"),
        ("SYSDBA_PASSWD=tiger\nSCALE=$TIGER\n", "line 2: it contains a substitution"),
        ("tiger\n", "line 1: it is not an assignment"),
        ("SCALE=80M\nUPDATE_PCT=3\nSCALE=90M\n", "line 3: SCALE is set a second time, after line 1"),
        ("RUN_TIME=soon\n", "line 1: RUN_TIME soon is not a length of time"),
    ] {
        std::fs::write(bench.path().join("bad.conf"), text).unwrap();
        refused(&["bad.conf"], &[words]);
    }
    assert_eq!(bench.files(), [std::path::PathBuf::from("bad.conf")], "nothing is made");
}

#[test]
fn ignored_settings_are_noted_and_no_password_is_kept() {
    let bench = Bench::new();
    let text = "\u{feff}SYSDBA_PASSWD='tiger'\nDATABASE_STATISTICS_TYPE=awr\nSCALE=200\nWORK_UNIT=4\nWORK_LOOP=5\n\
                EXTERNAL_SCRIPT=$PWD/x\nHOTSPOT_MB=8\nHOTSPOT_FREQUENCY=3\nHOT_SCHEMA_FREQUENCY=2\n";
    std::fs::write(bench.path().join("slob.conf"), text).unwrap();
    let output = bench.succeed(&["blocks", "slob.conf", "--no-probe", "--record", "r.json"]);
    for words in [
        "line 1: SYSDBA_PASSWD is ignored",
        "line 2: DATABASE_STATISTICS_TYPE is ignored",
        "line 6: EXTERNAL_SCRIPT is ignored",
        "HOTSPOT_MB, HOTSPOT_FREQUENCY have no effect: there is no hot spot",
        "HOT_SCHEMA_FREQUENCY has no effect: there is only one schema",
    ] {
        assert!(output.err.contains(words), "{}", output.err);
    }
    let record = std::fs::read_to_string(bench.path().join("r.json")).unwrap();
    assert!(!record.contains("tiger") && !output.err.contains("tiger") && !output.out.contains("tiger"));
}

#[test]
fn the_page_cache_is_checked_if_the_engine_reads() {
    let asked = |cache: &str| {
        let bench = Bench::new();
        let sizes = ["--target", "local:postgres", "--scale", "4000", "--run-time", "0.3", "--update-pct", "0"];
        let (record, _) = measured(&bench, &[&sizes[..], &["--cache", cache]].concat());
        let findings = only_run(&record)["findings"].as_array().unwrap().clone();
        findings.iter().any(|finding| finding["evidence"].get("page_cache").is_some())
    };
    assert!(asked("8MiB"), "the blocks have four times of it");
    assert!(!asked("128MiB"), "all of them lie in it");
}

#[test]
fn engines_with_other_blocks_are_compared_by_their_number() {
    let bench = Bench::new();
    for (target, record) in [("local:postgres", "a.json"), ("local:mariadb", "b.json")] {
        let size = ["--scale", "300", "--work-unit", "8", "--work-loop", "50", "--warm-up", "0", "--update-pct", "0"];
        bench.succeed(&[&["blocks", "--no-probe", "--target", target, "--record", record], &size[..]].concat());
    }
    let output = bench.run(&["compare", "a.json", "b.json"]);
    assert!(output.out.contains("block size: A 8 KiB; B 16 KiB"), "{}\n{}", output.out, output.err);
    assert!(output.out.contains("B100") && !output.out.contains("table sizes differ"), "{}", output.out);
}

#[test]
fn tables_without_free_space_are_refused_before_the_first_is_made() {
    let bench = Bench::new();
    for (arguments, words) in [
        (
            &["blocks", "--no-probe", "--scale", "1000T", "--schemas", "4", "--record", "r.json"][..],
            ["for 4 tables of 4 schemas with ", "give a smaller --scale, fewer --schemas, or another --dir"],
        ),
        (
            &["run", "--tests", "T611", "--small-rows", "1000000000000", "--seconds", "0.1", "--record", "r.json"],
            [" MB of rows of small, their indexes and the log, and ", "give fewer --small-rows"],
        ),
    ] {
        let output = bench.run(arguments);
        assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
        for words in [" MB are required in ", " MB are available"].iter().chain(&words) {
            assert!(output.err.contains(words), "no {words:?} in {}", output.err);
        }
        assert!(bench.record("r.json")["data_sets"].as_array().is_none_or(Vec::is_empty));
        std::fs::remove_file(bench.path().join("r.json")).unwrap();
    }
}

#[test]
fn settings_of_former_releases_are_ignored_or_all_named() {
    let bench = Bench::new();
    std::fs::write(
        bench.path().join("old.conf"),
        "SCALE=200\nWORK_UNIT=4\nDO_UPDATE_HOTSPOT=FALSE\nHOTSPOT_PCT=10\nTHINK_TM_MODULUS=0\n",
    )
    .unwrap();
    let arguments = ["blocks", "old.conf", "--run-time", "0.2", "--no-probe", "--record", "r.json"];
    let output = bench.succeed(&arguments);
    for (line, name) in [(3, "DO_HOTSPOT"), (4, "HOTSPOT_FREQUENCY"), (5, "THINK_TM_FREQUENCY")] {
        assert!(output.err.contains(&format!("old.conf, line {line}: ")), "{}", output.err);
        assert!(output.err.contains(&format!("(now {name})")), "{}", output.err);
    }
    std::fs::write(bench.path().join("two.conf"), "SHARED_DATA_MODULUS=8\nUPDATES=9\n").unwrap();
    let output = bench.run(&["blocks", "two.conf", "--record", "s.json"]);
    assert_eq!(output.code, 2);
    let expected = "two.conf, line 1: SHARED_DATA_MODULUS (now HOT_SCHEMA_FREQUENCY), line 2: UPDATES are not settings";
    assert!(output.err.contains(expected), "{}", output.err);
}
