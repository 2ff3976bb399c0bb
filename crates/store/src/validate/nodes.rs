//! Runs on several nodes: sums and node numbers.

use std::collections::BTreeSet;

use record::{Nanos, NodeRun, Outcome, Record, Run, Totals};

use super::{Validity, at_least_one, latency};

/// Maximum delay of the detection of an event after the window.
const EVENT_LATE_MAX: Nanos = Nanos(24 * 3_600 * 1_000_000_000);

/// What a run requires of the rest of its record, which is read separately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requirement {
    /// The highest node number, and its field.
    most: (u32, &'static str),
    /// Whether it ran on several nodes and has no results per node.
    is_unlisted: bool,
}

impl Requirement {
    /// The requirement of `run`.
    pub(crate) fn of(run: &Run) -> Requirement {
        let nodes = run.nodes.iter().map(|node| (node.node, "node"));
        let events = run.events.iter().map(|event| (event.node, "event of node"));
        let most = nodes.chain(events).chain([(run.dop.nodes, "nodes")]).max().unwrap_or_default();
        Requirement { most, is_unlisted: run.dop.nodes > 1 && run.nodes.is_empty() && is_result(run) }
    }

    /// Checks the node numbers of `run` against the nodes that `record` lists, or else against the number of nodes of
    /// its engine. Older records list no nodes, nor do their runs.
    pub(crate) fn check(self, record: &Record, run: &Run) -> Validity {
        self.has(record).map_err(|why| format!("run {} ({}): {why}", run.number, run.test))
    }

    fn has(self, record: &Record) -> Validity {
        let listed = record.nodes.len() as u32;
        let counted = record.engine.as_ref().map_or(1, |engine| engine.nodes);
        let limit = if listed > 0 { listed } else { counted };
        let (most, name) = self.most;
        if most > limit {
            return Err(format!("{name} {most}, the record has nodes {limit}"));
        }
        match self.is_unlisted && listed > 0 {
            true => Err("results per node are missing, but the record lists its nodes".to_owned()),
            false => Ok(()),
        }
    }
}

/// Checks the nodes of `run`.
pub(super) fn nodes(run: &Run) -> Validity {
    run.nodes.iter().try_for_each(node)?;
    let mut known = BTreeSet::new();
    if let Some(twice) = run.nodes.iter().find(|node| !known.insert(node.node)) {
        return Err(format!("node {} occurs twice", twice.node));
    }
    if !run.nodes.is_empty() && is_result(run) {
        sums(run)?;
    }
    run.events.iter().try_for_each(|event| {
        at_least_one("node of an event", event.node)?;
        let (jobs, jobs_max) = (event.jobs, run.dop.jobs);
        if jobs > jobs_max {
            return Err(format!("event of node {}: jobs {jobs}, the run has {jobs_max}", event.node));
        }
        let (at, limit) = (event.at_ns.0, run.window_ns.0.saturating_add(EVENT_LATE_MAX.0));
        match at > limit {
            true => {
                Err(format!("event of node {}: at_ns {at}, the limit is one day after the window, {limit}", event.node))
            }
            false => Ok(()),
        }
    })
}

/// Whether `run` must be complete. One that was aborted may have no results per node.
fn is_result(run: &Run) -> bool {
    run.outcome == Outcome::Done && run.totals.steps > 0
}

fn node(node: &NodeRun) -> Validity {
    let checked = at_least_one("number", node.node)
        .and_then(|()| latency("service", &node.service))
        .and_then(|()| latency("response", &node.response));
    checked.map_err(|why| format!("node {}: {why}", node.node))
}

/// One of the counts of a run or of a node.
type Count = fn(&Totals) -> u64;

/// Checks the number of nodes, and that their totals add up to those of the run.
fn sums(run: &Run) -> Validity {
    let (listed, asked) = (run.nodes.len(), run.dop.nodes);
    if listed != asked as usize {
        return Err(format!("{listed} nodes are listed, the run has {asked}"));
    }
    let jobs: u128 = run.nodes.iter().map(|node| u128::from(node.jobs)).sum();
    add_up("jobs", jobs, run.dop.jobs.into())?;
    let counts: [(&str, Count); 4] = [
        ("steps", |totals| totals.steps),
        ("operations", |totals| totals.operations),
        ("rows", |totals| totals.rows),
        ("transactions", |totals| totals.transactions),
    ];
    counts.into_iter().try_for_each(|(name, count)| {
        // 128 bits, so that sums do not overflow.
        let sum = run.nodes.iter().map(|node| u128::from(count(&node.totals))).sum();
        add_up(name, sum, count(&run.totals).into())
    })
}

fn add_up(name: &str, sum: u128, total: u128) -> Validity {
    if sum == total { Ok(()) } else { Err(format!("{name} of the nodes are {sum} in total, the run has {total}")) }
}
