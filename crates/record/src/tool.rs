//! The program that measured: its build, and its own overhead.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// The program that measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Version of dbdyno.
    pub version: String,
    /// Whether it was built with optimisation; figures of an unoptimised build are meaningless.
    pub optimised: bool,
    /// The build; absent in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
}

/// Build of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The git commit of the sources; absent if built outside of a git tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the sources were unchanged from that commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<bool>,
    /// The compiler, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// Target platform (`x86_64-unknown-linux-gnu`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Profile, optimisation level, compiler flags and target processor, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// SHA-256 of the running program in hexadecimal digits; absent where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_sha256: Option<String>,
}

/// Overhead of dbdyno, measured at the start of every invocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instrument {
    /// The kernel's clock source (`tsc`, `kvm-clock`, ...), if known.
    pub clock_source: Option<String>,
    /// How the clock is read; absent in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_method: Option<ClockMethod>,
    /// Time of one clock reading.
    pub clock_read_ns: f64,
    /// Time of one step of the loop with empty work: pacing, clock, histograms, per-second counts.
    pub loop_step_ns: f64,
    /// Time of one step of a one-statement SQL test on the null engine: loop, test interpreter and session.
    pub null_engine_step_ns: f64,
    /// Time of one sample of the host counters.
    pub sample_ns: Nanos,
}

/// How the clock of latencies is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockMethod {
    /// `clock_gettime` of CLOCK_MONOTONIC.
    ClockGettime,
    /// The time stamp counter of the processor, compared with CLOCK_MONOTONIC every 10 ms.
    Tsc,
}
