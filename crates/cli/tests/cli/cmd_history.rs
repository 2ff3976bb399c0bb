//! `dbdyno history`: one metric over many records.

use crate::bench::Bench;

/// Twenty records of one platform, made from a measured one: from the eleventh on with half the steps.
fn followed() -> Bench {
    let bench = Bench::new();
    bench.succeed(&["run", "--preset", "smoke", "--jobs", "1", "--tests", "T611", "--record", "r.json", "-q"]);
    let record = bench.record("r.json");
    std::fs::remove_file(bench.path().join("r.json")).unwrap();
    for day in 1..=20u64 {
        let mut copy = record.clone();
        copy["id"] = format!("day{day}").into();
        copy["started_at"] = format!("2026-01-{day:02}T12:00:00.000Z").into();
        let run = &mut copy["runs"][0];
        let level = if day > 10 { 50_000 } else { 100_000 };
        run["totals"]["operations"] = (level + day * 7 % 5 * 100).into();
        run["findings"] = serde_json::json!([]);
        bench.write_record(&format!("day{day}.json"), &copy);
    }
    bench
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_fall_between_two_records_is_reported_with_both() {
    let bench = followed();
    let output = bench.succeed(&["history", "--test", "T611"]);
    assert!(output.out.contains("between day10 and day11 (p <= 0.0"), "{}", output.out);
    assert!(output.out.contains("changed by -49") || output.out.contains("changed by -50"), "{}", output.out);
    let csv = bench.succeed(&["history", ".", "--test", "T611", "--jobs", "1", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 21, "{csv}");
    let p99 = bench.succeed(&["history", "--test", "T611", "--metric", "p99"]).out;
    assert!(p99.contains("no change in 20 values"), "{p99}");
}

#[test]
fn other_nodes_or_another_durability_are_another_series() {
    let bench = followed();
    let change = |day: u32, change: fn(&mut serde_json::Value)| {
        let mut record = bench.record(&format!("day{day}.json"));
        change(&mut record["engine"]);
        bench.write_record(&format!("day{day}.json"), &record);
    };
    for day in 11..=15 {
        change(day, |engine| engine["nodes"] = 3.into());
        change(day + 5, |engine| engine["durability"] = "commits wait for nothing".into());
    }
    let text = words(&bench.succeed(&["history", "--test", "T611"]).out);
    assert!(
        text.contains("10 values: too few to detect a change") && text.matches("5 values: too few").count() == 2,
        "{text}"
    );
    assert!(text.contains(", 3 nodes, preset smoke") && text.contains(", commits wait for nothing"), "{text}");
    let csv = bench.succeed(&["history", "--test", "T611", "--format", "csv"]).out;
    assert_eq!(csv.matches(", 3 nodes, preset smoke").count(), 5, "{csv}");
    assert_eq!(csv.matches(", commits wait for nothing\",").count(), 5, "{csv}");
}

#[test]
fn other_parameters_are_another_series_and_variations_are_skipped() {
    let bench = followed();
    let change = |days: std::ops::RangeInclusive<u32>, change: fn(&mut serde_json::Value)| {
        for day in days {
            let mut record = bench.record(&format!("day{day}.json"));
            change(&mut record["runs"][0]);
            bench.write_record(&format!("day{day}.json"), &record);
        }
    };
    change(1..=10, |run| run["parameters"]["n"] = 25.into());
    change(11..=20, |run| run["parameters"]["n"] = 39.into());
    let text = words(&bench.succeed(&["history", "--test", "T611"]).out);
    assert!(!text.contains("changed") && text.matches("10 values: too few to detect a change").count() == 2, "{text}");
    assert!(text.contains(", n 25") && text.contains(", n 39"), "{text}");
    change(11..=20, |run| run["variation"] = serde_json::json!({"kind": "traced"}));
    let output = bench.succeed(&["history", "--test", "T611"]);
    assert!(
        output.out.contains("10 values: too few to detect a change") && !output.out.contains("day11"),
        "{}",
        output.out
    );
    assert!(output.err.contains("skipped: 10 records that have no plain run of T611"), "{}", output.err);
}

#[test]
fn few_records_show_no_change() {
    let bench = followed();
    let output = bench.succeed(&["history", "day1.json", "day11.json", "--test", "T611"]);
    assert!(output.out.contains("warning: preset smoke"), "{}", output.out);
    let twice = bench.succeed(&["history", "day1.json", "./day1.json", ".", "--test", "T611"]);
    assert!(twice.out.contains("in 20 values"), "a record that is named twice is one: {}", twice.out);
    assert!(output.out.contains("2 values: too few to detect a change"), "{}", output.out);
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let bench = followed();
    let output = bench.run(&["history", "--test", "T999"]);
    let expected = "error: none of 20 records has test T999\nhint: they have T611\n";
    assert_eq!((output.code, output.err.as_str()), (2, expected));
    let output = bench.run(&["history", "--test", "T611", "--jobs", "64"]);
    let expected = "error: none of 20 records has test T611 at 64 jobs\nhint: they have it at jobs 1\n";
    assert_eq!((output.code, output.err.as_str()), (2, expected));
    let output = bench.run(&["history", "--test", "T611", "--jobs", "0"]);
    assert!(output.code == 2 && output.err.contains("jobs 0 is not a degree of parallelism"), "{}", output.err);
    let empty = Bench::new();
    let output = empty.run(&["history", "--test", "T611"]);
    assert!(output.code == 2 && output.err.contains("there is no record in ."), "{}", output.err);
}

#[test]
fn a_damaged_record_of_a_directory_is_skipped_with_a_note() {
    let bench = followed();
    // Its head is valid; the error is in a run.
    let damaged = std::fs::read_to_string(bench.path().join("day20.json")).unwrap();
    let damaged = damaged.replacen("\"totals\":{", "\"totals\":{\"steps\":\"many\",", 1);
    std::fs::write(bench.path().join("day20.json"), damaged).unwrap();
    let output = bench.succeed(&["history", "--test", "T611"]);
    assert!(output.err.contains("skipped: record ./day20.json is damaged"), "{}", output.err);
    assert!(output.out.contains("in 19 values"), "{}", output.out);
    let output = bench.run(&["history", "day20.json", "--test", "T611"]);
    assert!(output.code == 2 && output.err.contains("error: record day20.json is damaged"), "{}", output.err);
}
