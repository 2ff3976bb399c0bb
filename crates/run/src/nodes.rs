//! The nodes of the engine under measurement: which one takes writes, which are lost, and where jobs run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine::{Engine, Node, Processes, Target, Workspace, close_all};
use record::{NodeInventory, PartNode};

use crate::{Error, Result};

/// All nodes of a target; the first takes writes.
pub(crate) struct Nodes {
    nodes: Vec<OpenNode>,
    /// Whether each node is a database of its own.
    are_apart: bool,
    /// Index of the node that holds the schema.
    schema_holder: AtomicUsize,
}

/// One of them.
struct OpenNode {
    node: Box<dyn Node>,
    /// Counted from 1; of an agent, that of the coordinator.
    number: u32,
    /// Where it is in the target, counted from 0.
    position: usize,
    /// The target by which agents reach it; absent where only this process does.
    target: Option<String>,
    is_lost: AtomicBool,
}

impl Nodes {
    /// Those of `target` that were `opened`, each of which is a database of its own if they `are_apart`.
    pub(crate) fn of(mut opened: Vec<Box<dyn Node>>, target: &Target, are_apart: bool) -> Result<Nodes> {
        let Some(writer) = opened.iter().position(|node| node.takes_writes()) else {
            let names: Vec<String> = opened.iter().map(|node| node.name()).collect();
            // The first error is the one that is reported.
            let _ = close_all(opened);
            let message = format!("no node of {target} takes writes ({})", names.join(", "));
            return Err(Error::environment(message).hint("name the primary as well: dbdyno creates its tables there"));
        };
        let targets = targets_of_agents(target, &opened);
        let mut places: Vec<(usize, Option<String>)> = targets.into_iter().enumerate().collect();
        opened[..=writer].rotate_right(1);
        places[..=writer].rotate_right(1);
        let node = |((node, (position, target)), number)| OpenNode {
            node,
            number,
            position,
            target,
            is_lost: AtomicBool::new(false),
        };
        let nodes = opened.into_iter().zip(places).zip(1..).map(node).collect();
        Ok(Nodes { nodes, are_apart, schema_holder: AtomicUsize::new(0) })
    }

    /// Opens `nodes` of a database whose schema another process has claimed.
    pub(crate) fn join(engine: &dyn Engine, nodes: &[PartNode], workspace: &Workspace) -> Result<Nodes> {
        let mut joined = Nodes { nodes: Vec::new(), are_apart: false, schema_holder: AtomicUsize::new(0) };
        for (PartNode { number, target }, position) in nodes.iter().zip(0..) {
            let opened = target
                .parse::<Target>()
                .map_err(|error| Error::environment(format!("{error}")))
                .and_then(|target| Ok(engine.open(&target, workspace)?))
                .and_then(|node| {
                    let target = Some(target.clone());
                    joined.nodes.push(OpenNode {
                        node,
                        number: *number,
                        position,
                        target,
                        is_lost: AtomicBool::new(false),
                    });
                    Ok(joined.nodes[position].node.join()?)
                });
            if let Err(error) = opened {
                // The first error is the one that is reported.
                let _ = joined.close();
                return Err(error);
            }
        }
        Ok(joined)
    }

    /// Claims the schema on the first node and has the others join it, or claims it on each of them.
    pub(crate) fn claim(&self) -> engine::Result<()> {
        self.nodes[0].node.claim()?;
        self.nodes[1..].iter().try_for_each(|OpenNode { node, .. }| {
            if self.are_apart { node.claim() } else { node.join() }.map_err(|error| {
                let message = format!("node {}: {}", node.name(), error.message);
                engine::Error { message, ..error }
            })
        })
    }

    /// Claims the schema on another node if its holder is lost.
    pub(crate) fn move_claim(&self) -> engine::Result<()> {
        if !self.is_lost(self.schema_holder.load(Ordering::Relaxed)) {
            return Ok(());
        }
        let Some(node_index) = self.left().find(|node_index| self.at(*node_index).takes_writes()) else {
            return Ok(());
        };
        // Where it fails it is tried again before the next run.
        self.at(node_index).claim()?;
        self.schema_holder.store(node_index, Ordering::Relaxed);
        Ok(())
    }

    /// The node that takes writes, on which set-up is done. The first node if none is left.
    pub(crate) fn first(&self) -> &dyn Node {
        self.at(self.first_index())
    }

