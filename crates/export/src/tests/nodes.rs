//! Tables of nodes and node events.

use super::*;

#[test]
fn a_node_is_one_row_with_its_own_figures() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), Format::Csv);
    let nodes = csv_rows(&directory.path().join("nodes.csv"));
    let cells = |row: usize, names: [&str; 4]| names.map(|name| nodes[row].get(name).map(String::as_str));
    assert_eq!(cells(0, ["run", "nodes", "node", "name"]), [Some("2"), Some("3"), Some("1"), Some("h1")]);
    assert_eq!(cells(1, ["name", "takes_writes", "jobs", "invalid"]), ["h3", "false", "2", "false"].map(Some));
    assert_eq!(cells(1, ["steps", "operations", "transactions", "failures"]), ["33", "30", "30", "3"].map(Some));
    let figures = ["commits", "operations_per_second", "service_ns_p50", "service_ns_p99"];
    assert_eq!(cells(1, figures), ["30", "20", "5", "9"].map(Some), "33 commits, 3 of them by reading counters");
    let until_lost = [None, Some("2.4"), Some("5"), Some("9")];
    assert_eq!(cells(0, figures), until_lost, "one reading, and 3 operations in the 1.25 s before it was lost");
    assert_eq!(cells(2, ["node", "name", "takes_writes", "response_ns_p50"]), [Some("4"), None, None, None]);
    // An invalid run has counts, and no result.
    assert_eq!(cells(4, ["run", "invalid", "operations", "commits"]), ["3", "true", "30", "30"].map(Some));
    assert_eq!(cells(4, ["operations_per_second", "service_ns_p50", "service_ns_p99", "response_ns_p99"]), [None; 4]);
}

#[test]
fn node_events_are_rows_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), Format::Csv);
    let events = csv_rows(&directory.path().join("events.csv"));
    let cells =
        |row: usize| ["run", "at_seconds", "node", "name", "kind", "jobs"].map(|name| events[row][name].as_str());
    assert_eq!(cells(0), ["2", "0", "2", "h2", "gone", "0"]);
    assert_eq!(cells(1), ["2", "1.25", "1", "h1", "lost", "2"]);
    assert_eq!(events[1]["message"], "gone, it \"said\"");
    let runs = csv_rows(&directory.path().join("runs.csv"));
    let counted = runs.iter().map(|run| (run["nodes_lost"].as_str(), run["nodes_gone"].as_str()));
    assert_eq!(counted.collect::<Vec<_>>(), [("0", "0"), ("1", "1"), ("0", "0")]);
}
