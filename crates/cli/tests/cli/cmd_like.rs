//! `dbdyno run --like`: the mixture of a production load at its rates, what was reached of it, and the times that were predicted.

use std::fs;

use serde_json::{Value, json};

use crate::bench::{Bench, is_invalid, runs};

/// A load of 24 hours of which one is the busiest.
fn load(bench: &Bench, name: &str, amounts: &[(&str, f64)]) {
    let interval = |hour: i64| {
        let busy = if hour == 14 { 1.0 } else { 0.5 };
        let amounts: serde_json::Map<String, Value> = amounts
            .iter()
            .map(|(quantity, average)| ((*quantity).to_owned(), json!({ "average": average * busy })))
            .collect();
        json!({ "source": 0, "instance": 0, "started_at_ms": 1_790_000_000_000i64 + hour * 3_600_000,
            "seconds": 3600.0, "amounts": amounts })
    };
    let profile = json!({
        "format": "dbdyno load profile", "version": 1,
        "sources": [{ "form": "watch", "scope": "database", "engine": "postgres", "version": "17.2",
            "zone": { "offset_minutes": 0 }, "files": 0 }],
        "instances": [{ "number": 1, "hardware_threads": 8 }],
        "intervals": (0..24).map(interval).collect::<Vec<Value>>(),
    });
    fs::write(bench.path().join(name), profile.to_string()).unwrap();
}

/// A load that a small machine carries.
const SMALL: [(&str, f64); 7] = [
    ("physical_reads_per_second", 400.0),
    ("physical_writes_per_second", 60.0),
    ("commits_per_second", 40.0),
    ("log_bytes_per_second", 20_000.0),
    ("logical_reads_per_second", 3_000.0),
    ("database_processor_seconds_per_second", 0.2),
    ("sessions", 12.0),
];

/// The roles of `run` by name, each with the steps that were asked and that were reached in a second.
fn reached(run: &Value) -> Vec<(String, f64, f64)> {
    let seconds = run["window_ns"].as_f64().unwrap() / 1e9;
    let of = |of: &Value| {
        let rate = of["role"]["rate"].as_f64().unwrap();
        (of["name"].as_str().unwrap().to_owned(), rate, of["totals"]["steps"].as_f64().unwrap() / seconds)
    };
    run["transaction_types"].as_array().unwrap().iter().map(of).collect()
}

/// Holds the roles of `run` against what was asked: arrivals are random, so that a short run is a little off.
fn assert_rates(run: &Value, names: &[&str]) {
    let roles = reached(run);
    assert_eq!(roles.iter().map(|(name, ..)| name.as_str()).collect::<Vec<&str>>(), names);
    let seconds = run["window_ns"].as_f64().unwrap() / 1e9;
    for (name, asked, reached) in roles {
        let deviation = 4.0 / (asked * seconds).sqrt();
        assert!((reached / asked - 1.0).abs() <= 0.01 + deviation, "{name}: {reached} of {asked}");
    }
    let failures = &run["totals"]["failures"];
    assert!(failures.as_object().unwrap().values().all(|count| count.as_u64() == Some(0)), "{failures}");
}

const ROLES: [&str; 4] = ["random_reads", "cached_reads", "computations", "commits"];

