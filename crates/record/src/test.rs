//! Properties of tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Layers of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Processors.
    Cpu,
    /// Main memory.
    Memory,
    /// Storage, with or without the engine.
    Storage,
    /// The network to another host, or the network stack of this one.
    Network,
    /// SQL on data in the buffer cache.
    Server,
    /// The whole database.
    Database,
}

impl Layer {
    /// As it is written on the command line and in test files.
    pub fn word(self) -> &'static str {
        match self {
            Layer::Cpu => "cpu",
            Layer::Memory => "memory",
            Layer::Storage => "storage",
            Layer::Network => "network",
            Layer::Server => "server",
            Layer::Database => "database",
        }
    }
}

/// Units of the operations of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// An arithmetic or string operation.
    Operation,
    /// A row.
    Row,
    /// A statement.
    Statement,
    /// A transaction.
    Transaction,
    /// A call of a function.
    Call,
    /// An examined number.
    Number,
    /// A sorted element.
    Element,
    /// A block.
    Block,
    /// A byte.
    Byte,
    /// A dependent load from memory.
    Load,
    /// A message to a peer and its answer.
    RoundTrip,
    /// A query of many rows.
    Query,
}

/// The degree of parallelism that a test varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sweep {
    /// Concurrent sessions (#J).
    Jobs,
    /// Threads inside one statement (#T).
    Threads,
    /// Agents of a fleet (#H), each with as many sessions.
    Agents {
        /// Sessions of each agent; the last one may have fewer.
        jobs_each: u32,
    },
}

/// The probe of the same record that bounds a test, and the unit of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ceiling {
    /// The code of the probe.
    pub probe: String,
    /// Unit of both: operations over operations, or bytes over bytes.
    pub unit: Unit,
}

/// Whether the tables of a test should fit the buffer cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheFit {
    /// They fit.
    Inside,
    /// They are larger.
    Outside,
}

/// How reads that miss the buffer cache reach the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataReads {
    /// Direct I/O: the engine opens its files with `O_DIRECT`.
    Direct,
    /// Through the page cache, from which dbdyno drops the files continuously (`posix_fadvise`, `DONTNEED`).
    Dropped,
    /// Through the page cache, which may serve reads.
    PageCache {
        /// Why dbdyno does not drop them.
        reason: String,
    },
}

impl DataReads {
    /// Its name.
    pub fn word(&self) -> &'static str {
        match self {
            DataReads::Direct => "direct",
            DataReads::Dropped => "dropped",
            DataReads::PageCache { .. } => "page_cache",
        }
    }
}
