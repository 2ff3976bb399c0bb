//! The request, parsed.

use std::path::PathBuf;

use model::Bound;
use record::{IoPlan, Nanos, Until};

use super::permission::Permission;
use super::proof::ProofParts;

use crate::{NetworkPeer, Setup};

/// An I/O plan and its goal.
#[derive(Clone, Debug)]
pub struct IoRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
    /// The I/O plan.
    pub plan: IoPlan,
    /// The goal.
    pub goal: Goal,
    /// What may be used beyond files of dbdyno's own.
    pub permission: Permission,
    /// Length of the rounds of preconditioning (SNIA); absent for none.
    pub precondition: Option<Nanos>,
    /// The peer of the network probes that are measured first, as the ceiling of a fabric; absent for none.
    pub network: Option<NetworkPeer>,
    /// Path of the log of every I/O, if any.
    pub log: Option<PathBuf>,
    /// Whether each phase is measured with 1, 2, 4, ... and all agents of a fleet, in place of all of them.
    pub sweeps_agents: bool,
    /// How often each phase is measured with each number of agents.
    pub repeats: u32,
}

/// The goal of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// To measure it.
    Measure,
    /// To find the highest rate that meets a service level.
    Until(Until),
    /// To measure the parts of a proof, whose phases are those of the plan.
    Prove {
        /// The parts.
        parts: ProofParts,
        /// How often each is measured.
        rounds: u32,
    },
    /// To find the highest load that meets a latency, and its rate (CALIBRATE_IO).
    Calibrate {
        /// The latency bound.
        bound: Bound,
        /// I/Os in flight at the start of the search: one per disk.
        disks: u32,
    },
}
