//! `dbdyno report --layers`: latency by layer, compared with the counters of the engine.

use crate::bench::{Bench, Finished, growth, runs};

/// The smallest run of small transactions on `target`, untraced.
fn measured(bench: &Bench, target: &str) -> Finished {
    let run =
        ["run", "--target", target, "--preset", "smoke", "--jobs", "1", "--tests", "T311,T131", "--record", "r.json"];
    bench.succeed(&run)
}

/// The cell in column `name` of the line of the table whose column `by` is `value`.
fn cell(table: &str, by: &str, value: &str, name: &str) -> Option<String> {
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let heads = lines.next().unwrap();
    let at = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let line = lines.find(|line| line[at(by)] == value)?;
    Some(line[at(name)].to_owned())
}

fn table(bench: &Bench) -> String {
    bench.succeed(&["report", "r.json", "--layers", "T311", "--format", "csv"]).out
}

#[test]
fn log_waits_equal_log_flushes() {
    for (target, name) in [("local:postgres", "wal sync"), ("sqlite", "log sync")] {
        let bench = Bench::on_disk();
        let output = measured(&bench, target);
        assert!(output.out.contains("dbdyno report r.json --layers"), "{target}: {}", output.out);
        let record = bench.record("r.json");
        let run = runs(&record, "T311")[0];
        let syncs = growth(run, "redo_sync_count").unwrap();
        let table = table(&bench);
        assert!(syncs > 0, "{target}");
        assert_eq!(cell(&table, "name", name, "count"), Some(syncs.to_string()), "{target}\n{table}");
        let fan_out: f64 = cell(&table, "name", name, "fan_out").unwrap().parse().unwrap();
        let steps = run["totals"]["steps"].as_u64().unwrap();
        assert!((fan_out - syncs as f64 / steps as f64).abs() < 1e-9, "{target}: {fan_out}");
    }
}

#[test]
fn a_server_has_database_time_and_an_embedded_engine_a_reason() {
    for target in ["local:postgres", "local:mariadb?userstat=on"] {
        let bench = Bench::on_disk();
        measured(&bench, target);
        let table = table(&bench);
        let per_step = |layer: &str| -> f64 { cell(&table, "layer", layer, "per_step_ns").unwrap().parse().unwrap() };
        assert!(per_step("L3") > 0.0 && per_step("L2") > 0.0, "{target}\n{table}");
        // Reading the counters adds a little database time to a short window.
        assert!(per_step("L3") < 1.5 * per_step("L2"), "{target}: at work longer than anybody waited\n{table}");
    }
    let bench = Bench::on_disk();
    measured(&bench, "sqlite");
    let shown = bench.succeed(&["report", "r.json", "--layers"]).out;
    assert!(shown.contains("the engine is embedded and runs in the thread of the caller"), "{shown}");
    assert!(shown.contains("hint: dbdyno run --trace one"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn runs_without_layers_are_refused_with_a_reason() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611,C11", "--record", "r.json"]);
    let refused = |arguments: &[&str]| {
        let output = bench.run(&[&["report", "r.json", "--layers"], arguments].concat());
        assert_eq!(output.code, 2, "{arguments:?}\n{}{}", output.out, output.err);
        output.err
    };
    assert!(refused(&[]).contains("no valid run of this record does I/O or commits"), "{}", refused(&[]));
    assert!(refused(&["T999"]).contains("no run of a test T999"));
    assert!(refused(&["99"]).contains("no run 99 in this record of 2 runs"));
    assert!(refused(&["C11"]).contains("no valid run of C11 uses an engine"), "{}", refused(&["C11"]));
    assert!(refused(&["T611", "--format", "json"]).contains("latency by layer has no format json"));
    bench.succeed(&["report", "r.json", "--layers", "T611"]);
    let output = bench.run(&["report", "hp-dl980", "--layers"]);
    assert_eq!(
        (output.code, output.err.contains("a published system has no latency by layer")),
        (2, true),
        "{}",
        output.err
    );
}

#[test]
fn a_traced_repeat_has_the_system_calls_of_the_waits_or_a_reason() {
    let bench = Bench::on_disk();
    let run =
        ["run", "--target", "local:postgres", "--preset", "smoke", "--seconds", "1", "--jobs", "1", "--tests", "T311"];
    bench.succeed(&[&run[..], &["--trace", "one", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    let traced = record["runs"].as_array().unwrap().iter().find(|run| run["variation"]["kind"] == "traced");
    let shown = bench.succeed(&["report", "r.json", "--layers"]).out;
    match traced {
        Some(run) => {
            let table = table(&bench);
            let count = |name: &str| -> f64 { cell(&table, "name", name, "count").unwrap().parse().unwrap() };
            let (waits, calls) = (count("wal sync"), count("fdatasync"));
            assert!((calls / waits - 1.0).abs() < 0.05, "{calls} calls, {waits} waits\n{table}");
            assert_eq!(cell(&table, "name", "fdatasync", "run"), Some(run["number"].to_string()));
            assert!(shown.contains("traced repeat of run 1") && shown.contains("cost of tracing: "), "{shown}");
        }
        // Tracing is not permitted: the same table, with the reason.
        None => assert!(shown.contains("L5 system calls: ") && shown.contains("hint: "), "{shown}"),
    }
}

#[test]
fn a_temporary_server_only_times_statements_while_traced() {
    let bench = Bench::on_disk();
    let run = ["run", "--target", "local:mariadb", "--preset", "smoke", "--jobs", "1", "--tests", "T311,T716"];
    bench.succeed(&[&run[..], &["--trace", "one", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    for run in record["runs"].as_array().unwrap() {
        let is_traced = run["variation"]["kind"] == "traced";
        assert_eq!(growth(run, "database_time_ns").is_some_and(|time| time > 0), is_traced, "run {}", run["number"]);
    }
    let table = bench.succeed(&["report", "r.json", "--layers", "T716", "--format", "csv"]).out;
    let waits = table.lines().find(|line| line.contains(",wait,missing,")).unwrap_or_else(|| panic!("{table}"));
    assert!(
        waits.contains("the engine times some waits but none for I/O with its current settings"),
        "few sample_sessions: {waits}"
    );
}
