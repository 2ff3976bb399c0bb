//! `dbdyno compare`: records and published systems side by side.

use std::fs;

use serde_json::{Value, json};

use crate::bench::Bench;

const SMALL: [&str; 12] = [
    "run",
    "--preset",
    "quick",
    "--seconds",
    "0.2",
    "--warm-up",
    "0.05",
    "--small-rows",
    "4000",
    "--large-rows",
    "8000",
    "--quiet",
];

fn measure(bench: &Bench, more: &[&str]) {
    bench.succeed(&[&SMALL[..], more].concat());
}

/// The record at `from` as one side of a pair, with every run `factor` times as long, which lowers the rate.
fn side(bench: &Bench, from: &str, [name, other]: [&str; 2], factor: f64) {
    let mut record: Value = bench.record(from);
    record["id"] = json!(name);
    record["plan"]["paired"] = json!({ "side": name, "other": other, "other_target": "sqlite" });
    for run in record["runs"].as_array_mut().unwrap() {
        run["window_ns"] = json!((run["window_ns"].as_f64().unwrap() * factor) as u64);
    }
    bench.write_record(&format!("{name}.json"), &record);
}

/// A directory with the two sides of a pair, `a.json` and `b.json`, `b` being 20 % slower.
fn pair() -> Bench {
    let bench = Bench::new();
    measure(&bench, &["--tests", "T611", "--jobs", "1", "--repeats", "6", "--record", "r.json"]);
    side(&bench, "r.json", ["a", "b"], 1.0);
    side(&bench, "r.json", ["b", "a"], 1.25);
    bench
}

#[test]
fn a_slower_side_is_reported_and_the_gate_makes_it_an_exit_code() {
    let bench = pair();
    let output = bench.succeed(&["compare", "a.json", "b.json"]);
    for words in ["T611", "SLOWER", "-20.0 %", "paired, 6 pairs"] {
        assert!(output.out.contains(words), "no {words} in\n{}", output.out);
    }
    let passed = bench.succeed(&["compare", "b.json", "a.json", "--fail-if", "slower>2%"]);
    assert!(passed.out.contains("FASTER") && passed.out.contains("slower>2%: passed"), "{}", passed.out);
    let failed = bench.run(&["compare", "a.json", "b.json", "--fail-if", "slower>2%", "--format", "junit"]);
    assert_eq!(failed.code, 1, "{}", failed.err);
    assert!(failed.err.contains("test T611 on b meets slower>2%: 20.0 % slower"), "{}", failed.err);
    assert!(failed.out.starts_with("<?xml") && failed.out.contains("<failure type=\"gate\""), "{}", failed.out);
    let more = bench.run(&["compare", "a.json", "b.json", "--fail-if", "slower>25%"]);
    assert_eq!(more.code, 0, "{}", more.err);
}

