//! A node of a database that is watched: its session stays, and is opened again when it was lost. A connection of its own
//! is made now and then, and timed apart: a pooler hides what a login costs.
//!
//! Which node takes writes is asked before each burst: after a failover it is another one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Engine, Error, Kind, Node, Result, Target, Workspace, close_all, writer_first};
use model::promise::Operation;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::name;

use crate::cluster::{Cluster, ClusterWriter, NodeState};
use crate::probe::{Answer, Probe, Refused, key_of};
use crate::prober::{Burst, Fresh, Prober, Probing};
use crate::starts::Effort;
use crate::table;
use crate::visible::Visible;

/// A node that is open.
struct Database {
    engine: &'static dyn Engine,
    node: Box<dyn Node>,
    probe: Option<Probe>,
    timeout: Duration,
    /// What the node that takes writes has committed, for those that follow it.
    visible: Arc<Visible>,
    /// What the nodes say together, and the place of this one among them.
    cluster: (Arc<Cluster>, usize),
    /// Whether it may come to take writes, or not to take them any more.
    changes_role: bool,
    takes_writes: bool,
    lock: Lock,
    random: Xoshiro256PlusPlus,
}

/// The lock that refuses a second dbdyno in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lock {
    Held,
    /// Its session may be lost.
    Doubtful,
    /// It could not be taken again, which was said.
    Missing,
}

/// A node of a database, or a cluster of them, ready to be watched.
pub struct Opened {
    /// Its name beside other nodes; empty where there is only one, and of a cluster.
    pub node: String,
    /// The name of the engine as its vendor writes it, from the server itself.
    pub engine_title: String,
    /// Asks it.
    pub prober: Prober,
}

/// Opens each node of `target` for probes whose statements end after `timeout`: claims the schema, makes the table, and
/// prepares the statements. The first one takes writes, and where there are several the last one that is returned is their
/// cluster. Replicas alone read the table that a monitor of their first node has made.
///
/// # Errors
/// Errors of the engine; `Usage` where no node takes writes and there is no such table; `NotOurs` where another dbdyno uses
/// the database.
pub fn open_database(
    engine: &'static dyn Engine,
    target: &Target,
    workspace: &Workspace,
    timeout: Duration,
    seed: u64,
) -> Result<Vec<Opened>> {
    let mut nodes = engine.open_all(target, workspace)?;
    let has_writer = writer_first(&mut nodes);
    let prepared = match has_writer {
        true => prepare(engine, &nodes, timeout),
        false => prepare_replicas(engine, target, &nodes, timeout),
    };
    match prepared {
        Ok(probes) => Ok(opened(engine, nodes, probes, has_writer, (timeout, seed))),
        Err(error) => {
            // The first error is the one that is reported.
            let _ = close_all(nodes);
            Err(error)
        }
    }
}

/// The title of the engine, and a session with its statements.
type Prepared = (String, Probe);

/// Why it is not known how far a replica is behind.
const NOT_YET: &str = "the node that takes writes has not shown yet what it has committed";
const NO_WRITER: &str = "no node that takes writes shows what it has committed";
const ALONE: &str = "the node that it follows is not watched beside it; name both in one target: db1,db2";

/// `nodes` with their probes, and their cluster where they are several.
fn opened(
    engine: &'static dyn Engine,
    nodes: Vec<Box<dyn Node>>,
    probes: Vec<Prepared>,
    has_writer: bool,
    (timeout, seed): (Duration, u64),
) -> Vec<Opened> {
    let is_one = nodes.len() == 1;
    let visible = Arc::new(Visible::new(if has_writer { NOT_YET } else { ALONE }));
    let state = |node: &dyn Node| if node.takes_writes() { NodeState::TakesWrites } else { NodeState::OnlyReads };
    let states = nodes.iter().map(|node| (node.name(), state(node.as_ref()))).collect();
    let cluster = Arc::new(Cluster::new(states));
    let together = probes.first().filter(|_| has_writer && !is_one).map(|(engine_title, _)| Opened {
        node: String::new(),
        engine_title: engine_title.clone(),
        prober: Prober::new(ClusterWriter(Arc::clone(&cluster))),
    });
    let of_node = |(index, (node, (engine_title, probe))): (usize, (Box<dyn Node>, Prepared))| Opened {
        node: if is_one { String::new() } else { node.name() },
        engine_title,
        prober: Prober::new(Database {
            engine,
            probe: Some(probe),
            timeout,
            visible: Arc::clone(&visible),
            cluster: (Arc::clone(&cluster), index),
            changes_role: !(is_one && has_writer),
            takes_writes: node.takes_writes(),
            // The others have joined.
            lock: if has_writer && index == 0 { Lock::Held } else { Lock::Doubtful },
            random: Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(index as u64)),
            node,
        }),
    };
    nodes.into_iter().zip(probes).enumerate().map(of_node).chain(together).collect()
}

