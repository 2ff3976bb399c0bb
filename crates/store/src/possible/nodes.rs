//! What was measured on several nodes: it adds up, and every node is one of the engine's.

use std::collections::BTreeSet;

use record::{Nanos, NodeRun, Outcome, Record, Run, Totals};

use super::{Possible, at_least_one, latency};

/// How long after the window an event may have been noticed: steps that hang are waited for, and no wait is a day long.
const EVENT_LATE_MAX: Nanos = Nanos(24 * 3_600 * 1_000_000_000);

/// What a run asks of the rest of its record, which is read apart from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// The highest number of nodes that it names, and where.
    most: (u32, &'static str),
    /// Whether it was spread over several nodes and does not say what each of them did.
    is_unlisted: bool,
}

impl Demand {
    /// What `run` asks.
    pub(crate) fn of(run: &Run) -> Demand {
        let nodes = run.nodes.iter().map(|node| (node.node, "node"));
        let events = run.events.iter().map(|event| (event.node, "event of node"));
        let most = nodes.chain(events).chain([(run.dop.nodes, "nodes")]).max().unwrap_or_default();
        Demand { most, is_unlisted: run.dop.nodes > 1 && run.nodes.is_empty() && is_result(run) }
    }

    /// Whether `record` has what `run` asks: the nodes that it lists or, where it lists none, those that its engine counts. Records
    /// of old list no nodes, and their runs neither.
    pub(crate) fn met(self, record: &Record, run: &Run) -> Possible {
        self.has(record).map_err(|why| format!("run {} ({}): {why}", run.number, run.test))
    }

    fn has(self, record: &Record) -> Possible {
        let listed = record.nodes.len() as u32;
        let counted = record.engine.as_ref().map_or(1, |engine| engine.nodes);
        let limit = if listed > 0 { listed } else { counted };
        let (most, name) = self.most;
        if most > limit {
            return Err(format!("{name} {most}, where the record has nodes {limit}"));
        }
        match self.is_unlisted && listed > 0 {
            true => Err("what each node did is missing, where the record lists its nodes".to_owned()),
            false => Ok(()),
        }
    }
}

/// Looks at what `run` says of its nodes.
pub(super) fn nodes(run: &Run) -> Possible {
    run.nodes.iter().try_for_each(node)?;
    let mut known = BTreeSet::new();
    if let Some(twice) = run.nodes.iter().find(|node| !known.insert(node.node)) {
        return Err(format!("node {} is there twice", twice.node));
    }
    if !run.nodes.is_empty() && is_result(run) {
        sums(run)?;
    }
    run.events.iter().try_for_each(|event| {
        at_least_one("node of an event", event.node)?;
        let (jobs, jobs_max) = (event.jobs, run.dop.jobs);
        if jobs > jobs_max {
            return Err(format!("event of node {}: jobs {jobs}, where the run has {jobs_max}", event.node));
        }
        let (at, limit) = (event.at_ns.0, run.window_ns.0.saturating_add(EVENT_LATE_MAX.0));
        match at > limit {
            true => Err(format!("event of node {}: at_ns {at}, where a day after the window is {limit}", event.node)),
            false => Ok(()),
        }
    })
}

/// Whether everything in `run` has to be there. One that broke off may have done so before its nodes were at work.
fn is_result(run: &Run) -> bool {
    run.outcome == Outcome::Done && run.totals.steps > 0
}

fn node(node: &NodeRun) -> Possible {
    let looked = at_least_one("number", node.node)
        .and_then(|()| latency("service", &node.service))
        .and_then(|()| latency("response", &node.response));
    looked.map_err(|why| format!("node {}: {why}", node.node))
}

/// One of the counts of a run or of a node.
type Count = fn(&Totals) -> u64;

/// As many nodes as the run was spread over, and together they did what it did.
fn sums(run: &Run) -> Possible {
    let (listed, asked) = (run.nodes.len(), run.dop.nodes);
    if listed != asked as usize {
        return Err(format!("{listed} nodes are listed, where the run has {asked}"));
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
        // Wider than a count, so that no sum wraps around to a right one.
        let sum = run.nodes.iter().map(|node| u128::from(count(&node.totals))).sum();
        add_up(name, sum, count(&run.totals).into())
    })
}

fn add_up(name: &str, sum: u128, total: u128) -> Possible {
    if sum == total {
        Ok(())
    } else {
        Err(format!("{name} of the nodes are {sum} together, where the run has {total}"))
    }
}
