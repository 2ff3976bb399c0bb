//! Figures of the nodes of an engine, as both views need them.

use std::collections::{BTreeSet, HashMap};

use record::{NodeInventory, NodeRun, Rate, Record, Run};

use crate::layout::clean;

/// The runs whose nodes are shown: of each test the fastest that used several, and those in which a node was lost.
pub(crate) fn speaking(record: &Record) -> impl Iterator<Item = &Run> {
    let mut fastest: HashMap<&str, (f64, u32)> = HashMap::new();
    for run in record.runs.iter().filter(|run| !run.nodes.is_empty() && !model::is_void(run)) {
        let rate = run.totals.operations as f64 / run.window_ns.seconds().max(f64::MIN_POSITIVE);
        let best = fastest.entry(&run.test).or_insert((rate, run.number));
        if rate > best.0 {
            *best = (rate, run.number);
        }
    }
    let fastest: BTreeSet<u32> = fastest.into_values().map(|(_, number)| number).collect();
    record
        .runs
        .iter()
        .filter(move |run| !run.nodes.is_empty() && (fastest.contains(&run.number) || !run.events.is_empty()))
}

/// What node `node`, counted from 1, is called: its number, its name, and whether it only reads.
pub(crate) fn name(record: &Record, node: u32) -> String {
    let known = (node as usize).checked_sub(1).and_then(|place| record.nodes.get(place));
    match known {
        Some(known) => {
            let parts = [node.to_string(), clean(&known.name).trim().to_owned(), reads(known).to_owned()];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join(" ")
        }
        None => node.to_string(),
    }
}

/// The mark of a node that takes no writes.
fn reads(node: &NodeInventory) -> &'static str {
    if node.takes_writes { "" } else { "(reads)" }
}

/// Commits per second as the node itself counted them, over the window of the run: the time between the readings of a
/// node has that of reading the others in it.
pub(crate) fn commits_per_second(run: &Run, node: &NodeRun) -> Option<Rate> {
    let seconds = run.window_ns.seconds();
    model::node_commits(node).filter(|_| seconds > 0.0).map(|commits| Rate(commits as f64 / seconds))
}
