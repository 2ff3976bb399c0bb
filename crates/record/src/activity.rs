//! Sampled activity of the sessions of an engine during a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Wait classes, and CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitClass {
    /// No wait: on CPU, runnable, or in code that the engine does not time.
    Cpu,
    /// Reads and writes of data.
    UserIo,
    /// Log flush to stable storage.
    Commit,
    /// Latches and other internal resources of the engine.
    Concurrency,
    /// Locks of rows and tables.
    Application,
    /// The client, or the network to it.
    Network,
    /// Other nodes.
    Cluster,
    /// I/O of the engine's background processes.
    SystemIo,
    /// Anything else.
    Other,
    /// Idle.
    Idle,
}

/// Samples of sessions in one state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampledWait {
    /// Class of the wait.
    pub class: WaitClass,
    /// Name of the wait event in the engine, or of the counter that times the same event;
    /// empty where there is no wait.
    pub event: String,
    /// Sessions in this state, summed over all samples.
    pub session_count: u64,
}

/// Sampled active sessions: all figures are estimates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Activity {
    /// Planned mean interval between two samples.
    pub period_ns: Nanos,
    /// Number of samples.
    pub sample_count: u64,
    /// From the first sample to the last, plus one period.
    pub observed_ns: Nanos,
    /// Time that sampling took, summed.
    pub cost_ns: Nanos,
    /// Samples by class and event, in this order.
    pub waits: Vec<SampledWait>,
}