/// The title of the engine and a session with its statements, of each of `nodes`, of which the first one takes writes.
fn prepare(engine: &dyn Engine, nodes: &[Box<dyn Node>], timeout: Duration) -> Result<Vec<Prepared>> {
    let mut prepared = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let is_first = index == 0;
        if is_first { node.claim() } else { node.join() }?;
        let mut session = node.connect()?;
        if is_first {
            table::make(engine, session.as_mut())?;
        } else {
            node.catch_up(session.as_mut(), nodes[0].connect()?.as_mut())?;
        }
        prepared.push((node.inventory()?.title, Probe::prepare(engine, session, timeout)?));
    }
    Ok(prepared)
}

/// The same of `nodes` that only read: they have the table of a monitor from the node that they follow, or are refused.
fn prepare_replicas(
    engine: &dyn Engine,
    target: &Target,
    nodes: &[Box<dyn Node>],
    timeout: Duration,
) -> Result<Vec<Prepared>> {
    let no_table = |why: &str| {
        let message = format!("{target} takes no writes, and has no table of a monitor to read{why}");
        let error = Error::new(Kind::Usage, message);
        error.hint("name the node that takes writes, and replicas beside it: db1,db2; or start a monitor there first")
    };
    let mut prepared = Vec::with_capacity(nodes.len());
    for node in nodes {
        node.join().map_err(|error| match error.kind {
            Kind::NotOurs => no_table(&format!(": {}", error.message)),
            _ => error,
        })?;
        let mut session = node.connect()?;
        if table::count(engine, session.as_mut())? != Some(table::ROWS) {
            return Err(no_table(""));
        }
        prepared.push((node.inventory()?.title, Probe::prepare(engine, session, timeout)?));
    }
    Ok(prepared)
}

impl Probing for Database {
    fn operations(&self) -> &'static [Operation] {
        of_role(self.takes_writes)
    }

    fn later_operations(&self) -> &'static [Operation] {
        if self.changes_role { of_role(!self.takes_writes) } else { &[] }
    }

    fn burst(&mut self, effort: Effort, is_fresh: bool) -> Burst {
        let (answers, trouble) = self.answers(effort);
        self.note(&answers);
        let has_answer = answers.iter().all(|answer| matches!(answer.result, Ok(_) | Err(Refused::NotKnown(_))));
        let fresh = (is_fresh && has_answer).then(|| self.fresh());
        Burst { answers, fresh, trouble }
    }

    fn close(mut self: Box<Self>, removes: bool) -> Result<()> {
        let removed = match (removes && self.takes_writes, self.probe.as_mut()) {
            (true, Some(probe)) => table::remove(self.engine, probe.session()),
            _ => Ok(()),
        };
        drop(self.probe);
        removed.and(self.node.close())
    }
}

/// What a node is asked for.
fn of_role(takes_writes: bool) -> &'static [Operation] {
    if takes_writes { &Operation::OF_WRITER } else { &Operation::OF_REPLICA }
}

impl Database {
    /// Tells the cluster what `answers` say of this node, and those that follow it whether it shows what it has committed.
    fn note(&self, answers: &[Answer]) {
        let (cluster, index) = &self.cluster;
        if let Some(state) = NodeState::of(answers) {
            cluster.note(*index, state);
        }
        let is_unseen = |answer: &Answer| answer.operation == Operation::Scan && answer.result.is_err();
        if answers.iter().any(is_unseen) {
            self.visible.lose(NO_WRITER);
        }
    }