#[test]
fn every_format_has_the_same_verdict() {
    let bench = pair();
    for format in ["text", "markdown", "junit", "csv"] {
        let output = bench.succeed(&["compare", "a.json", "b.json", "--format", format]);
        assert!(output.out.contains("SLOWER"), "{format}\n{}", output.out);
    }
    bench.succeed(&["compare", "a.json", "b.json", "--html", "c.html"]);
    let page = fs::read_to_string(bench.path().join("c.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("SLOWER"));
    let kept = bench.run(&["compare", "a.json", "b.json", "--html", "a.json"]);
    assert_eq!(kept.code, 2, "a record is not replaced by a page: {}", kept.err);
}

#[test]
fn single_runs_decide_nothing_and_published_figures_have_no_verdict() {
    let bench = Bench::new();
    measure(&bench, &["--tests", "T611,C11", "--jobs", "1", "--record", "one.json"]);
    measure(&bench, &["--tests", "T611", "--jobs", "1", "--record", "two.json"]);
    let output = bench.run(&["compare", "one.json", "two.json", "--fail-if", "inconclusive"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(output.out.contains("single run: repeatability unknown"), "{}", output.out);
    assert!(output.out.contains("only on A"), "C11\n{}", output.out);
    let beside = bench.succeed(&["compare", "one.json", "hp-dl980"]);
    assert!(beside.out.contains("no verdict") && beside.out.contains("209.7 k"), "{}", beside.out);
    let untried = bench.run(&["compare", "one.json", "hp-dl980", "--fail-if", "slower>2%"]);
    assert_eq!(untried.code, 1, "{}", untried.err);
    assert!(untried.err.contains("nothing was compared"), "{}", untried.err);
    let twins = bench.succeed(&["compare", "one.json", "./one.json"]);
    assert!(twins.err.contains("are the same system"), "{}", twins.err);
    // The same name in two directories is the same system only with the same start.
    fs::create_dir(bench.path().join("branch")).unwrap();
    let mut other = bench.record("one.json");
    bench.write_record("branch/copy.json", &other);
    let copied = bench.succeed(&["compare", "one.json", "branch/copy.json"]);
    assert!(copied.err.contains("are the same system"), "{}", copied.err);
    other["started_at"] = json!("2026-01-31T12:00:00.000Z");
    bench.write_record("branch/one.json", &other);
    let apart = bench.succeed(&["compare", "one.json", "branch/one.json"]);
    assert!(!apart.err.contains("are the same system"), "{}", apart.err);
    assert!(apart.out.contains("branch/one.json"), "{}", apart.out);
    // Prices of the one, and the published ones of the other.
    let book = "currency = \"USD\"\ndate = \"2026-01-31\"\nsource = \"an offer\"\n[[item]]\nname = \"host\"\n\
                list_price = 5000\nkind = \"once\"\n";
    fs::write(bench.path().join("p.toml"), book).unwrap();
    let priced = bench.succeed(&["compare", "one.json", "hp-dl980", "--prices", "p.toml,-"]);
    assert!(priced.out.contains("USD 5,000") && priced.out.contains("USD 1,465,000"), "{}", priced.out);
    fs::write(bench.path().join("n.toml"), book.replace("5000", "-5000")).unwrap();
    for (prices, message) in [
        ("p.toml", "--prices names 1 price books for 2 systems"),
        ("n.toml,-", "list_price -5000 of \"host\" is negative"),
        ("gone.toml,-", "price book gone.toml cannot be read"),
    ] {
        let output = bench.run(&["compare", "one.json", "hp-dl980", "--prices", prices]);
        assert_eq!(output.code, 2, "{prices}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains("hint: "), "{prices}: {}", output.err);
    }
}

#[test]
fn runs_of_blocks_with_another_loop_are_incomparable() {
    let bench = Bench::new();
    let size = ["blocks", "--target", "local:postgres", "--scale", "300", "--run-time", "0.2", "--warm-up", "0"];
    bench.succeed(&[&size[..], &["--record", "client.json"]].concat());
    bench.succeed(&[&size[..], &["--mode", "engine", "--record", "engine.json"]].concat());
    let output = bench.succeed(&["compare", "client.json", "engine.json"]);
    let words = output.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains("INCOMPARABLE") && words.contains("operations per step: 1 and"), "{}", output.out);
    let history = bench.succeed(&["history", "--test", "B100"]).out;
    let history = history.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(history.contains("loop in the client") && history.contains("loop in the engine"), "{history}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_hint() {
    let bench = Bench::new();
    measure(&bench, &["--tests", "C11", "--jobs", "1", "--record", "r.json"]);
    let record = fs::read_to_string(bench.path().join("r.json")).unwrap();
    fs::write(bench.path().join("cut.json"), &record[..100]).unwrap();
    fs::write(bench.path().join("newer.json"), record.replacen("\"schema_version\":1", "\"schema_version\":99", 1))
        .unwrap();
    fs::write(bench.path().join("export.json"), bench.succeed(&["report", "r.json", "--format", "json"]).out).unwrap();
    let refusals: [(&[&str], &str); 10] = [
        (&["r.json"], "a comparison takes 2 to 26 systems, 1 given"),
        (&["r.json", "hp-dl980"], "no test in common: r has C11; hp-dl980-violin-vma3205 has T141"),
        (&["r.json", "cut.json"], "record cut.json is truncated"),
        (&["r.json", "newer.json"], "newer.json has schema version 99"),
        (&["r.json", "export.json"], "file export.json is one JSON document"),
        (&["r.json", "gone.json"], "record gone.json cannot be read"),
        (&["r.json", "exadata"], "exadata is neither a file nor a published system"),
        (&["r.json", "2018"], "is ambiguous"),
        (&["r.json", "r.json", "--fail-if", "slower>2"], "\"2\" is not a share of a rate"),
        (&["r.json", "r.json", "--margin", "0"], "--margin 0 is not a percentage"),
    ];
    for (arguments, message) in refusals {
        let output = bench.run(&[&["compare"], arguments].concat());
        assert_eq!(output.code, 2, "{arguments:?}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains("hint: "), "{arguments:?}: {}", output.err);
    }
}
