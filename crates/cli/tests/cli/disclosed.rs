//! Disclosure: the program, the machine before and after, and the command on the page.

use std::process::Command;

use serde_json::Value;

use crate::bench::{Bench, runs};

const SMOKE: [&str; 9] = ["run", "--preset", "smoke", "--jobs", "1,2", "--tests", "T611,C11", "--record", "r.json"];

#[test]
fn the_program_and_the_machine_before_and_after_are_in_the_record() {
    let bench = Bench::new();
    bench.succeed(&SMOKE);
    let record = bench.record("r.json");
    let build = &record["tool"]["build"];
    let sum = Command::new("sha256sum").arg(env!("CARGO_BIN_EXE_dbdyno")).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert_eq!(build["program_sha256"].as_str(), sum.split(' ').next());
    assert!(build["compiler"].as_str().is_some_and(|compiler| compiler.starts_with("rustc ")), "{build}");
    if std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.git").exists() {
        assert!(build["commit"].as_str().is_some_and(|commit| commit.len() >= 40), "{build}");
        assert!(build["clean"].is_boolean(), "{build}");
    }
    let host = &record["host"];
    for state in [&host["at_start"], &host["at_end"]] {
        assert!(state["multiplication_ns"].as_f64().is_some_and(|nanos| nanos > 0.0), "{state}");
        assert!(state["load_average_1_minute"].is_number(), "{state}");
        let log = &state["kernel_log"];
        assert!(log["unreadable"].is_string() || log["last_message"].is_u64(), "{log}");
    }
    assert!(host["at_start"]["background_programs"].is_array());
    let names =
        host["at_start"]["background_programs"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    assert!(names.into_iter().all(|name| !name.contains(' ') || !name.contains('/')), "names, and no arguments");
    assert!(host["kernel"]["settings"]["vm.swappiness"].is_string());
    let shown = bench.succeed(&["inventory"]).out;
    for part in ["vm.swappiness = ", "\nidle ", "Current state", "per dependent multiplication"] {
        assert!(shown.contains(part), "no {part}: {shown}");
    }
}

/// The command of the measurement in `page`.
fn shown_command(page: &str) -> Vec<String> {
    let (_, rest) = page.split_once("one command that repeats the measurement").expect("the field");
    let begin = rest.find("dbdyno run ").expect("a command");
    let end = rest[begin..].find('<').expect("an end");
    rest[begin..begin + end].split(' ').skip(1).map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn the_command_on_the_page_makes_the_same_plan() {
    let bench = Bench::new();
    bench.succeed(&[&SMOKE[..], &["--seed", "7", "--steps", "50", "--think-time", "1ms", "--repeats", "2"]].concat());
    bench.succeed(&["report", "r.json", "--html", "r.html"]);
    let page = std::fs::read_to_string(bench.path().join("r.html")).unwrap();
    let mut words = shown_command(&page);
    words.extend(["--record", "again.json"].map(str::to_owned));
    bench.succeed(&words.iter().map(String::as_str).collect::<Vec<&str>>());
    let plan = |name: &str| -> Value { bench.record(name)["plan"].clone() };
    assert_eq!(plan("again.json"), plan("r.json"), "{words:?}");
}

#[test]
fn a_record_is_not_resumed_by_another_program() {
    let bench = Bench::new();
    bench.succeed(&SMOKE);
    let mut record = bench.record("r.json");
    let finished = runs(&record, "T611").len();
    record["status"] = "interrupted".into();
    record["runs"].as_array_mut().unwrap().pop();
    record["tool"]["build"]["program_sha256"] = "ab".repeat(32).into();
    bench.write_record("r.json", &record);
    let output = bench.run(&["run", "--resume", "r.json"]);
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("another build of dbdyno, whose program has SHA-256 abab"), "{}", output.err);
    record["tool"].as_object_mut().unwrap().remove("build");
    bench.write_record("r.json", &record);
    bench.succeed(&["run", "--resume", "r.json"]);
    assert_eq!(runs(&bench.record("r.json"), "T611").len(), finished, "what an older record does not say is no reason");
}
