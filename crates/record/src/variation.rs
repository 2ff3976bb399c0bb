//! In what a run differs from the plain one of its test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Dop, Pace};

/// In what a run differs from the plain run of its test at its degree of parallelism. Figures of the spec sheet,
/// comparisons and curves of scalability are of plain runs only; each variation has a view of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Variation {
    /// Its steps are due at another pace than those of the plain run, or it uses fewer hardware threads, or both.
    Paced {
        /// When they are due.
        pace: Pace,
        /// Whether jobs, and a server that dbdyno started, use one hardware thread of each core only.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        one_thread_per_core: bool,
    },
    /// Its steps arrive at random at a share of the steps per second of the plain run.
    ShareOfCapacity {
        /// The share, above 0.
        share: f64,
    },
    /// The kernel's events are traced meanwhile, for the latencies of the layers below the engine.
    Traced,
    /// It has more or less of one resource, to see whether that is what limits it.
    Perturbed {
        /// Which one.
        resource: Resource,
        /// What it has of it, as a share of what the plain run has.
        share: f64,
    },
}

/// What a run can be given more or less of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Processors of the engine.
    Processors,
    /// I/O operations that the device may do in a second.
    DeviceIo,
    /// Steps that arrive in a second.
    ArrivalRate,
}

/// A test whose limit was to be proved, and was not: nothing could be taken away from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unproved {
    /// Its code.
    pub test: String,
    /// The degree of parallelism at which it was to be tried.
    pub dop: Dop,
    /// What limits it by the figures of its best run, as a clause; absent where nothing is known.
    pub limit: Option<String>,
    /// Why it was not tried, as a clause.
    pub reason: String,
}