    /// The answers, and what is in trouble beside them.
    fn answers(&mut self, effort: Effort) -> (Vec<Answer>, Option<String>) {
        let begin = Instant::now();
        if self.probe.as_ref().is_none_or(Probe::is_lost) {
            self.probe = None;
            let connected = self.connect();
            let is_late = begin.elapsed() >= self.timeout;
            let refusal = connected.map(|probe| self.probe = Some(probe)).err().map(|error| error.message);
            // A session that is there too late is for the next start: this one has waited long enough.
            if refusal.is_some() || is_late {
                let refusal = refusal.as_deref().unwrap_or("the connection was made too late");
                return (refused(self.operations(), refusal, is_late), None);
            }
            // The session that held the lock was lost with this one, as a rule.
            self.lock = Lock::Doubtful;
        }
        let waited = begin.elapsed().into();
        match self.probe.as_mut().map_or(Ok(None), Probe::takes_writes) {
            // Where there is no other node, a commit that is refused is one that failed.
            Ok(Some(takes_writes)) if self.changes_role && takes_writes != self.takes_writes => {
                self.lock = Lock::Doubtful;
                self.takes_writes = takes_writes;
            }
            Ok(_) => {}
            Err(error) => {
                let is_late = begin.elapsed() >= self.timeout;
                return (refused(self.operations(), &error.message, is_late), None);
            }
        }
        let operations = self.operations();
        let (random, visible) = (&mut self.random, &self.visible);
        let Some(probe) = self.probe.as_mut() else { return (Vec::new(), None) };
        let mut answers = probe.burst(operations, effort, visible, || key_of(random.next_u64()));
        for answer in answers.iter_mut().filter(|answer| answer.operation != Operation::Lag) {
            // Each operation has waited for the session.
            if let Ok(timed) = &mut answer.result {
                timed.slowest_ns = timed.slowest_ns.max(waited);
            }
        }
        // What this takes is no time of the database.
        (answers, self.lock_again())
    }

    /// Takes the lock of the schema again where it may be lost; what is in trouble where it cannot, once.
    fn lock_again(&mut self) -> Option<String> {
        if self.lock == Lock::Held || !self.takes_writes {
            return None;
        }
        let refusal = self.node.claim_again().err();
        let was_said = self.lock == Lock::Missing;
        self.lock = if refusal.is_some() { Lock::Missing } else { Lock::Held };
        let refusal = refusal.filter(|_| !was_said)?;
        Some(format!("the lock that refuses a second dbdyno is not held any more: {}", refusal.message))
    }

    fn connect(&self) -> Result<Probe> {
        Probe::prepare(self.engine, self.node.connect()?, self.timeout)
    }

    /// A connection, a commit on it, and what the log grew by meanwhile; of a node that takes no writes the connection alone.
    fn fresh(&mut self) -> Fresh {
        let begin = Instant::now();
        let Ok(mut probe) = self.connect() else { return Fresh { connect_ns: None, statements: 0, log_bytes: None } };
        let connect_ns = Some(begin.elapsed().into());
        if !self.takes_writes {
            return Fresh { connect_ns, statements: 0, log_bytes: None };
        }
        let log = |probe: &mut Probe| {
            let (counters, _) = self.node.counters(probe.session()).ok()?;
            counters.get(name::REDO_WRITE_BYTES).copied()
        };
        let before = log(&mut probe);
        let (random, visible) = (&mut self.random, &self.visible);
        let answer = probe.operation(Operation::Commit, Effort::Full, visible, &mut || key_of(random.next_u64()));
        let after = log(&mut probe);
        let log_bytes = before.zip(after).map(|(before, after)| after.saturating_sub(before));
        Fresh { connect_ns, statements: answer.statements, log_bytes }
    }
}

/// The answers where there is no connection in time.
fn refused(operations: &[Operation], message: &str, has_timed_out: bool) -> Vec<Answer> {
    let why = || match has_timed_out {
        true => Refused::TimedOut(message.to_owned()),
        false => Refused::Failed(message.to_owned()),
    };
    operations.iter().map(|operation| Answer { operation: *operation, statements: 0, result: Err(why()) }).collect()
}
