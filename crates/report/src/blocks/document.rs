//! Random blocks as a part of a document.

use record::{RandomBlocks, Record, Run};

use super::remark::remarks;
use super::table::{averages, kinds, summary};
use super::{cache, caches, facts, valid};
use crate::chart::{Axis, Bar, BarChart, Figures, Scale, Tone};
use crate::document::{Block, Diagram, Section};

/// Runs that are drawn.
const RUNS_MAX: usize = 30;

/// The workload, the SLOB-style summary, averages of the operations and their kinds; nothing without such runs.
pub(crate) fn blocks(record: &Record) -> Section {
    let is_any = valid(record).next().is_some();
    let body = || {
        vec![
            Block::list(facts(record)),
            summary(record).into(),
            Block::list(remarks(record)),
            averages(record).into(),
            Block::Charts(picture(record).into_iter().collect()),
            kinds(record).into(),
        ]
    };
    Section::new("blocks", "Random blocks", if is_any { body() } else { Vec::new() })
}

/// Bars for each run: logical reads, reads requested by the engine, and reads that reached the device. Nothing for a single run.
fn picture(record: &Record) -> Option<Diagram> {
    let bars = |(run, blocks): (&Run, &RandomBlocks)| {
        let each = model::per_operation(run).unwrap_or_default();
        let bar = |who: &str, value: Option<f64>, note: &str| Bar {
            label: format!("{} {}: {who}", cache(blocks), caches(blocks)),
            value: value.unwrap_or(f64::NAN),
            interval: None,
            note: note.to_owned(),
            tone: Tone::Plain,
        };
        [
            bar("logical", each.logical_reads, "from the engine's cache"),
            bar("engine", each.physical_reads, "from the operating system"),
            bar("device", each.device_reads, "at the block layer"),
        ]
    };
    let chart = BarChart {
        title: "Reads per operation, by size of the engine's cache".to_owned(),
        description:
            "Reads that do not reach the operating system were in the engine's cache; reads that do not reach \
                      the device were in the page cache."
                .to_owned(),
        axis: Axis::new("reads per operation", Scale::FromZero, Figures::Plain),
        base: 0.0,
        bars: valid(record).take(RUNS_MAX).flat_map(bars).collect(),
        marks: Vec::new(),
    };
    valid(record).nth(1).map(|_| Diagram::new("blocks", chart))
}
