//! A device with and without a fabric.

use model::{ComparisonVerdict, FabricLoad, FabricNetwork, FabricProof, OverRounds};

use super::{Comparison, LoadWords, added, share, undecided};
use crate::figure::{duration, megabytes, number, percent};
use crate::layout::Align;

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

pub(super) fn comparison(proof: &FabricProof, words: &LoadWords) -> Comparison {
    let row = |found: &FabricLoad| {
        vec![
            words.load(found.load),
            number(found.local.0),
            number(found.remote.0),
            duration(found.local_ns),
            added(&OverRounds { interval: None, ..found.added_ns }),
            found.verdict.word().to_owned(),
        ]
    };
    Comparison {
        title: "LOCAL AND THROUGH THE FABRIC",
        heads: vec![
            (&["", "load"], Align::Left),
            (&["local", "IOPS"], Align::Right),
            (&["fabric", "IOPS"], Align::Right),
            (&["local", "mean"], Align::Right),
            (&["fabric", "adds"], Align::Right),
            (&["", "verdict"], Align::Left),
        ],
        rows: proof.loads.iter().map(row).collect(),
        note: "Both sides are measured in each round, in random order; intervals are over the rounds.".to_owned(),
    }
}

pub(super) fn tile(proof: &FabricProof) -> (String, String, String) {
    let added = proof.loads.first().map(|found| added(&OverRounds { interval: None, ..found.added_ns }));
    let what = "the fabric adds to a single read".to_owned();
    (what, added.unwrap_or_default(), proof.verdict.word().to_owned())
}
