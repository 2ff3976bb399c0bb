//! `dbdyno inventory`.

use crate::bench::Bench;

#[test]
fn the_machine_is_shown_and_nothing_is_left() {
    let bench = Bench::new();
    let output = bench.succeed(&["inventory"]);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert!(output.out.contains(kernel.trim()), "{}", output.out);
    assert!(bench.files().is_empty());
}

#[test]
fn an_engine_is_asked_when_one_is_named() {
    let bench = Bench::new();
    let output = bench.succeed(&["inventory", "--target", "sqlite", "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(shown["engine"]["name"], "sqlite");
    let processors = std::thread::available_parallelism().unwrap().get() as u64;
    assert!(shown["host"]["cpu"]["threads"].as_u64().unwrap() >= processors);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    let planned =
        bench.succeed(&["run", "--tests", "T611", "--jobs", "1", "--steps", "1", "--quiet", "--record", "r.json"]);
    assert_eq!(shown["engine"]["cache_bytes"], bench.record("r.json")["engine"]["cache_bytes"], "{}", planned.out);
}

#[test]
fn a_directory_that_is_none_is_refused() {
    let output = Bench::new().run(&["inventory", "--dir", "nowhere"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("nowhere is not a directory"), "{}", output.err);
}

#[test]
fn the_platform_of_a_record_is_that_of_its_machine() {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--tests", "M11", "--jobs", "1", "--quiet", "--record", "r.jsonl"]);
    let output = bench.succeed(&["inventory", "--record", "r.jsonl", "--bandwidth", "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    let recorded = &bench.record("r.jsonl")["host"];
    assert_eq!((&shown["host"]["pci"], &shown["host"]["devices"]), (&recorded["pci"], &recorded["devices"]));
    assert!(bench.succeed(&["inventory", "--record", "r.jsonl", "--bandwidth"]).out.contains("\nBandwidth "));
    assert!(!bench.succeed(&["inventory"]).out.contains("\nBandwidth "), "only on request");
    let both = bench.run(&["inventory", "--record", "r.jsonl", "--dir", "."]);
    assert_eq!(both.code, 2, "{}", both.err);
    let none = bench.run(&["inventory", "--record", "nowhere.jsonl"]);
    assert!(none.code != 0 && none.err.contains("nowhere.jsonl"), "{}", none.err);
}

#[test]
fn nodes_are_named_where_there_are_several() {
    let bench = Bench::new();
    let ask = |format: &str| bench.succeed(&["inventory", "--target", "null?rows=1&nodes=3", "--format", format]).out;
    let shown: serde_json::Value = serde_json::from_str(&ask("json")).unwrap();
    let nodes = shown["nodes"].as_array().unwrap();
    assert_eq!((shown["engine"]["nodes"].as_u64(), nodes.len()), (Some(3), 3));
    let names: Vec<&str> = nodes.iter().map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["", "nowhere 2", "nowhere 3"]);
    let text = ask("text");
    for name in ["unnamed", "nowhere 2", "nowhere 3"] {
        let is_shown = |line: &str| line.starts_with("read-write ") && line.ends_with(&format!(" {name}"));
        assert!(text.lines().any(is_shown), "no {name} in {text}");
    }
}
