//! The tables of activity and of latency by layer.

use super::*;

/// The rows of a table of [`record`].
fn rows(table: &str) -> Rows {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), Format::Csv);
    csv_rows(&directory.path().join(format!("{table}.csv")))
}

fn cells<'a>(row: &'a BTreeMap<String, String>, names: &[&str]) -> Vec<&'a str> {
    names.iter().map(|name| row.get(*name).map_or("", String::as_str)).collect()
}

#[test]
fn every_figure_of_a_run_that_is_not_invalid_is_one_row() {
    let activity = rows("activity");
    let found = |run: &str, name: &str| {
        let is_it = |row: &&BTreeMap<String, String>| row["run"] == run && row.get("name").is_some_and(|it| it == name);
        activity
            .iter()
            .find(is_it)
            .map(|row| cells(row, &["section", "figure", "value", "unit", "per_second", "reason"]))
    };
    assert_eq!(found("1", "Rows").unwrap(), ["load_profile", "total", "4", "count", "2.6666666666666665", ""]);
    assert_eq!(found("1", "Redo size").unwrap(), ["load_profile", "total", "", "", "", "the engine does not count it"]);
    assert_eq!(found("3", "Rows"), None, "it was aborted");
    let steps =
        activity.iter().filter(|row| row["run"] == "1" && row.get("name").is_some_and(|it| it.starts_with("client")));
    let counted: f64 = steps.map(|row| row["value"].parse::<f64>().unwrap()).sum();
    assert_eq!(counted, 4.0, "all steps lie in a bucket of the histogram");
}

#[test]
fn every_line_of_a_latency_table_is_one_row() {
    let layers = rows("layers");
    let of = |run: &str| -> Vec<Vec<&str>> {
        let rows = layers.iter().filter(|row| row["run"] == run);
        rows.map(|row| cells(row, &["point", "kind", "name", "count", "method"])).collect()
    };
    assert!(of("1").contains(&vec!["system_call", "row", "fdatasync", "2", "timed"]), "{:?}", of("1"));
    assert!(of("2").contains(&vec!["client_service", "row", "start to end", "4", "timed"]), "{:?}", of("2"));
    assert!(of("2").iter().any(|row| row[..2] == ["system_call", "missing"]), "{:?}", of("2"));
    assert!(of("3").is_empty(), "it was aborted");
}
