//! A cache device with its cache and its origin.

use model::{CacheDeviceProof, CacheTier, ComparisonVerdict, RULES};
use record::{ProofLoad, Ratio};

use super::{LoadWords, times, undecided};
use crate::document::{Cell, Column, Row, Table};
use crate::figure::{nanos, percent};
use crate::layout::clean;

pub(super) fn sentences(proof: &CacheDeviceProof, words: &LoadWords) -> Vec<String> {
    let mut sentences = vec![model_sentence(proof, words)];
    sentences.extend(
        proof.over_origin.map(|found| {
            format!("a read of the volume takes {} times as long as one of the origin alone", times(&found))
        }),
    );
    sentences.extend(proof.cache.written.zip(proof.origin.written).map(|(cache, origin)| {
        format!(
            "{}: {cache:.2} bytes written to the cache and {origin:.2} to the origin per byte",
            words.load(ProofLoad::SmallWrites)
        )
    }));
    sentences
}

/// `dm-0 (dm-cache, writethrough)`.
fn name(proof: &CacheDeviceProof) -> String {
    let mode = proof.device.mode.as_ref().map(|mode| format!(", {mode}")).unwrap_or_default();
    clean(&format!("{} ({}{mode})", proof.name, proof.device.technique))
}

fn model_sentence(proof: &CacheDeviceProof, words: &LoadWords) -> String {
    let reads = words.load(ProofLoad::SingleReads);
    let served = match (proof.counted_hits, proof.cache.share) {
        (None, None) => "what the cache serves is not known".to_owned(),
        (None, Some(share)) => format!("the cache serves {} of {reads}", percent(share)),
        (Some(hits), None) => format!("the cache serves {} of {reads}, by its own counters", percent(hits)),
        (Some(hits), Some(share)) => format!(
            "the cache serves {} of {reads}, by its own counters ({} of the requests of the block layer)",
            percent(hits),
            percent(share)
        ),
    };
    let what = format!("{}: {served}, {} each", name(proof), nanos(proof.volume_ns));
    let Some((found, predicted)) = proof.measured_over_predicted.zip(proof.predicted_ns) else {
        return format!(
            "{what}; what cache and origin take alone is not known: both must be readable as devices, which needs root"
        );
    };
    let why = match proof.verdict {
        ComparisonVerdict::Inconclusive => format!(" ({})", undecided(&found)),
        _ => String::new(),
    };
    format!(
        "{what}, the two-level model says {}; {} times as long: {} within {}{why}",
        nanos(predicted),
        times(&found),
        proof.verdict.word(),
        percent(Ratio(RULES.tiers_margin))
    )
}

pub(super) fn comparison(proof: &CacheDeviceProof, words: &LoadWords) -> (Table, String) {
    let columns = vec![
        Column::text("part"),
        Column::figure("reads by its\nown counters"),
        Column::figure("by block\nlayer"),
        Column::figure("read\nalone"),
        Column::figure("in the\nvolume"),
        Column::figure("written\nper byte"),
    ];
    let share = |share: Option<Ratio>| Cell::figure(share.map(|share| share.0), |share| percent(Ratio(share)));
    let row = |name: String, tier: &CacheTier, counted: Option<Ratio>| {
        Row::new(vec![
            Cell::text(name),
            share(counted),
            share(tier.share),
            Cell::figure(tier.alone_ns, nanos),
            Cell::figure(tier.used_ns, nanos),
            Cell::figure(tier.written, |written| format!("{written:.2}")),
        ])
    };
    let whole = |name: &str, ns| {
        Row::new(vec![Cell::text(name), share(None), share(None), Cell::figure(ns, nanos), share(None), share(None)])
    };
    let misses = proof.counted_hits.map(|Ratio(hits)| Ratio(1.0 - hits));
    let origin = proof.device.origin.as_deref().unwrap_or_default();
    let table = Table::new("proof-table", "Cache, origin and volume", columns).with([
        row(format!("cache {}", proof.device.caches.join(" ")), &proof.cache, proof.counted_hits),
        row(format!("origin {origin}"), &proof.origin, misses),
        whole("volume", Some(proof.volume_ns)),
        whole("volume by the model", proof.predicted_ns),
    ]);
    let note = format!(
        "Reads: {}, in the mean. By its own counters: hits and misses, which the model takes where the device shows them. By \
         the block layer, with the times in the volume: what was counted of each part while a file on the volume was used, \
         with what the device moves by itself.",
        words.load(ProofLoad::SingleReads)
    );
    (table, note)
}

pub(super) fn tile(proof: &CacheDeviceProof) -> (String, String, String) {
    let share = proof.counted_hits.or(proof.cache.share).map_or_else(|| "not known".to_owned(), percent);
    ("of the reads are served by the cache".to_owned(), share, proof.verdict.word().to_owned())
}
