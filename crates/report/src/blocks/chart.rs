//! The tiers as bars: what an operation reads with each size of the engine's cache.

use record::Record;

use super::{cache, caches, valid};
use crate::figure::three_digits;
use crate::layout::{bar, cut};

/// Letters of the name of a run.
const LABEL_WIDTH: usize = 20;

/// Letters in front of a bar, and behind it.
const BESIDE: usize = 40;

/// Two bars for each run: reads that the engine asked for, and those that reached the device. Nothing of a single run.
pub(crate) fn chart(record: &Record, width: usize) -> Vec<String> {
    let runs: Vec<_> = valid(record).filter_map(|(run, blocks)| Some((blocks, model::per_operation(run)?))).collect();
    if runs.len() < 2 {
        return Vec::new();
    }
    let reads = runs.iter().flat_map(|(_, each)| [each.physical_reads, each.device_reads]).flatten();
    let most = reads.fold(0.0, f64::max);
    let mut lines = Vec::new();
    for (blocks, each) in &runs {
        let label = cut(&format!("{} {}", cache(blocks), caches(blocks)), LABEL_WIDTH);
        for (label, who, reads) in [(label.as_str(), "engine", each.physical_reads), ("", "device", each.device_reads)]
        {
            let Some(reads) = reads else { continue };
            let drawn = bar(reads, most, width.saturating_sub(BESIDE));
            lines.push(format!("{label:<LABEL_WIDTH$} {who:<6} {drawn} {}", three_digits(reads)));
        }
    }
    lines
}
