//! What each node did: one row for each node of each run that spread its jobs over several.

use record::{Latency, NodeInventory, NodeRun, Record, Run};

use super::{RECORD, RUN, TEST};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 21] = [
    RECORD,
    RUN,
    TEST,
    ("nodes", Kind::Count),
    ("node", Kind::Count),
    ("name", Kind::Text),
    ("takes_writes", Kind::Truth),
    ("jobs", Kind::Count),
    ("steps", Kind::Count),
    ("operations", Kind::Count),
    ("rows", Kind::Count),
    ("transactions", Kind::Count),
    ("failures", Kind::Count),
    ("unfinished", Kind::Count),
    ("commits", Kind::Count),
    ("void", Kind::Truth),
    ("operations_per_second", Kind::Number),
    ("service_ns_p50", Kind::Count),
    ("service_ns_p99", Kind::Count),
    ("response_ns_p50", Kind::Count),
    ("response_ns_p99", Kind::Count),
];

pub(crate) const TABLE: Table = Table { name: "nodes", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in record.runs.iter().filter(|run| !run.nodes.is_empty()) {
        let void = model::is_void(run);
        for node in &run.nodes {
            let mut row = vec![Value::from(&record.id), run.number.into(), Value::from(&run.test)];
            row.extend(facts(run, node, inventory(record, node.node)));
            row.push(void.into());
            row.push(if void { Value::Empty } else { model::node_rate(run, node).map(|rate| rate.0).into() });
            row.extend([&node.service, &node.response].into_iter().flat_map(|latency| times(latency, void)));
            debug_assert_eq!(row.len(), COLUMNS.len());
            take(&row)?;
        }
    }
    Ok(())
}

fn facts<'a>(run: &Run, node: &NodeRun, inventory: Option<&'a NodeInventory>) -> [Value<'a>; 12] {
    let totals = &node.totals;
    [
        run.dop.nodes.into(),
        node.node.into(),
        inventory.map(|inventory| &inventory.name).into(),
        inventory.map(|inventory| inventory.takes_writes).into(),
        node.jobs.into(),
        totals.steps.into(),
        totals.operations.into(),
        totals.rows.into(),
        totals.transactions.into(),
        totals.failures.values().fold(0, |sum: u64, n| sum.saturating_add(*n)).into(),
        totals.unfinished.into(),
        model::node_commits(node).into(),
    ]
}

/// What is known of node `node`, counted from 1.
fn inventory(record: &Record, node: u32) -> Option<&NodeInventory> {
    record.nodes.get((node as usize).checked_sub(1)?)
}

/// Median and 0.99 quantile; empty where there are none or they are no result.
fn times(latency: &Latency, void: bool) -> [Value<'static>; 2] {
    let none = latency.count == 0 || void;
    [Some(latency.p50_ns), latency.p99_ns].map(|time| time.filter(|_| !none).map(|time| time.0).into())
}
