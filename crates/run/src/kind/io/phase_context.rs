//! What a phase is carried out with, and what its run is described by.

use probe::storage::Ledger;
use record::{IoPhase, IoPlan, Nanos, Pace, Run, RunKind};

use super::file_set::FileSet;
use super::permission::Permission;
use crate::Result;

/// What the files of an invocation follow from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FilesWanted {
    /// All phases.
    pub plan: IoPlan,
    /// What may be used beyond files of dbdyno's own.
    pub permission: Permission,
}

/// What all phases of an invocation share.
pub(crate) struct PhaseContext<'a> {
    pub file_set: FileSet,
    /// Identifies the invocation in what is written.
    pub writer: u64,
    /// The seed of jobs that have none of their own.
    pub seed: u64,
    /// What agents need to survey the files on their hosts; absent where there are none.
    pub of_agents: Option<&'a FilesWanted>,
    /// Capacity of the log of each lane, in I/Os; 0 for no log.
    pub log_room: usize,
    /// Writes the I/Os of a run to the log, if there is one.
    pub log: &'a dyn Fn(&Run, &Ledger, Nanos) -> Result<()>,
}

/// The description of the run of a phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct PhaseRun {
    /// The code of its runs.
    pub test: String,
    /// Their kind.
    pub kind: RunKind,
    /// The service level of a search.
    pub bound: Option<String>,
    /// Rounds of the preconditioning.
    pub rounds: Vec<record::Round>,
    /// Whether it belongs to the preconditioning: its I/Os are not logged.
    pub preparing: bool,
    /// How many agents carry it out, if they do; absent for all of them.
    pub agents: Option<u32>,
    /// The pace of all of them together; absent where each keeps that of its jobs.
    pub pace: Option<Pace>,
}

impl PhaseRun {
    /// For `phase` of a job file.
    pub(crate) fn of(phase: &IoPhase) -> PhaseRun {
        PhaseRun { test: phase.name.clone(), kind: RunKind::Io, ..PhaseRun::default() }
    }
}

/// Number of the jobs of `phase`.
pub(super) fn clones(phase: &IoPhase) -> u32 {
    phase.jobs.iter().map(|job| job.clones).sum()
}
