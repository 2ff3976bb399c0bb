//! Runs of random blocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency, Ratio};

/// Location of the loop of a run of random blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoopLocation {
    /// In the client: one statement per operation.
    Client,
    /// In the engine: one call per batch of operations.
    Engine,
}

/// State of the caches at the start of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// All blocks are in the buffer cache.
    Preloaded,
    /// The buffer cache does not hold all blocks. It was filled before the warm-up with as many as it holds (`settling`).
    Warm,
    /// Cold: the engine was restarted, its data were dropped from the page cache, and no block is visited twice.
    Cold,
}

/// Operations on random blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockOperation {
    /// Reads scattered blocks.
    Read,
    /// Reads a whole scan table.
    Scan,
    /// Updates a row in scattered blocks.
    Update,
    /// A batch of operations in one call.
    Batch,
}

/// Operations of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockOperations {
    /// The kind.
    pub operation: BlockOperation,
    /// Successful steps: one operation each, or one call per batch.
    pub steps: u64,
    /// Visited rows.
    pub rows: u64,
    /// From start to end of each step.
    pub service: Latency,
}

/// A run of random blocks, besides its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomBlocks {
    /// Location of the loop.
    pub loop_location: LoopLocation,
    /// Operations per step: 1, or those of a batch.
    pub operations_per_step: u64,
    /// State of the caches.
    pub caches: CacheState,
    /// Size of the buffer cache in this run; absent if the engine does not report it.
    pub cache_bytes: Option<Bytes>,
    /// Block size of the engine; absent if it does not report it.
    pub block_bytes: Option<Bytes>,
    /// Share of the engine's files in the page cache at the start of the window; absent if not measured.
    pub page_cached: Option<Ratio>,
    /// Blocks per schema, each with one row that is visited.
    pub blocks_per_schema: u64,
    /// Blocks per operation.
    pub work_unit: u64,
    /// Operations by kind, without kinds that did not occur.
    pub operations: Vec<BlockOperations>,
}
