//! Loss of nodes during a run: an event of the run as long as other nodes work, not its end.

use std::sync::{Mutex, PoisonError};

use engine::Processes;
use measure::{Broken, clock};
use record::{Nanos, NodeEvent, NodeEventKind};

use crate::nodes::Nodes;

/// Nodes that were lost before the run: it is about another platform than runs with all nodes.
pub(crate) fn lost_before(nodes: &Nodes) -> Vec<NodeEvent> {
    let event = |node_index: usize| NodeEvent {
        at_ns: Nanos(0),
        node: nodes.number(node_index),
        name: nodes.at(node_index).name(),
        kind: NodeEventKind::Gone,
        jobs: 0,
        message: "lost before the run".to_owned(),
    };
    nodes.lost().map(event).collect()
}

/// The losses during one run.
pub(crate) struct Losses<'a> {
    nodes: &'a Nodes,
    /// Index of the node of each job.
    node_indexes: Vec<usize>,
    /// Whether other processes have jobs of the run on other nodes.
    has_others: bool,
    /// Times are on the monotonic clock.
    events: Mutex<Vec<NodeEvent>>,
}

impl<'a> Losses<'a> {
    /// For jobs on the nodes at `node_indexes`; with `has_others` other processes have jobs on other nodes.
    pub(crate) fn new(nodes: &'a Nodes, node_indexes: Vec<usize>, has_others: bool) -> Losses<'a> {
        Losses { nodes, node_indexes, has_others, events: Mutex::default() }
    }

    /// Whether job `job` failed because its node is lost, while other nodes still work.
    pub(crate) fn continues_without(&self, job: u32, broken: &Broken) -> bool {
        let noticed = clock::now();
        let Some(node_index) = self.node_indexes.get(job as usize).copied() else { return false };
        if !self.has_others && self.node_indexes.iter().all(|other| *other == node_index) {
            return false;
        }
        // Only the session may be lost, or the test may be wrong: then the run ends, as on one node.
        if !self.nodes.is_lost(node_index) && self.nodes.at(node_index).connect().is_ok() {
            return false;
        }
        self.nodes.lose(node_index);
        self.note(node_index, noticed, 1, &broken.message);
        self.has_others || self.node_indexes.iter().any(|other| !self.nodes.is_lost(*other))
    }

    /// Checks whether the server processes of all nodes still run, where they are on this host: also of nodes without a
    /// job, because a commit may wait for them. The loss of a single node ends the run.
    pub(crate) fn check_servers(&self) {
        if self.nodes.counts().0 == 1 {
            return;
        }
        for node_index in self.nodes.left().collect::<Vec<usize>>() {
            let Processes::Local(roots) = self.nodes.at(node_index).processes() else { continue };
            if !roots.iter().all(|process| base::process::is_running(*process)) {
                self.nodes.lose(node_index);
                self.note(node_index, clock::now(), 0, "its server has ended");
            }
        }
    }

    fn note(&self, node_index: usize, at_ns: Nanos, jobs: u32, message: &str) {
        let node = self.nodes.number(node_index);
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        match events.iter_mut().find(|event| event.node == node) {
            Some(event) => {
                event.jobs += jobs;
                event.at_ns = event.at_ns.min(at_ns);
            }
            None => events.push(NodeEvent {
                at_ns,
                node,
                name: self.nodes.at(node_index).name(),
                kind: NodeEventKind::Lost,
                jobs,
                message: message.to_owned(),
            }),
        }
    }

    /// Takes `events` for losses, with times relative to `start`, which other processes have noticed.
    pub(crate) fn add(&self, events: &[NodeEvent], start: Nanos) {
        for event in events.iter().filter(|event| event.kind == NodeEventKind::Lost) {
            let Some(node_index) = self.nodes.index_of(event.node) else { continue };
            self.nodes.lose(node_index);
            self.note(node_index, start + event.at_ns, event.jobs, &event.message);
        }
    }

    /// The events in the order of time, with times relative to `start`.
    pub(crate) fn into_events(self, start: Nanos) -> Vec<NodeEvent> {
        let mut events = self.events.into_inner().unwrap_or_else(PoisonError::into_inner);
        events.iter_mut().for_each(|event| event.at_ns = event.at_ns.since(start));
        events.sort_by_key(|event| event.at_ns);
        events
    }
}
