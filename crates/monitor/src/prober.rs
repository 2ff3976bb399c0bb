//! The thread that waits for a database: one for each target, so that a database that hangs stalls no other.
//!
//! It is told what to begin, and answers when it is over. Its session stays; it is opened again when it was lost. A
//! connection of its own is made now and then, and timed apart: a pooler hides what a login costs.

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use engine::{Engine, Error, Kind, Node, Result, Target, Workspace};
use model::promise::{Control, Operation};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Nanos, name};

use crate::control::Controls;
use crate::probe::{Answer, Probe, Refused, key_of};
use crate::starts::{Effort, Start};
use crate::table;

/// What is to be begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) start: Start,
    /// Whether a connection of its own is made as well.
    pub(crate) is_fresh: bool,
}

/// What became of it.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) start: Start,
    pub(crate) answers: Vec<Answer>,
    pub(crate) controls: Vec<(Control, Nanos)>,
    pub(crate) fresh: Option<Fresh>,
}

/// A connection of its own.
#[derive(Debug)]
pub(crate) struct Fresh {
    /// From nothing to a session that is ready; absent where there was none.
    pub(crate) connect_ns: Option<Nanos>,
    /// Statements on it.
    pub(crate) statements: u64,
    /// Bytes that the log of the engine grew by during one commit, others' included.
    pub(crate) log_bytes: Option<u64>,
}

/// A target that is open.
pub struct Prober {
    engine: &'static dyn Engine,
    node: Box<dyn Node>,
    probe: Option<Probe>,
    timeout: Duration,
    controls: Controls,
    random: Xoshiro256PlusPlus,
}

/// Opens `target` for probes whose statements end after `timeout`: claims the schema, makes the table, and prepares the
/// statements.
///
/// # Errors
/// Errors of the engine; `Usage` for a replica and for a target with several nodes; `NotOurs` where another dbdyno uses
/// the database.
pub fn open(
    engine: &'static dyn Engine,
    target: &Target,
    workspace: &Workspace,
    timeout: Duration,
    seed: u64,
) -> Result<Prober> {
    if target.addresses.len() > 1 {
        let error = Error::new(Kind::Usage, format!("target {target} names several nodes, and a monitor watches one"));
        return Err(error.hint("name each node as a target of its own"));
    }
    let node = engine.open(target, workspace)?;
    let opened = (|| {
        if !node.takes_writes() {
            let error =
                Error::new(Kind::Usage, format!("{target} takes no writes, and a commit is a part of the promise"));
            return Err(error.hint("name the node that takes writes"));
        }
        node.claim()?;
        let mut session = node.connect()?;
        table::make(engine, session.as_mut())?;
        Probe::prepare(engine, session, timeout)
    })();
    match opened {
        Ok(probe) => {
            let (controls, random) = (Controls::new(), Xoshiro256PlusPlus::seed_from_u64(seed));
            Ok(Prober { engine, node, probe: Some(probe), timeout, controls, random })
        }
        Err(error) => {
            // The first error is the one that is reported.
            let _ = node.close();
            Err(error)
        }
    }
}

impl Prober {
    /// The name of the engine as its vendor writes it, from the server itself.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn engine_title(&self) -> Result<String> {
        Ok(self.node.inventory()?.title)
    }

    /// Carries out each order until there are no more, then closes the target; the table goes if `drops_table`.
    pub(crate) fn work(mut self, orders: &Receiver<Order>, done: &Sender<Done>, drops_table: bool) -> Result<()> {
        while let Ok(order) = orders.recv() {
            if done.send(self.carry_out(order)).is_err() {
                break;
            }
        }
        let removed = match (drops_table, self.probe.as_mut()) {
            (true, Some(probe)) => table::remove(self.engine, probe.session()),
            _ => Ok(()),
        };
        drop(self.probe);
        removed.and(self.node.close())
    }

    fn carry_out(&mut self, Order { start, is_fresh }: Order) -> Done {
        let controls = self.controls.measure();
        let answers = self.burst(start.effort);
        let has_answer = answers.iter().all(|answer| answer.result.is_ok());
        let fresh = (is_fresh && has_answer).then(|| self.fresh());
        Done { start, answers, controls, fresh }
    }

    fn burst(&mut self, effort: Effort) -> Vec<Answer> {
        let begin = Instant::now();
        if self.probe.as_ref().is_none_or(Probe::is_lost) {
            self.probe = None;
            let connected = self.connect();
            let is_late = begin.elapsed() >= self.timeout;
            let refusal = connected.map(|probe| self.probe = Some(probe)).err().map(|error| error.message);
            // A session that is there too late is for the next start: this one has waited long enough.
            if refusal.is_some() || is_late {
                return refused(refusal.as_deref().unwrap_or("the connection was made too late"), is_late);
            }
        }
        let waited = begin.elapsed().into();
        let random = &mut self.random;
        let probe = self.probe.as_mut();
        let mut answers = probe.map_or_else(Vec::new, |probe| probe.burst(effort, || key_of(random.next_u64())));
        for timed in answers.iter_mut().filter_map(|answer| answer.result.as_mut().ok()) {
            // Each operation has waited for the session.
            timed.slowest_ns = timed.slowest_ns.max(waited);
        }
        answers
    }

    fn connect(&self) -> Result<Probe> {
        Probe::prepare(self.engine, self.node.connect()?, self.timeout)
    }

    /// A connection, a commit on it, and what the log grew by meanwhile.
    fn fresh(&mut self) -> Fresh {
        let begin = Instant::now();
        let Ok(mut probe) = self.connect() else { return Fresh { connect_ns: None, statements: 0, log_bytes: None } };
        let connect_ns = Some(begin.elapsed().into());
        let log = |probe: &mut Probe| {
            let (counters, _) = self.node.counters(probe.session()).ok()?;
            counters.get(name::REDO_WRITE_BYTES).copied()
        };
        let before = log(&mut probe);
        let random = &mut self.random;
        let answer = probe.operation(Operation::Commit, Effort::Full, &mut || key_of(random.next_u64()));
        let after = log(&mut probe);
        let log_bytes = before.zip(after).map(|(before, after)| after.saturating_sub(before));
        Fresh { connect_ns, statements: answer.statements, log_bytes }
    }
}

/// The answers where there is no connection in time.
fn refused(message: &str, has_timed_out: bool) -> Vec<Answer> {
    let why = || match has_timed_out {
        true => Refused::TimedOut(message.to_owned()),
        false => Refused::Failed(message.to_owned()),
    };
    Operation::ALL.map(|operation| Answer { operation, statements: 0, result: Err(why()) }).into()
}
