//! Figures of the nodes of an engine, for text and HTML.

use std::collections::{BTreeSet, HashMap};

use record::{NodeInventory, Record, Run};
use tables::node::{self, NodeRow};

use crate::document::Cell;
use crate::layout::{Table, clean, cut};
use crate::view::View;
use crate::words::dop;

/// Characters of a node's name.
const NAME_MAX: usize = 30;

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

/// The runs whose nodes are shown: of each test the fastest that used several, and those in which a node was lost.
fn runs_shown(record: &Record) -> impl Iterator<Item = &Run> {
    let fastest = fastest_runs(record, |run| !run.nodes.is_empty());
    record
        .runs
        .iter()
        .filter(move |run| !run.nodes.is_empty() && (fastest.contains(&run.number) || !run.events.is_empty()))
}

/// The label of node `number`, counted from 1: its number, its name, and whether it is read-only.
pub(crate) fn name(record: &Record, number: u32) -> String {
    match node::inventory(record, number) {
        Some(known) => {
            let parts = [number.to_string(), clean(&known.name).trim().to_owned(), reads(known).to_owned()];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join(" ")
        }
        None => number.to_string(),
    }
}

/// The mark of a node that takes no writes.
fn reads(node: &NodeInventory) -> &'static str {
    if node.takes_writes { "" } else { "(read-only)" }
}

/// The columns of nodes, with their words.
pub(crate) fn view<'a>() -> View<NodeRow<'a>> {
    View::of(node::columns()).words("at", ("", "at"), |of| Cell::text(dop(of.run.dop, of.run.sweep))).words(
        "node",
        ("", "node"),
        |of| Cell::text(cut(&name(of.record, of.of.0.node), NAME_MAX)),
    )
}

/// The columns of the text table.
const SHOWN: [&str; 10] = [
    "run",
    "test",
    "at",
    "node",
    "jobs",
    "operations_per_second",
    "commits_per_second",
    "server_host_cpu_ratio",
    "service_ns_p50",
    "service_ns_p99",
];

/// A line for each node of the best run of each test, and of each run in which one was lost.
pub(crate) fn nodes(record: &Record) -> Table {
    let shown: BTreeSet<u32> = runs_shown(record).map(|run| run.number).collect();
    view().only(&SHOWN).text_table(node::rows(record).filter(|of| shown.contains(&of.run.number)), |_| None)
}
