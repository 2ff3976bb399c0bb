//! Loads beside a run: jobs of another test that work while the run is measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::totals::is_zero;
use crate::{Latency, Nanos, Totals, Unit};

/// A test whose jobs work beside those that are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadBeside {
    /// The code of the test.
    pub test: String,
    /// The path of its test file; absent for a test of the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_file: Option<String>,
    /// Its jobs; at least 1.
    pub jobs: u32,
    /// Steps per second of all of them together, of a Poisson process; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

// The rate is a number above 0.
impl Eq for LoadBeside {}

/// What a load did beside the jobs of a run, in its window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadBesideRun {
    /// The load.
    pub load: LoadBeside,
    /// The short description of its test.
    pub title: String,
    /// The unit of its operations.
    pub unit: Unit,
    /// From the begin of the window until its jobs were told to end, or until the end of their last step if that is later.
    pub window_ns: Nanos,
    /// What its jobs did. Steps that were cancelled at the end are not among them, but what they had committed is.
    pub totals: Totals,
    /// Steps that were cancelled at the end, because they would have lasted longer than the run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cancelled: u64,
    /// From start to end of a step.
    pub service: Latency,
    /// From intended start to end.
    pub response: Latency,
}
