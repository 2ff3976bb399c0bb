//! `dbdyno export`: tables and histogram logs.

use crate::bench::{Bench, is_invalid};

fn measured() -> Bench {
    let bench = Bench::new();
    bench.succeed(&[
        "run",
        "--preset",
        "smoke",
        "--jobs",
        "1,2",
        "--tests",
        "T611,C11,S22",
        "--record",
        "r.json",
        "-q",
    ]);
    bench
}

#[test]
fn a_directory_becomes_tables_and_every_run_is_a_row() {
    let bench = measured();
    let output = bench.succeed(&["export", ".", "--format", "csv", "--out", "tables"]);
    assert!(output.out.starts_with("1 record in tables\n"), "{}", output.out);
    let record = bench.record("r.json");
    let runs = record["runs"].as_array().unwrap();
    let lines = |table: &str| {
        let text = std::fs::read_to_string(bench.path().join(format!("tables/{table}.csv"))).unwrap();
        text.lines().count() - 1
    };
    assert_eq!(lines("runs"), runs.len());
    let seconds = runs.iter().map(|run| run["seconds"]["steps"].as_array().unwrap().len());
    assert_eq!(lines("seconds"), seconds.sum::<usize>());
    let findings = runs.iter().map(|run| run["findings"].as_array().unwrap().len());
    assert_eq!(lines("findings"), findings.sum::<usize>());
    let activity = std::fs::read_to_string(bench.path().join("tables/activity.csv")).unwrap();
    // Probes have no activity.
    assert!(activity.contains(",T611,load_profile,Commits,total,") && !activity.contains(",C11,"), "{activity}");
    let layers = std::fs::read_to_string(bench.path().join("tables/layers.csv")).unwrap();
    assert!(layers.contains(",client_service,row,step,"), "{layers}");
    assert_eq!(lines("streams"), runs.iter().filter(|run| run["test"] == "S22").count());
}

#[test]
fn a_window_has_a_line_for_each_second_also_without_operations() {
    let bench = Bench::on_disk();
    let job =
        ["io", "--rw", "randread", "--bs", "4k", "--depth", "2", "--size", "16M", "--seconds", "3", "--warm-up", "0"];
    // At 0 s, and none after it.
    let pace = ["--rate", "0.3", "--arrival", "fixed", "--quiet", "--no-html", "--record", "r.json"];
    bench.run(&[&job[..], &pace[..]].concat());
    bench.succeed(&["export", "r.json", "--format", "csv", "--out", "tables"]);
    let text = std::fs::read_to_string(bench.path().join("tables/seconds.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| {
        let place = rows[0].iter().position(|head| *head == name).unwrap();
        rows[1..].iter().map(|row| row[place]).collect::<Vec<&str>>()
    };
    assert_eq!((column("second"), column("operations")), (vec!["0", "1", "2"], vec!["1", "0", "0"]), "{text}");
    assert_eq!(column("length_ns"), ["1000000000"; 3]);
    for time in ["service_ns_max", "response_ns_max"] {
        let longest = column(time);
        assert!(!longest[0].is_empty() && longest[1..] == ["", ""], "{text}");
    }
    let slices = bench.record("r.json")["runs"][0]["slices"]["responses"].as_array().unwrap().len();
    assert_eq!(slices, 30, "of a tenth of a second each");
}

#[test]
fn parquet_files_are_whole_and_logs_are_one_for_each_run() {
    let bench = measured();
    bench.succeed(&["export", "r.json", "--format", "parquet", "--out", "p"]);
    for table in ["runs", "seconds", "findings", "settings", "readings", "streams", "parameters", "data_sets"] {
        let bytes = std::fs::read(bench.path().join(format!("p/{table}.parquet"))).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
    }
    let logs = |out: &str| std::fs::read_dir(bench.path().join(out)).unwrap().count();
    let mut record = bench.record("r.json");
    let sound = record["runs"].as_array().unwrap().iter().filter(|run| !is_invalid(run)).count();
    bench.succeed(&["export", "r.json", "--format", "hdr", "--out", "h"]);
    assert_eq!(logs("h"), sound);
    // An invalid run has no log, and two records of the same name are separate.
    let first = record["runs"].as_array().unwrap().iter().position(|run| !is_invalid(run)).unwrap();
    record["runs"][first]["outcome"] = serde_json::json!({ "status": "failed", "message": "gone" });
    std::fs::create_dir(bench.path().join("other")).unwrap();
    bench.write_record("other/r.json", &record);
    let output = bench.succeed(&["export", "r.json", "other/r.json", "--format", "hdr", "--out", "two"]);
    assert_eq!(logs("two"), 2 * sound - 1);
    assert!(output.err.contains("other/r.json is exported as r-2: there is another r before it"), "{}", output.err);
    assert!(output.out.contains("left out"), "{}", output.out);
}

#[test]
fn existing_files_stay_and_what_is_no_record_is_reported() {
    let bench = measured();
    std::fs::create_dir(bench.path().join("full")).unwrap();
    std::fs::write(bench.path().join("full/mine"), "mine").unwrap();
    let output = bench.run(&["export", "r.json", "--format", "csv", "--out", "full"]);
    assert_eq!((output.code, output.err.contains("directory full is not empty\nhint: ")), (2, true), "{}", output.err);
    bench.succeed(&["export", "r.json", "--format", "csv", "--out", "full", "--force"]);
    assert!(bench.path().join("full/mine").exists() && bench.path().join("full/runs.csv").exists());
    let output = bench.run(&["export", "full", "--format", "csv", "--out", "x"]);
    assert_eq!((output.code, output.err.contains("there is no record in full")), (2, true), "{}", output.err);
    let output = bench.run(&["export", "missing.json", "--format", "csv", "--out", "x"]);
    assert_eq!((output.code, output.err.contains("missing.json cannot be read")), (2, true), "{}", output.err);
}

#[test]
fn a_published_system_is_written_beside_records() {
    let bench = measured();
    let output = bench.succeed(&["export", "r.json", "hp-dl980", "--format", "csv", "--out", "both"]);
    assert!(output.out.starts_with("1 record and 1 published system in both\n"), "{}", output.out);
    let points = std::fs::read_to_string(bench.path().join("both/reference_points.csv")).unwrap();
    // The published best point of the primary key test, in the columns of its report.
    assert!(points.lines().filter(|line| line.contains(",T611,")).count() >= 3, "{points}");
    assert!(points.lines().skip(1).all(|line| line.starts_with("hp-dl980")), "{points}");
    assert!(bench.path().join("both/runs.csv").exists());
    bench.succeed(&["export", "datrium", "--format", "parquet", "--out", "alone"]);
    assert!(bench.path().join("alone/reference_claims.parquet").exists());
    assert!(!bench.path().join("alone/runs.parquet").exists());
    let refused = bench.run(&["export", "datrium", "--format", "hdr", "--out", "logs"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("is published and has no histograms\nhint: "), "{}", refused.err);
    assert!(!bench.path().join("logs").exists(), "nothing was written");
    let unknown = bench.run(&["export", "no-such-thing", "--format", "csv", "--out", "x"]);
    assert_eq!(unknown.code, 2, "{}", unknown.err);
    assert!(unknown.err.contains("no-such-thing is neither a file nor a published system"), "{}", unknown.err);
}
