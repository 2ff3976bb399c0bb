//! A network file system, mounted with different numbers of connections.
//!
//! In each round the rate with the best number of connections is held against that with the smallest.

use std::collections::BTreeSet;

use record::{Nanos, ProofLoad, ProofPlace, Rate, Record, Run};

use super::{OverRounds, Parts, compared, cpu_ns_per_io, rate, storage_cpu_ns_per_io, time_ns};
use crate::decision::ComparisonVerdict;
use crate::rules::RULES;
use crate::statistics::median;

/// What more connections give.
#[derive(Clone, Debug, PartialEq)]
pub struct NfsProof {
    /// One for each load.
    pub loads: Vec<NfsLoad>,
    /// Of the first load.
    pub verdict: ComparisonVerdict,
}

/// One load.
#[derive(Clone, Debug, PartialEq)]
pub struct NfsLoad {
    /// The load.
    pub load: ProofLoad,
    /// One for each number of connections, the smallest first.
    pub cells: Vec<NfsCell>,
    /// The number of connections with the highest median of the rate.
    pub best: u32,
    /// Its rate over that of the smallest number, in each round; absent where the smallest is the best.
    pub gain: Option<OverRounds>,
    /// Whether the best is faster than the smallest.
    pub verdict: ComparisonVerdict,
}

/// One load with one number of connections; medians of the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NfsCell {
    /// Connections.
    pub connections: u32,
    /// I/Os per second with small blocks, bytes per second with large ones.
    pub rate: Rate,
    /// Mean time of an I/O.
    pub mean_ns: Option<Nanos>,
    /// Processor time of an I/O, with that of the kernel's threads, nanoseconds.
    pub cpu_ns: Option<f64>,
    /// The same of the server, where its host is observed.
    pub server_cpu_ns: Option<f64>,
}

pub(super) fn nfs_proof(record: &Record, parts: &Parts<'_>) -> Option<NfsProof> {
    let counts: BTreeSet<u32> = parts.0.iter().filter_map(|(part, _)| connections(&part.place)).collect();
    let loads: Vec<NfsLoad> =
        [ProofLoad::SmallReads, ProofLoad::LargeReads, ProofLoad::SmallWrites, ProofLoad::LargeWrites]
            .into_iter()
            .filter_map(|load| nfs_load(record, parts, load, &counts))
            .collect();
    Some(NfsProof { verdict: loads.first()?.verdict, loads })
}

fn connections(place: &ProofPlace) -> Option<u32> {
    match place {
        ProofPlace::Connections { count } => Some(*count),
        _ => None,
    }
}

fn nfs_load(record: &Record, parts: &Parts<'_>, load: ProofLoad, counts: &BTreeSet<u32>) -> Option<NfsLoad> {
    let median = |count: u32, value: &dyn Fn(&Run) -> Option<f64>| {
        median(&parts.values(&ProofPlace::Connections { count }, load, value))
    };
    let cells: Vec<NfsCell> = counts
        .iter()
        .filter_map(|count| {
            Some(NfsCell {
                connections: *count,
                rate: Rate(median(*count, &|run| rate(run, load))?),
                mean_ns: median(*count, &time_ns).map(|mean| Nanos(mean as u64)),
                cpu_ns: median(*count, &cpu_ns_per_io),
                server_cpu_ns: median(*count, &|run| storage_cpu_ns_per_io(record, run)),
            })
        })
        .collect();
    let best = cells.iter().max_by(|one, other| one.rate.0.total_cmp(&other.rate.0))?.connections;
    let smallest = cells.first()?.connections;
    let of = |count: u32| parts.runs(&ProofPlace::Connections { count }, load);
    let ratio = |(few, many): (Option<&Run>, Option<&Run>)| Some(rate(many?, load)? / rate(few?, load)?);
    let ratios: Vec<f64> = of(smallest).into_iter().zip(of(best)).filter_map(ratio).collect();
    Some(NfsLoad {
        load,
        best,
        gain: OverRounds::of_ratios(&ratios).filter(|_| best != smallest),
        verdict: if best == smallest {
            ComparisonVerdict::Inconclusive
        } else {
            compared(&ratios, RULES.equivalence_margin)
        },
        cells,
    })
}

#[cfg(test)]
mod tests {
    use record::{PlannedRun, ProofPart, ProofSubject, Record, RunKind};

    use super::*;
    use crate::fixture::{io_run, observe_storage, record, storage_host};
    use crate::platform_proof::{PlatformProof, platform_proof};

    fn proof(rounds: &[[u64; 3]]) -> NfsProof {
        let runs = rounds.iter().flat_map(|rates| {
            rates.iter().zip([1, 4, 8]).map(|(rate, count)| {
                let mut run = io_run("reads", record::IoKind::Read, 1);
                run.totals.operations = *rate;
                let place = ProofPlace::Connections { count };
                let part = ProofPart { subject: ProofSubject::Nfs, place, load: ProofLoad::SmallReads };
                run.kind = RunKind::Proof(part);
                observe_storage(&mut run, "filer", rate * 7_000);
                run
            })
        });
        let mut record: Record = record(runs.collect());
        record.storage_hosts = vec![storage_host("filer", false)];
        record.plan.runs = record.runs.iter().map(|run| PlannedRun::new("reads", run.kind.clone(), run.dop)).collect();
        let Some(PlatformProof::Nfs(proof)) = platform_proof(&record) else { panic!("no proof") };
        proof
    }

    #[test]
    fn the_best_number_is_held_against_the_smallest() {
        let found = proof(&[[10_000, 18_000, 17_000], [10_100, 18_300, 17_200], [9_900, 18_100, 17_100]]);
        let load = &found.loads[0];
        assert_eq!((found.verdict, load.best, load.cells.len()), (ComparisonVerdict::Faster, 4, 3));
        assert!((load.gain.unwrap().mean - 1.81).abs() < 0.02, "{load:?}");
        let of_server = |cell: &NfsCell| (cell.server_cpu_ns.unwrap() - 7_000.0).abs() < 1.0;
        assert!(load.cells.iter().all(of_server), "{load:?}");
    }

    #[test]
    fn where_one_connection_is_the_best_nothing_is_gained() {
        let found = proof(&[[10_000, 9_900, 9_800], [10_100, 9_900, 9_700], [9_900, 9_800, 9_750]]);
        assert_eq!((found.loads[0].best, found.loads[0].gain), (1, None));
    }
}
