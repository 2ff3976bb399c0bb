//! Figures of the nodes of an engine, and what happened to nodes.

use std::collections::{BTreeSet, HashMap};

use record::{NodeInventory, Record, Run};
use tables::node::{self, NodeRow};

use crate::document::{Block, Cell, Section, Table, Tone};
use crate::finding::lost_node_text;
use crate::view::View;
use crate::words::dop;

/// Lines of the table of a page.
const LINES_MAX: usize = 1000;

/// The columns that are shown everywhere; the first four name the line.
const FIRST: [&str; 10] = [
    "run",
    "test",
    "at",
    "node",
    "jobs",
    "operations_per_second",
    "commits_per_second",
    "server_host_cpu_ratio",
    "service_ns_*",
    "response_ns_p9*",
];

/// The place of the column of nodes, whose names give way to the figures.
const NODE: usize = 3;

/// The columns that the label of a node states, and the counts behind rates.
const LEFT_OUT: [&str; 10] =
    ["record", "nodes", "name", "takes_writes", "steps", "operations", "rows", "transactions", "commits", "invalid"];

/// How to read the figures.
const READING: &str = "Jobs are spread evenly over the nodes of a run; a test that changes the database uses the \
                       read-write nodes. Commits are counted by the node; the rate of a lost node covers the time until \
                       the loss.";

/// A line per node: by line those of the fastest run of each test and of runs in which one was lost, on a page those of all
/// runs, below the events. Nothing with a single node.
pub(crate) fn nodes(record: &Record) -> Section {
    let lines = record.runs.iter().map(|run| run.nodes.len()).sum::<usize>();
    let events: Vec<String> = record.runs.iter().flat_map(events).collect();
    if lines == 0 && events.is_empty() {
        return Section::new("nodes", "Nodes", Vec::new());
    }
    let shown: BTreeSet<u32> = runs_shown(record).map(|run| run.number).collect();
    let fastest = node::rows(record).filter(|of| shown.contains(&of.run.number));
    let fastest = table("nodes-fastest", "Nodes in the fastest run of each test on several", fastest);
    let more = format!("The first {LINES_MAX} of {lines} lines are shown; the record has all.");
    let whole = [
        Some(Block::text(READING)),
        Some(Block::list(events)),
        (lines > LINES_MAX).then(|| Block::note(Tone::Plain, [more])),
        Some(table("nodes-table", "Figures of each node", node::rows(record).take(LINES_MAX)).into()),
    ];
    let body = vec![Block::by_line(vec![fastest.into()]), Block::whole(whole.into_iter().flatten().collect())];
    Section::new("nodes", "Nodes", body).folded()
}

fn table<'a>(id: &str, caption: &str, rows: impl Iterator<Item = NodeRow<'a>>) -> Table {
    let view = View::of(node::columns())
        .words("at", ("", "at"), |of| Cell::text(dop(of.run.dop, of.run.sweep)))
        .words("node", ("", "node"), |of| Cell::text(name(of.record, of.of.0.node)))
        .except(&LEFT_OUT)
        .first(&FIRST)
        .with_others(NODE + 1);
    Table { flexible: Some(NODE), ..view.table(id, caption, rows, |_| Tone::Plain) }
}

/// The node events of `run`, with the message of the engine.
fn events(run: &Run) -> impl Iterator<Item = String> {
    run.events.iter().map(move |event| {
        let message = event.message.trim();
        let message = if message.is_empty() { String::new() } else { format!(" ({message})") };
        let event = lost_node_text(&model::lost_node(run, event));
        format!("Run {}, {}: {event}{message}.", run.number, run.test)
    })
}

/// Of each test the number of the fastest valid run that is `asked` for.
pub(crate) fn fastest_runs(record: &Record, asked: impl Fn(&Run) -> bool) -> BTreeSet<u32> {
    let mut fastest: HashMap<&str, (f64, u32)> = HashMap::new();
    for run in record.runs.iter().filter(|run| asked(run) && !model::is_invalid(run)) {
        let rate = run.totals.operations as f64 / run.window_ns.seconds().max(f64::MIN_POSITIVE);
        let best = fastest.entry(&run.test).or_insert((rate, run.number));
        if rate > best.0 {
            *best = (rate, run.number);
        }
    }
    fastest.into_values().map(|(_, number)| number).collect()
}

/// The numbers of the runs that a table by line is of: of each test the fastest valid one that is `asked` for, or all runs where
/// none is valid.
pub(crate) fn runs_by_line(record: &Record, asked: impl Fn(&Run) -> bool) -> BTreeSet<u32> {
    let fastest = fastest_runs(record, asked);
    match fastest.is_empty() {
        true => record.runs.iter().map(|run| run.number).collect(),
        false => fastest,
    }
}

/// The runs whose nodes are shown by line: of each test the fastest that used several, and those in which a node was lost.
fn runs_shown(record: &Record) -> impl Iterator<Item = &Run> {
    let fastest = fastest_runs(record, |run| !run.nodes.is_empty());
    record
        .runs
        .iter()
        .filter(move |run| !run.nodes.is_empty() && (fastest.contains(&run.number) || !run.events.is_empty()))
}

/// The label of node `number`, counted from 1: its number, its name, and whether it is read-only.
fn name(record: &Record, number: u32) -> String {
    match node::inventory(record, number) {
        Some(known) => {
            let parts = [number.to_string(), known.name.trim().to_owned(), reads(known).to_owned()];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join(" ")
        }
        None => number.to_string(),
    }
}

/// The mark of a node that takes no writes.
fn reads(node: &NodeInventory) -> &'static str {
    if node.takes_writes { "" } else { "(read-only)" }
}
