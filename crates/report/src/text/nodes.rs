//! What each node did, where a run spread its jobs over several.

use record::{NodeRun, Record, Run};

use crate::figure::{rate, time};
use crate::layout::{Align, Head, Table, clean, cut};
use crate::nodes::{commits_per_second, name, speaking};
use crate::words::dop;

/// Letters of a node's name.
const NAME_MAX: usize = 30;

const HEADS: [Head; 9] = [
    (&["run"], Align::Right),
    (&["test"], Align::Left),
    (&["at"], Align::Left),
    (&["node"], Align::Left),
    (&["#J"], Align::Right),
    (&["ops/s"], Align::Right),
    (&["commits/s"], Align::Right),
    (&["service", "p50"], Align::Right),
    (&["service", "p99"], Align::Right),
];

/// A line for each node of the best run of each test, and of each run in which one was lost.
pub(super) fn nodes(record: &Record) -> Table {
    let mut table = Table::new(&HEADS, &[]);
    for run in speaking(record) {
        for node in &run.nodes {
            table.push(line(record, run, node), None);
        }
    }
    table
}

fn line(record: &Record, run: &Run, node: &NodeRun) -> Vec<String> {
    let quantiles = model::quantiles(&node.service);
    vec![
        run.number.to_string(),
        clean(&run.test),
        dop(run.dop, run.sweep),
        cut(&name(record, node.node), NAME_MAX),
        node.jobs.to_string(),
        rate(model::node_rate(run, node).map(|rate| rate.0)),
        rate(commits_per_second(run, node).map(|rate| rate.0)),
        time(quantiles.map(|quantiles| quantiles.p50_ns)),
        time(quantiles.and_then(|quantiles| quantiles.p99_ns)),
    ]
}
