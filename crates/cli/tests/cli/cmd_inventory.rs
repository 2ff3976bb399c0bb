//! `dbdyno inventory`.

use crate::bench::Bench;

#[test]
fn the_machine_is_shown_and_nothing_is_left() {
    let bench = Bench::new();
    let said = bench.succeed(&["inventory"]);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert!(said.out.contains(kernel.trim()), "{}", said.out);
    assert!(bench.files().is_empty());
}

#[test]
fn an_engine_is_asked_when_one_is_named() {
    let bench = Bench::new();
    let said = bench.succeed(&["inventory", "--target", "sqlite", "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(shown["engine"]["name"], "sqlite");
    let processors = std::thread::available_parallelism().unwrap().get() as u64;
    assert!(shown["host"]["cpu"]["threads"].as_u64().unwrap() >= processors);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn a_directory_that_is_none_is_refused() {
    let said = Bench::new().run(&["inventory", "--dir", "nowhere"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("nowhere is not a directory"), "{}", said.err);
}
