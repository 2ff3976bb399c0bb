//! What the sessions of an engine were found doing while a run went on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Classes of waits, by the words that the field uses for them, and the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitClass {
    /// No wait: on a processor, ready for one, or in code that the engine does not time.
    Cpu,
    /// Reads and writes of data.
    UserIo,
    /// The log on its way to stable storage.
    Commit,
    /// Latches and other things inside the engine.
    Concurrency,
    /// Locks of rows and tables.
    Application,
    /// The client, or the network to it.
    Network,
    /// Another node.
    Cluster,
    /// Work of the engine's own processes.
    SystemIo,
    /// Anything else.
    Other,
    /// Nothing to do.
    Idle,
}

/// How often sessions were found in one state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampledWait {
    /// Class of the wait.
    pub class: WaitClass,
    /// What the engine calls it, and where a counter of its own times the same, what that is called (see
    /// [`crate::name::wait`]); empty where there is no wait.
    pub event: String,
    /// Sessions found so, summed over all looks.
    pub session_count: u64,
}

/// Active sessions, sampled: everything here is an estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Activity {
    /// Mean distance between two looks, as planned.
    pub period_ns: Nanos,
    /// How often somebody looked.
    pub sample_count: u64,
    /// From the first look to the last, and one period.
    pub watched_ns: Nanos,
    /// Time that the looks themselves took, summed.
    pub cost_ns: Nanos,
    /// What was seen, in the order of class and event.
    pub waits: Vec<SampledWait>,
}
