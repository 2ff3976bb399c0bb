//! `dbdyno run --tests H100`: streams of decision queries.

use serde_json::Value;

use crate::bench::{Bench, runs};

const QUERIES: [&str; 7] = ["run", "--preset", "smoke", "--tests", "H100", "--no-html", "--record"];

/// The queries of `run`, by name, with their steps and mean times.
fn types(run: &Value) -> Vec<(String, u64, f64)> {
    let of = |of: &Value| {
        let name = of["name"].as_str().unwrap().to_owned();
        (name, of["totals"]["steps"].as_u64().unwrap(), of["service"]["mean_ns"].as_f64().unwrap())
    };
    run["transaction_types"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn streams_do_whole_passes_of_22_queries_whose_answers_were_checked() {
    let bench = Bench::new();
    bench.succeed(&[&QUERIES[..], &["q.jsonl", "--target", "sqlite", "--jobs", "1,2"]].concat());
    let record = bench.record("q.jsonl");
    let tables: Vec<(&str, u64)> = record["data_sets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|set| (set["table"].as_str().unwrap(), set["rows"].as_u64().unwrap()))
        .collect();
    assert_eq!(tables.len(), 8, "{tables:?}");
    assert_eq!((tables[0], tables[7]), (("h_region", 5), ("h_lineitem", 60_175)));
    let measured = runs(&record, "H100");
    assert_eq!(measured.len(), 2);
    bench.succeed(&["export", "q.jsonl", "--format", "csv", "--out", "tables"]);
    let table = std::fs::read_to_string(bench.path().join("tables/runs.csv")).unwrap();
    // A title has a comma, in quotes.
    let table = table.replace("queries, derived", "queries derived");
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let head = lines.next().unwrap();
    for (run, line) in measured.into_iter().zip(lines) {
        let jobs = run["dop"]["jobs"].as_u64().unwrap();
        assert_eq!(run["findings"][0]["evidence"]["answers"], "right", "{}", run["findings"]);
        let types = types(run);
        let names: Vec<&str> = types.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!((names.len(), names[0], names[21]), (22, "q1", "q22"));
        let passes = types[0].1;
        assert!(passes >= jobs && types.iter().all(|(_, steps, _)| *steps == passes), "{types:?}");
        assert_eq!(run["totals"]["operations"].as_u64(), Some(22 * passes));
        let figure = |key: &str| -> f64 {
            let place = head.iter().position(|known| *known == key).unwrap();
            line[place].parse().unwrap()
        };
        let hours = run["window_ns"].as_f64().unwrap() / 3.6e12;
        assert!((figure("queries_per_hour") * hours / (22 * passes) as f64 - 1.0).abs() < 1e-6);
        let logarithms: f64 = types.iter().map(|(_, _, mean)| mean.ln()).sum();
        assert!((figure("query_ns_geometric_mean") / (logarithms / 22.0).exp() - 1.0).abs() < 1e-6);
    }
    let details = bench.succeed(&["report", "q.jsonl", "--details"]).out;
    assert!(details.contains("2 streams: ") && details.contains(" queries per hour, geometric mean of"), "{details}");
}

#[test]
fn tables_are_kept_for_the_next_invocation() {
    let bench = Bench::new();
    for (record, is_reused) in [("one.jsonl", false), ("two.jsonl", true)] {
        let kept = ["--target", "sqlite", "--keep", "--jobs", "1", "--steps", "22"];
        bench.succeed(&[&QUERIES[..], &[record], &kept].concat());
        let sets = bench.record(record)["data_sets"].as_array().unwrap().clone();
        assert!(sets.len() == 8 && sets.iter().all(|set| set["reused"] == is_reused), "{sets:?}");
    }
}
