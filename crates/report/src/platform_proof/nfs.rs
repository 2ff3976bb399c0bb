//! A network file system with different numbers of connections.

use model::{NfsCell, NfsLoad, NfsProof, OverRounds};
use record::ProofLoad;

use super::{Comparison, LoadWords, times, undecided};
use crate::figure::{UNKNOWN, duration, megabytes, nanos, number};
use crate::layout::{Align, Head};
use crate::words::plural;

pub(super) fn sentences(proof: &NfsProof, words: &LoadWords) -> Vec<String> {
    proof.loads.iter().map(|load| sentence(load, words)).collect()
}

fn sentence(found: &NfsLoad, words: &LoadWords) -> String {
    let load = words.load(found.load);
    let fewest = found.cells.first().map_or(1, |cell| cell.connections);
    let Some(gain) = &found.gain else {
        return format!("{load}: more than {} give nothing", plural(fewest.into(), "connection"));
    };
    let why = match found.verdict {
        model::ComparisonVerdict::Inconclusive => format!(" ({})", undecided(gain)),
        _ => String::new(),
    };
    format!(
        "{load}: with {} connections {} times the rate of {fewest}: {}{why}",
        found.best,
        times(gain),
        found.verdict.word()
    )
}

pub(super) fn comparison(proof: &NfsProof, words: &LoadWords) -> Comparison {
    let is_observed = proof.loads.iter().flat_map(|load| &load.cells).any(|cell| cell.server_cpu_ns.is_some());
    let row = |load: &NfsLoad, cell: &NfsCell| {
        let is_large = matches!(load.load, ProofLoad::LargeReads | ProofLoad::LargeWrites);
        let (count, bytes) = match is_large {
            true => (UNKNOWN.to_owned(), megabytes(Some(cell.rate.0))),
            false => (number(cell.rate.0), UNKNOWN.to_owned()),
        };
        let mut cells = vec![
            words.load(load.load),
            cell.connections.to_string(),
            count,
            bytes,
            cell.mean_ns.map_or_else(|| UNKNOWN.to_owned(), duration),
            cell.cpu_ns.map_or_else(|| UNKNOWN.to_owned(), nanos),
        ];
        cells.extend(is_observed.then(|| cell.server_cpu_ns.map_or_else(|| UNKNOWN.to_owned(), nanos)));
        cells
    };
    let mut heads: Vec<Head> = vec![
        (&["", "load"], Align::Left),
        (&["connec-", "tions"], Align::Right),
        (&["", "IOPS"], Align::Right),
        (&["", "MB/s"], Align::Right),
        (&["mean", "time"], Align::Right),
        (&["CPU", "per I/O"], Align::Right),
    ];
    heads.extend(is_observed.then_some((&["server", "CPU"][..], Align::Right)));
    Comparison {
        title: "CONNECTIONS",
        heads,
        rows: proof.loads.iter().flat_map(|load| load.cells.iter().map(|cell| row(load, cell))).collect(),
        note: "CPU per I/O: with the time of the kernel's threads. Medians of the rounds; the export was mounted anew for each \
               number of connections."
            .to_owned(),
    }
}

pub(super) fn tile(proof: &NfsProof) -> (String, String, String) {
    let gain = proof.loads.first().and_then(|load| load.gain);
    let much = gain.map_or_else(|| UNKNOWN.to_owned(), |gain| times(&OverRounds { interval: None, ..gain }));
    (
        "rate of small reads with the best number of connections over that of the fewest".to_owned(),
        much,
        proof.verdict.word().to_owned(),
    )
}
