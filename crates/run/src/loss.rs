//! Nodes that are lost while a run goes on: an event of the run, not its end, as long as others work.

use std::sync::{Mutex, PoisonError};

use engine::Processes;
use measure::{Broken, clock};
use record::{Nanos, NodeEvent, NodeEventKind};

use crate::nodes::Nodes;

/// Those that were gone before a run began: it is about another platform than runs with all nodes are.
pub(crate) fn gone(nodes: &Nodes) -> Vec<NodeEvent> {
    let event = |place: usize| NodeEvent {
        at_ns: Nanos(0),
        node: place as u32 + 1,
        name: nodes.at(place).name(),
        kind: NodeEventKind::Gone,
        jobs: 0,
        message: "lost before the run".to_owned(),
    };
    nodes.lost().map(event).collect()
}

/// What happens to the nodes of one run.
pub(crate) struct Losses<'a> {
    nodes: &'a Nodes,
    /// The place of the node that each job works on.
    places: Vec<usize>,
    /// Their times on the monotonic clock.
    events: Mutex<Vec<NodeEvent>>,
}

impl<'a> Losses<'a> {
    /// For jobs on the nodes at `places`.
    pub(crate) fn new(nodes: &'a Nodes, places: Vec<usize>) -> Losses<'a> {
        Losses { nodes, places, events: Mutex::default() }
    }

    /// Job `job` cannot go on: whether that is because its node is gone, and others are left that work.
    pub(crate) fn goes_on_without(&self, job: u32, broken: &Broken) -> bool {
        let noticed = clock::now();
        let Some(place) = self.places.get(job as usize).copied() else { return false };
        if self.places.iter().all(|other| *other == place) {
            return false;
        }
        // A session alone may be gone, or the test wrong: then the run is over, as on one node.
        if !self.nodes.is_lost(place) && self.nodes.at(place).connect().is_ok() {
            return false;
        }
        self.nodes.lose(place);
        self.note(place, noticed, 1, &broken.message);
        self.places.iter().any(|other| !self.nodes.is_lost(*other))
    }

    /// Looks whether the servers of all nodes are there, as far as they are on this host: also of nodes on which no job
    /// works, because a commit may have to wait for them. A single node that is gone ends the run.
    pub(crate) fn look(&self) {
        if self.nodes.counts().0 == 1 {
            return;
        }
        for place in self.nodes.left().collect::<Vec<usize>>() {
            let Processes::Local(roots) = self.nodes.at(place).processes() else { continue };
            if !roots.iter().all(|process| base::process::is_running(*process)) {
                self.nodes.lose(place);
                self.note(place, clock::now(), 0, "its server has ended");
            }
        }
    }

    fn note(&self, place: usize, at_ns: Nanos, jobs: u32, message: &str) {
        let node = place as u32 + 1;
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        match events.iter_mut().find(|event| event.node == node) {
            Some(event) => {
                event.jobs += jobs;
                event.at_ns = event.at_ns.min(at_ns);
            }
            None => events.push(NodeEvent {
                at_ns,
                node,
                name: self.nodes.at(place).name(),
                kind: NodeEventKind::Lost,
                jobs,
                message: message.to_owned(),
            }),
        }
    }

    /// What happened in the order of time, which is counted from `begun`.
    pub(crate) fn into_events(self, begun: Nanos) -> Vec<NodeEvent> {
        let mut events = self.events.into_inner().unwrap_or_else(PoisonError::into_inner);
        events.iter_mut().for_each(|event| event.at_ns = event.at_ns.since(begun));
        events.sort_by_key(|event| event.at_ns);
        events
    }
}