    /// The index of that node.
    pub(crate) fn first_index(&self) -> usize {
        self.left().find(|node_index| self.at(*node_index).takes_writes()).unwrap_or(0)
    }

    /// Whether a node that takes writes is left.
    pub(crate) fn has_writer(&self) -> bool {
        self.left().any(|node_index| self.at(node_index).takes_writes())
    }

    /// Whether each of them is a database of its own.
    pub(crate) fn are_apart(&self) -> bool {
        self.are_apart
    }

    /// Indexes of the nodes on which set-up is done: one of each database.
    pub(crate) fn databases(&self) -> Vec<usize> {
        if self.are_apart { self.left().collect() } else { vec![self.first_index()] }
    }

    /// The nodes at `node_indexes` as agents reach them.
    pub(crate) fn for_agents(&self, node_indexes: &[usize], target: &Target) -> Result<Vec<PartNode>> {
        let refused = || {
            Error::user(format!("agents cannot use {target}: it is open in one process"))
                .hint("give the target of a server, or null")
        };
        let node = |node_index: &usize| {
            let target = self.nodes[*node_index].target.clone().ok_or_else(refused)?;
            Ok(PartNode { number: self.number(*node_index), target })
        };
        node_indexes.iter().map(node).collect()
    }

    /// The node at `node_index`, from 0.
    pub(crate) fn at(&self, node_index: usize) -> &dyn Node {
        self.nodes[node_index].node.as_ref()
    }

    /// Where the node at `node_index` is in the target, counted from 0.
    pub(crate) fn position(&self, node_index: usize) -> usize {
        self.nodes[node_index].position
    }

    /// The number of the node at `node_index`, counted from 1.
    pub(crate) fn number(&self, node_index: usize) -> u32 {
        self.nodes[node_index].number
    }

    /// The index of the node with `number`.
    pub(crate) fn index_of(&self, number: u32) -> Option<usize> {
        self.nodes.iter().position(|known| known.number == number)
    }

    /// Number of nodes, and of those that take writes.
    pub(crate) fn counts(&self) -> (u32, u32) {
        let writing = self.nodes.iter().filter(|known| known.node.takes_writes()).count();
        (self.nodes.len() as u32, writing as u32)
    }

    /// Indexes of the nodes that answer.
    pub(crate) fn left(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|node_index| !self.is_lost(*node_index))
    }

    /// Indexes of the lost nodes.
    pub(crate) fn lost(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|node_index| self.is_lost(*node_index))
    }

    /// Whether the node at `node_index` is lost.
    pub(crate) fn is_lost(&self, node_index: usize) -> bool {
        self.nodes[node_index].is_lost.load(Ordering::Relaxed)
    }

    /// Marks the node at `node_index` as lost.
    pub(crate) fn lose(&self, node_index: usize) {
        self.nodes[node_index].is_lost.store(true, Ordering::Relaxed);
    }

    /// Indexes of the `count` nodes of a run, the one that takes writes first; a run that `changes` the database uses
    /// only nodes that take writes.
    pub(crate) fn choose(&self, changes: bool, count: u32) -> Result<Vec<usize>> {
        let first = self.left().find(|node_index| self.at(*node_index).takes_writes());
        let others = self.left().filter(|node_index| Some(*node_index) != first);
        let fit = others.filter(|node_index| !changes || self.at(*node_index).takes_writes());
        let chosen: Vec<usize> = first.into_iter().chain(fit).take(count as usize).collect();
        if chosen.len() == count as usize {
            return Ok(chosen);
        }
        let lost_nodes: Vec<String> = self.lost().map(|node_index| self.label(node_index)).collect();
        let lost_nodes =
            if lost_nodes.is_empty() { String::new() } else { format!("; lost: {}", lost_nodes.join(", ")) };
        Err(Error::environment(format!("the run needs {count} nodes, and {} can be used{lost_nodes}", chosen.len())))
    }

    /// Label of the node at `node_index`: `node 2 (h2:5432)`.
    pub(crate) fn label(&self, node_index: usize) -> String {
        let number = self.number(node_index);
        match self.at(node_index).name() {
            name if name.is_empty() => format!("node {number}"),
            name => format!("node {number} ({name})"),
        }
    }

    /// The processes of all nodes that answer: what one node writes the others write too.
    pub(crate) fn processes(&self) -> Processes {
        let joined = |all: Processes, one: Processes| match (all, one) {
            (Processes::Local(mut roots), Processes::Local(more)) => {
                roots.extend(more);
                Processes::Local(roots)
            }
            (Processes::InProcess, Processes::InProcess) => Processes::InProcess,
            _ => Processes::Remote,
        };
        self.left().map(|node_index| self.at(node_index).processes()).reduce(joined).unwrap_or(Processes::Remote)
    }

    /// Inventory for the record; empty for a single node.
    pub(crate) fn inventory(&self) -> Vec<NodeInventory> {
        if self.nodes.len() == 1 {
            return Vec::new();
        }
        let nodes = self.nodes.iter().map(|known| &known.node);
        nodes.map(|node| NodeInventory { name: node.name(), takes_writes: node.takes_writes() }).collect()
    }

    /// Closes all of them, the first last: the others may depend on it.
    pub(crate) fn close(self) -> engine::Result<()> {
        let close = |OpenNode { node, is_lost, .. }: OpenNode| {
            node.close().or_else(|error| match is_lost.into_inner() {
                true => Ok(()),
                false => Err(error),
            })
        };
        self.nodes.into_iter().rev().map(close).fold(Ok(()), engine::Result::and)
    }
}

