//! Work of the loop: one step at a time, or a queue of operations.

use record::{FailureKind, Nanos, Pace};

use crate::pacer::StepStart;

/// Result of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Operations, in the unit of the test.
    pub operations: u64,
    /// Rows returned, changed or loaded.
    pub rows: u64,
    /// Committed transactions.
    pub transactions: u64,
    /// Bytes, if the work counts them.
    pub bytes: u64,
    /// Why it failed; only transactions and retries are counted then.
    pub failure: Option<FailureKind>,
    /// Tries beyond the first.
    pub retries: u32,
    /// Index into [`Work::streams`].
    pub stream: u32,
    /// Intended pause of the work before it started: part of neither service nor response time.
    pub paused: Nanos,
    /// The work was finished: this was no step, and no further one follows.
    pub over: bool,
}

impl Done {
    /// A failed step.
    pub fn failed(kind: FailureKind) -> Done {
        Done { failure: Some(kind), ..Done::default() }
    }

    /// The work is finished.
    pub fn over() -> Done {
        Done { over: true, ..Done::default() }
    }
}

/// Work that cannot continue: the session is lost, or the test is wrong. Ends the run, unless the caller continues
/// without this job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Broken {
    /// The error, for the user.
    pub message: String,
}

/// The work of one job.
pub trait Work: Send {
    /// Does one step. `number` counts the steps of this job from 0.
    ///
    /// # Errors
    /// Only when no further step can succeed; a step that fails is a [`Done::failed`].
    fn step(&mut self, number: u64) -> Result<Done, Broken>;

    /// Called by the job's own thread, outside the window: after the warm-up and after the last step.
    ///
    /// # Errors
    /// As for a step.
    fn finish(&mut self) -> Result<(), Broken> {
        Ok(())
    }

    /// Whether it waits only where jobs of one thread let each other go on: for its session and for moments, by the
    /// functions of `multiplex`. Work that waits otherwise, or that takes times of its thread as its own, has a thread of
    /// its own.
    fn shares_threads(&self) -> bool {
        false
    }

    /// Its own pace, where it is not that of the other jobs, with its place among the jobs that keep that pace together, and their
    /// number.
    fn own_pace(&self) -> Option<(Pace, (u32, u32))> {
        None
    }

    /// Called instead of [`Work::finish`] when a step cannot continue.
    fn aborted(&mut self) {}

    /// The work as a queue, if it keeps several operations in flight; [`Work::step`] is never called then.
    fn queue(&mut self) -> Option<&mut dyn Queue> {
        None
    }

    /// Whether each step is told to it ([`Work::log`]).
    fn logs(&self) -> bool {
        false
    }

    /// Receives the times of a step that has ended, for a raw log.
    fn log(&mut self, turn: &StepStart, ended: Nanos, done: &Done) {
        let _ = (turn, ended, done);
    }

    /// The streams of its steps, by their number in [`Outcome::streams`](crate::Outcome::streams), each with its own
    /// tally. [`Done::stream`] is an index into this list.
    fn streams(&self) -> Vec<usize> {
        vec![0]
    }

    /// Index of the stream of a step that was not started; `number` counts such steps.
    fn stream_of_unfinished(&self, number: u64) -> usize {
        let _ = number;
        0
    }

    /// Steps that are done all or none, at least 1: the window of a closed loop lasts until the last of those that were begun in it.
    fn pass(&self) -> u64 {
        1
    }
}

/// Result of [`Queue::begin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextOperation {
    /// A step: it takes the scheduled turn.
    Step,
    /// An operation of an earlier step (a sync after writes): it takes no turn.
    Extra,
    /// Nothing yet: an operation in flight must complete first.
    Blocked,
    /// Nothing more: the work is finished.
    Finished,
}

/// Operations of one thread, up to [`Queue::depth`] of them in flight, each in its own slot.
pub trait Queue {
    /// Number of slots, at least 1.
    fn depth(&self) -> u32;

    /// Prepares the next operation in the free `slot`. [`Queue::submit`] submits it.
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn begin(&mut self, slot: u32) -> Result<NextOperation, Broken>;

    /// After the last step: prepares a remaining operation (a sync at the end) in `slot`. Called until it returns
    /// [`NextOperation::Finished`].
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn end(&mut self, slot: u32) -> Result<NextOperation, Broken> {
        let _ = slot;
        Ok(NextOperation::Finished)
    }

    /// Maximum number of operations per submission, from what is known now.
    fn batch(&self) -> u32 {
        u32::MAX
    }

    /// Maximum number of completions to reap before their slots are filled again.
    fn reaped_at_once(&self) -> u32 {
        u32::MAX
    }

    /// Completions that are known and not yet reaped.
    fn found(&self) -> u32 {
        0
    }

    /// Minimum number of completions to wait for when all slots are used, at least 1.
    fn least(&self) -> u32 {
        1
    }

    /// Submits the prepared operations, and waits for `least` completions or until `until`.
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn submit(&mut self, least: u32, until: Option<Nanos>) -> Result<(), Broken>;

    /// The slot of a completed operation, whose result is written to `done`: returned by value it would be copied on the way, a
    /// quarter of the cost of an operation that does nothing.
    ///
    /// # Errors
    /// When nothing more can succeed.
    fn reap(&mut self, done: &mut Done) -> Result<Option<u32>, Broken>;

    /// Called at last where the loop is aborted and so many operations have not completed: they may still read and write what they were
    /// given, which has to stay as it is for as long as the process lives.
    fn given_up(&mut self, in_flight: u32) {
        let _ = in_flight;
    }

    /// Receives the times of the operation that was just reaped, for a raw log.
    fn log(&mut self, slot: u32, turn: &StepStart, ended: Nanos) {
        let _ = (slot, turn, ended);
    }
}
