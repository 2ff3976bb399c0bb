//! Messages between the coordinator of a fleet and its agents about the start of a run.

use serde::{Deserialize, Serialize};

use crate::Nanos;

/// What an order or an answer is about. An epoch is one attempt at a run; a higher one ends all lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The attempt, counted over all runs of the fleet.
    pub epoch: u64,
    /// Number of the run in the plan.
    pub run: u32,
}

/// An order of the coordinator to one agent. The same order twice has the effect of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The attempt.
    pub attempt: Attempt,
    /// The step.
    pub step: Step,
}

/// Steps of an attempt, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Open the sessions of the run and warm them up.
    Prepare,
    /// Start at this moment of the agent's own clock, if that is confirmed before.
    Arm {
        /// The agreed start.
        start_ns: Nanos,
    },
    /// All agents are armed.
    Confirm,
    /// Give the attempt up.
    Abandon,
}

/// An answer of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The attempt.
    pub attempt: Attempt,
    /// What the agent says.
    pub says: Says,
}

/// What an agent says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Says {
    /// All jobs are warm.
    Ready,
    /// It starts at the agreed moment, if that is confirmed.
    Armed,
    /// It starts.
    Confirmed,
    /// The agreed moment came without a confirmation: it does not start.
    Disarmed,
    /// The run has ended, and its part is kept.
    Held,
    /// The attempt was given up.
    Abandoned,
    /// An order was not followed.
    Refused(Refusal),
}

/// Why an order was not followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Refusal {
    /// It belongs to an older epoch.
    OlderEpoch {
        /// That of the agent.
        current: u64,
    },
    /// It does not follow the step before it.
    OutOfOrder,
    /// The agreed start has passed.
    TooLate {
        /// By how much.
        by_ns: Nanos,
    },
    /// The run cannot be carried out.
    Failed {
        /// Why, with a hint if there is one.
        message: String,
    },
}
