//! Memory and the device of each node, used by processors of each node.

use std::collections::BTreeMap;

use record::{ProofLoad, ProofPlace, Run};

use super::{OverRounds, Parts, compared, operations, time_ns};
use crate::decision::ComparisonVerdict;
use crate::delta::per_second;
use crate::rules::RULES;
use crate::statistics::median;

/// What NUMA costs.
#[derive(Clone, Debug, PartialEq)]
pub struct NumaProof {
    /// Processors of each node with each memory, in order.
    pub cells: Vec<NumaCell>,
    /// Reads of the measured device by processors of each node.
    pub device: Vec<DeviceCell>,
    /// The latency of memory of other nodes over that of the own one: in each round the mean of all pairs of nodes.
    pub latency: Option<OverRounds>,
    /// The same of the bytes per second that are read.
    pub bandwidth: Option<OverRounds>,
    /// The time of a read of the device by processors of other nodes over that by processors of its own.
    pub device_time: Option<OverRounds>,
    /// The rate of random blocks through an engine with memory of another node over that with memory of its own.
    pub engine: Option<OverRounds>,
    /// By the latency: SLOWER where memory of other nodes is.
    pub verdict: ComparisonVerdict,
}

/// Processors of one node with the memory of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumaCell {
    /// Node of the processors.
    pub processors: u32,
    /// Node of the memory.
    pub memory: u32,
    /// Bytes per second read by all processors of the node.
    pub bytes_per_second: Option<f64>,
    /// Time of a dependent read, nanoseconds.
    pub latency_ns: Option<f64>,
    /// Operations per second of random blocks through an engine whose processes are bound like this.
    pub engine_per_second: Option<f64>,
}

/// Processors of one node with the measured device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceCell {
    /// Node of the processors.
    pub processors: u32,
    /// Node of the device.
    pub device: u32,
    /// Mean time of a random read, nanoseconds.
    pub read_ns: f64,
}

pub(super) fn numa_proof(parts: &Parts<'_>) -> Option<NumaProof> {
    let [reads, loads, device, engine] = [
        (ProofLoad::MemoryReads, bytes_per_second as fn(&Run) -> Option<f64>),
        (ProofLoad::MemoryLatency, latency_ns),
        (ProofLoad::SingleReads, time_ns),
        (ProofLoad::BlockReads, operations),
    ]
    .map(|(load, value)| Matrix::of(parts, load, value));
    let places: Vec<(u32, u32)> = reads.0.keys().chain(loads.0.keys()).copied().collect();
    let mut cells: Vec<NumaCell> = places
        .into_iter()
        .map(|(processors, memory)| NumaCell {
            processors,
            memory,
            bytes_per_second: reads.median((processors, memory)),
            latency_ns: loads.median((processors, memory)),
            engine_per_second: engine.median((processors, memory)),
        })
        .collect();
    cells.sort_by_key(|cell| (cell.processors, cell.memory));
    cells.dedup_by_key(|cell| (cell.processors, cell.memory));
    let devices = device.0.keys().filter_map(|(processors, node)| {
        let read_ns = device.median((*processors, *node))?;
        Some(DeviceCell { processors: *processors, device: *node, read_ns })
    });
    let latency = loads.far_over_near();
    (!cells.is_empty()).then(|| NumaProof {
        device: devices.collect(),
        // A rate is the inverse of a time.
        verdict: compared(&latency.iter().map(|ratio| 1.0 / ratio).collect::<Vec<f64>>(), RULES.equivalence_margin),
        bandwidth: OverRounds::of_ratios(&reads.far_over_near()),
        device_time: OverRounds::of_ratios(&device.far_over_near()),
        engine: OverRounds::of_ratios(&engine.far_over_near()),
        latency: OverRounds::of_ratios(&latency),
        cells,
    })
}

/// The values of each pair of nodes, one for each round; none in place of an invalid run.
struct Matrix(BTreeMap<(u32, u32), Vec<Option<f64>>>);

