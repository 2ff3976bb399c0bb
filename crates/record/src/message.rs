//! Messages between the coordinator of a fleet and its agents.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{HostInventory, Nanos, Tool};

/// Version of the messages below; coordinator and agents must have the same.
pub const PROTOCOL_VERSION: u32 = 1;

/// What an agent needs to join a fleet. It contains a secret: it is handed over through a pipe, and never shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ticket {
    /// URL of the message server.
    pub url: String,
    /// The fleet, which is valid once.
    pub fleet: String,
    /// Name of the agent.
    pub agent: String,
    /// Its key.
    pub seed: Seed,
}

/// The secret half of a key: never printed, not even by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub String);

impl fmt::Debug for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seed(...)")
    }
}

/// The first message of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// [`PROTOCOL_VERSION`].
    pub protocol_version: u32,
    /// Version of the format of records.
    pub schema_version: u32,
    /// Checksum of the catalogue of tests.
    pub catalogue_crc32c: u32,
    /// The program.
    pub tool: Tool,
    /// The running kernel, which tells agents on one machine; absent if unknown.
    pub boot_id: Option<String>,
    /// Its machine.
    pub host: HostInventory,
}

/// A message to one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToAgent {
    /// It takes part.
    Welcome,
    /// It does not take part.
    TurnedAway {
        /// Why.
        reason: String,
    },
    /// A question for its clock.
    Time,
    /// A step of a run.
    Order(Order),
    /// The fleet has ended.
    Leave,
}

/// A message of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromAgent {
    /// It wants to take part.
    Hello(Box<Hello>),
    /// The answer of its clock.
    Time {
        /// When the question arrived.
        received_ns: Nanos,
        /// When the answer was sent.
        answered_ns: Nanos,
    },
    /// About a step of a run.
    Answer(Answer),
    /// It leaves the fleet.
    Left,
}

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
    Held {
        /// When it really started, by the agent's own clock.
        started_ns: Nanos,
    },
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
