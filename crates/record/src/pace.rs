//! The pace of steps, their arrival process, and the service level of a search.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Nanos, Ratio};

/// Pace of the steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// Closed loop, unthrottled: each step starts when the one before it has ended.
    #[default]
    Unthrottled,
    /// Open loop, steps at constant intervals.
    Rate {
        /// Steps per second of all jobs together.
        steps_per_second: f64,
    },
    /// Open loop, steps at exponentially distributed intervals.
    Poisson {
        /// Steps per second of all jobs together.
        steps_per_second: f64,
    },
    /// Closed loop with think time between two steps of a job.
    ThinkTime {
        /// The think time.
        think_ns: Nanos,
    },
}

impl Pace {
    /// Steps per second of all jobs together; none in a closed loop.
    pub fn rate(self) -> Option<f64> {
        match self {
            Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second } => Some(steps_per_second),
            Pace::Unthrottled | Pace::ThinkTime { .. } => None,
        }
    }

    /// The same with `factor` times the rate of an open loop.
    pub fn times(self, factor: f64) -> Pace {
        match self {
            Pace::Rate { steps_per_second } => Pace::Rate { steps_per_second: steps_per_second * factor },
            Pace::Poisson { steps_per_second } => Pace::Poisson { steps_per_second: steps_per_second * factor },
            Pace::Unthrottled | Pace::ThinkTime { .. } => self,
        }
    }
}

/// Arrival process of an open loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// Exponential intervals, as from many independent users.
    #[default]
    Poisson,
    /// Constant intervals.
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

/// A search for the highest rate that meets a service level. Its runs are added to the plan when their rates are
/// decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The service level of the response time, as given: `p99=5ms`.
    pub level: String,
    /// Arrival process.
    pub arrival: Arrival,
    /// Relative tolerance of the rate.
    pub tolerance: Ratio,
}
