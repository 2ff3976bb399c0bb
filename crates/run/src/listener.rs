//! What an invocation tells while it works. Who listens decides whether that is a progress bar or a line.

use std::path::Path;

use record::{Bytes, LoadStageKind, Nanos, PlannedRun, Run, Side, Skipped};

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A line of interest: what is being started, found, cleaned up.
    Note(&'a str),
    /// The plan stands: so many runs, and about how long they will take without set-up.
    Planned {
        /// Runs that will be carried out.
        runs: usize,
        /// Warm-ups and windows of all of them.
        expected: Nanos,
        /// What is not run.
        skipped: &'a [Skipped],
        /// Where the record is being written; of a comparison in pairs, the records of both sides.
        records: &'a [&'a Path],
    },
    /// What follows is done on this side of a comparison in pairs.
    Turn(Side),
    /// Rows are being generated and loaded.
    Loading {
        /// The table.
        table: &'a str,
        /// Rows that the engine has acknowledged or been given.
        rows_done: u64,
        /// Rows in all.
        rows: u64,
    },
    /// A file of storage is being written for the first time.
    Writing {
        /// Its name.
        file: &'a str,
        /// Bytes that are there.
        done: Bytes,
        /// Bytes in all.
        size: Bytes,
    },
    /// A run begins.
    Began {
        /// Its line of the plan.
        planned: &'a PlannedRun,
        /// What the test is, in a few words.
        title: &'a str,
        /// Warm-up and window.
        expected: Nanos,
    },
    /// A run goes on: about once a second, and more often at its start.
    Progress {
        /// Since the jobs were released.
        elapsed: Nanos,
        /// Operations so far.
        operations: u64,
    },
    /// A load goes on: about once a second, and more often at its start.
    Poured {
        /// Since the jobs were released.
        elapsed: Nanos,
        /// Bytes of flat file that are loaded.
        loaded: Bytes,
        /// Bytes that were read, compressed where they are; 0 where nothing is read.
        input: Bytes,
        /// Of how many bytes of input, or of flat file where nothing is read; absent where nobody knows before the end.
        of: Option<Bytes>,
        /// The stage whose threads are the busiest so far.
        slowest: Option<LoadStageKind>,
    },
    /// A run has ended.
    Ended(&'a Run),
}

/// Hears what happens. Called from the thread that measures, from the sampler, and from jobs before their first step.
pub trait Listener: Sync {
    /// `event` happened.
    fn on_event(&self, event: &Event<'_>);
}
