//! What the loop does.

use record::FailureKind;

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
}

impl Done {
    /// A step that failed and is counted as such.
    pub fn failed(kind: FailureKind) -> Done {
        Done { failure: Some(kind), ..Done::default() }
    }
}

/// Work that cannot go on: the session is gone, or the test itself is wrong. Ends the run.
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
}
