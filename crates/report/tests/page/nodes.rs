//! What the page and the sheet say of runs that spread their jobs over several nodes.

use dbdyno_report::{SheetOptions, Style, runs_in_detail};
use record::{
    Dop, Nanos, NodeEvent, NodeEventKind, NodeInventory, NodeRun, Reading, Record, Run, Second, Verdict, name,
};
use roxmltree::Document;

use crate::document::{parse, select, text, texts, xml};
use crate::drawn::{html, text as sheet_text};
use crate::finding_sample::worded;
use crate::sample;

/// The sample with nothing but T611, a run for each of `loads`: on so many nodes, at so many jobs, with so
/// many operations per second.
fn record(loads: &[(u32, u32, u64)]) -> Record {
    let mut record = sample::record();
    record.runs.retain(|run| run.test == "T611" && run.dop.jobs == 1);
    let one = record.runs.remove(0);
    let run = |(number, (nodes, jobs, per_second)): (u32, &(u32, u32, u64))| {
        let mut run = Run { number, dop: Dop { nodes: *nodes, ..Dop::jobs(*jobs) }, ..one.clone() };
        run.totals.operations = per_second * run.seconds.len() as u64;
        run.window_ns = Nanos(run.seconds.len() as u64 * 1_000_000_000);
        run
    };
    record.runs = (1..).zip(loads).map(run).collect();
    record
}

fn page(record: &Record) -> String {
    xml(&html(record, &SheetOptions { path: "record.json", ..SheetOptions::default() }))
}

/// At how many of what is added the chart `id` has a measured point.
fn added(document: &Document<'_>, id: &str) -> Vec<f64> {
    let data = text(select(document.root(), &format!("details[data-file={id}] pre"))[0]);
    let mut reader = csv::Reader::from_reader(data.as_bytes());
    let lines = reader.records().map(Result::unwrap).filter(|line| line[0].starts_with("throughput"));
    lines.map(|line| line[1].parse().unwrap()).collect()
}

#[test]
fn a_chart_is_about_the_most_nodes_and_the_rest_of_the_page_about_all_runs() {
    let loads = [(1, 1, 100), (1, 4, 900), (3, 3, 200), (3, 6, 350), (5, 5, 0)];
    let mut record = record(&loads);
    let wrong = worded(Verdict::Fail, "other answers");
    let invalid = |number, nodes, jobs| {
        let mut run = Run { number, dop: Dop { nodes, ..Dop::jobs(jobs) }, ..record.runs[0].clone() };
        run.findings.push(wrong.clone());
        run
    };
    let invalidates = [invalid(6, 1, 2), invalid(7, 3, 9), invalid(8, 5, 10)];
    record.runs.extend(invalidates);
    let page = page(&record);
    let document = parse(&page);
    assert_eq!(added(&document, "throughput-1"), [3.0, 6.0]);
    let chart = texts(&document, "#charts, #throughput").join(" ");
    assert!(chart.contains("From 200.0 stmt/s at N3J3 to 350.0 stmt/s at N3J6"), "{chart}");
    assert!(chart.contains("jobs on 3 nodes"), "{chart}");
    assert!(
        chart.contains("run 7, invalid") && !chart.contains("run 6, invalid") && !chart.contains("run 8, invalid"),
        "{chart}"
    );
    let best = model::sheet(&record).lines[0].best.clone().unwrap();
    assert_eq!(best.dop, Dop::jobs(4));
    let latency = texts(&document, "#latency").join(" ");
    assert!(latency.contains("(J4)") && latency.contains("service time at J1"), "{latency}");
}

#[test]
fn where_only_nodes_are_added_they_are_what_the_chart_is_over() {
    let document = page(&record(&[(1, 6, 100), (2, 6, 190), (3, 6, 270)]));
    let document = parse(&document);
    assert_eq!(added(&document, "throughput-1"), [1.0, 2.0, 3.0]);
    let chart = texts(&document, "#charts, #throughput").join(" ");
    assert!(chart.contains("From 100.0 stmt/s at J6 to 270.0 stmt/s at N3J6"), "{chart}");
    let mixed = page(&record(&[(1, 1, 100), (1, 4, 300), (3, 6, 270)]));
    let mixed = texts(&parse(&mixed), "#charts, #throughput").join(" ");
    assert!(mixed.contains("without a curve: T611 (on 3 nodes)."), "{mixed}");
}

/// A run on three nodes, the last of which was lost in the third second of ten.
fn with_a_loss() -> Record {
    let mut record = record(&[(3, 6, 300), (3, 6, 290), (3, 6, 280)]);
    let known = |name: &str, takes_writes| NodeInventory { name: name.to_owned(), takes_writes };
    record.nodes = vec![known("", true), known("h2:5432", true), known("h3:5432", false)];
    for run in &mut record.runs {
        run.window_ns = Nanos(10_000_000_000);
        let second = |operations| Second { operations, ..Second::default() };
        run.seconds = (0..10).map(|at| second(if at < 2 { 300 } else { 200 })).collect();
        let reading = |at: u64, commits: u64| Reading {
            at_ns: Nanos(at * 1_000_000_000),
            values: [(name::COMMIT_COUNT.to_owned(), commits)].into(),
        };
        let node = |node: u32| NodeRun {
            node,
            jobs: 2,
            totals: run.totals.clone(),
            service: run.service.clone(),
            response: run.response.clone(),
            seconds: run.seconds.clone(),
            // Reading the others took as long as the window.
            readings: vec![reading(0, 7), reading(20, 1_007)],
        };
        run.nodes = (1..=3).map(node).collect();
    }
    record.runs[2].events.push(NodeEvent {
        at_ns: Nanos(2_300_000_000),
        node: 3,
        name: "h3:5432".to_owned(),
        kind: NodeEventKind::Lost,
        jobs: 2,
        message: "the <server> closed the connection".to_owned(),
    });
    record
}

#[test]
fn a_loss_is_shown_with_the_rates_around_it_in_a_long_record_too() {
    let mut record = with_a_loss();
    let expected = "Run 3, T611: node 3 (h3:5432) was lost after 2.3 s with 2 jobs: 300/s before, 200/s after \
                (the <server> closed the connection).";
    let events = |record: &Record| texts(&parse(&page(record)), "#nodes li");
    assert_eq!(events(&record), [expected]);
    let detailed = runs_in_detail(&record);
    assert!(detailed.contains(&3), "{detailed:?}: it is neither the median nor the best, but something happened");
    assert!(!detailed.contains(&1), "{detailed:?}");
    record.runs.iter_mut().filter(|run| !detailed.contains(&run.number)).for_each(model::thin);
    assert_eq!(events(&record), [expected]);
}

#[test]
fn commits_are_over_the_window_and_a_node_without_a_name_is_a_number() {
    let record = with_a_loss();
    let document = page(&record);
    let document = parse(&document);
    let lines = select(document.root(), "#nodes-table tbody tr");
    let cells: Vec<String> = select(lines[0], "th, td").iter().map(|cell| text(*cell)).collect();
    assert_eq!(cells[2..5], ["N3J6", "1", "2"]);
    assert_eq!(cells[6], "100.0", "a thousand commits in a window of ten seconds");
    let names: Vec<String> = lines[1..3].iter().map(|line| text(select(*line, "td")[2])).collect();
    assert_eq!(names, ["2 h2:5432", "3 h3:5432 (read-only)"]);
    let sheet = sheet_text(&record, "record.json", Style::default(), 120);
    let line = sheet.lines().find(|line| line.contains("h2:5432")).unwrap();
    assert!(line.split_whitespace().any(|word| word == "100.0"), "{line}");
}
