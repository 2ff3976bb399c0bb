//! What the nodes of a cluster say together: whether any of them takes writes. A cluster without one is told once, for the
//! cluster, beside what is told of each node.
//!
//! Nothing is asked for it: each node was seen to commit by its own burst, or was not.

use std::sync::{Arc, Mutex, PoisonError};

use engine::Result;
use model::promise::Operation;
use record::Nanos;

use crate::probe::{Answer, Refused, Timed};
use crate::prober::{Burst, Probing};
use crate::starts::Effort;

/// What a node was seen to do with its last burst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeState {
    /// It committed.
    TakesWrites,
    /// It reads, and is not asked for commits.
    OnlyReads,
    /// It refused, or did not answer.
    Refuses(String),
}

impl NodeState {
    /// What `answers` say of a node; nothing where none of them tells.
    pub(crate) fn of(answers: &[Answer]) -> Option<NodeState> {
        let commit = answers.iter().find(|answer| answer.operation == Operation::Commit);
        if commit.is_some_and(|commit| commit.result.is_ok()) {
            return Some(NodeState::TakesWrites);
        }
        let refusal = answers.iter().find_map(|answer| match &answer.result {
            Err(Refused::TimedOut(message) | Refused::Failed(message)) => Some(NodeState::Refuses(message.clone())),
            Ok(_) | Err(Refused::Skipped | Refused::NotKnown(_)) => None,
        });
        // Of a node whose commit was skipped nothing else is known.
        refusal.or_else(|| commit.is_none().then_some(NodeState::OnlyReads))
    }
}

/// The nodes of a cluster.
#[derive(Debug)]
pub(crate) struct Cluster(Mutex<Vec<(String, NodeState)>>);

impl Cluster {
    /// Of nodes with these names, which were seen to do this when they were opened.
    pub(crate) fn new(nodes: Vec<(String, NodeState)>) -> Cluster {
        Cluster(Mutex::new(nodes))
    }

    /// Notes what the node at `index` was seen to do.
    pub(crate) fn note(&self, index: usize, state: NodeState) {
        let mut nodes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = nodes.get_mut(index) {
            *known = state;
        }
    }

    /// Why no node takes writes; nothing where one does.
    fn refusal(&self) -> Option<String> {
        let nodes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let why = |(name, state): &(String, NodeState)| match state {
            NodeState::TakesWrites => None,
            NodeState::OnlyReads => Some(format!("{name} only reads")),
            NodeState::Refuses(message) => Some(format!("{name}: {message}")),
        };
        let why: Option<Vec<String>> = nodes.iter().map(why).collect();
        Some(format!("no node takes writes: {}", why?.join("; ")))
    }
}

/// Asks a cluster whether any of its nodes takes writes.
pub(crate) struct ClusterWriter(pub(crate) Arc<Cluster>);

impl Probing for ClusterWriter {
    fn operations(&self) -> &'static [Operation] {
        &Operation::OF_CLUSTER
    }

    fn burst(&mut self, _effort: Effort, _is_fresh: bool) -> Burst {
        let result = match self.0.refusal() {
            None => Ok(Timed { slowest_ns: Nanos(0), median_ns: Nanos(0) }),
            Some(message) => Err(Refused::Failed(message)),
        };
        Burst { answers: vec![Answer { operation: Operation::Writer, statements: 0, result }], ..Burst::default() }
    }

    fn close(self: Box<Self>, _removes: bool) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(operation: Operation, result: std::result::Result<(), Refused>) -> Answer {
        let timed = Timed { slowest_ns: Nanos(1), median_ns: Nanos(1) };
        Answer { operation, statements: 1, result: result.map(|()| timed) }
    }

    #[test]
    fn a_cluster_takes_writes_as_long_as_one_of_its_nodes_commits() {
        let named = |name: &str, state| (name.to_owned(), state);
        let nodes = vec![named("db1", NodeState::TakesWrites), named("db2", NodeState::OnlyReads)];
        let cluster = Arc::new(Cluster::new(nodes));
        let mut writer = ClusterWriter(Arc::clone(&cluster));
        let mut asked = || writer.burst(Effort::Full, false).answers.remove(0).result;
        assert!(asked().is_ok());
        cluster.note(0, NodeState::Refuses("connection refused".to_owned()));
        let Err(Refused::Failed(why)) = asked() else { panic!("no node takes writes") };
        assert_eq!(why, "no node takes writes: db1: connection refused; db2 only reads");
        cluster.note(1, NodeState::TakesWrites);
        assert!(asked().is_ok(), "after a failover");
    }

    #[test]
    fn a_node_takes_writes_where_its_commit_was_answered() {
        let failed = |text: &str| Err(Refused::Failed(text.to_owned()));
        let of = |answers: &[(Operation, std::result::Result<(), Refused>)]| {
            let answers = answers.iter().map(|(operation, result)| answer(*operation, result.clone()));
            NodeState::of(&answers.collect::<Vec<Answer>>())
        };
        let (read, commit, lag) = (Operation::Read, Operation::Commit, Operation::Lag);
        assert_eq!(of(&[(read, Ok(())), (commit, Ok(()))]), Some(NodeState::TakesWrites));
        let full = Some(NodeState::Refuses("disk full".to_owned()));
        assert_eq!(of(&[(read, Ok(())), (commit, failed("disk full"))]), full, "it answers, and takes no writes");
        assert_eq!(of(&[(read, Ok(())), (lag, Ok(()))]), Some(NodeState::OnlyReads));
        assert_eq!(of(&[(read, failed("disk full")), (lag, Err(Refused::Skipped))]), full);
        assert_eq!(of(&[(read, Ok(())), (commit, Err(Refused::Skipped))]), None, "nothing tells");
    }
}
