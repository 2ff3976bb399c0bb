//! Random blocks: SLOB-style summary, per-operation averages, kinds of operations, cache tiers.

mod document;
mod remark;
mod table;

use record::{BlockOperation, CacheState, LoopLocation, RandomBlocks, Record, Run};

use crate::figure::{UNKNOWN, memory};

pub(crate) use document::blocks;
pub(crate) use remark::extent;
pub(crate) use table::summary;

/// The runs of random blocks that are results.
fn valid(record: &Record) -> impl Iterator<Item = (&Run, &RandomBlocks)> {
    let runs = crate::listed(record).filter(|run| !model::is_invalid(run));
    runs.filter_map(|run| Some((run, run.blocks.as_deref()?)))
}

/// The size of the cache of a run.
fn cache(blocks: &RandomBlocks) -> String {
    blocks.cache_bytes.map_or_else(|| UNKNOWN.to_owned(), memory)
}

/// The state of the caches, in a word.
fn caches(blocks: &RandomBlocks) -> &'static str {
    match blocks.caches {
        CacheState::Preloaded => "preloaded",
        CacheState::Warm => "warm",
        CacheState::Cold => "cold",
    }
}

/// The common facts of the runs, as sentences.
fn facts(record: &Record) -> Vec<String> {
    let Some(run) = record.runs.iter().find(|run| run.blocks.is_some()) else { return Vec::new() };
    let Some(blocks) = run.blocks.as_deref() else { return Vec::new() };
    let parameter = |name: &str| run.parameters.get(name).copied().unwrap_or(0);
    let block = blocks.block_bytes.map_or_else(String::new, |bytes| format!(" of {}", memory(bytes)));
    let schemas = parameter("schemas");
    let tables = if schemas == 1 { "one schema".to_owned() } else { format!("each of {schemas} schemas") };
    let columns = if parameter("redo_stress_heavy") == 1 { 19 } else { 2 };
    let (scans, updates) = (parameter("scan_pct"), parameter("update_pct"));
    let scanned = run.parameters.get("scan_table_blocks").map(|count| format!("a scan table of {count} blocks{block}"));
    let only_scans = model::scans(run).is_some();
    let mut facts = Vec::new();
    match scanned {
        Some(table) if only_scans => facts.push(format!("each operation scans {table} to its end; each commits")),
        Some(table) if updates < 100 => facts.push(format!(
            "{scans} % of the operations that only read scan {table} to its end in place of random blocks"
        )),
        _ => {}
    }
    let of_blocks = format!(
        "{} blocks{block} in {tables}, one visited row in each; an operation visits {}; {} % of the operations update \
         {} of 19 columns; each commits",
        blocks.blocks_per_schema, blocks.work_unit, updates, columns
    );
    facts.extend((!only_scans).then_some(of_blocks));
    facts.push(match blocks.loop_location {
        LoopLocation::Client => "client-side loop: a statement for each operation".to_owned(),
        LoopLocation::Engine => {
            format!("server-side loop: a call for {} operations; times are those of calls", blocks.operations_per_step)
        }
    });
    if blocks.caches == CacheState::Cold {
        let left = blocks.page_cached.map_or_else(String::new, |share| {
            format!("; {} of the engine's files remained in the page cache", crate::figure::percent(share))
        });
        facts.push(format!("started with empty caches, no block visited twice{left}"));
    }
    facts
}

/// The name of a kind.
fn operation(operation: BlockOperation) -> &'static str {
    match operation {
        BlockOperation::Read => "read",
        BlockOperation::Scan => "scan",
        BlockOperation::Update => "update",
        BlockOperation::Batch => "batch",
    }
}
