//! A network file system with different numbers of connections.

use model::{NfsCell, NfsLoad, NfsProof, OverRounds};
use record::ProofLoad;

use super::{LoadWords, times, undecided};
use crate::document::{Cell, Column, Row, Table};
use crate::figure::{UNKNOWN, megabytes, nanos, number};
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

pub(super) fn comparison(proof: &NfsProof, words: &LoadWords) -> (Table, String) {
    let is_observed = proof.loads.iter().flat_map(|load| &load.cells).any(|cell| cell.server_cpu_ns.is_some());
    let columns = [
        Column::text("load"),
        Column::figure("connections"),
        Column::figure("IOPS"),
        Column::figure("MB/s"),
        Column::figure("mean\ntime"),
        Column::figure("CPU\nper I/O"),
    ];
    let columns = columns.into_iter().chain(is_observed.then(|| Column::figure("server\nCPU"))).collect();
    let row = |load: &NfsLoad, cell: &NfsCell| {
        let is_large = matches!(load.load, ProofLoad::LargeReads | ProofLoad::LargeWrites);
        let rate = |is_shown: bool| is_shown.then_some(cell.rate.0);
        let cells = [
            Cell::text(words.load(load.load)),
            Cell::count(cell.connections.into()),
            Cell::figure(rate(!is_large), number),
            Cell::figure(rate(is_large), |rate| megabytes(Some(rate))),
            Cell::figure(cell.mean_ns.map(|time| time.0 as f64), nanos),
            Cell::figure(cell.cpu_ns, nanos),
        ];
        Row::new(cells.into_iter().chain(is_observed.then(|| Cell::figure(cell.server_cpu_ns, nanos))).collect())
    };
    let rows = proof.loads.iter().flat_map(|load| load.cells.iter().map(|cell| row(load, cell)));
    let note = "CPU per I/O: with the time of the kernel's threads. Medians of the rounds; the export was mounted anew for each \
                number of connections.";
    (Table::new("proof-table", "Connections", columns).with(rows), note.to_owned())
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
