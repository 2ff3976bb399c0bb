//! A device with and without a fabric.

use model::{ComparisonVerdict, FabricLoad, FabricNetwork, FabricProof};

use super::{LoadWords, added, mean_added, share, undecided};
use crate::document::{Cell, Column, Row, Table};
use crate::figure::{duration, megabytes, number, percent};

pub(super) fn sentences(proof: &FabricProof, words: &LoadWords) -> Vec<String> {
    let mut sentences: Vec<String> = proof.loads.iter().map(|load| sentence(load, words)).collect();
    sentences.extend(proof.loads.iter().find_map(processor_time));
    sentences.extend(proof.network.map(network));
    sentences
}

/// What the fabric costs on the processors of both sides.
fn processor_time(load: &FabricLoad) -> Option<String> {
    let here = added(&load.added_cpu_ns?);
    let there = match load.added_target_cpu_ns {
        Some(there) => format!("{} more on the host of the target", added(&there)),
        None => "the target's is in it where it is on this host".to_owned(),
    };
    Some(format!("processor time per I/O, with the kernel's: {here} through the fabric; {there}"))
}

/// The network below the fabric, and how much of it is used.
fn network(found: FabricNetwork) -> String {
    let round_trip = found.round_trip_ns.map(|time| format!("a round trip takes {} (N11)", duration(time)));
    let most = found.from_target.map(|rate| {
        let used = found.used.map(|used| format!(", of which large reads took {}", percent(used)));
        format!("{} MB/s from the target at most (N22){}", megabytes(Some(rate.0)), used.unwrap_or_default())
    });
    let facts = [round_trip, most].into_iter().flatten().collect::<Vec<_>>().join("; ");
    format!("network: {}", if facts.is_empty() { "no valid run" } else { &facts })
}

fn sentence(found: &FabricLoad, words: &LoadWords) -> String {
    let word = found.verdict.word();
    let why = match found.verdict {
        ComparisonVerdict::Inconclusive => {
            format!(" ({})", undecided(&found.ratio))
        }
        _ => String::new(),
    };
    format!(
        "{}: {} each through the fabric, {} locally; {} of the local IOPS: {word}{why}",
        words.load(found.load),
        added(&found.added_ns),
        duration(found.local_ns),
        share(&found.ratio)
    )
}

pub(super) fn comparison(proof: &FabricProof, words: &LoadWords) -> (Table, String) {
    let columns = vec![
        Column::text("load"),
        Column::figure("local\nIOPS"),
        Column::figure("fabric\nIOPS"),
        Column::figure("local\nmean"),
        Column::figure("fabric\nadds"),
        Column::text("verdict"),
    ];
    let row = |found: &FabricLoad| {
        Row::new(vec![
            Cell::text(words.load(found.load)),
            Cell::figure(Some(found.local.0), number),
            Cell::figure(Some(found.remote.0), number),
            Cell::Figure(duration(found.local_ns), Some(found.local_ns.0 as f64)),
            Cell::Figure(mean_added(&found.added_ns), Some(found.added_ns.mean)),
            Cell::text(found.verdict.word()),
        ])
    };
    let table = Table::new("proof-table", "Local and through the fabric", columns);
    let note = "Both sides are measured in each round, in random order; intervals are over the rounds.";
    (table.with(proof.loads.iter().map(row)), note.to_owned())
}

pub(super) fn tile(proof: &FabricProof) -> (String, String, String) {
    let added = proof.loads.first().map(|found| mean_added(&found.added_ns));
    let what = "the fabric adds to a single read".to_owned();
    (what, added.unwrap_or_default(), proof.verdict.word().to_owned())
}
