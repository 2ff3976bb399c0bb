//! The request, parsed.

use std::path::PathBuf;

use model::Bound;
use record::{Build, IoPlan, Nanos, Until};

use super::permission::Permission;

/// An I/O plan and its goal.
#[derive(Clone, Debug)]
pub struct IoRequest {
    /// The I/O plan.
    pub plan: IoPlan,
    /// The goal.
    pub goal: Goal,
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// What may be used beyond files of dbdyno's own.
    pub permission: Permission,
    /// Length of the rounds of preconditioning (SNIA); absent for none.
    pub precondition: Option<Nanos>,
    /// Path of the log of every I/O, if any.
    pub log: Option<PathBuf>,
    /// Seed of addresses, arrivals and data, for jobs without a seed.
    pub seed: u64,
    /// Path of the record.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

/// The goal of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// To measure it.
    Measure,
    /// To find the highest rate that meets a service level.
    Until(Until),
    /// To find the highest load that meets a latency, and its rate (CALIBRATE_IO).
    Calibrate {
        /// The latency bound.
        bound: Bound,
        /// I/Os in flight at the start of the search: one per disk.
        disks: u32,
    },
}
