//! Proofs: what a property of the platform gives or costs, by measurements of its parts beside the whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crash::{is_one, one};
use crate::{Bytes, CrashCluster, CrashCondition, CrashFileSystem, CrashRung};

/// The property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProofSubject {
    /// A volume of several devices: striping, mirroring, parity.
    Volume,
    /// A device behind a fabric, against the same device without it.
    Fabric,
    /// Memory and devices of one NUMA node, used by processors of another.
    Numa,
    /// The caches below an engine: its buffer cache, the page cache, the device.
    Tiers,
    /// A network file system, mounted with different numbers of connections.
    Nfs,
    /// Whether acknowledged commits survive a fault.
    Durability,
}

impl ProofSubject {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            ProofSubject::Volume => "volume",
            ProofSubject::Fabric => "fabric",
            ProofSubject::Numa => "numa",
            ProofSubject::Tiers => "tiers",
            ProofSubject::Nfs => "nfs",
            ProofSubject::Durability => "durability",
        }
    }
}

/// What one run of a proof measures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofPart {
    /// The property.
    pub subject: ProofSubject,
    /// What is measured.
    pub place: ProofPlace,
    /// How it is loaded.
    pub load: ProofLoad,
}

/// What a run of a proof measures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ProofPlace {
    /// One member of the volume, alone.
    Member {
        /// Its name.
        name: String,
    },
    /// All members at the same time, each as if it were alone.
    Members,
    /// The volume.
    Volume,
    /// The device without the fabric.
    Local,
    /// The device through the fabric.
    Remote,
    /// Processors of one node, and memory or a device of another.
    Nodes {
        /// Node of the processors.
        processors: u32,
        /// Node of the memory or the device.
        memory: u32,
    },
    /// An export, mounted with so many connections to its server.
    Connections {
        /// Their number (`nconnect`).
        count: u32,
    },
    /// Blocks of a table, visited at random through an engine.
    WorkingSet {
        /// Size of the blocks that are visited.
        size_bytes: Bytes,
        /// What the page cache holds of the table.
        page_cache: PageCached,
    },
    /// Commits of an engine, with faults in between.
    Crashes {
        /// What a fault takes away.
        rung: CrashRung,
        /// The file system on the disk that loses what was not flushed; absent on rungs without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file_system: Option<CrashFileSystem>,
        /// Of several nodes, which of them a fault takes; absent for a single one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cluster: Option<CrashCluster>,
        /// What is tried.
        condition: CrashCondition,
        /// Whether it is a control that loses on this rung.
        must_lose: bool,
        /// Faults of the run.
        count: u32,
        /// States of each of them that the engine is started on.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        states: u32,
        /// Names of settings by which the engine protects its pages; their values are among its settings.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        protections: Vec<String>,
    },
}

/// How much of a table the page cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageCached {
    /// All of it.
    All,
    /// One half of each file.
    Half,
    /// Nothing, but what was read since the last drop.
    Nothing,
}

/// How a part is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProofLoad {
    /// Random reads of small blocks, one at a time.
    SingleReads,
    /// Random reads of small blocks, many in flight.
    SmallReads,
    /// Sequential reads of large blocks.
    LargeReads,
    /// Random writes of small blocks.
    SmallWrites,
    /// Sequential writes of large blocks.
    LargeWrites,
    /// Reads of memory by all processors.
    MemoryReads,
    /// Dependent reads of memory by one processor.
    MemoryLatency,
    /// Reads of random blocks through an engine, by one session.
    BlockReads,
    /// Commits of rows by several clients, each with a number of its own.
    Ledger,
}

impl ProofLoad {
    /// Whether it writes.
    pub fn writes(self) -> bool {
        matches!(self, ProofLoad::SmallWrites | ProofLoad::LargeWrites)
    }
}
