//! The operations of several agents on random blocks, added by kind.

use record::{BlockOperation, BlockOperations, RandomBlocks};

use super::latencies::merged_latency;
use super::{AgentPart, MergeError};

/// The random blocks of all parts, described as those of the first; none where they are no such run.
pub(super) fn merged_blocks(parts: &[AgentPart<'_>]) -> Result<Option<RandomBlocks>, MergeError> {
    let of_agents: Vec<(&str, &RandomBlocks)> =
        parts.iter().filter_map(|part| Some((part.agent, part.run.blocks.as_deref()?))).collect();
    let Some((_, first)) = of_agents.first() else { return Ok(None) };
    let kinds = [BlockOperation::Read, BlockOperation::Scan, BlockOperation::Update, BlockOperation::Batch];
    let added = kinds.into_iter().map(|kind| merged_operations(&of_agents, kind)).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(RandomBlocks { operations: added.into_iter().flatten().collect(), ..(*first).clone() }))
}

/// The operations of one kind; none where there were none.
fn merged_operations(
    of_agents: &[(&str, &RandomBlocks)],
    operation: BlockOperation,
) -> Result<Option<BlockOperations>, MergeError> {
    let of_kind = |(agent, blocks): &(&'_ str, &'_ RandomBlocks)| {
        let found = blocks.operations.iter().find(|operations| operations.operation == operation).cloned();
        found.map(|operations| ((*agent).to_owned(), operations))
    };
    let found: Vec<(String, BlockOperations)> = of_agents.iter().filter_map(of_kind).collect();
    let sum = |count: fn(&BlockOperations) -> u64| {
        found.iter().map(|(_, operations)| count(operations)).fold(0, u64::saturating_add)
    };
    let (steps, rows) = (sum(|operations| operations.steps), sum(|operations| operations.rows));
    let service = merged_latency(found.iter().map(|(agent, operations)| (agent.as_str(), &operations.service)))?;
    Ok((!found.is_empty()).then_some(BlockOperations { operation, steps, rows, service }))
}
