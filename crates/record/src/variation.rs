//! Variations of the plain run of a test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Pace;

/// Variation of the plain run of a test at its degree of parallelism. Spec sheet, comparisons and scalability use plain
/// runs only; each variation has its own view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Variation {
    /// Another pace, or fewer hardware threads, or both.
    Paced {
        /// The pace.
        pace: Pace,
        /// Whether jobs and a temporary server use only one hardware thread per core.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        one_thread_per_core: bool,
    },
    /// Poisson arrivals at a share of the steps per second of the plain run.
    ShareOfCapacity {
        /// The share, above 0.
        share: f64,
    },
    /// Statements are sent together before their answers are read: the pipeline mode of the protocol, as `\startpipeline`
    /// of pgbench. A step is as many of the test's as that needs.
    Pipelined {
        /// Statements in flight for each session, at least 2.
        statements: u32,
    },
    /// Kernel tracing, for the latencies of the layers below the engine.
    Traced,
    /// More or less of one resource, to test whether it is the limit.
    Perturbed {
        /// The resource.
        resource: Resource,
        /// Its amount as a share of that of the plain run.
        share: f64,
    },
}

/// Resources that can be varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Processors of the engine.
    Processors,
    /// IOPS limit of the device.
    DeviceIo,
    /// Arrival rate of steps.
    ArrivalRate,
}
