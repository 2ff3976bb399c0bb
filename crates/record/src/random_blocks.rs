//! What a run of random blocks has beside other runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency, Ratio};

/// Where the loop of a run of random blocks was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoopPlace {
    /// In the client: a statement for each operation.
    Client,
    /// In the engine: a call for each batch of operations.
    Engine,
}

/// In what state the caches were when the window began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// Every block was read into the engine's cache, which has room for all of them.
    Filled,
    /// As the load and the warm-up left them: the engine's cache has no room for all blocks.
    AsFound,
    /// The engine was started anew, its data were put out of the page cache, and no block is visited twice.
    Cold,
}

/// What an operation on random blocks does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockOperation {
    /// Reads so many scattered blocks.
    Read,
    /// Reads a whole scan table.
    Scan,
    /// Changes a row in so many scattered blocks.
    Update,
    /// A batch of these, in one call.
    Batch,
}

/// The operations of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockOperations {
    /// Which kind.
    pub operation: BlockOperation,
    /// Steps that succeeded: an operation each, and of batches a call each.
    pub steps: u64,
    /// Rows that they visited.
    pub rows: u64,
    /// Begun to done of each step.
    pub service: Latency,
}

/// What a run of random blocks was like, beside its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomBlocks {
    /// Where the loop was.
    pub place: LoopPlace,
    /// Operations of each step: 1, or those of a batch.
    pub operations_per_step: u64,
    /// In what state the caches were.
    pub caches: CacheState,
    /// Size of the engine's cache in this run; absent where the engine does not tell.
    pub cache_bytes: Option<Bytes>,
    /// Size of an engine's block; absent where it does not tell.
    pub block_bytes: Option<Bytes>,
    /// Share of the engine's files that lay in the page cache just before the jobs were released; absent where nobody
    /// looked.
    pub page_cached: Option<Ratio>,
    /// Blocks of each schema, with a row each that is visited.
    pub blocks_per_schema: u64,
    /// Blocks that an operation visits.
    pub work_unit: u64,
    /// What was done, by kind; kinds that did not occur are left out.
    pub operations: Vec<BlockOperations>,
}
