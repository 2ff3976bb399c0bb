//! The state of the machine, which may disturb a measurement, and the load of other programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// State of the machine at one moment. Unknown values are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostState {
    /// Load average of the last minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average_1_minute: Option<f64>,
    /// Other programs by CPU time while nothing was measured, the busiest first; empty if none used any, absent if not
    /// sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_programs: Option<Vec<BackgroundProgram>>,
    /// Mean clock frequency of all processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// The highest temperature reported by the kernel, degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius_max: Option<f64>,
    /// Thermal throttling events of all cores since boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermal_throttle_count: Option<u64>,
    /// Time of one dependent integer multiplication on one processor, nanoseconds, the best of several series: equal
    /// before and after if the processor runs at the same speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiplication_ns: Option<f64>,
    /// Available memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_available_bytes: Option<Bytes>,
    /// Free space of the measured file system for ordinary users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<Bytes>,
    /// Kernel log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_log: Option<KernelLog>,
}

/// A program that is not part of the measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackgroundProgram {
    /// Name of the program, without its arguments.
    pub name: String,
    /// CPU usage in processors.
    pub processors: f64,
    /// Bytes per second read from any device; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes_per_second: Option<f64>,
    /// The same for writes: buffered writes count when they dirty a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes_per_second: Option<f64>,
}

/// Load of other programs on this host during a run, from all processes before and after it. A process that ended
/// meanwhile counts with its parent, if that is visible; otherwise only in the counters of the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForeignLoad {
    /// Time between the two samples of processes.
    pub observed_ns: Nanos,
    /// Processors used by programs other than dbdyno and the measured server.
    pub processors: f64,
    /// Processors used by kernel threads.
    pub kernel_processors: f64,
    /// Bytes that these programs read from all devices, as far as the kernel reports them; absent if it reports none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<Bytes>,
    /// The same for writes: buffered writes count when they dirty a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes: Option<Bytes>,
    /// Bytes that the measured server read from devices; absent without a server on this host, and if the kernel does
    /// not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_read_bytes: Option<Bytes>,
    /// The same for writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_write_bytes: Option<Bytes>,
    /// The busiest programs, in descending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<BackgroundProgram>,
}

/// Messages of the kernel: at the start of a measurement those in the buffer, at its end those since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelLog {
    /// Why it could not be read; the other fields are meaningless then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Number of the last message.
    pub last_message: u64,
    /// Messages of level warning or more severe.
    pub warning_count: u64,
    /// Messages about I/O, memory or CPU errors, throttling, or lack of memory.
    pub fault_count: u64,
    /// The first of these, without timestamps; only at the end of a measurement.
    pub faults: Vec<String>,
}
