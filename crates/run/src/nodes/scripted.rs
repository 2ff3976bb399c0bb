//! Nodes for tests that do what they are told.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use engine::null::NULL;
use engine::{Caps, Engine, Node, Processes, Result, Session, Workspace};
use record::EngineInventory;

use super::{Nodes, OpenNode};

/// What a node does, where it is called.
type Script = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// A node of the null engine which first does what it is told.
pub(crate) struct ScriptedNode {
    /// What does the rest.
    pub node: Box<dyn Node>,
    /// Called by [`Node::claim`].
    pub claim: Script,
    /// Called by [`Node::connect`].
    pub connect: Script,
}

impl ScriptedNode {
    /// One that does everything.
    pub(crate) fn new() -> ScriptedNode {
        let workspace = Workspace { directory: "/".into(), keep: false, cache_bytes: None, sessions_max: 8 };
        let node = NULL.open(&"null".parse().expect("a target"), &workspace).expect("it opens everywhere");
        ScriptedNode { node, claim: Box::new(|| Ok(())), connect: Box::new(|| Ok(())) }
    }
}

impl Node for ScriptedNode {
    fn caps(&self) -> &Caps {
        self.node.caps()
    }

    fn claim(&self) -> Result<()> {
        (self.claim)()
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        (self.connect)()?;
        self.node.connect()
    }

    fn inventory(&self) -> Result<EngineInventory> {
        self.node.inventory()
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.node.counters(session)
    }

    fn settle(&self, session: &mut dyn Session) -> Result<Vec<record::SettlingStep>> {
        self.node.settle(session)
    }

    fn processes(&self) -> Processes {
        self.node.processes()
    }

    fn data_directory(&self) -> Option<&Path> {
        None
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.node.close()
    }
}

/// `nodes` of one database.
pub(crate) fn nodes(nodes: Vec<ScriptedNode>) -> Nodes {
    let node = |(node, position): (ScriptedNode, usize)| OpenNode {
        node: Box::new(node),
        number: position as u32 + 1,
        position,
        target: None,
        is_lost: AtomicBool::new(false),
    };
    let nodes = nodes.into_iter().zip(0..).map(node).collect();
    Nodes { nodes, are_apart: false, schema_holder: AtomicUsize::new(0) }
}

#[test]
fn a_schema_that_could_not_be_claimed_is_claimed_later() {
    static CLAIMS: AtomicU32 = AtomicU32::new(0);
    let claim = Box::new(|| match CLAIMS.fetch_add(1, Ordering::Relaxed) {
        0 => Err(engine::Error::new(engine::Kind::Lost, "not yet")),
        _ => Ok(()),
    });
    let nodes = nodes(vec![ScriptedNode::new(), ScriptedNode { claim, ..ScriptedNode::new() }]);
    nodes.move_claim().unwrap();
    assert_eq!(CLAIMS.load(Ordering::Relaxed), 0, "its holder is not lost");
    nodes.lose(0);
    assert_eq!(nodes.move_claim().unwrap_err().message, "not yet");
    nodes.move_claim().unwrap();
    assert_eq!(CLAIMS.load(Ordering::Relaxed), 2, "it is tried again");
    nodes.move_claim().unwrap();
    assert_eq!(CLAIMS.load(Ordering::Relaxed), 2, "the node holds it now");
}
