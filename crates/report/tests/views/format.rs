//! The views for programs.

use dbdyno_report::{csv, inventory_json, json};
use record::{HostInventory, Judgement, Nanos, NodeEvent, NodeEventKind, Record, ResultClass};

use crate::sample;

fn lines(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let owned = |record: &::csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<String>>();
    let head = owned(reader.headers().unwrap());
    (head, reader.records().map(|line| owned(&line.unwrap())).collect())
}

#[test]
fn a_line_of_values_for_each_run() {
    let record = sample::record();
    let (head, lines) = lines(&csv(&record));
    assert_eq!(lines.len(), record.runs.len());
    let value = |test: &str, jobs: u32, column: &str| {
        let run = record.runs.iter().position(|run| run.test == test && run.dop.jobs == jobs).unwrap();
        lines[run][head.iter().position(|name| name == column).unwrap()].clone()
    };
    let number = |test: &str, column: &str| value(test, 1, column).parse::<f64>().unwrap();
    // Windows of 3.002 s: what was counted in three seconds, over that.
    assert!((number("T626", "operations_per_second") - 27_000.0 / 3.002).abs() < 1e-6);
    assert!((number("T626", "engine_read_bytes_per_second") - 27_000.0 * 8192.0 / 3.002).abs() < 1e-3);
    assert!((number("T626", "device_reads_per_second") - 810.0 / 3.002).abs() < 1e-6);
    assert!((number("T626", "host_cpu_ratio") - 0.75).abs() < 1e-3);
    assert_eq!(value("T311", 2, "title"), "OLTP insert, 2 rows per transaction");
    assert_eq!(value("T311", 2, "verdict"), "warn");
    assert_eq!(value("C11", 1, "rows_per_second"), "", "a probe counts no rows");
    assert_eq!(value("T131", 1, "window_ns"), "3002000000");
}

#[test]
fn an_invalid_run_has_a_line_and_no_result() {
    let (head, lines) = lines(&csv(&sample::record()));
    let first = head.iter().position(|name| name == "rows_per_second").unwrap();
    let of = |name: &str| head.iter().position(|column| column == name).unwrap();
    let invalid: Vec<&Vec<String>> = lines.iter().filter(|line| line[of("verdict")] == "fail").collect();
    let named: Vec<(&str, &str, &str)> = invalid
        .iter()
        .map(|line| (line[of("test")].as_str(), line[of("jobs")].as_str(), line[of("outcome")].as_str()))
        .collect();
    assert_eq!(named, [("T721", "4", "done"), ("T441", "4", "failed")]);
    assert!(invalid.iter().all(|line| line[first..].iter().all(String::is_empty)));
    assert!(invalid.iter().all(|line| !line[of("steps")].is_empty()));
}

#[test]
fn runs_that_lost_nodes_are_told_from_others() {
    let mut record = sample::record();
    record.runs[1].dop.nodes = 3;
    record.runs[1].events = [(1, NodeEventKind::Gone), (2, NodeEventKind::Lost), (3, NodeEventKind::Lost)]
        .map(|(node, kind)| NodeEvent {
            at_ns: Nanos(0),
            node,
            name: "h".to_owned(),
            kind,
            jobs: 0,
            message: String::new(),
        })
        .to_vec();
    let (head, lines) = lines(&csv(&record));
    let cells = |line: usize| {
        ["nodes", "nodes_lost", "nodes_gone"].map(|name| {
            let column = head.iter().position(|column| column == name).unwrap();
            lines[line][column].as_str()
        })
    };
    assert_eq!((cells(0), cells(1)), (["1", "0", "0"], ["3", "2", "1"]));
}

#[test]
fn a_title_with_commas_quotes_and_line_ends_stays_one_field() {
    let mut record = sample::record();
    record.runs[0].title = "one, \"two\"\nthree".to_owned();
    let (head, lines) = lines(&csv(&record));
    assert_eq!(lines[0][head.iter().position(|name| name == "title").unwrap()], "one, \"two\"\nthree");
}

#[test]
fn heads_state_their_unit() {
    let head = csv(&Record { runs: Vec::new(), ..sample::record() });
    insta::assert_snapshot!(head.trim().replace(',', "\n"));
}

#[test]
fn a_record_as_json_is_the_record_with_the_verdicts_on_it() {
    let record = sample::record();
    let text = json(&record);
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let judgement = document.as_object_mut().unwrap().remove("judgement").unwrap();
    assert_eq!(serde_json::from_value::<Record>(document).unwrap(), record);
    let judgement: Judgement = serde_json::from_value(judgement).unwrap();
    assert_eq!((judgement.result_class, judgement.counts.runs), (ResultClass::FirstLook, record.runs.len()));
    assert!(text.starts_with("{\n  \"schema_version\": 1,\n") && text.ends_with("}\n"));
}

#[test]
fn a_platform_as_json_is_that_part_of_a_record() {
    let value: serde_json::Value = serde_json::from_str(&inventory_json(&sample::host(), None, &[])).unwrap();
    assert_eq!(serde_json::from_value::<HostInventory>(value["host"].clone()).unwrap(), sample::host());
    assert!(value["engine"].is_null());
}
