use model::history::{HistoryCommon, HistoryCondition, HistoryDegree, HistoryPlatform};
use record::{Dop, Pace, Preset, Sweep, Timestamp, Unit};

use super::*;
use crate::style::Style;

fn query() -> HistoryQuery {
    HistoryQuery { test: "T611".to_owned(), jobs: None, metric: Metric::Throughput }
}

fn entry(platform: &str, day: usize, value: Option<f64>) -> HistoryEntry {
    HistoryEntry {
        common: HistoryCommon {
            platform: HistoryPlatform {
                engine: Some(platform.to_owned()),
                host: Some("h".to_owned()),
                nodes: 1,
                preset: Preset::Standard,
                data: None,
            },
            durability: String::new(),
            conditions: Vec::new(),
        },
        title: "primary key access".to_owned(),
        unit: Unit::Statement,
        record: format!("r{day}"),
        started_at: Timestamp(format!("2026-01-{day:02}T12:00:00.000Z")),
        at: value.map(|_| HistoryDegree::Dop(Dop::jobs(4), Sweep::Jobs)),
        value,
        version: "9.1".to_owned(),
    }
}

/// Ten records at 1000, ten at 900, with a small deviation each.
fn dropped() -> Vec<HistoryEntry> {
    let level = |day: usize| if day <= 10 { 1_000.0 } else { 900.0 };
    (1..=20).rev().map(|day| entry("A", day, Some(level(day) + (day * 7 % 5) as f64))).collect()
}

fn page_of(entries: Vec<HistoryEntry>) -> String {
    history(entries, &query()).html()
}

fn shown_of(entries: Vec<HistoryEntry>) -> String {
    history(entries, &query()).text(Style::default(), 100)
}

#[test]
fn a_drop_is_shown_where_it_happened() {
    let text = shown_of(dropped());
    let lines: Vec<&str> = text.lines().collect();
    let change = lines.iter().position(|line| line.contains("changed by -")).unwrap_or_else(|| panic!("{text}"));
    assert!(lines[change].contains("-10.0 % between r10 and r11 (p <= 0.001)"), "{text}");
    assert!(lines[change - 1].contains("r10 ") && lines[change + 1].contains("r11 "), "{text}");
    assert!(lines.contains(&"1 change in 20 values"), "{text}");
}

#[test]
fn an_even_series_has_no_change_and_a_short_one_no_verdict() {
    let even: Vec<HistoryEntry> = dropped().into_iter().filter(|entry| entry.value < Some(950.0)).collect();
    let more: Vec<HistoryEntry> = (21..=24).map(|day| entry("A", day, Some(902.0))).chain(even).collect();
    assert!(shown_of(more.clone()).contains("\nno change in 14 values\n"), "{}", shown_of(more));
    let short = shown_of(more[1..].to_vec());
    assert!(short.contains("\n13 values: too few to detect a change; at least 14 are needed\n"), "{short}");
    assert!(!short.contains("permutations"), "{short}");
}

#[test]
fn what_p_means_is_said_with_the_number_of_series() {
    let text = |entries| shown_of(entries).split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(text(dropped()).contains("999 permutations of each series; p is an upper bound for 1 series"));
    let even = (1..=20).map(|day| entry("B", day, Some(902.0)));
    let two: Vec<HistoryEntry> = dropped().into_iter().chain(even).collect();
    assert!(text(two.clone()).contains("1999 permutations of each series; p is an upper bound for 2 series"));
    assert!(text(two.clone()).contains("(p <= 0.001)"), "corrected for both: {}", text(two.clone()));
    assert!(page_of(two).contains("1999 permutations of each series"));
}

#[test]
fn records_of_different_platforms_are_not_one_history() {
    let mut entries = dropped();
    entries
        .iter_mut()
        .filter(|entry| entry.value < Some(950.0))
        .for_each(|entry| entry.common.platform.engine = Some("B".to_owned()));
    let text = shown_of(entries);
    assert!(!text.contains("changed"), "{text}");
    assert_eq!(text.matches("10 values: too few to detect a change").count(), 2, "{text}");
}

