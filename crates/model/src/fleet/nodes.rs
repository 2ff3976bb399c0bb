//! The nodes of an engine in a run of several agents: what the jobs of all did on each, and which were lost.

use std::collections::BTreeMap;

use record::{Nanos, NodeEvent, NodeEventKind, NodeRun, Totals};

use super::latencies::merged_latency;
use super::series::merged_seconds;
use super::{AgentPart, MergeError, added};

/// What all `parts` did on each node, by its number, in time from `begun`, the earliest start. Readings are the
/// coordinator's.
pub(super) fn merged_nodes(parts: &[AgentPart<'_>], begun: i64) -> Result<Vec<NodeRun>, MergeError> {
    let mut of_nodes: BTreeMap<u32, Vec<(&AgentPart<'_>, &NodeRun)>> = BTreeMap::new();
    for part in parts {
        // Of a node without a job of this agent there are no figures.
        for node in part.run.nodes.iter().filter(|node| node.jobs > 0) {
            of_nodes.entry(node.node).or_default().push((part, node));
        }
    }
    let merged = |(number, of_parts): (u32, Vec<(&AgentPart<'_>, &NodeRun)>)| {
        let latencies = |latency: fn(&NodeRun) -> &record::Latency| {
            merged_latency(of_parts.iter().map(|(part, node)| (part.agent, latency(node))))
        };
        Ok(NodeRun {
            node: number,
            jobs: of_parts.iter().fold(0, |jobs, (_, node)| jobs.saturating_add(node.jobs)),
            totals: of_parts.iter().fold(Totals::default(), |sum, (_, node)| added(sum, &node.totals)),
            service: latencies(|node| &node.service)?,
            response: latencies(|node| &node.response)?,
            seconds: merged_seconds(of_parts.iter().map(|(part, node)| (part.since(begun), node.seconds.as_slice()))),
            readings: Vec::new(),
        })
    };
    of_nodes.into_iter().map(merged).collect()
}

/// The losses that `parts` noticed, in the order of time: each node once, when the first of them did.
pub(super) fn merged_events(parts: &[AgentPart<'_>], begun: i64) -> Vec<NodeEvent> {
    let mut lost: BTreeMap<u32, NodeEvent> = BTreeMap::new();
    for part in parts {
        for event in part.run.events.iter().filter(|event| event.kind == NodeEventKind::Lost) {
            let at_ns: Nanos = part.since(begun) + event.at_ns;
            let known = lost.entry(event.node).or_insert_with(|| NodeEvent { at_ns, jobs: 0, ..event.clone() });
            known.at_ns = known.at_ns.min(at_ns);
            known.jobs = known.jobs.saturating_add(event.jobs);
        }
    }
    let mut events: Vec<NodeEvent> = lost.into_values().collect();
    events.sort_by_key(|event| event.at_ns);
    events
}
