//! Nodes of memory.

use model::{ComparisonVerdict, NumaCell, NumaProof};

use super::{Comparison, share, times, undecided};
use crate::figure::{UNKNOWN, megabytes, nanos, number};
use crate::layout::{Align, Head};

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

pub(super) fn comparison(proof: &NumaProof) -> Comparison {
    let has_engine = proof.engine.is_some();
    let row = |cell: &NumaCell| {
        let device = proof
            .device
            .iter()
            .find(|device| device.processors == cell.processors && device.device == cell.memory)
            .map_or_else(|| UNKNOWN.to_owned(), |device| nanos(device.read_ns));
        let engine = || cell.engine_per_second.map_or_else(|| UNKNOWN.to_owned(), number);
        let mut row = vec![
            format!("node {}", cell.processors),
            format!("node {}", cell.memory),
            cell.latency_ns.map_or_else(|| UNKNOWN.to_owned(), nanos),
            megabytes(cell.bytes_per_second),
        ];
        row.extend(has_engine.then(engine));
        row.push(device);
        row
    };
    let mut heads: Vec<Head> = vec![
        (&["", "processors"], Align::Left),
        (&["memory,", "device"], Align::Left),
        (&["memory", "latency"], Align::Right),
        (&["memory", "MB/s"], Align::Right),
    ];
    heads.extend(has_engine.then_some::<Head>((&["engine", "stmt/s"], Align::Right)));
    heads.push((&["device", "mean read"], Align::Right));
    Comparison {
        title: "PROCESSORS AND MEMORY BY NODE",
        heads,
        rows: proof.cells.iter().map(row).collect(),
        note: "Latency: dependent reads by one processor; MB/s: reads by all processors of the node. Medians of the \
               rounds."
            .to_owned(),
    }
}

pub(super) fn tile(proof: &NumaProof) -> (String, String, String) {
    let what = "latency of memory of another node over that of the own".to_owned();
    let much = proof.latency.as_ref().map_or_else(|| UNKNOWN.to_owned(), |latency| format!("{:.2}", latency.mean));
    (what, much, proof.verdict.word().to_owned())
}
