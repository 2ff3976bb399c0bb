//! The parts that an agent carries out, one after the other: none begins before the one before it has ended, and its result
//! is kept. While an agent has messages to answer, none of this waits.

use record::{Attempt, KeptPart, Nanos, Part};

use crate::error::Error;
use crate::part_writer::PartWriter;
use crate::work::{Undertaken, Undertaking};

/// How long the end of a part is not said because its result is not kept yet. It is delivered all the same then: the others
/// wait for it.
pub(crate) const KEEP_MAX: Nanos = Nanos(60_000_000_000);

/// The parts of an agent.
pub(crate) struct Parts {
    on: Box<dyn Undertaking>,
    writer: Box<dyn PartWriter>,
    /// Begins when nothing before it is under way.
    waiting: Option<(Attempt, Part)>,
    current: Option<Undertaken>,
    /// Was given up, and has not ended.
    given_up: Option<Undertaken>,
    /// Has ended, and its result is being written.
    ending: Option<Ending>,
    /// The attempt whose result was kept last.
    kept: Option<Attempt>,
}

/// A part that has ended, whose result is being written.
struct Ending {
    attempt: Attempt,
    started: Nanos,
    operations: u64,
    /// When that was begun.
    since: Nanos,
    /// Whether its end is still to be said.
    is_awaited: bool,
}

/// The end of a part that is to be said now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SaidEnd {
    /// When it really started.
    pub started: Nanos,
    /// Why its result is not kept; None where it is.
    pub not_kept: Option<String>,
}

impl Parts {
    pub(crate) fn new(on: Box<dyn Undertaking>, writer: Box<dyn PartWriter>) -> Parts {
        Parts { on, writer, waiting: None, current: None, given_up: None, ending: None, kept: None }
    }

    /// `part` is to be carried out as soon as nothing before it is under way.
    pub(crate) fn ask(&mut self, attempt: Attempt, part: Part) {
        self.waiting = Some((attempt, part));
    }

    /// Begins with what waits, unless something before it is under way; why it cannot be begun, where it cannot.
    pub(crate) fn begin(&mut self) -> Option<(Attempt, Error)> {
        if self.current.is_some() || self.are_ending() {
            return None;
        }
        let (attempt, part) = self.waiting.take()?;
        match Undertaken::begin(attempt, part, &*self.on) {
            Ok(work) => {
                self.current = Some(work);
                None
            }
            Err(error) => Some((attempt, error)),
        }
    }

    /// The part that is under way.
    pub(crate) fn current(&self) -> Option<&Undertaken> {
        self.current.as_ref()
    }

    /// Whether one is under way, or is to be.
    pub(crate) fn has_work(&self) -> bool {
        self.current.is_some() || self.waiting.is_some()
    }

    /// Whether one that was given up has not ended, or the result of one is being written.
    pub(crate) fn are_ending(&self) -> bool {
        self.given_up.is_some() || self.ending.is_some()
    }

    /// Whether the result of one is being written.
    pub(crate) fn are_being_written(&self) -> bool {
        self.ending.is_some()
    }

    /// Whether the result of `attempt` is on stable storage.
    pub(crate) fn has_kept(&self, attempt: Attempt) -> bool {
        self.kept == Some(attempt)
    }

    /// What is under way and how many operations it has done; None where nothing is.
    pub(crate) fn progress(&self) -> Option<(Attempt, u64)> {
        let work = |work: &Undertaken| (work.attempt, work.on.operations());
        let waiting = self.waiting.as_ref().map(|(attempt, _)| (*attempt, 0));
        waiting
            .or_else(|| self.current.as_ref().map(work))
            .or_else(|| self.ending.as_ref().map(|ending| (ending.attempt, ending.operations)))
            .or_else(|| self.given_up.as_ref().map(work))
    }

    /// Gives up what is under way. What is being written is written, but its end is not said.
    pub(crate) fn give_up(&mut self) {
        self.waiting = None;
        self.ending.iter_mut().for_each(|ending| ending.is_awaited = false);
        if let Some(work) = self.current.take() {
            work.on.give_up();
            self.given_up = Some(work);
        }
    }

    /// The part that was under way and has ended.
    pub(crate) fn take_ended(&mut self) -> Option<Undertaken> {
        self.current.take_if(|work| work.on.has_ended())
    }

    /// Begins to keep `part`, which has ended and really started at `started`.
    pub(crate) fn keep(&mut self, part: KeptPart, started: Nanos, operations: u64, now: Nanos) {
        self.ending = Some(Ending { attempt: part.attempt, started, operations, since: now, is_awaited: true });
        self.writer.keep(part);
    }

    /// Finds out what has come to its end; the end of a part that is to be said now.
    pub(crate) fn look(&mut self, now: Nanos) -> Option<SaidEnd> {
        // Nobody asks for its result.
        self.given_up.take_if(|work| work.on.has_ended()).into_iter().for_each(|work| drop(work.on.end()));
        let ending = self.ending.as_mut()?;
        let (started, is_awaited) = (ending.started, ending.is_awaited);
        let not_kept = match self.writer.outcome() {
            Some(Ok(())) => {
                self.kept = Some(ending.attempt);
                self.ending = None;
                None
            }
            Some(Err(error)) => {
                self.ending = None;
                Some(error.message)
            }
            None if now - ending.since > KEEP_MAX => {
                ending.is_awaited = false;
                Some(format!("it is not on stable storage after {:.0} s", KEEP_MAX.seconds()))
            }
            None => return None,
        };
        is_awaited.then_some(SaidEnd { started, not_kept })
    }

    /// The part of `attempt` that `agent` has kept need not be kept.
    pub(crate) fn remove(&mut self, fleet: &str, attempt: Attempt, agent: &str) {
        self.writer.remove(fleet, attempt, agent);
    }

    /// Where results are kept.
    pub(crate) fn folder(&self) -> std::path::Display<'_> {
        self.writer.folder().display()
    }

    /// Gives up what is under way, and waits for its end and for that of what is being kept.
    pub(crate) fn finish(&mut self) {
        self.give_up();
        self.given_up.take().into_iter().for_each(|work| drop(work.on.end()));
        self.writer.finish();
    }
}
