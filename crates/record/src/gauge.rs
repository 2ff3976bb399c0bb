//! Gauges: a number that a query returns, read again and again while a run lasts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// A gauge: the depth of a queue, the age of the oldest row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gauge {
    /// Its name.
    pub name: String,
    /// The query that returns it: the first column of its only row.
    pub sql: String,
}

/// What a gauge was in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaugeRun {
    /// Its name.
    pub name: String,
    /// Its readings in order of time; none where the query returned null.
    pub readings: Vec<GaugeReading>,
    /// Why it was not read any more; absent where it was read until the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// One reading of a gauge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaugeReading {
    /// When its query was answered, since the begin of the window.
    pub at_ns: Nanos,
    /// What it returned.
    pub value: f64,
}
