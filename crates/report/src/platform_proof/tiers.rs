//! The caches below an engine.

use model::{ComparisonVerdict, RULES, TierDevice, TierPoint, TiersProof};
use record::{Nanos, PageCached, Ratio};

use super::{added, mean_added, times, undecided};
use crate::document::{Cell, Column, Row, Table};
use crate::fact::size_text;
use crate::figure::{duration, nanos, percent};

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

pub(super) fn comparison(proof: &TiersProof) -> (Table, String) {
    let columns = vec![
        Column::figure("visited"),
        Column::text("page cache\nholds"),
        Column::figure("buffer cache\nhits"),
        Column::figure("page cache\nhits"),
        Column::figure("read of\nthe device"),
        Column::figure("time of\na block"),
        Column::figure("by the\nmodel"),
    ];
    let time = |time: Option<Nanos>| Cell::figure(time.map(|time| time.0 as f64), nanos);
    let share = |share: Option<Ratio>| Cell::figure(share.map(|share| share.0), |share| percent(Ratio(share)));
    let row = |point: &TierPoint| {
        Row::new(vec![
            Cell::Figure(size_text(point.size_bytes), Some(point.size_bytes.0 as f64)),
            Cell::text(held(point.page_cache)),
            share(Some(point.buffer_hits)),
            share(point.page_cache_hits),
            time(point.device_ns),
            time(Some(point.block_ns)),
            time(point.predicted_ns),
        ])
    };
    let table = Table::new("proof-table", "Hits and times by tier", columns).with(proof.points.iter().map(row));
    let note = "Hits of the buffer cache: of visited blocks, by the engine; of the page cache: of the blocks that the buffer cache \
                missed, by the requests of the block layer. Read of the device: its mean time by the block layer. Medians of \
                the rounds.";
    (table, note.to_owned())
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
    (what, mean_added(&proof.device_adds_ns), proof.verdict.word().to_owned())
}
