//! A limit that was not proved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Dop;

/// A test whose limit could not be tested, because none of its resources could be restricted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unproved {
    /// Code of the test.
    pub test: String,
    /// Degree of parallelism.
    pub dop: Dop,
    /// The reason.
    pub reason: UnprovedReason,
}

/// Why a limit was not proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnprovedReason {
    /// The limit is unknown.
    UnknownLimit,
    /// Other programs used the CPU.
    OtherPrograms,
    /// Client-bound: other degrees of parallelism tell more.
    TooFewClients,
    /// The bandwidth of a network is not reduced.
    Network,
    /// A wait is not a resource that can be reduced.
    Wait,
    /// No measured resource is saturated.
    Unexplained,
    /// The CPU time of the run is unknown.
    UnknownCpuTime,
    /// The client threads of an engine cannot be reduced.
    ClientThreads {
        /// The engine.
        engine: String,
    },
    /// It was tried, and the environment refused.
    Refused {
        /// Its reason, as a clause.
        reason: String,
    },
}
