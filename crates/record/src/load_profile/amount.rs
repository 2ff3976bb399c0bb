//! Quantities of a load profile and their amounts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a source tells of an interval. The unit is in the name. Requests are those that leave the engine for storage;
/// of host statistics those that reach its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadQuantity {
    /// Read requests (of one or several blocks).
    PhysicalReadsPerSecond,
    /// Of these, requests for several blocks in order.
    SequentialReadsPerSecond,
    /// Bytes that they read.
    PhysicalReadBytesPerSecond,
    /// Write requests, those of the log included.
    PhysicalWritesPerSecond,
    /// Of these, requests for several blocks in order.
    SequentialWritesPerSecond,
    /// Bytes that they wrote.
    PhysicalWriteBytesPerSecond,
    /// Transactions committed.
    CommitsPerSecond,
    /// Transactions rolled back.
    RollbacksPerSecond,
    /// Bytes of log (redo, WAL) made.
    LogBytesPerSecond,
    /// Writes of the log.
    LogWritesPerSecond,
    /// Syncs of the log.
    LogSyncsPerSecond,
    /// Blocks asked of the buffer cache, found there or not.
    LogicalReadsPerSecond,
    /// Statements executed.
    StatementsPerSecond,
    /// Processor seconds of the database per second: the hardware threads that it kept busy.
    DatabaseProcessorSecondsPerSecond,
    /// Share of the processors of the host that was busy, in [0, 1].
    HostBusyShare,
    /// Sessions within a call, waiting or not (seconds of database time per second).
    ActiveSessions,
    /// Sessions connected.
    Sessions,
    /// Bytes received from clients.
    NetworkReceivedBytesPerSecond,
    /// Bytes sent to clients.
    NetworkSentBytesPerSecond,
    /// Seconds that a read of one block took.
    RandomReadSeconds,
    /// Seconds that a commit waited for its log.
    CommitSeconds,
    /// Bytes of memory of the host that nothing used.
    HostFreeMemoryBytes,
}

impl LoadQuantity {
    /// All, in their order.
    pub const ALL: [LoadQuantity; 22] = [
        LoadQuantity::PhysicalReadsPerSecond,
        LoadQuantity::SequentialReadsPerSecond,
        LoadQuantity::PhysicalReadBytesPerSecond,
        LoadQuantity::PhysicalWritesPerSecond,
        LoadQuantity::SequentialWritesPerSecond,
        LoadQuantity::PhysicalWriteBytesPerSecond,
        LoadQuantity::CommitsPerSecond,
        LoadQuantity::RollbacksPerSecond,
        LoadQuantity::LogBytesPerSecond,
        LoadQuantity::LogWritesPerSecond,
        LoadQuantity::LogSyncsPerSecond,
        LoadQuantity::LogicalReadsPerSecond,
        LoadQuantity::StatementsPerSecond,
        LoadQuantity::DatabaseProcessorSecondsPerSecond,
        LoadQuantity::HostBusyShare,
        LoadQuantity::ActiveSessions,
        LoadQuantity::Sessions,
        LoadQuantity::NetworkReceivedBytesPerSecond,
        LoadQuantity::NetworkSentBytesPerSecond,
        LoadQuantity::RandomReadSeconds,
        LoadQuantity::CommitSeconds,
        LoadQuantity::HostFreeMemoryBytes,
    ];

    /// Whether amounts of several instances add up to that of the cluster; those that do not are shares or times.
    pub fn adds_up(self) -> bool {
        use LoadQuantity::*;
        !matches!(self, HostBusyShare | RandomReadSeconds | CommitSeconds)
    }
}

/// How much there was of a quantity in an interval, in the unit of its name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Amount {
    /// The average over the interval; finite, at least 0.
    pub average: f64,
    /// The largest part of the interval that the source tells (AWR Miner tells the largest minute); at least the average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}