#[test]
fn records_of_different_durability_are_separate_series() {
    let mut entries = dropped();
    let (durable, volatile) = ("fsync on", "fsync off");
    entries.iter_mut().for_each(|entry| {
        entry.common.durability = if entry.value < Some(950.0) { volatile } else { durable }.to_owned();
    });
    let text = shown_of(entries.clone());
    assert!(!text.contains("changed"), "{text}");
    assert!(text.contains("preset standard, fsync on\n") && text.contains("preset standard, fsync off\n"), "{text}");
    assert!(history_csv(entries.clone(), &query()).contains("\n\"A on h, preset standard, fsync off\",T611,"));
    assert!(page_of(entries).contains("<h3>A on h, preset standard, fsync on</h3>"));
}

#[test]
fn records_of_different_conditions_are_separate_series() {
    let with = |n: i64| vec![HistoryCondition::Pace(Pace::Unthrottled), HistoryCondition::Parameter("n".to_owned(), n)];
    let mut entries = dropped();
    entries.iter_mut().for_each(|entry| entry.common.conditions = with(25));
    assert!(shown_of(entries.clone()).contains("changed by -10.0 %"));
    assert!(!shown_of(entries.clone()).contains("n 25"), "a common condition is not shown");
    entries.iter_mut().filter(|entry| entry.value < Some(950.0)).for_each(|entry| entry.common.conditions = with(39));
    let text = shown_of(entries.clone());
    assert!(!text.contains("changed") && text.matches("10 values: too few to detect a change").count() == 2, "{text}");
    assert!(text.contains("preset standard, n 25\n") && text.contains("preset standard, n 39\n"), "{text}");
    assert!(history_csv(entries.clone(), &query()).contains("\n\"A on h, preset standard, n 39\",T611,"));
    assert!(page_of(entries).contains("<h3>A on h, preset standard, n 39</h3>"));
}

#[test]
fn the_preset_smoke_has_a_warning() {
    let mut entries = dropped();
    assert!(!shown_of(entries.clone()).contains("mean nothing"));
    entries.iter_mut().for_each(|entry| entry.common.platform.preset = Preset::Smoke);
    assert!(shown_of(entries.clone()).contains("! warning: preset smoke only proves"), "{}", shown_of(entries.clone()));
    assert!(page_of(entries).contains("figures mean nothing"));
}

#[test]
fn an_invalid_record_has_a_line_and_no_value() {
    let mut entries = dropped();
    entries.push(entry("A", 21, None));
    entries.push(entry("A", 10, None));
    let text = shown_of(entries);
    assert_eq!(text.matches(" invalid").count(), 2, "{text}");
    assert!(text.contains("between r10 and r11") && text.contains("\n1 change in 20 values\n"), "{text}");
}

#[test]
fn a_line_of_values_for_each_record() {
    let text = history_csv(dropped(), &query());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], CSV_HEADS.join(","));
    assert_eq!(
        (lines.len(), lines[1]),
        (21, "\"A on h, preset standard\",T611,operations_per_second,r1,2026-01-01T12:00:00.000Z,J4,1002,,")
    );
    assert!(
        lines[11].starts_with(
            "\"A on h, preset standard\",T611,operations_per_second,r11,2026-01-11T12:00:00.000Z,J4,902,-0.0998"
        ),
        "{text}"
    );
    assert_eq!(lines.iter().filter(|line| !line.ends_with(",,")).count(), 2, "the head and the change: {text}");
}

#[test]
fn the_page_names_the_change_and_marks_it_in_the_curve() {
    let page = page_of(dropped());
    assert!(page.contains("changed by -10.0 % between r10 and r11"), "{page}");
    assert!(page.contains("change</text>") && page.contains("2026-01-20"), "{page}");
    let [all, bars] = ["<svg ", "<svg class=\"share\""].map(|start| page.matches(start).count());
    assert_eq!(all - bars, 1, "a curve, and a bar for each record: {bars}");
}
