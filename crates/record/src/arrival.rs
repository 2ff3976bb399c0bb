//! When steps arrive, and the service level that is searched for, beside the pace of plain runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Pace, Ratio};

/// How the steps of a rate arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// At random, as from many independent users.
    #[default]
    Poisson,
    /// At equal distances.
    Fixed,
}

impl Arrival {
    /// The pace of `steps_per_second` of all jobs together.
    pub fn pace(self, steps_per_second: f64) -> Pace {
        match self {
            Arrival::Poisson => Pace::Poisson { steps_per_second },
            Arrival::Fixed => Pace::Rate { steps_per_second },
        }
    }
}

/// A service level whose highest rate is searched for. How many runs that takes is known at its end: each of them is
/// added to the plan when its rate is decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The level that the response time must keep, as it was written: `p99=5ms`.
    pub level: String,
    /// How steps arrive.
    pub arrival: Arrival,
    /// How near to the limit is near enough: 0.05 for five percent.
    pub tolerance: Ratio,
}

impl Pace {
    /// Steps per second of all jobs together; absent in a closed loop, where the platform decides.
    pub fn rate(self) -> Option<f64> {
        match self {
            Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second } => Some(steps_per_second),
            Pace::AsFastAsPossible | Pace::ThinkTime { .. } => None,
        }
    }
}
