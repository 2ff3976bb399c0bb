//! Findings of self-checks: a verdict with its evidence. Stored with the run; reports make the sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Check, Evidence};

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Passed.
    Pass,
    /// Not checked: a source is missing.
    Unknown,
    /// A caveat of the result.
    Warn,
    /// The result is invalid.
    Fail,
}

/// One check of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What the check says.
    pub verdict: Verdict,
    /// Its evidence.
    pub evidence: Evidence,
    /// Number of other parts of the run (files, jobs, queues) with the same finding and other figures.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u32,
    /// The agent whose host it is about, in a run of a fleet; absent for a finding of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl Finding {
    /// A finding of the whole run, or of one part of it.
    pub fn new(verdict: Verdict, evidence: Evidence) -> Finding {
        Finding { verdict, evidence, others: 0, agent: None }
    }

    /// What was checked.
    pub fn check(&self) -> Check {
        self.evidence.check()
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
