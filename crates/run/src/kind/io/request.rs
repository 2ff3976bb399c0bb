//! What is asked of storage.

use std::path::PathBuf;

use model::Bound;
use record::{Build, IoPlan, Nanos, Until};

use super::permission::Permission;

/// A plan of I/O and what is to be found out with it.
#[derive(Clone, Debug)]
pub struct IoRequest {
    /// The plan.
    pub plan: IoPlan,
    /// What for.
    pub goal: Goal,
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// What may be touched beyond files of dbdyno's own.
    pub permission: Permission,
    /// Length of the rounds of preconditioning (SNIA); absent for none.
    pub precondition: Option<Nanos>,
    /// Where every I/O is logged, if anywhere.
    pub log: Option<PathBuf>,
    /// What addresses, arrivals and data are drawn from, where a job has no seed of its own.
    pub seed: u64,
    /// Where the record goes.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

/// What a plan is carried out for.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// Its figures.
    Measure,
    /// The highest rate that keeps a service level.
    Until(Until),
    /// The highest load that keeps a latency, and what it gives (CALIBRATE_IO).
    Calibrate {
        /// The latency.
        bound: Bound,
        /// I/Os in flight that the search begins with: one per disk.
        disks: u32,
    },
}
