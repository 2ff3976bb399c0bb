//! Nodes for tests that do what they are told.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use engine::null::NULL;
use engine::{Canceller, Caps, Engine, Node, Processes, Result, RowSource, Session, Statement, Value, Workspace};
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
    /// Called by [`Node::counters`].
    pub counters: Script,
    /// Called where a statement of one of its sessions is cancelled.
    pub cancel: Cancel,
}

/// What cancels the statement of a session.
type Cancel = Arc<dyn Fn() + Send + Sync>;

impl ScriptedNode {
    /// One that does everything.
    pub(crate) fn new() -> ScriptedNode {
        let workspace = Workspace { directory: "/".into(), keep: false, cache_bytes: None, sessions_max: 8 };
        let node = NULL.open(&"null".parse().expect("a target"), &workspace).expect("it opens everywhere");
        let [claim, connect, counters] = [(); 3].map(|()| Box::new(|| Ok(())) as Script);
        ScriptedNode { node, claim, connect, counters, cancel: Arc::new(|| ()) }
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
        Ok(Box::new(ScriptedSession { session: self.node.connect()?, cancel: Arc::clone(&self.cancel) }))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        self.node.inventory()
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        (self.counters)()?;
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

/// A session of a scripted node.
struct ScriptedSession {
    session: Box<dyn Session>,
    cancel: Cancel,
}

impl Session for ScriptedSession {
    fn batch(&mut self, sql: &str) -> Result<()> {
        self.session.batch(sql)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.session.prepare(sql)
    }

    fn execute(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<u64> {
        self.session.execute(statement, binds)
    }

    fn query(&mut self, statement: Statement, binds: &[Value<'_>]) -> Result<Vec<Vec<Value<'static>>>> {
        self.session.query(statement, binds)
    }

    fn begin(&mut self) -> Result<()> {
        self.session.begin()
    }

    fn commit(&mut self) -> Result<()> {
        self.session.commit()
    }

    fn rollback(&mut self) -> Result<()> {
        self.session.rollback()
    }

    fn bulk(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.session.bulk(table, rows)
    }

    fn append(&mut self, table: &str, rows: &mut dyn RowSource) -> Result<u64> {
        self.session.append(table, rows)
    }

    fn canceller(&self) -> Option<Box<dyn Canceller>> {
        Some(Box::new(ScriptedCanceller(Arc::clone(&self.cancel))))
    }
}

struct ScriptedCanceller(Cancel);

impl Canceller for ScriptedCanceller {
    fn cancel(&self) -> Result<()> {
        (self.0)();
        Ok(())
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
