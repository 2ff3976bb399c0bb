//! What dbdyno itself costs, measured at the start of every invocation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// The error of the instrument, in its own units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instrument {
    /// The kernel's clock source (`tsc`, `kvm-clock`, ...), where known.
    pub clock_source: Option<String>,
    /// One reading of the clock.
    pub clock_read_ns: f64,
    /// One step of the loop around work that does nothing: pacing, clock, both histograms, per-second counts.
    pub loop_step_ns: f64,
    /// One step of a one-statement SQL test on the null engine: the loop, the interpreter of tests and the session.
    pub null_engine_step_ns: f64,
    /// One sample of host counters by the sampler.
    pub sample_ns: Nanos,
}
