//! Evidence of the checks of I/O jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LoopFile, Nanos, Rate, Ratio};

/// I/O of the block layer against requested I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DeviceIo {
    /// A file is in memory or on a network file system.
    NoDevice {
        /// The file.
        path: String,
        /// Its file system.
        file_system: Option<String>,
        /// The device below, which keeps its blocks in the memory of the host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory_device: Option<String>,
    },
    /// Only one device has counters, and the run uses several.
    SeveralDevices,
    /// Counted bytes of one direction.
    Counted {
        /// The direction.
        direction: IoDirection,
        /// Bytes of the block layer, or of the mount of NFS, over requested bytes; may exceed 1; absent if unknown.
        share: Option<Ratio>,
        /// Lower limit.
        limit: Ratio,
        /// Whether the missing bytes were written by direct I/O or synced.
        is_forced: bool,
        /// Whether a mount of NFS counted them, in place of the block layer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_counted_by_mount: bool,
        /// A loop device between the I/O and what counted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        loop_file: Option<LoopFile>,
    },
}

/// Direction of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IoDirection {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Discards.
    Trim,
}

/// Blocks that jobs use and that were never written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Unwritten {
    /// Every block was written.
    None,
    /// Unknown for a device.
    DeviceNotKnown {
        /// The device.
        path: String,
    },
    /// Unknown for a file.
    FileNotKnown {
        /// The file.
        path: String,
    },
    /// Some were not.
    Some {
        /// The file.
        path: String,
        /// Of the part that the jobs use.
        share: Ratio,
        /// Whether most of them are holes, not reserved extents.
        are_holes: bool,
        /// Whether jobs read.
        are_read: bool,
        /// From here on the run is invalid, if jobs read.
        limit: Ratio,
    },
}

/// Space that a device could save on the data of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Compressible {
    /// Nothing.
    None,
    /// Unknown.
    NotKnown {
        /// The file.
        path: String,
    },
    /// It can be compressed.
    Compresses {
        /// The file.
        path: String,
        /// Compressed size as a share.
        size: Ratio,
    },
    /// Blocks are duplicates.
    Repeats {
        /// The file.
        path: String,
        /// The share of duplicate blocks.
        share: Ratio,
    },
}

/// Whether syncs and commits waited for the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Flush {
    /// Only one device has counters, and the run uses several.
    SeveralDevices,
    /// The device reports a write-through cache: no flush is needed.
    WriteThrough,
    /// The files are on NFS: whether the server forced them is not visible to its clients.
    AtServer {
        /// Requested syncs.
        syncs: u64,
        /// COMMIT requests of the mount; absent if not counted.
        commits: Option<u64>,
    },
    /// Syncs of I/O jobs.
    Syncs {
        /// Requested syncs.
        syncs: u64,
        /// Flushes that the device completed; absent if not counted.
        flushes: Option<u64>,
        /// Interpretation of the number of flushes.
        sharing: FlushSharing,
        /// I/Os in flight that can share a flush.
        slots: u64,
        /// The median of a sync that is faster than any medium behind a volatile cache; absent otherwise.
        fastest_ns: Option<Nanos>,
    },
    /// A transaction of one job against a write and sync on the same device without the engine.
    CommitTime {
        /// The median of the transaction.
        transaction_ns: Nanos,
        /// The median of the probe.
        probe_ns: Nanos,
        /// Commits of the run.
        commits: u64,
        /// Log syncs, if there was one per commit.
        log_syncs: Option<u64>,
        /// Flushes of the device, if there was one per commit.
        flushes: Option<u64>,
    },
}

/// Number of flushes in relation to syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlushSharing {
    /// Flushes are not counted.
    NotCounted,
    /// None, and it is unknown whether the device needs any.
    NeedNotKnown,
    /// None, and each write may have bypassed the cache (FUA).
    PastCache,
    /// None: nothing was flushed to stable storage.
    NotForced,
    /// Fewer flushes than the I/Os in flight can explain by sharing.
    TooFew,
    /// Enough.
    Enough,
}

/// A lasting drop of the rate during the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepDown {
    /// The job.
    pub job: String,
    /// I/Os per second before.
    pub before: Rate,
    /// I/Os per second after.
    pub after: Rate,
    /// Second of the window.
    pub at_second: u64,
}

/// Scheduling delay of a sleeping thread of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// Maximum delay.
    pub scheduling_delay_ns_max: Nanos,
    /// Limit of a warning.
    pub limit_ns: Nanos,
    /// Whether the loop is open, so that response times include the delay.
    pub is_open_loop: bool,
}

/// Load of the generator in relation to its ceiling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratorBound {
    /// The job.
    pub job: String,
    /// Rate of one thread of the job over the ceiling.
    pub share: Ratio,
    /// I/Os per second of one thread with null I/O.
    pub ceiling: Rate,
    /// Limit of a warning.
    pub limit: Ratio,
}

/// Blocks whose content was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Verified blocks.
    pub verified: u64,
    /// Blocks with unexpected content.
    pub corrupt: u64,
    /// Blocks that hold what was there before a write of this invocation that succeeded.
    #[serde(default)]
    pub stale: u64,
    /// Blocks that were read and are neither right nor wrong: which write they have to hold is not known.
    #[serde(default)]
    pub unverified: u64,
}
