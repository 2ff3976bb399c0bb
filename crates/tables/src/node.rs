//! Nodes: one row for each node of each multi-node run.

use record::{NodeInventory, NodeRun, Rate, Record, Run};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::run::failures;

/// A node, and its provisioned data.
pub type NodeRow<'a> = Part<'a, (&'a NodeRun, Option<&'a NodeInventory>)>;

/// The nodes of each run of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = NodeRow<'_>> {
    parts(record, move |run| run.nodes.iter().map(move |node| (node, inventory(record, node.node))))
}

/// The provisioned data of node `node`, counted from 1.
pub fn inventory(record: &Record, node: u32) -> Option<&NodeInventory> {
    record.nodes.get((node as usize).checked_sub(1)?)
}

/// Commits per second as counted by the node, over the window of the run: the interval between a node's readings
/// includes the time to read the others.
fn commits_per_second(run: &Run, node: &NodeRun) -> Option<Rate> {
    let seconds = run.window_ns.seconds();
    model::node_commits(node).filter(|_| seconds > 0.0).map(|commits| Rate(commits as f64 / seconds))
}

/// The observed host of the node.
fn host<'a>(of: &NodeRow<'a>) -> Option<&'a str> {
    let number = (of.of.0.node as usize).checked_sub(1)?;
    of.record.server_hosts.get(number).map(|host| host.name.as_str())
}

type Figure<'a> = Column<NodeRow<'a>>;

/// Counts, then results.
pub fn columns<'a>() -> Vec<Column<NodeRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("nodes", Kind::Count, |of| of.run.dop.nodes.into()).head("#N"),
        Figure::fact("node", Kind::Count, |of| of.of.0.node.into()),
        Figure::fact("name", Kind::Text, |of| of.of.1.map(|inventory| &inventory.name).into()),
        Figure::fact("takes_writes", Kind::Flag, |of| of.of.1.map(|inventory| inventory.takes_writes).into()),
        Figure::fact("jobs", Kind::Count, |of| of.of.0.jobs.into()).head("#J"),
        Figure::fact("steps", Kind::Count, |of| of.of.0.totals.steps.into()),
        Figure::fact("operations", Kind::Count, |of| of.of.0.totals.operations.into()),
        Figure::fact("rows", Kind::Count, |of| of.of.0.totals.rows.into()),
        Figure::fact("transactions", Kind::Count, |of| of.of.0.totals.transactions.into()),
        Figure::fact("failures", Kind::Count, |of| failures(&of.of.0.totals)),
        Figure::fact("unfinished", Kind::Count, |of| of.of.0.totals.unfinished.into()),
        Figure::fact("commits", Kind::Count, |of| model::node_commits(of.of.0).into()),
        invalid(),
        Figure::result("operations_per_second", Kind::PerSecond, |of| model::node_rate(of.run, of.of.0).into())
            .head("ops/s"),
        Figure::fact("host", Kind::Text, |of| host(of).into()),
        Figure::result("server_host_cpu_ratio", Kind::Ratio, |of| {
            host(of).and_then(|name| model::server_cpu_ratio(of.run, name)).into()
        })
        .head("host CPU"),
        Figure::result("commits_per_second", Kind::PerSecond, |of| commits_per_second(of.run, of.of.0).into())
            .head("commits/s"),
    ]);
    columns.extend(latency!(Figure, "service", |of| &of.of.0.service));
    columns.extend(latency!(Figure, "response", |of| &of.of.0.response));
    columns
}
