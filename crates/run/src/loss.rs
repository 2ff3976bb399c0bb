//! Loss of nodes during a run: an event of the run as long as other nodes work, not its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use engine::Processes;
use measure::{Broken, clock};
use record::{Nanos, NodeEvent, NodeEventKind};

use crate::nodes::Nodes;

/// Interval at which a job looks for the answer to the question of another one.
const ANSWER_PERIOD: Duration = Duration::from_millis(5);

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

/// The question whether a node still takes sessions: the first job that breaks on it asks, the others wait for the answer.
#[derive(Default)]
struct Question {
    is_asked: AtomicBool,
    is_gone: OnceLock<bool>,
}

/// The losses during one run.
pub(crate) struct Losses<'a> {
    nodes: &'a Nodes,
    /// Index of the node of each job.
    node_indexes: Vec<usize>,
    /// Whether other processes have jobs of the run on other nodes.
    has_others: bool,
    /// What each node was asked, by its index.
    questions: Vec<Question>,
    /// Times are on the monotonic clock.
    events: Mutex<Vec<NodeEvent>>,
}

impl<'a> Losses<'a> {
    /// For jobs on the nodes at `node_indexes`; with `has_others` other processes have jobs on other nodes.
    pub(crate) fn new(nodes: &'a Nodes, node_indexes: Vec<usize>, has_others: bool) -> Losses<'a> {
        let questions = (0..nodes.counts().0).map(|_| Question::default()).collect();
        Losses { nodes, node_indexes, has_others, questions, events: Mutex::default() }
    }

    /// Whether job `job` failed because its node is lost, while other nodes still work.
    pub(crate) fn continues_without(&self, job: u32, broken: &Broken) -> bool {
        let noticed = clock::now();
        let Some(node_index) = self.node_indexes.get(job as usize).copied() else { return false };
        if !self.has_others && self.node_indexes.iter().all(|other| *other == node_index) {
            return false;
        }
        // Only the session may be lost, or the test may be wrong: then the run ends, as on one node.
        if !self.is_gone(node_index) {
            return false;
        }
        self.nodes.lose(node_index);
        self.note(node_index, noticed, 1, &broken.message);
        self.has_others || self.node_indexes.iter().any(|other| !self.nodes.is_lost(*other))
    }

    /// Whether the node at `node_index` takes no session any more. It may take the timeout of a connection until that is known:
    /// jobs on other nodes that share the thread of this one go on meanwhile.
    fn is_gone(&self, node_index: usize) -> bool {
        let Question { is_asked, is_gone } = &self.questions[node_index];
        if !self.nodes.is_lost(node_index) && !is_asked.swap(true, Ordering::Relaxed) {
            // The session is closed there as well.
            let connected = measure::aside(|| self.nodes.at(node_index).connect().map(drop));
            return *is_gone.get_or_init(|| !matches!(connected, Ok(Ok(()))));
        }
        loop {
            match (self.nodes.is_lost(node_index), is_gone.get()) {
                (true, _) => return true,
                (false, Some(is_gone)) => return *is_gone,
                (false, None) => measure::sleep(ANSWER_PERIOD),
            }
        }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use std::time::Instant;

    use measure::{Done, JobSettings, Observer, Work, run_jobs};
    use record::JobShare;

    use super::*;
    use crate::nodes::scripted::{ScriptedNode, nodes};

    /// Steps of a millisecond, until the one that breaks.
    struct Steps {
        done: Arc<AtomicU64>,
        broken_at: u64,
    }

    impl Work for Steps {
        fn step(&mut self, number: u64) -> Result<Done, Broken> {
            if number >= self.broken_at {
                return Err(Broken { message: "the session is lost".to_owned() });
            }
            measure::sleep(Duration::from_millis(1));
            self.done.fetch_add(1, Ordering::Relaxed);
            Ok(Done::default())
        }
    }

    struct Watch<'a>(Losses<'a>);

    impl Observer for Watch<'_> {
        fn continues_without(&self, job: u32, broken: &Broken) -> bool {
            self.0.continues_without(job, broken)
        }
    }

    /// A node that takes no session, which it says after the jobs on another node have `done` 20 more steps; counts how often
    /// it was asked.
    fn gone(done: &Arc<AtomicU64>, asked: &Arc<AtomicU64>) -> ScriptedNode {
        let (done, asked) = (Arc::clone(done), Arc::clone(asked));
        let connect = Box::new(move || {
            asked.fetch_add(1, Ordering::Relaxed);
            let (begun, start) = (done.load(Ordering::Relaxed), Instant::now());
            while done.load(Ordering::Relaxed) < begun + 20 {
                if start.elapsed() > Duration::from_secs(20) {
                    return Ok(());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(engine::Error::new(engine::Kind::Unreachable, "gone"))
        });
        ScriptedNode { connect, ..ScriptedNode::new() }
    }

    #[test]
    fn jobs_on_other_nodes_go_on_while_a_lost_one_is_asked_once() {
        for threads in [Some(1), None] {
            let (done, asked): (Arc<AtomicU64>, Arc<AtomicU64>) = Default::default();
            let nodes = nodes(vec![ScriptedNode::new(), gone(&done, &asked)]);
            let work = |broken_at| -> Box<dyn Work> { Box::new(Steps { done: Arc::clone(&done), broken_at }) };
            let mut works = vec![work(u64::MAX), work(3), work(4), work(5)];
            let watch = Watch(Losses::new(&nodes, vec![0, 1, 1, 1], false));
            let settings = JobSettings { steps: 200, window: Nanos(60_000_000_000), threads, ..JobSettings::default() };
            let outcome = run_jobs(&mut works, JobShare::whole(4), &settings, &watch, &AtomicBool::new(false));
            assert_eq!(outcome.broken, None, "the node that is left has gone on");
            assert_eq!(asked.load(Ordering::Relaxed), 1, "by the first of three jobs");
            let events = watch.0.into_events(outcome.begun);
            assert_eq!((events.len(), events[0].jobs, events[0].node), (1, 3, 2));
        }
    }

    #[test]
    fn a_node_that_takes_sessions_is_not_lost() {
        let nodes = nodes(vec![ScriptedNode::new(), ScriptedNode::new()]);
        let losses = Losses::new(&nodes, vec![0, 1], false);
        let broken = Broken { message: "a session was ended".to_owned() };
        assert!(!losses.continues_without(1, &broken) && !losses.continues_without(1, &broken));
        assert_eq!(nodes.lost().count(), 0);
    }
}
