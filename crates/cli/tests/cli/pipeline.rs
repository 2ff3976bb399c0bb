//! Statements in a pipeline (`--pipeline`).

use serde_json::Value;

use crate::bench::{Bench, runs};
use crate::client_threads::commits;
use crate::local_server::servers;

#[test]
fn a_step_of_eight_statements_is_one_round_trip_and_eight_commits() {
    let bench = Bench::new();
    let test = "T611";
    for target in ["local:postgres", "local:mariadb"] {
        for threads in [&["--jobs", "2"][..], &["--jobs", "4", "--client-threads", "1"]] {
            let words =
                ["run", "--target", target, "--tests", test, "--pipeline", "8", "--preset", "smoke", "--trace", "none"];
            let rest = ["--steps", "23", "--seconds", "60", "--record", "p.jsonl"];
            let output = bench.succeed(&[&words[..], threads, &rest].concat());
            let record = bench.record("p.jsonl");
            let [plain, pipelined] = runs(&record, test)[..] else { panic!("{}", output.out) };
            let jobs = plain["dop"]["jobs"].as_u64().unwrap();
            assert_eq!(
                pipelined["variation"],
                serde_json::json!({"kind": "pipelined", "statements": 8}),
                "{pipelined}"
            );
            for (run, statements) in [(plain, 1), (pipelined, 8)] {
                let totals = &run["totals"];
                assert_eq!(totals["steps"], 23 * jobs, "{target}");
                assert_eq!(
                    (&totals["operations"], &totals["rows"]),
                    (&(23 * jobs * statements).into(), &(23 * jobs * statements).into())
                );
                assert_eq!(run["service"]["count"], 23 * jobs);
                let trips = |at: &Value| at["values"]["client_round_trip_count"].as_u64().unwrap();
                let readings = run["readings"].as_array().unwrap();
                let round_trips = trips(readings.last().unwrap()) - trips(&readings[0]);
                // One or two of each session are for its counters.
                assert!((23 * jobs..=25 * jobs).contains(&round_trips), "{target}: {round_trips}");
            }
            if target == "local:postgres" {
                assert_eq!(commits(pipelined), (&"pass".into(), &(23 * 8 * jobs).into()));
            }
            let [head, rows @ ..] = &output
                .out
                .lines()
                .skip_while(|line| !line.contains("Statements in a pipeline"))
                .collect::<Vec<_>>()[..]
            else {
                panic!("{}", output.out)
            };
            let row = |statements: u32| {
                rows.iter().any(|row| {
                    row.starts_with(&format!("T611  J{jobs}")) && row.contains(&format!(" {statements}  stmt/s "))
                })
            };
            assert!(row(1) && row(8), "{head}\n{}", output.out);
            let details = bench.succeed(&["report", "p.jsonl", "--details"]);
            assert!(details.out.contains(&format!("J{jobs} pipeline 8")), "{}{}", output.out, details.out);
            std::fs::remove_file(bench.path().join("p.jsonl")).unwrap();
        }
        assert!(servers(&bench).is_empty(), "{target}");
    }
}

#[test]
fn agents_send_statements_in_a_pipeline_too() {
    let bench = Bench::new();
    let words = "fleet run --agents 2 --target local:postgres --tests T611 --pipeline 8 --preset smoke --jobs 4 --steps 23 \
                 --seconds 60 --record f.jsonl";
    let output = bench.succeed(&words.split_whitespace().collect::<Vec<_>>());
    let record = bench.record("f.jsonl");
    let [_plain, pipelined] = runs(&record, "T611")[..] else { panic!("{}", output.out) };
    let totals = &pipelined["totals"];
    assert_eq!((&totals["steps"], &totals["operations"]), (&92.into(), &736.into()), "{}", output.out);
    assert_eq!(commits(pipelined), (&"pass".into(), &736.into()));
}

#[test]
fn what_cannot_be_a_pipeline_is_refused() {
    let bench = Bench::new();
    for (words, expected) in [
        ("--tests T611 --pipeline 8", "SQLite answers each statement before the next one is sent"),
        ("--target null --tests T611 --pipeline 1", "pipeline 1 is less than 2"),
        ("--target null --tests T611 --pipeline 8 --rate 100", "cannot be used with"),
        ("--target null --tests T716 --pipeline 8", "no selected test can send its statements in a pipeline"),
    ] {
        let output = bench.run(&["run"].into_iter().chain(words.split(' ')).collect::<Vec<_>>());
        assert!(output.code == 2 && output.err.contains(expected), "{words}: {}", output.err);
    }
}
