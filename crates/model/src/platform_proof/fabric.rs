//! A fabric: the same reads of one namespace without it and through it.
//!
//! Each round has both; the ratio of their times and the difference of their processor times are of runs that are next to
//! each other. The interval of the ratio is that of its logarithm by Student's t.

use record::{Nanos, ProofLoad, ProofPlace, Rate, Run};

use super::{OverRounds, Parts, compared, cpu_ns_per_io, operations, time_ns};
use crate::comparison::ComparisonVerdict;
use crate::rules::RULES;

/// What a fabric costs.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricProof {
    /// Each load that is valid on both sides.
    pub loads: Vec<FabricLoad>,
    /// By the reads that are in flight alone; else by the first load.
    pub verdict: ComparisonVerdict,
}

/// One load on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricLoad {
    /// The load.
    pub load: ProofLoad,
    /// I/Os per second without the fabric, the median.
    pub local: Rate,
    /// I/Os per second through it.
    pub remote: Rate,
    /// Mean time of an I/O without the fabric, the median of the rounds.
    pub local_ns: Nanos,
    /// What the fabric adds to the mean time of an I/O, nanoseconds.
    pub added_ns: OverRounds,
    /// I/Os per second through the fabric over those without.
    pub ratio: OverRounds,
    /// What the fabric adds to the processor time of an I/O, on both of its sides where they are on one host,
    /// nanoseconds; the time of the kernel's threads is in it.
    pub added_cpu_ns: Option<OverRounds>,
    /// The verdict of the ratio.
    pub verdict: ComparisonVerdict,
}

pub(super) fn fabric_proof(parts: &Parts<'_>) -> Option<FabricProof> {
    let loads = [ProofLoad::SingleReads, ProofLoad::SmallReads, ProofLoad::LargeReads];
    let loads: Vec<FabricLoad> = loads.into_iter().filter_map(|load| fabric_load(parts, load)).collect();
    let verdict = loads.first()?.verdict;
    Some(FabricProof { loads, verdict })
}

fn fabric_load(parts: &Parts<'_>, load: ProofLoad) -> Option<FabricLoad> {
    let (local, remote) = (parts.runs(&ProofPlace::Local, load), parts.runs(&ProofPlace::Remote, load));
    let pairs: Vec<(&Run, &Run)> =
        local.into_iter().zip(remote).filter_map(|(local, remote)| local.zip(remote)).collect();
    let differences = |value: fn(&Run) -> Option<f64>| -> Vec<f64> {
        pairs.iter().filter_map(|(local, remote)| Some(value(remote)? - value(local)?)).collect()
    };
    let ratios: Vec<f64> =
        pairs.iter().filter_map(|(local, remote)| Some(operations(remote)? / operations(local)?)).collect();
    let of =
        |side: fn(&(&Run, &Run)) -> Option<f64>| OverRounds::of(&pairs.iter().filter_map(side).collect::<Vec<_>>());
    Some(FabricLoad {
        load,
        local: Rate(of(|(local, _)| operations(local))?.median),
        remote: Rate(of(|(_, remote)| operations(remote))?.median),
        local_ns: Nanos(of(|(local, _)| time_ns(local))?.median as u64),
        added_ns: OverRounds::of(&differences(time_ns))?,
        ratio: OverRounds::of_ratios(&ratios)?,
        added_cpu_ns: OverRounds::of(&differences(cpu_ns_per_io)),
        verdict: compared(&ratios, RULES.equivalence_margin),
    })
}

#[cfg(test)]
mod tests {
    use record::{IoKind, PlannedRun, ProofPart, ProofSubject, Record, RunKind};

    use super::super::{PlatformProof, platform_proof};
    use super::*;
    use crate::fixture::{io_run, record};

    /// Rounds of both sides at these I/Os per second.
    fn compared(rounds: &[(u64, u64)]) -> Record {
        let run = |place, rate: u64| {
            let mut run = io_run("part", IoKind::Read, 1);
            run.totals.operations = rate * run.window_ns.0 / 1_000_000_000;
            run.service.mean_ns = Nanos(1_000_000_000 / rate);
            let load = ProofLoad::SingleReads;
            run.kind = RunKind::Proof(ProofPart { subject: ProofSubject::Fabric, place, load });
            run
        };
        let sides = |(local, remote): &(u64, u64)| [run(ProofPlace::Local, *local), run(ProofPlace::Remote, *remote)];
        let mut record = record(rounds.iter().flat_map(sides).collect());
        record.plan.runs = record.runs.iter().map(|run| PlannedRun::new("part", run.kind.clone(), run.dop)).collect();
        record
    }

    fn proof(rounds: &[(u64, u64)]) -> FabricProof {
        match platform_proof(&compared(rounds)) {
            Some(PlatformProof::Fabric(proof)) => proof,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_fabric_that_takes_longer_is_slower_by_an_interval_without_0() {
        let found = proof(&[(10_000, 4_000), (10_100, 4_000), (9_900, 4_050), (10_000, 3_950)]);
        assert_eq!(found.verdict, ComparisonVerdict::Slower);
        let load = &found.loads[0];
        assert!((load.ratio.median - 0.4).abs() < 0.01, "{load:?}");
        let added = load.added_ns;
        assert!((added.median - 150_000.0).abs() < 3_000.0 && added.interval.unwrap().low > 100_000.0, "{added:?}");
    }

    #[test]
    fn the_same_on_both_sides_is_equivalent_or_undecided() {
        let same = proof(&[(10_000, 10_010), (10_020, 10_000), (9_990, 9_995), (10_000, 10_005)]);
        assert_eq!(same.verdict, ComparisonVerdict::Equivalent);
        let noisy = proof(&[(10_000, 12_000), (12_000, 9_000), (9_000, 10_000)]);
        assert_eq!(noisy.verdict, ComparisonVerdict::Inconclusive);
        assert_eq!(proof(&[(10_000, 4_000), (10_000, 4_000)]).verdict, ComparisonVerdict::Inconclusive, "two rounds");
    }

    #[test]
    fn a_side_without_valid_runs_proves_nothing() {
        let mut record = compared(&[(10_000, 4_000)]);
        record.runs.pop();
        assert_eq!(platform_proof(&record), None);
    }
}
