//! `dbdyno run --repeats`: rounds in randomized order, resumed after an abort.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::aborted::{signal, wait_for_runs};
use crate::bench::{Bench, finished};

const ARGUMENTS: [&str; 8] =
    ["run", "--preset", "smoke", "--jobs", "1,2", "--tests", "C11,C13,T611,T616,T716", "--quiet"];

fn planned(record: &Value) -> Vec<(String, u64, u64)> {
    let number = |value: &Value| value.as_u64().unwrap();
    let runs = record["plan"]["runs"].as_array().unwrap().iter().enumerate();
    runs.map(|(at, run)| {
        assert_eq!(number(&run["number"]), at as u64 + 1);
        (run["test"].as_str().unwrap().to_owned(), number(&run["dop"]["jobs"]), number(&run["repeat"]))
    })
    .collect()
}

#[test]
fn every_round_has_every_test_once_and_probes_come_before_tests() {
    let bench = Bench::new();
    bench.succeed(&[&ARGUMENTS[..], &["--repeats", "3", "--record", "r.json"]].concat());
    let record = bench.record("r.json");
    assert_eq!(record["plan"]["repeats"], 3);
    let planned = planned(&record);
    let (probes, tests) = planned.split_at(3 * 4);
    assert!(probes.iter().all(|(test, ..)| !test.starts_with('T')), "{planned:?}");
    for (rounds, size) in [(probes, 4), (tests, 6)] {
        for (round, repeat) in rounds.chunks(size).zip(1..) {
            assert!(round.iter().all(|(_, _, of)| *of == repeat), "{round:?}");
            assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), size);
        }
    }
    let numbers = |record: &Value| {
        let runs = record["runs"].as_array().unwrap();
        runs.iter().map(|run| run["number"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&record), (1..=30).collect::<Vec<_>>(), "carried out in the order of the plan");
    bench.succeed(&[&ARGUMENTS[..], &["--repeats", "3", "--record", "again.json"]].concat());
    assert_eq!(bench.record("again.json")["plan"]["runs"], record["plan"]["runs"], "the same seed, the same order");
}

#[test]
fn resume_continues_in_the_same_order() {
    let bench = Bench::new();
    let child = bench.start(&[&ARGUMENTS[..], &["--repeats", "4", "--seconds", "0.3", "--record", "r.json"]].concat());
    wait_for_runs(&bench, "r.json", 3);
    signal(child.id(), "INT");
    assert_eq!(finished(child.wait_with_output().unwrap()).code, 130);
    let before = bench.record("r.json");
    let done = before["runs"].as_array().unwrap().len();
    assert!((3..40).contains(&done), "{done}");
    bench.succeed(&["run", "--resume", "r.json", "--quiet"]);
    let record = bench.record("r.json");
    assert_eq!(record["plan"]["runs"], before["plan"]["runs"]);
    let numbers = record["runs"].as_array().unwrap().iter().map(|run| run["number"].as_u64().unwrap());
    assert!(numbers.eq(1..=40));
}

#[test]
fn an_invalid_number_of_repeats_is_refused_and_the_plan_shows_order_and_time() {
    let bench = Bench::new();
    let refused = bench.run(&[&ARGUMENTS[..], &["--repeats", "0"]].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("repeats 0 is not a number from 1 to 1000"), "{}", refused.err);
    let arguments = ["run", "--preset", "publish", "--small-rows", "3200", "--large-rows", "3200", "--jobs", "1"];
    let plan = bench.succeed(&[&arguments[..], &["--tests", "T611", "--dry-run"]].concat()).out;
    // Six rounds, then four rates of 6 min each.
    for words in ["6 rounds", "1.00 h", "300 s", "then at 1 job: at 50 %, 70 %, 80 %, 90 % of the rate reached there"] {
        assert!(plan.contains(words), "no {words} in\n{plan}");
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}
