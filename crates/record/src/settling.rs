//! What was done before a run so that it begins in a known state, and what it left to be done after it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// What was done between the previous run and the warm-up of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settling {
    /// Time in which the engine wrote back what earlier runs had left: a checkpoint, old versions of rows.
    pub settle_ns: Nanos,
    /// What it did in that time, in this order; empty where it needs nothing or may do nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<SettlingStep>,
    /// How the caches of the engine were filled; absent where the rows of the test are not at random places of tables that
    /// should not fit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_fill: Option<CacheFilling>,
}

/// A step of settling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettlingStep {
    /// The space of dead rows was reclaimed in tables that had some.
    Vacuum,
    /// Old versions of rows were removed from the undo log.
    Purge,
    /// All changed pages were written to the data files.
    WriteBack,
    /// A checkpoint: all changed pages are in the data files, and the log before it is not needed any more.
    Checkpoint,
}

/// Rows that were read before the warm-up to fill the buffer cache of the engine with blocks of the tables: without it, a
/// run measures how the cache fills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheFilling {
    /// Rows that were read, in each cache where every session has one.
    pub rows: u64,
    /// Their size: of rows as generated, of random blocks that of the blocks. At least that of the cache where the tables are larger.
    pub bytes: Bytes,
    /// The time of reading.
    pub read_ns: Nanos,
}

/// What a run that changes the database left to be written back after its window. Engines differ in how much of it they do
/// within the window: a rate is complete only with the time of the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Owed {
    /// The time until the engine had written it back.
    pub settle_ns: Nanos,
    /// Bytes that the device of the engine was given meanwhile; absent where it is not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_write_bytes: Option<Bytes>,
}
