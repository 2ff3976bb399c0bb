//! What the page draws of runs by several agents.

use dbdyno_report::SheetOptions;
use record::{AgentRun, AgentStart, Record, Second};

use crate::document::{parse, select, text, xml};
use crate::drawn::html;
use crate::sample;

/// The sample with one run, by agents that did so many operations in each second.
fn record(agents: &[&[u64]]) -> Record {
    let mut record = sample::record();
    record.runs.retain(|run| run.test == "T611" && run.dop.jobs == 1);
    record.runs.truncate(1);
    let run = &mut record.runs[0];
    let second = |operations: &u64| Second { operations: *operations, ..Second::default() };
    let agent = |(number, rates): (usize, &&[u64])| AgentRun {
        agent: format!("a{number}"),
        jobs: 1,
        host_threads: 1,
        start: AgentStart::default(),
        window_ns: run.window_ns,
        totals: run.totals.clone(),
        service: run.service.clone(),
        response: run.response.clone(),
        seconds: rates.iter().map(second).collect(),
        readings: Vec::new(),
    };
    run.agents = agents.iter().enumerate().map(agent).collect();
    record
}

/// The lines of the data below the chart of throughput over time that are about agents: x, y, low, high.
fn of_agents(record: &Record) -> Vec<[String; 4]> {
    let page = xml(&html(record, &SheetOptions { path: "record.json", ..SheetOptions::default() }));
    let document = parse(&page);
    let data = text(select(document.root(), "details[data-file=seconds-1] pre")[0]);
    let mut reader = csv::Reader::from_reader(data.as_bytes());
    let lines = reader.records().map(Result::unwrap).filter(|line| line[0].starts_with("mean of"));
    lines.map(|line| [1, 2, 3, 4].map(|column| line[column].to_owned())).collect()
}

#[test]
fn each_second_has_the_mean_of_the_agents_between_the_slowest_and_the_fastest() {
    let found = of_agents(&record(&[&[10, 20, 30], &[30, 40, 30]]));
    let line = |texts: [&str; 4]| texts.map(str::to_owned);
    assert_eq!(found[0], line(["1000000000", "20", "", ""]));
    assert_eq!(found[3..5], [line(["1000000000", "", "10", "30"]), line(["2000000000", "", "20", "40"])]);
    assert_eq!(found.len(), 6, "three points, and the band at each");
    assert!(of_agents(&record(&[&[10, 20, 30]])).is_empty(), "there is nothing to compare one agent with");
}
