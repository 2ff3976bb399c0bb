//! What the checks of runs of storage found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Nanos, Rate, Ratio};

/// I/O of the block layer against I/O that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DeviceIo {
    /// A file lies in memory or on the network.
    NoDevice {
        /// The file.
        path: String,
        /// Its file system.
        file_system: Option<String>,
    },
    /// The counters are those of one device, and the run uses several.
    SeveralDevices,
    /// Bytes of one direction.
    Counted {
        /// The direction.
        direction: IoDirection,
        /// Bytes of the block layer over bytes asked for; may exceed 1; absent where it is not known.
        share: Option<Ratio>,
        /// The least that it should be.
        limit: Ratio,
        /// Whether the bytes that are missing were written past the page cache or forced out of it.
        is_forced: bool,
    },
}

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IoDirection {
    /// From the device.
    Read,
    /// To the device.
    Write,
    /// Given back to it.
    Trim,
}

/// Blocks that jobs use and that were never written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Unwritten {
    /// Every block was written.
    None,
    /// A device does not tell.
    DeviceNotKnown {
        /// The device.
        path: String,
    },
    /// The file system does not tell.
    FileNotKnown {
        /// The file.
        path: String,
    },
    /// Some were not.
    Some {
        /// The file.
        path: String,
        /// Of what the jobs use of it.
        share: Ratio,
        /// Whether most of them are holes, and not space that is reserved.
        are_holes: bool,
        /// Whether jobs read.
        are_read: bool,
        /// From here on the run is invalid, where jobs read.
        limit: Ratio,
    },
}

/// What a device could save of the data in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Compressible {
    /// Nothing.
    None,
    /// It is not known.
    NotKnown {
        /// The file.
        path: String,
    },
    /// It can be compressed.
    Compresses {
        /// The file.
        path: String,
        /// To this share of its size.
        size: Ratio,
    },
    /// Blocks are equal to others.
    Repeats {
        /// The file.
        path: String,
        /// The share of its blocks that can be stored once.
        share: Ratio,
    },
}

/// Whether syncs and commits waited for the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Flush {
    /// The counters are those of one device, and the run uses several.
    SeveralDevices,
    /// The device says that it needs no flush.
    WriteThrough,
    /// Syncs of storage.
    Syncs {
        /// How many were asked for.
        syncs: u64,
        /// Flushes that the device completed; absent where they are not counted.
        flushes: Option<u64>,
        /// What that says.
        sharing: FlushSharing,
        /// I/Os in flight that can share a flush.
        slots: u64,
        /// The median of a sync that is faster than any medium behind a volatile cache; absent where none is.
        fastest_ns: Option<Nanos>,
    },
    /// A transaction of one job against a write and its sync on the same device without the engine.
    CommitTime {
        /// The median of the transaction.
        transaction_ns: Nanos,
        /// The median of the probe.
        probe_ns: Nanos,
        /// Commits of the run.
        commits: u64,
        /// Syncs of the log, where there was one for each commit.
        log_syncs: Option<u64>,
        /// Flushes of the device, where there was one for each commit.
        flushes: Option<u64>,
    },
}

/// What a number of flushes says of a number of syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlushSharing {
    /// Flushes are not counted.
    NotCounted,
    /// There were none, and whether the device needs any is not known.
    NeedNotKnown,
    /// There were none, and each write may have gone past the cache (FUA).
    PastCache,
    /// There were none: nothing was forced to stable storage.
    NotForced,
    /// More syncs per flush than the I/Os in flight can share.
    TooFew,
    /// As many as it takes.
    Enough,
}

/// A rate that fell in mid-run and stayed there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepDown {
    /// The job.
    pub job: String,
    /// I/Os per second before.
    pub before: Rate,
    /// I/Os per second after.
    pub after: Rate,
    /// When, in seconds of the window.
    pub at_second: u64,
}

/// A thread of the generator that only sleeps and woke up late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// How late at most.
    pub stall_ns_max: Nanos,
    /// From here on it is a warning.
    pub limit_ns: Nanos,
    /// Whether I/O was due at given times, so that response times hold the stall.
    pub is_open_loop: bool,
}

/// How near a job came to the ceiling of the generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratorBound {
    /// The job.
    pub job: String,
    /// What one of its numjobs did, over the ceiling.
    pub share: Ratio,
    /// I/Os per second of one thread through the same path with I/O that does nothing.
    pub ceiling: Rate,
    /// From here on it is a warning.
    pub limit: Ratio,
}

/// Blocks whose content was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// How many.
    pub verified: u64,
    /// How many did not hold what was written.
    pub corrupt: u64,
}
