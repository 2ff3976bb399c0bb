//! Check of the free space before tables of random blocks are loaded.

use record::Bytes;
use workload::blocks::{self, Layout};

use super::BLOCK_USUAL;
use super::request::BlocksRequest;
use crate::Result;
use crate::bench::Bench;
use crate::space::{check_tables, log_bytes, megabytes};

/// Size of a table with its index and inner pages, relative to its blocks.
const TIMES_BLOCKS: f64 = 1.15;

/// Refuses tables that are still to be loaded and exceed the free space of the engine, where that is known.
pub(super) fn check(bench: &Bench<'_>, request: &BlocksRequest, layout: &Layout) -> Result<()> {
    let (context, subject) = bench.engine()?;
    if context.node.data_directory().is_none() {
        return Ok(());
    }
    let (tables, blocks) = blocks::missing(&context, &request.settings, layout)?;
    let block = subject.inventory.block_bytes.unwrap_or(BLOCK_USUAL);
    let data = Bytes(blocks.saturating_mul(block.0));
    let schemas = request.settings.schemas;
    let content = format!(
        "{tables} {} of {schemas} {} with {blocks} blocks of {} bytes ({}), their indexes and the log",
        if tables == 1 { "table" } else { "tables" },
        if schemas == 1 { "schema" } else { "schemas" },
        block.0,
        megabytes(data)
    );
    let fewer = if schemas > 1 { ", fewer --schemas" } else { "" };
    check_tables(subject, needed(data), &content, &format!("give a smaller --scale{fewer}, or another --dir"))
}

/// The space of tables of `data` with their log.
fn needed(data: Bytes) -> Bytes {
    Bytes(((data.0 as f64 * TIMES_BLOCKS).ceil() as u64).saturating_add(log_bytes(data).0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_need_their_blocks_their_index_and_a_limited_log() {
        assert_eq!(needed(Bytes(0)), Bytes(0), "all of them are there");
        assert_eq!(needed(Bytes(1_000)), Bytes(2_400));
        assert_eq!(needed(Bytes(100 << 30)), Bytes((115 << 30) + (16 << 30)));
    }
}
