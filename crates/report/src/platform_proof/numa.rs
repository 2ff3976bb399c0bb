//! Nodes of memory.

use model::{ComparisonVerdict, NumaCell, NumaProof};

use super::{share, times, undecided};
use crate::document::{Cell, Column, Row, Table};
use crate::figure::{UNKNOWN, megabytes, nanos, number};

pub(super) fn sentences(proof: &NumaProof) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(latency) = &proof.latency {
        let why = match proof.verdict {
            ComparisonVerdict::Inconclusive => format!(" ({})", undecided(latency)),
            _ => String::new(),
        };
        sentences.push(format!(
            "latency of memory of another node: {} times that of the own node: {}{why}",
            times(latency),
            proof.verdict.word()
        ));
    }
    sentences.extend(
        proof.bandwidth.as_ref().map(|bandwidth| {
            format!("bandwidth of memory of another node: {} of that of the own node", share(bandwidth))
        }),
    );
    sentences.extend(proof.engine.as_ref().map(|engine| {
        format!(
            "random blocks through the engine with memory of another node: {} of the rate with that of the own",
            share(engine)
        )
    }));
    sentences.extend(proof.device_time.as_ref().map(|time| {
        format!("a random read of the device by processors of another node takes {} times as long", times(time))
    }));
    if proof.device_time.is_none() {
        sentences.push("the node of the measured device is not known, so that it was not measured".to_owned());
    }
    sentences
}

pub(super) fn comparison(proof: &NumaProof) -> (Table, String) {
    let engine = proof.engine.as_ref().map(|_| Column::figure("engine\nstmt/s"));
    let first = [
        Column::text("processors"),
        Column::text("memory,\ndevice"),
        Column::figure("memory\nlatency"),
        Column::figure("memory\nMB/s"),
    ];
    let columns = first.into_iter().chain(engine).chain([Column::figure("device\nmean read")]).collect();
    let row = |cell: &NumaCell| {
        let device = proof
            .device
            .iter()
            .find(|device| device.processors == cell.processors && device.device == cell.memory)
            .map(|device| device.read_ns);
        let engine = proof.engine.as_ref().map(|_| Cell::figure(cell.engine_per_second, number));
        let first = [
            Cell::text(format!("node {}", cell.processors)),
            Cell::text(format!("node {}", cell.memory)),
            Cell::figure(cell.latency_ns, nanos),
            Cell::figure(cell.bytes_per_second, |rate| megabytes(Some(rate))),
        ];
        Row::new(first.into_iter().chain(engine).chain([Cell::figure(device, nanos)]).collect())
    };
    let table = Table::new("proof-table", "Processors and memory by node", columns);
    let note =
        "Latency: dependent reads by one processor; MB/s: reads by all processors of the node. Medians of the rounds.";
    (table.with(proof.cells.iter().map(row)), note.to_owned())
}

pub(super) fn tile(proof: &NumaProof) -> (String, String, String) {
    let what = "latency of memory of another node over that of the own".to_owned();
    let much = proof.latency.as_ref().map_or_else(|| UNKNOWN.to_owned(), |latency| format!("{:.2}", latency.mean));
    (what, much, proof.verdict.word().to_owned())
}
