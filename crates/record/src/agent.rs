//! The parts of a run that agents of a fleet carried out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{HostInventory, Latency, Nanos, Reading, Second, SignedNanos, Totals};

/// When the window of an agent started, by the clock of the coordinator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentStart {
    /// From the agreed start to the start of the window; below 0 if the window started before it.
    pub offset_ns: SignedNanos,
    /// Bound of the error of this offset: that of the clock of the agent against the one of the coordinator.
    pub clock_error_ns: Nanos,
}

/// The host of an agent of a fleet, where it is another one than that of the coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentHost {
    /// Name of the agent.
    pub agent: String,
    /// The running kernel, which tells agents on one machine; absent if unknown.
    pub boot_id: Option<String>,
    /// The machine, with the file system and devices of the agent's directory.
    pub host: HostInventory,
}

/// Results of one agent, in a run of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRun {
    /// Its name.
    pub agent: String,
    /// Number of its jobs.
    pub jobs: u32,
    /// Hardware threads that its jobs may use.
    pub host_threads: u32,
    /// Start of its window.
    pub start: AgentStart,
    /// From the start of its window to the end of its last step.
    pub window_ns: Nanos,
    /// Totals.
    pub totals: Totals,
    /// From start to end.
    pub service: Latency,
    /// From intended start to end.
    pub response: Latency,
    /// Second by second, from the start of its window.
    #[serde(with = "crate::series::columns")]
    #[schemars(with = "crate::series::Columns")]
    pub seconds: Vec<Second>,
    /// Counters of its host, at the start and end of its window and in between.
    pub readings: Vec<Reading>,
}
