//! Database activity on a terminal.

use dbdyno_report::{Style, activity, activity_csv};
use model::ActivityChoice;
use proptest::prelude::*;
use record::{Nanos, Record, WaitClass};

use crate::activity_sample::{record, wait};

fn number(record: &Record) -> u32 {
    record.runs.iter().find(|run| run.activity.is_some()).unwrap().number
}

fn shown(record: &Record, choice: &ActivityChoice, width: usize) -> String {
    activity(record, choice, "r.json").unwrap().text(Style::default(), width)
}

#[test]
fn the_activity_of_a_run_at_80_columns() {
    let record = record();
    let shown = shown(&record, &ActivityChoice::Number(number(&record)), 80);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn the_parts_stand_in_the_order_that_administrators_know() {
    let record = record();
    let shown = shown(&record, &ActivityChoice::Number(number(&record)), 80);
    let parts = [
        "active sessions ─",
        "Load profile",
        "Top timed events",
        "Wait classes",
        "I/O by kind",
        "Log and checkpoints",
        "Histogram",
    ];
    let places: Vec<usize> = parts.iter().map(|part| shown.find(part).unwrap_or_else(|| panic!("no {part}"))).collect();
    assert!(places.is_sorted(), "{shown}");
}

#[test]
fn without_a_choice_each_test_has_its_best_run() {
    let record = record();
    let shown = shown(&record, &ActivityChoice::Best, 80);
    let shown_in_a_line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = |words: &str| shown_in_a_line.matches(words).count();
    let others = ["Average active sessions", "Sampled active sessions", "number of active sessions"];
    let heads = count(" active sessions") - others.map(count).iter().sum::<usize>();
    let sheet = model::sheet(&record);
    let best = sheet.lines.iter().filter(|line| line.best.is_some() && !line.is_probe);
    assert_eq!(heads, best.count());
    assert!(shown.contains("n.d."), "what has no source says so");
}

#[test]
fn a_question_that_has_no_answer_says_why() {
    let record = record();
    let refused = |words: &str| {
        let choice = ActivityChoice::parse(words);
        activity(&record, &choice, "r.json").err().unwrap()
    };
    assert_eq!(refused("999"), format!("there is no run 999 in this record of {} runs", record.runs.len()));
    assert_eq!(refused("T999"), "there is no run of test T999 in this record");
    let nothing = Record { runs: Vec::new(), ..record.clone() };
    let refused = activity(&nothing, &ActivityChoice::Best, "r.json").err().unwrap();
    assert_eq!(refused, "no valid run of this record uses an engine");
}

/// The cells of these columns in the lines of a table whose first cells are `wanted`.
fn cells(table: &str, wanted: &[(&str, &str)], columns: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap_or_else(|| panic!("no column {name}"));
    let lines = reader.records().map(Result::unwrap);
    let is_wanted = |line: &csv::StringRecord| wanted.iter().all(|(column, cell)| &line[at(column)] == *cell);
    lines.filter(is_wanted).map(|line| columns.iter().map(|column| line[at(column)].to_owned()).collect()).collect()
}

#[test]
fn every_figure_is_a_line_of_the_values() {
    let record = record();
    let table = activity_csv(&record, &ActivityChoice::Number(number(&record))).unwrap();
    let of = |wanted: &[(&str, &str)], columns: &[&str]| cells(&table, wanted, columns);
    // 7.5 s of database time in 3 s and 3000 transactions, without the samples.
    let time = of(
        &[("section", "load_profile"), ("name", "DB time")],
        &["value", "unit", "per_second", "per_transaction", "method"],
    );
    assert_eq!(time, [["7500000000", "ns", "2500000000", "2500000", "timed"]]);
    let wait = &[("section", "event"), ("name", "wal sync")];
    let waits = of(wait, &["figure", "class", "method", "value", "unit", "per_second", "share"]);
    assert_eq!(
        waits,
        [
            ["time", "commit", "timed", "3600000000", "ns", "1200000000", "0.48"],
            ["waits", "commit", "timed", "1200", "count", "400", ""],
            ["mean time", "commit", "timed", "3000000", "ns", "", ""]
        ]
    );
    let missing = of(&[("section", "load_profile"), ("name", "Rollbacks")], &["value", "unit", "reason"]);
    assert_eq!(missing, [["", "", "the engine does not count it"]]);
    let buckets = of(&[("name", "wait: single block read")], &["section", "below_us", "value", "share"]);
    assert_eq!(buckets, [["histogram", "64", "30", "0.75"], ["histogram", "128", "10", "0.25"]]);
    let log = of(&[("section", "log"), ("figure", "syncs")], &["value", "per_second", "per_transaction"]);
    assert_eq!(log, [["1200", "400", "0.4"]]);
    let runs = cells(&table, &[], &["record", "run", "test", "jobs"]);
    assert!(runs.iter().all(|run| run[2..] == ["T311", "4"]) && runs.len() > 30, "{runs:?}");
}

#[test]
fn a_question_without_an_answer_has_no_values_either() {
    let record = record();
    let refused = activity_csv(&record, &ActivityChoice::Test("T999".to_owned())).unwrap_err();
    assert_eq!(refused, "there is no run of test T999 in this record");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn whatever_sessions_were_found_doing_it_can_be_shown(
        looks in prop_oneof![Just(0), Just(u64::MAX), 0u64..1_000],
        (watched, cost, window) in (any::<u64>(), any::<u64>(), prop_oneof![Just(0), any::<u64>()]),
        waits in prop::collection::vec((".{0,40}", any::<u64>()), 0..20),
        values in prop::collection::vec(any::<u64>(), 15),
        width in 0usize..200,
    ) {
        let mut record = record();
        let run = record.runs.iter_mut().find(|run| run.activity.is_some()).unwrap();
        run.window_ns = Nanos(window);
        let last = run.readings.len() - 1;
        run.readings[last].values.values_mut().zip(&values).for_each(|(value, other)| *value = *other);
        let activity = run.activity.as_mut().unwrap();
        (activity.sample_count, activity.observed_ns, activity.cost_ns) = (looks, Nanos(watched), Nanos(cost));
        activity.waits = waits.iter().map(|(event, count)| wait(WaitClass::Other, event, *count)).collect();
        let number = run.number;
        let Ok(shown) = dbdyno_report::activity(&record, &ActivityChoice::Number(number), "r.json") else {
            prop_assert_eq!(window, 0, "a run without a window has nothing to show");
            return Ok(());
        };
        let shown = shown.text(Style::default(), width);
        for line in shown.lines() {
            prop_assert!(line.chars().count() <= width.clamp(60, 120), "{} columns: {line}", line.chars().count());
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
        prop_assert!(!shown.contains("NaN") && !shown.contains("inf") && !shown.contains("-0 "), "{}", shown);
        let table = activity_csv(&record, &ActivityChoice::Number(number)).unwrap();
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        prop_assert!(reader.records().all(|line| line.is_ok()) && !table.contains("NaN") && !table.contains("inf"), "{}", table);
    }
}
