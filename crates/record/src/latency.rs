//! What is kept of the latencies of one run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// The distribution of one kind of latency: its quantiles, and the histogram that they were read from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// How many values were recorded.
    pub count: u64,
    /// The smallest value.
    pub min_ns: Nanos,
    /// The arithmetic mean, from the histogram (relative error at most 0.1 %).
    pub mean_ns: Nanos,
    /// The median.
    pub p50_ns: Nanos,
    /// The 0.9 quantile.
    pub p90_ns: Nanos,
    /// The 0.99 quantile.
    pub p99_ns: Nanos,
    /// The 0.999 quantile.
    pub p999_ns: Nanos,
    /// The largest value.
    pub max_ns: Nanos,
    /// All values as an HdrHistogram: V2 format, deflated, base64; nanoseconds, three significant digits.
    /// Histograms of several jobs or hosts may be added; quantiles may not.
    pub histogram: String,
}