#[test]
fn the_mixture_of_a_load_arrives_at_its_rates_and_is_in_every_view() {
    let bench = Bench::new();
    load(&bench, "load.json", &SMALL);
    let words = ["--target", "sqlite", "--preset", "smoke", "--seconds", "2", "--no-activity", "--record", "r.jsonl"];
    let first = bench.succeed(&[&["run", "--like", "load.json"][..], &words].concat()).out;
    assert!(first.contains("Replay in kind") && first.contains("random reads"), "{first}");
    let record = bench.record("r.jsonl");
    let plan = &record["plan"]["in_kind"];
    assert_eq!((plan["level"].as_str(), plan["sessions"].as_u64()), (Some("peak"), Some(12)));
    let measured = runs(&record, "K100");
    assert_eq!((measured.len(), measured[0]["dop"]["jobs"].as_u64()), (1, Some(12)));
    assert_rates(measured[0], &ROLES);
    assert!(!is_invalid(measured[0]));
    let details = bench.succeed(&["report", "r.jsonl", "--details"]).out;
    let details = details.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(details.contains("A production load asks its peak: 400.0/s physical reads"), "{details}");
    assert!(details.contains("12 sessions are those of the load"), "{details}");
    assert!(details.contains("As engine and host count it"), "{details}");
    bench.succeed(&["report", "r.jsonl", "--html", "r.html"]);
    assert!(fs::read_to_string(bench.path().join("r.html")).unwrap().contains("in-kind-roles"));
    let markdown = bench.succeed(&["report", "r.jsonl", "--format", "markdown"]).out;
    assert!(markdown.contains("Replay in kind"), "{markdown}");
    bench.succeed(&["export", "r.jsonl", "--format", "csv", "--out", "tables"]);
    let table = fs::read_to_string(bench.path().join("tables/in_kind.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + ROLES.len(), "{table}");
}

#[test]
fn servers_carry_the_same_load() {
    let bench = Bench::new();
    load(&bench, "load.json", &SMALL);
    for target in ["local:postgres", "local:mariadb"] {
        let record = format!("{}.jsonl", target.trim_start_matches("local:"));
        let words = ["--preset", "smoke", "--seconds", "2", "--no-activity", "--no-html", "--record", &record];
        bench.succeed(&[&["run", "--target", target, "--like", "load.json"][..], &words].concat());
        let record = bench.record(&record);
        assert_rates(runs(&record, "K100")[0], &ROLES);
    }
}

#[test]
fn a_platform_that_does_not_carry_it_says_so_by_a_check_that_fails() {
    let bench = Bench::new();
    load(&bench, "load.json", &SMALL);
    let words = ["--target", "sqlite", "--preset", "smoke", "--seconds", "1", "--no-activity", "--record", "r.jsonl"];
    let output = bench.run(&[&["run", "--like", "load.json", "--times", "900"][..], &words].concat());
    let record = bench.record("r.jsonl");
    let run = runs(&record, "K100")[0];
    assert!(is_invalid(run), "{}{}", output.out, output.err);
    let findings = run["findings"].as_array().unwrap();
    let backlog = findings.iter().find(|finding| !finding["evidence"]["backlog"].is_null()).unwrap();
    assert_eq!(backlog["verdict"], "fail", "{backlog}");
    assert!(output.out.contains("not") && output.out.contains("asked"), "{}", output.out);
}

#[test]
fn a_time_that_was_predicted_stands_beside_the_one_that_was_measured() {
    let bench = Bench::new();
    load(&bench, "load.json", &[("commits_per_second", 30.0), ("sessions", 4.0)]);
    let words = ["--target", "sqlite", "--preset", "smoke", "--no-activity", "--no-html"];
    let sheet = ["--tests", "T311", "--jobs", "1,2", "--seconds", "0.5", "--record", "sheet.jsonl"];
    bench.succeed(&[&["run"][..], &sheet, &words].concat());
    let on = ["--on", "sheet.jsonl", "--seconds", "2", "--record", "r.jsonl"];
    bench.succeed(&[&["run", "--like", "load.json"][..], &on, &words].concat());
    let record = bench.record("r.jsonl");
    let expected = &record["plan"]["in_kind"]["expected"][0];
    assert_eq!((expected["test"].as_str(), expected["per_second"].as_f64()), (Some("T311"), Some(30.0)), "{record:#}");
    let details = bench.succeed(&["report", "r.jsonl", "--details"]).out;
    assert!(details.contains("predicted") && details.contains("T311, service"), "{details}");
    // The other tests of the record itself predict as well.
    let own = ["--tests", "T311", "--jobs", "1,2", "--seconds", "1", "--record", "own.jsonl"];
    bench.succeed(&[&["run", "--like", "load.json"][..], &own, &words].concat());
    let record = bench.record("own.jsonl");
    assert_eq!((runs(&record, "T311").len(), runs(&record, "K100").len()), (2, 1));
    let details = bench.succeed(&["report", "own.jsonl", "--details"]).out;
    assert!(details.contains("other tests of this record"), "{details}");
}

#[test]
fn a_run_in_kind_is_planned_resumed_and_refused_like_others() {
    let bench = Bench::new();
    load(&bench, "load.json", &SMALL);
    let like = ["run", "--target", "sqlite", "--preset", "smoke", "--like", "load.json"];
    let plan = bench.succeed(&[&like[..], &["--dry-run", "--times", "2", "--at", "p95"]].concat()).out;
    assert!(plan.contains("in kind") && plan.contains("K100") && plan.contains("2.00 times"), "{plan}");
    let refused = |more: &[&str], what: &str| {
        let output = bench.run(&[&like[..], more].concat());
        assert!(output.code == 2 && output.err.contains(what), "{more:?}: {}", output.err);
    };
    refused(&["--at", "p99"], "24 intervals");
    refused(&["--times", "0"], "times");
    refused(&["--rate", "10"], "rates of their own");
    let output = bench.run(&["run", "--at", "max"]);
    assert!(output.code == 2 && output.err.contains("--like"), "{}", output.err);
    load(&bench, "idle.json", &[("active_sessions", 2.0)]);
    let output = bench.run(&["run", "--like", "idle.json"]);
    assert!(output.code == 2 && output.err.contains("neither reads nor writes"), "{}", output.err);
}
