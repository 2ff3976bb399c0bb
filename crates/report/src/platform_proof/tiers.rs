//! The caches below an engine.

use model::{ComparisonVerdict, OverRounds, RULES, TierDevice, TierPoint, TiersProof};
use record::{PageCached, Ratio};

use super::{Comparison, added, times, undecided};
use crate::fact::size_text;
use crate::figure::{UNKNOWN, duration, nanos, percent};
use crate::layout::Align;

pub(super) fn sentences(proof: &TiersProof) -> Vec<String> {
    let mut sentences = vec![format!(
        "a block takes {} from the buffer cache, {} from the page cache, {} from the device",
        nanos(proof.buffer_ns.mean),
        added(&proof.page_cache_adds_ns),
        added(&proof.device_adds_ns)
    )];
    let predicted = proof.points.iter().find_map(|point| Some((point, point.predicted_ns?)));
    sentences.extend(predicted.map(|(point, predicted_ns)| {
        let why = match proof.verdict {
            ComparisonVerdict::Inconclusive => format!(" ({})", undecided(&proof.measured_over_predicted)),
            _ => String::new(),
        };
        format!(
            "{} visited with {} of the table in the page cache: {} a block, the two-level model says {}; {} times as \
             long: {} within {}{why}",
            size_text(point.size_bytes),
            held(point.page_cache),
            duration(point.block_ns),
            duration(predicted_ns),
            times(&proof.measured_over_predicted),
            proof.verdict.word(),
            percent(Ratio(RULES.tiers_margin))
        )
    }));
    sentences.extend(proof.device.iter().map(drift));
    sentences.extend(proof.device.iter().filter(|device| device.reads_ahead()).filter_map(read_ahead));
    sentences
}

/// What the device itself took.
fn drift(device: &TierDevice) -> String {
    format!(
        "a read of the device itself took {} times as long there as with nothing in the page cache, and the model takes that \
         time; with the same time in both the block takes {} times as long as the model says",
        times(&device.drift),
        times(&device.without_drift)
    )
}

fn read_ahead(device: &TierDevice) -> Option<String> {
    Some(format!(
        "a read of the device brings {:.1} blocks, and not one: the kernel reads ahead, blocks that nobody asked for are hits \
         of the page cache later, and the device takes longer. Remedy: a smaller read-ahead (blockdev --setra), and repeat",
        device.request_blocks?
    ))
}

pub(super) fn comparison(proof: &TiersProof) -> Comparison {
    let row = |point: &TierPoint| {
        vec![
            size_text(point.size_bytes),
            held(point.page_cache).to_owned(),
            percent(point.buffer_hits),
            point.page_cache_hits.map_or_else(|| UNKNOWN.to_owned(), percent),
            point.device_ns.map_or_else(|| UNKNOWN.to_owned(), duration),
            duration(point.block_ns),
            point.predicted_ns.map_or_else(|| UNKNOWN.to_owned(), duration),
        ]
    };
    Comparison {
        title: "HITS AND TIMES BY TIER",
        heads: vec![
            (&["", "visited"], Align::Right),
            (&["page cache", "holds"], Align::Left),
            (&["buffer cache", "hits"], Align::Right),
            (&["page cache", "hits"], Align::Right),
            (&["read of", "the device"], Align::Right),
            (&["time of", "a block"], Align::Right),
            (&["by the", "model"], Align::Right),
        ],
        rows: proof.points.iter().map(row).collect(),
        note: "Hits of the buffer cache: of visited blocks, by the engine; of the page cache: of the blocks that the buffer \
               cache missed, by the requests of the block layer. Read of the device: its mean time by the block layer. \
               Medians of the rounds."
            .to_owned(),
    }
}

fn held(held: PageCached) -> &'static str {
    match held {
        PageCached::All => "all",
        PageCached::Half => "half",
        PageCached::Nothing => "nothing",
    }
}

pub(super) fn tile(proof: &TiersProof) -> (String, String, String) {
    let what = "a block from the device takes longer by".to_owned();
    let adds = added(&OverRounds { interval: None, ..proof.device_adds_ns });
    (what, adds, proof.verdict.word().to_owned())
}
