//! Events of an invocation. The listener decides how they are shown: a progress bar, or lines.

use std::path::Path;

use model::{Limiter, Proof};
use record::{Bytes, LoadStageKind, Nanos, PlannedRun, Run, Side, Skipped, UnprovedReason};

use crate::hands::AgentProgress;

/// An event.
#[derive(Debug)]
pub enum Event<'a> {
    /// A note: what is started, found or cleaned up.
    Note(&'a str),
    /// The plan is made.
    Planned {
        /// Number of runs.
        runs: usize,
        /// Warm-ups and windows of all runs, without set-up.
        expected: Nanos,
        /// What is skipped.
        skipped: &'a [Skipped],
        /// Path of the record; in a comparison in pairs, the paths of both.
        records: &'a [&'a Path],
    },
    /// The following events are of this side of a comparison in pairs.
    Side(Side),
    /// Rows are being generated and loaded.
    Loading {
        /// The table.
        table: &'a str,
        /// Rows that were sent to the engine.
        rows_done: u64,
        /// Rows of the table.
        rows: u64,
    },
    /// A file is laid out.
    Writing {
        /// Its name.
        file: &'a str,
        /// Bytes written.
        done: Bytes,
        /// Size of the file.
        size: Bytes,
    },
    /// How far each agent of a fleet is.
    Agents(&'a [AgentProgress<'a>]),
    /// A run has started.
    RunStarted {
        /// Its line of the plan.
        planned: &'a PlannedRun,
        /// Title of the test.
        title: &'a str,
        /// Warm-up and window.
        expected: Nanos,
    },
    /// Progress of a run: about once a second, more often at the start.
    Progress {
        /// Since the jobs were released.
        elapsed: Nanos,
        /// Operations so far.
        operations: u64,
    },
    /// Progress of a load: about once a second, more often at the start.
    LoadProgress {
        /// Since the jobs were released.
        elapsed: Nanos,
        /// Bytes of flat file that were loaded.
        loaded: Bytes,
        /// Bytes of input that were read, compressed where they are; 0 for a generated source.
        input: Bytes,
        /// Total bytes of input, or of flat file for a generated source; absent where that is unknown before the end.
        of: Option<Bytes>,
        /// The busiest stage so far.
        slowest: Option<LoadStageKind>,
    },
    /// A run has ended.
    RunFinished(&'a Run),
    /// The limit of a test was tried.
    Proved {
        /// Test and degree of parallelism.
        label: &'a str,
        /// The result.
        proof: &'a Proof,
    },
    /// The limit of a test was not proved.
    NotProved {
        /// Test and degree of parallelism.
        label: &'a str,
        /// The limit that cannot be reduced; absent where it is unknown, or where reducing it failed.
        limiter: Option<&'a Limiter>,
        /// The reason.
        reason: &'a UnprovedReason,
    },
}

/// Receives the events of an invocation: from the measuring thread, from the sampler, and from jobs before their first
/// step.
pub trait Listener: Sync {
    /// `event` happened.
    fn on_event(&self, event: &Event<'_>);
}
