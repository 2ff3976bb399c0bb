//! What each node did, where a run spread its jobs over several.

use std::collections::BTreeSet;

use record::Record;
use tables::node;

use crate::layout::Table;
use crate::nodes::{speaking, view};

/// What is shown.
const SHOWN: [&str; 9] = [
    "run",
    "test",
    "at",
    "node",
    "jobs",
    "operations_per_second",
    "commits_per_second",
    "service_ns_p50",
    "service_ns_p99",
];

/// A line for each node of the best run of each test, and of each run in which one was lost.
pub(super) fn nodes(record: &Record) -> Table {
    let shown: BTreeSet<u32> = speaking(record).map(|run| run.number).collect();
    view().only(&SHOWN).letters(node::rows(record).filter(|of| shown.contains(&of.run.number)), |_| None)
}
