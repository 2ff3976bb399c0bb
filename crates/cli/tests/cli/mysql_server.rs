//! `dbdyno run --target local:mysql`: a real MySQL server, started, measured, removed.

use std::path::Path;

use crate::bench::{Bench, growth, runs};
use crate::local_server::servers;

/// The server installed by `./test.sh`.
pub fn target() -> String {
    let bin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mysql/bin");
    let there = Path::new(bin).join("mysqld").exists();
    assert!(there, "no MySQL server in {bin}\nhint: run ./test.sh once, it installs one");
    format!("local:mysql?bin={bin}")
}

#[test]
fn tests_of_every_layer_are_done_on_mysql_and_nothing_is_left() {
    let bench = Bench::on_disk();
    // All of them give the right answers on MySQL: see the test of the catalogue.
    let codes = [
        "T131", "T161", "T421", "T611", "T621", "T641", "T651", "T741", "T211", "T426", "T626", "T721", "T722", "T752",
        "T331", "T332", "T342", "T351", "T361", "T431", "T441", "T512", "T311", "T321", "T616", "T716", "T731", "C100",
        "C110", "H100",
    ];
    let tests = format!("C11,S31,{}", codes.join(","));
    let words = ["--preset", "smoke", "--jobs", "1", "--record", "r.json", "--tests", &tests];
    let output = bench.succeed(&[&["run", "--target", &target()][..], &words].concat());
    let record = bench.record("r.json");
    for code in codes {
        let runs = runs(&record, code);
        assert!(!runs.is_empty(), "no run of {code}");
        for run in runs {
            assert_eq!(run["outcome"]["status"], "done", "{code}: {}", run["outcome"]);
        }
        assert!(output.out.contains(code), "{code} is not on the sheet");
    }
    let asked = &runs(&record, "T722")[0]["checkpoints"];
    assert_eq!(asked["refusal"], "this engine makes no checkpoint on request", "{asked}");
    assert_eq!(record["plan"]["skipped"].as_array().map(Vec::len), Some(0), "{}", record["plan"]["skipped"]);
    assert_eq!((&record["engine"]["name"], &record["engine"]["temporary"]), (&"mysql".into(), &true.into()));
    // Its performance schema is enabled, which times all statements.
    for code in ["T311", "T716"] {
        assert!(growth(runs(&record, code)[0], "database_time_ns").is_some_and(|time| time > 0), "{code}");
    }
    assert!(servers(&bench).is_empty(), "a server was left behind");
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn mysql_is_one_server() {
    let bench = Bench::new();
    let refused = bench.run(&["run", "--target", &format!("{}&nodes=3", target()), "--tests", "T611"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("local:mysql is a single server") && refused.err.contains("hint: "),
        "{}",
        refused.err
    );
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
