//! The nodes of the engine under measurement: which one takes writes, which ones are gone, where jobs go.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine::{Engine, Node, Processes, Target, Workspace, close_all, writer_first};
use record::NodeInventory;

use crate::{Error, Result};

/// All nodes of a target, that which takes writes first.
pub(crate) struct Nodes {
    nodes: Vec<Box<dyn Node>>,
    lost: Vec<AtomicBool>,
    /// The place of the node that holds the schema.
    claimer: AtomicUsize,
}

impl Nodes {
    /// Reaches every node of `target`.
    ///
    /// # Errors
    /// What the engine says, and where no node takes writes.
    pub(crate) fn open(engine: &dyn Engine, target: &Target, workspace: &Workspace) -> Result<Nodes> {
        let mut nodes = engine.open_all(target, workspace)?;
        if !writer_first(&mut nodes) {
            let names: Vec<String> = nodes.iter().map(|node| node.name()).collect();
            // The first error is the one to tell.
            let _ = close_all(nodes);
            let message = format!("no node of {target} takes writes ({})", names.join(", "));
            return Err(Error::environment(message).hint("name the primary as well, dbdyno makes its tables there"));
        }
        let lost = nodes.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Nodes { nodes, lost, claimer: AtomicUsize::new(0) })
    }

    /// Claims the schema on the first node and has the others work in it.
    ///
    /// # Errors
    /// What the engine says, and of which node.
    pub(crate) fn claim(&self) -> engine::Result<()> {
        self.nodes[0].claim()?;
        self.nodes[1..].iter().try_for_each(|node| {
            node.join().map_err(|error| {
                let message = format!("node {}: {}", node.name(), error.message);
                engine::Error { message, ..error }
            })
        })
    }

    /// Holds the schema on another node where the one that held it is lost.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn hold(&self) -> engine::Result<()> {
        if !self.is_lost(self.claimer.load(Ordering::Relaxed)) {
            return Ok(());
        }
        let Some(place) = self.left().find(|place| self.nodes[*place].takes_writes()) else { return Ok(()) };
        self.claimer.store(place, Ordering::Relaxed);
        self.nodes[place].claim()
    }

    /// The node that takes writes: set-up is done there. The first one where none is left.
    pub(crate) fn first(&self) -> &dyn Node {
        self.at(self.first_place())
    }

    /// Its place.
    pub(crate) fn first_place(&self) -> usize {
        self.left().find(|place| self.nodes[*place].takes_writes()).unwrap_or(0)
    }

    /// Whether a node that takes writes is left.
    pub(crate) fn can_go_on(&self) -> bool {
        self.left().any(|place| self.nodes[place].takes_writes())
    }

    /// The node at `place`, counted from 0.
    pub(crate) fn at(&self, place: usize) -> &dyn Node {
        self.nodes[place].as_ref()
    }

    /// How many there are, and how many of them take writes.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let writing = self.nodes.iter().filter(|node| node.takes_writes()).count();
        (self.nodes.len() as u32, writing as u32)
    }

    /// The places of the nodes that answer.
    pub(crate) fn left(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|place| !self.is_lost(*place))
    }

    /// The places of the nodes that are gone.
    pub(crate) fn lost(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|place| self.is_lost(*place))
    }

    /// Whether the node at `place` is gone.
    pub(crate) fn is_lost(&self, place: usize) -> bool {
        self.lost[place].load(Ordering::Relaxed)
    }

    /// The node at `place` answers no more.
    pub(crate) fn lose(&self, place: usize) {
        self.lost[place].store(true, Ordering::Relaxed);
    }

    /// The places of the `count` nodes that a run uses, that which takes writes first; of a run that `changes` the
    /// database only such nodes.
    ///
    /// # Errors
    /// Where not as many are left.
    pub(crate) fn choose(&self, changes: bool, count: u32) -> Result<Vec<usize>> {
        let first = self.left().find(|place| self.nodes[*place].takes_writes());
        let others = self.left().filter(|place| Some(*place) != first);
        let fit = others.filter(|place| !changes || self.nodes[*place].takes_writes());
        let chosen: Vec<usize> = first.into_iter().chain(fit).take(count as usize).collect();
        if chosen.len() == count as usize {
            return Ok(chosen);
        }
        let gone: Vec<String> = self.lost().map(|place| self.called(place)).collect();
        let gone = if gone.is_empty() { String::new() } else { format!("; gone: {}", gone.join(", ")) };
        Err(Error::environment(format!("the run asks for {count} nodes, and {} can be used{gone}", chosen.len())))
    }

    /// What the node at `place` is called in a sentence: `node 2 (h2:5432)`.
    pub(crate) fn called(&self, place: usize) -> String {
        match self.nodes[place].name() {
            name if name.is_empty() => format!("node {}", place + 1),
            name => format!("node {} ({name})", place + 1),
        }
    }

    /// Where those that answer work: what one node writes the others write too.
    pub(crate) fn processes(&self) -> Processes {
        let joined = |all: Processes, one: Processes| match (all, one) {
            (Processes::Local(mut roots), Processes::Local(more)) => {
                roots.extend(more);
                Processes::Local(roots)
            }
            (Processes::InProcess, Processes::InProcess) => Processes::InProcess,
            _ => Processes::Remote,
        };
        self.left().map(|place| self.nodes[place].processes()).reduce(joined).unwrap_or(Processes::Remote)
    }

    /// For the record: nothing where there is one node only.
    pub(crate) fn inventory(&self) -> Vec<NodeInventory> {
        if self.nodes.len() == 1 {
            return Vec::new();
        }
        let nodes = self.nodes.iter();
        nodes.map(|node| NodeInventory { name: node.name(), takes_writes: node.takes_writes() }).collect()
    }

    /// Ends all of them, the first last: the others may depend on it.
    ///
    /// # Errors
    /// The first that an engine says; the other nodes are closed nevertheless. What a lost node says is no error: that
    /// it is lost stands in the record.
    pub(crate) fn close(self) -> engine::Result<()> {
        let nodes = self.nodes.into_iter().zip(self.lost).rev();
        let close = |(node, lost): (Box<dyn Node>, AtomicBool)| {
            node.close().or_else(|error| match lost.into_inner() {
                true => Ok(()),
                false => Err(error),
            })
        };
        nodes.map(close).fold(Ok(()), engine::Result::and)
    }
}
