//! The thread that waits for what is watched: one for each target, so that one that hangs stalls no other.
//!
//! It is told what to begin, and answers when it is over.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender};

use engine::Result;
use model::promise::{Control, Operation};
use record::Nanos;

use crate::control::Controls;
use crate::cost::Cost;
use crate::probe::Answer;
use crate::starts::{Effort, Start};

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
    pub(crate) controls: Vec<(Control, Nanos)>,
    pub(crate) burst: Burst,
}

/// The answers of a start.
#[derive(Debug, Default)]
pub(crate) struct Burst {
    pub(crate) answers: Vec<Answer>,
    pub(crate) fresh: Option<Fresh>,
    /// What is in trouble beside the operations.
    pub(crate) trouble: Option<String>,
}

impl Burst {
    /// Adds what it took to `cost`.
    pub(crate) fn add_to(&self, cost: &mut Cost) {
        let committed = |answer: &&Answer| answer.operation == Operation::Commit && answer.result.is_ok();
        let fresh_statements = self.fresh.as_ref().map_or(0, |fresh| fresh.statements);
        let statements = self.answers.iter().map(|answer| answer.statements).sum::<u64>() + fresh_statements;
        let commits = self.answers.iter().filter(committed).count() as u64 + fresh_statements;
        cost.add(statements, commits, self.fresh.as_ref().and_then(|fresh| fresh.log_bytes));
    }
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

/// What can be asked for its operations.
pub(crate) trait Probing: Send {
    /// The operations that it is asked for first.
    fn operations(&self) -> &'static [Operation];

    /// Others that it may be asked for later.
    fn later_operations(&self) -> &'static [Operation] {
        &[]
    }

    /// Asks for each operation, as far as `effort` goes, and makes a connection of its own if `is_fresh`.
    fn burst(&mut self, effort: Effort, is_fresh: bool) -> Burst;

    /// Closes it; removes what it made there if `removes`.
    fn close(self: Box<Self>, removes: bool) -> Result<()>;
}

/// Something that is watched, and open.
pub struct Prober {
    probing: Box<dyn Probing>,
    /// Absent where nothing is timed.
    controls: Option<Controls>,
}

impl fmt::Debug for Prober {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Prober").field("operations", &self.operations()).finish_non_exhaustive()
    }
}

impl Prober {
    pub(crate) fn new(probing: impl Probing + 'static) -> Prober {
        let is_timed = probing.operations().iter().any(|operation| operation.is_timed());
        Prober { probing: Box::new(probing), controls: is_timed.then(Controls::new) }
    }

    /// The operations that it is asked for first.
    pub fn operations(&self) -> &'static [Operation] {
        self.probing.operations()
    }

    /// Whether it may be asked for `operation` now or later.
    pub fn may_be_asked(&self, operation: Operation) -> bool {
        self.operations().contains(&operation) || self.probing.later_operations().contains(&operation)
    }

    /// Asks as at `starts` intended starts, one right after the other, with a connection of its own at each tenth; returns what
    /// that cost. What a day leaves behind depends on how often is asked, and not on when.
    ///
    /// # Errors
    /// What an operation was refused for.
    pub fn rehearse(&mut self, starts: u32) -> std::result::Result<Cost, String> {
        let mut cost = Cost::default();
        for number in 0..starts {
            let burst = self.probing.burst(Effort::Full, number % 10 == 0);
            burst.add_to(&mut cost);
            let refused = burst.answers.iter().find(|answer| answer.result.is_err());
            if let Some(Answer { operation, result: Err(refused), .. }) = refused {
                return Err(format!("{} of start {number}: {refused:?}", operation.word()));
            }
        }
        Ok(cost)
    }

    /// Whether it asks anything by itself: a cluster is known from its nodes.
    pub fn costs(&self) -> bool {
        self.controls.is_some()
    }

    #[cfg(test)]
    pub(crate) fn into_probing(self) -> Box<dyn Probing> {
        self.probing
    }

    /// Carries out each order until there are no more.
    pub(crate) fn work(mut self, orders: &Receiver<Order>, done: &Sender<Done>) -> Prober {
        while let Ok(Order { start, is_fresh }) = orders.recv() {
            let controls = self.controls.as_mut().map_or_else(Vec::new, Controls::measure);
            let burst = self.probing.burst(start.effort, is_fresh);
            if done.send(Done { start, controls, burst }).is_err() {
                break;
            }
        }
        self
    }

    /// Closes the target; removes what was made there if `removes`.
    pub(crate) fn close(self, removes: bool) -> Result<()> {
        self.probing.close(removes)
    }
}
