//! The types of transactions of a run: its scripts, or the transactions of a mix.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Latency, Role, Totals};

/// What the executions of one script, or of one transaction of a mix, did in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionType {
    /// The name: the script as it was given, or that of the mix.
    pub name: String,
    /// The weight with which it is chosen.
    pub weight: u32,
    /// The role that runs it, with the jobs that it had; absent where all jobs run it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What its committed transactions are called as a figure per minute, such as `NOPM`; absent where they have no such name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<String>,
    /// Its executions; all types add up to the run.
    pub totals: Totals,
    /// Service times of its successful executions, with all tries.
    pub service: Latency,
    /// Their response times.
    pub response: Latency,
    /// Its statements in the order of the text; none where they were too many to be timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<StatementRun>,
}

/// What one statement did in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementRun {
    /// Its line in the text, from 1.
    pub line: u32,
    /// Its text on one line, shortened.
    pub text: String,
    /// Executions that failed, those included after which the transaction was tried again.
    pub failures: u64,
    /// Executions that failed and after which it was tried again.
    #[serde(default, skip_serializing_if = "crate::totals::is_zero")]
    pub retries: u64,
    /// Times of the successful executions, tries that were repeated included.
    pub service: Latency,
}
