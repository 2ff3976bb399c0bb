//! What the loop does.

use record::{FailureKind, Nanos};

use crate::Queue;

/// What one step came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Operations, in the unit of the test.
    pub operations: u64,
    /// Rows returned, changed or loaded.
    pub rows: u64,
    /// Transactions that were committed.
    pub transactions: u64,
    /// Bytes, where the work counts them itself.
    pub bytes: u64,
    /// Why it failed, if it did; nothing else is counted then.
    pub failure: Option<FailureKind>,
    /// Which of [`Work::streams`] it belongs to.
    pub stream: u32,
    /// How long the work paused on purpose before it began: no part of its service time or its response time.
    pub paused: Nanos,
    /// There was nothing left to do: this was no step, and there is no further one.
    pub over: bool,
}

impl Done {
    /// A step that failed and is counted as such.
    pub fn failed(kind: FailureKind) -> Done {
        Done { failure: Some(kind), ..Done::default() }
    }

    /// There was nothing left to do.
    pub fn over() -> Done {
        Done { over: true, ..Done::default() }
    }
}

/// Work that cannot go on: the session is gone, or the test itself is wrong. Ends the run, unless the caller says that it
/// goes on without this job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Broken {
    /// What happened, in words for the user.
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

    /// Called in its place where a step could not go on, so that what happened until then is told.
    fn aborted(&mut self) {}

    /// The work as a queue, where it keeps several operations in flight; its steps are then those of the queue, and
    /// [`Work::step`] is never called.
    fn queue(&mut self) -> Option<&mut dyn Queue> {
        None
    }

    /// The streams that its steps belong to, by their number in [`Outcome::streams`](crate::Outcome::streams): each
    /// is tallied apart. [`Done::stream`] is a place in this list.
    fn streams(&self) -> Vec<usize> {
        vec![0]
    }

    /// The place in that list where a step is counted that was due and not begun; `number` tells such steps apart.
    fn stream_of_unfinished(&self, number: u64) -> usize {
        let _ = number;
        0
    }
}