impl Matrix {
    fn of(parts: &Parts<'_>, load: ProofLoad, value: fn(&Run) -> Option<f64>) -> Matrix {
        let mut cells: BTreeMap<(u32, u32), Vec<Option<f64>>> = BTreeMap::new();
        for (part, _) in parts.0.iter().filter(|(part, _)| part.load == load) {
            if let ProofPlace::Nodes { processors, memory } = part.place {
                let values = || parts.runs(&part.place, load).into_iter().map(|run| run.and_then(value)).collect();
                cells.entry((processors, memory)).or_insert_with(values);
            }
        }
        Matrix(cells)
    }

    fn median(&self, place: (u32, u32)) -> Option<f64> {
        median(&self.0.get(&place)?.iter().flatten().copied().collect::<Vec<f64>>())
    }

    /// In each round, the mean of the cells of different nodes over that of the cells of one.
    fn far_over_near(&self) -> Vec<f64> {
        let rounds = self.0.values().map(Vec::len).min().unwrap_or(0);
        let mean = |round: usize, is_far: bool| {
            let cells = self.0.iter().filter(|((processors, memory), _)| (processors != memory) == is_far);
            let values: Option<Vec<f64>> = cells.map(|(_, values)| values[round]).collect();
            crate::statistics::mean(&values?)
        };
        let ratios = (0..rounds).filter_map(|round| Some(mean(round, true)? / mean(round, false)?));
        ratios.filter(|ratio| ratio.is_finite()).collect()
    }
}

fn bytes_per_second(run: &Run) -> Option<f64> {
    per_second(run, run.totals.operations).map(|rate| rate.0)
}

/// The time of one of the dependent reads of a run with one job.
fn latency_ns(run: &Run) -> Option<f64> {
    bytes_per_second(run).filter(|loads| *loads > 0.0).map(|loads| 1e9 / loads)
}

#[cfg(test)]
mod tests {
    use record::{PlannedRun, ProofPart, ProofSubject, RunKind};

    use super::super::{PlatformProof, platform_proof};
    use super::*;
    use crate::fixture::{record, run};

    /// A run of one cell with so many operations per second.
    fn cell(processors: u32, memory: u32, load: ProofLoad, rate: u64) -> Run {
        let mut cell = run("M21", 1);
        cell.totals.operations = rate * cell.window_ns.0 / 1_000_000_000;
        let place = ProofPlace::Nodes { processors, memory };
        cell.kind = RunKind::Proof(ProofPart { subject: ProofSubject::Numa, place, load });
        cell
    }

    fn proof(far: [u64; 3]) -> NumaProof {
        let mut runs = Vec::new();
        for far in far {
            for (processors, memory) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let rate = if processors == memory { 10_000_000 } else { far };
                runs.push(cell(processors, memory, ProofLoad::MemoryLatency, rate));
                runs.push(cell(processors, memory, ProofLoad::MemoryReads, rate * 100));
            }
        }
        let mut record = record(runs);
        record.plan.runs = record.runs.iter().map(|run| PlannedRun::new("M21", run.kind.clone(), run.dop)).collect();
        match platform_proof(&record) {
            Some(PlatformProof::Numa(proof)) => proof,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn far_memory_is_slower_by_the_ratio_of_latencies() {
        let found = proof([5_000_000, 5_010_000, 4_990_000]);
        assert_eq!(found.verdict, ComparisonVerdict::Slower);
        assert!((found.latency.unwrap().mean - 2.0).abs() < 0.01, "{found:?}");
        assert!((found.bandwidth.unwrap().mean - 0.5).abs() < 0.01);
        let latencies: Vec<f64> = found.cells.iter().filter_map(|cell| cell.latency_ns).map(f64::round).collect();
        assert_eq!(latencies, [100.0, 200.0, 200.0, 100.0]);
    }

    #[test]
    fn memory_that_is_equally_near_is_equivalent() {
        assert_eq!(proof([10_000_000, 10_010_000, 9_990_000]).verdict, ComparisonVerdict::Equivalent);
    }
}