/// The targets, without a password, by which agents reach each of `nodes`, which are those of `target`.
fn targets_of_agents(target: &Target, nodes: &[Box<dyn Node>]) -> Vec<Option<String>> {
    let of_one = |index: usize| match target.is_external() {
        true => target_of_node(target, (index, nodes.len()), &nodes[index].name()),
        false => nodes[index].joined_by(),
    };
    (0..nodes.len()).map(of_one).collect()
}

/// Parameters that say which nodes a target has, beside the addresses before its database.
const NODE_PARAMETERS: [&str; 5] = ["nodes", "target_session_attrs", "host", "port", "hostaddr"];

/// The target of the node called `name` alone, which is at `index` among the `count` nodes of `target`.
fn target_of_node(target: &Target, (index, count): (usize, usize), name: &str) -> Option<String> {
    let lists_hosts = target.addresses.len() > 1 || target.parameter("host").is_some_and(|list| list.contains(','));
    // One of several that were given is a choice that another process might make differently.
    if count == 1 && !lists_hosts {
        return Some(target.to_string());
    }
    // The name of a node that a server told of is its address.
    let addresses = match target.addresses.len() == count {
        true => vec![target.addresses[index].clone()],
        false => format!("{}://{name}", target.scheme).parse::<Target>().ok()?.addresses,
    };
    let numbers = target.parameter("hostaddr").map(|list| list.split(',').collect::<Vec<_>>());
    let number = numbers.filter(|list| list.len() == count).map(|list| list[index].to_owned());
    let mut one = Target { addresses, ..target.clone() };
    one.parameters.retain(|(name, _)| !NODE_PARAMETERS.contains(&name.as_str()));
    one.parameters.extend(number.map(|number| ("hostaddr".to_owned(), number)));
    Some(one.to_string())
}

#[cfg(test)]
pub(crate) mod scripted;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_has_a_target_of_its_own() {
        let of = |text: &str, place: (usize, usize), name: &str| {
            target_of_node(&text.parse().expect("a target"), place, name).expect("a node")
        };
        assert_eq!(of("engine://me@h1/shop?nodes=all", (0, 1), "h1:5432"), "engine://me@h1/shop?nodes=all");
        let named = "engine://me@h1,h2:5433/shop?sslmode=require";
        assert_eq!(of(named, (1, 2), "h2:5433"), "engine://me@h2:5433/shop?sslmode=require");
        let told = "engine://me@h1/shop?nodes=all&sslmode=require";
        assert_eq!(of(told, (1, 3), "10.0.0.7:3307"), "engine://me@10.0.0.7:3307/shop?sslmode=require");
        assert_eq!(of(told, (2, 3), "[fe80::7]:3307"), "engine://me@[fe80::7]:3307/shop?sslmode=require");
        let chosen = "engine://me@h1,h2/shop?target_session_attrs=primary&sslmode=require";
        assert_eq!(of(chosen, (0, 1), "h2:5432"), "engine://me@h2:5432/shop?sslmode=require");
        let listed = "engine://me@/shop?host=h1,h2&port=7&hostaddr=10.0.0.1,10.0.0.2";
        assert_eq!(of(listed, (1, 2), "h2:7"), "engine://me@h2:7/shop?hostaddr=10.0.0.2");
        assert_eq!(of("engine://me@/shop?host=h1", (0, 1), "h1:7"), "engine://me@/shop?host=h1");
    }
}
