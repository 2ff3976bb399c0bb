//! Totals and outcome of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Bytes;

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum Outcome {
    /// Finished as planned.
    Done,
    /// Aborted; its counts are kept, but are not a result.
    Failed {
        /// The error, with a hint if there is one.
        message: String,
    },
}

/// Totals of all jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Finished steps of the loop, including failed ones.
    pub steps: u64,
    /// Operations of successful steps, in the unit of the test.
    pub operations: u64,
    /// Rows returned, changed or loaded.
    pub rows: u64,
    /// Transactions that the engine should have committed.
    pub transactions: u64,
    /// Bytes, if the test counts them (bulk load, memory).
    pub bytes: Option<Bytes>,
    /// Failed steps by kind.
    pub failures: BTreeMap<FailureKind, u64>,
    /// Steps that were scheduled within the window and not started when the run ended; the response histogram contains
    /// their age.
    pub unfinished: u64,
    /// Steps that were tried again, whether they succeeded in the end or not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retried: u64,
    /// Tries of these steps beyond the first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u64,
}

pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Why a step failed. Each engine maps its error codes to these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The transaction was the victim of a deadlock.
    Deadlock,
    /// Serialization failure.
    Serialization,
    /// Lock timeout.
    LockTimeout,
    /// A uniqueness or other constraint was violated.
    Constraint,
    /// The statement was cancelled.
    Cancelled,
    /// Any other error that does not end the session.
    Other,
}
