//! The machine at one moment: what changes while a measurement goes on and may spoil it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Bytes;

/// The machine at one moment. What could not be found out is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostState {
    /// Processes that ran or waited for a device, averaged over the last minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average_1_minute: Option<f64>,
    /// The processes of others that used most processor time while nothing was measured, the busiest first; empty where
    /// none used any, absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_programs: Option<Vec<BackgroundProgram>>,
    /// Clock, mean over all processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// The highest temperature that the kernel knows of, in degrees Celsius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_celsius_max: Option<f64>,
    /// Times that a core was slowed down because it was too hot, of all cores since the machine was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermal_throttle_count: Option<u64>,
    /// One of many dependent multiplications of integers on one processor, in nanoseconds, the best of several series:
    /// the same before and after, where the machine itself is as fast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiplication_ns: Option<f64>,
    /// Memory that is available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_available_bytes: Option<Bytes>,
    /// Space of the measured file system that an ordinary user may fill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<Bytes>,
    /// What the kernel said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_log: Option<KernelLog>,
}

/// A process that is not part of the measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackgroundProgram {
    /// Name of the program, without its arguments.
    pub name: String,
    /// Processors that it kept busy: 1 is one of them all the time.
    pub processors: f64,
    /// Bytes per second that it had the block layer read, on any device; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes_per_second: Option<f64>,
    /// The same of writes: buffered ones count when they make a page dirty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes_per_second: Option<f64>,
}

/// Messages of the kernel: at the start of a measurement those that it still knows, at its end those since then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelLog {
    /// Why it could not be read; the other fields say nothing then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Number of the last message.
    pub last_message: u64,
    /// Messages of the level of a warning or graver.
    pub warning_count: u64,
    /// Messages that name errors of I/O, of memory or of processors, throttling, or a lack of memory.
    pub fault_count: u64,
    /// The first of these, without their times; at the end of a measurement only.
    pub faults: Vec<String>,
}
