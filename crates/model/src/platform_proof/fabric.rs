//! A fabric: the same reads of one namespace without it and through it.
//!
//! Each round has both; the ratio of their times and the difference of their processor times are of runs that are next to
//! each other. The interval of the ratio is that of its logarithm by Student's t.

use record::{Layer, Nanos, ProofLoad, ProofPlace, Rate, Ratio, Record, Run, Unit};

use super::{OverRounds, Parts, compared, cpu_ns_per_io, operations, storage_cpu_ns_per_io, time_ns};
use crate::decision::ComparisonVerdict;
use crate::delta::{rate_in, share};
use crate::rules::RULES;
use crate::statistics::median;
use crate::verdict::is_invalid;

/// What a fabric costs.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricProof {
    /// Each load that is valid on both sides.
    pub loads: Vec<FabricLoad>,
    /// By the reads that are in flight alone; else by the first load.
    pub verdict: ComparisonVerdict,
    /// What the network below the fabric gives; None where it was not measured.
    pub network: Option<FabricNetwork>,
}

/// The network to the target, by its probes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FabricNetwork {
    /// Median of a round trip: a read through the fabric needs at least one.
    pub round_trip_ns: Option<Nanos>,
    /// Bytes per second from the target, the most that was measured.
    pub from_target: Option<Rate>,
    /// The share of them that large reads through the fabric took, headers apart.
    pub used: Option<Ratio>,
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
    /// What it adds to the processor time of an I/O on the observed hosts of its targets, nanoseconds.
    pub added_target_cpu_ns: Option<OverRounds>,
    /// The verdict of the ratio.
    pub verdict: ComparisonVerdict,
}

pub(super) fn fabric_proof(record: &Record, parts: &Parts<'_>) -> Option<FabricProof> {
    let loads = [ProofLoad::SingleReads, ProofLoad::SmallReads, ProofLoad::LargeReads];
    let loads: Vec<FabricLoad> = loads.into_iter().filter_map(|load| fabric_load(record, parts, load)).collect();
    let verdict = loads.first()?.verdict;
    Some(FabricProof { loads, verdict, network: network(record, parts) })
}

fn network(record: &Record, parts: &Parts<'_>) -> Option<FabricNetwork> {
    record.plan.network.as_ref()?;
    let probes = || record.runs.iter().filter(|run| run.layer == Layer::Network && !is_invalid(run));
    let round_trips = probes().filter(|run| run.unit == Unit::RoundTrip);
    let bytes = |run: &Run| rate_in(run, Unit::Byte).map(|rate| rate.0);
    let from_target = probes().filter(|run| run.unit == Unit::Byte).filter_map(bytes).reduce(f64::max);
    let large = median(&parts.values(&ProofPlace::Remote, ProofLoad::LargeReads, bytes));
    Some(FabricNetwork {
        round_trip_ns: round_trips.map(|run| run.service.p50_ns).min(),
        from_target: from_target.map(Rate),
        used: from_target.zip(large).and_then(|(most, large)| share(large, most)).map(Ratio),
    })
}

fn fabric_load(record: &Record, parts: &Parts<'_>, load: ProofLoad) -> Option<FabricLoad> {
    let (local, remote) = (parts.runs(&ProofPlace::Local, load), parts.runs(&ProofPlace::Remote, load));
    let pairs: Vec<(&Run, &Run)> =
        local.into_iter().zip(remote).filter_map(|(local, remote)| local.zip(remote)).collect();
    let differences = |value: &dyn Fn(&Run) -> Option<f64>| -> Vec<f64> {
        pairs.iter().filter_map(|(local, remote)| Some(value(remote)? - value(local)?)).collect()
    };
    let ratios: Vec<f64> =
        pairs.iter().filter_map(|(local, remote)| Some(operations(remote)? / operations(local)?)).collect();
    let of = |side: fn(&(&Run, &Run)) -> Option<f64>| median(&pairs.iter().filter_map(side).collect::<Vec<_>>());
    Some(FabricLoad {
        load,
        local: Rate(of(|(local, _)| operations(local))?),
        remote: Rate(of(|(_, remote)| operations(remote))?),
        local_ns: Nanos(of(|(local, _)| time_ns(local))? as u64),
        added_ns: OverRounds::of(&differences(&time_ns))?,
        ratio: OverRounds::of_ratios(&ratios)?,
        added_cpu_ns: OverRounds::of(&differences(&cpu_ns_per_io)),
        added_target_cpu_ns: OverRounds::of(&differences(&|run| storage_cpu_ns_per_io(record, run))),
        verdict: compared(&ratios, RULES.equivalence_margin),
    })
}

#[cfg(test)]
mod tests {
    use record::{IoKind, PlannedRun, ProofPart, ProofSubject, Record, RunKind};

    use super::super::{PlatformProof, platform_proof};
    use super::*;
    use crate::fixture::{io_run, observe_storage, record, storage_host};

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
        assert!((load.ratio.mean - 0.4).abs() < 0.01, "{load:?}");
        let added = load.added_ns;
        assert!((added.mean - 150_000.0).abs() < 3_000.0 && added.interval.unwrap().low > 100_000.0, "{added:?}");
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
    fn the_network_below_is_the_least_time_and_the_most_bytes() {
        let mut record = compared(&[(10_000, 4_000), (10_100, 4_000), (9_900, 4_050)]);
        assert_eq!(proof(&[(10_000, 4_000)]).network, None, "not measured");
        record.plan.network = Some(record::NetworkPath::default());
        let mut large = record.runs[1].clone();
        large.kind = RunKind::Proof(ProofPart {
            subject: ProofSubject::Fabric,
            place: ProofPlace::Remote,
            load: ProofLoad::LargeReads,
        });
        let seconds = large.window_ns.0 / 1_000_000_000;
        large.totals.bytes = Some(record::Bytes(600_000_000 * seconds));
        let probe = |unit, per_second: u64| {
            let mut probe = Run { layer: Layer::Network, unit, ..crate::fixture::run("N22", 1) };
            (probe.window_ns, probe.kind) = (Nanos(seconds * 1_000_000_000), RunKind::Probe);
            (probe.totals.operations, probe.service.p50_ns) = (per_second * seconds, Nanos(50_000));
            probe
        };
        record.runs.extend([
            large,
            probe(Unit::RoundTrip, 20_000),
            probe(Unit::Byte, 500_000_000),
            probe(Unit::Byte, 800_000_000),
        ]);
        let Some(PlatformProof::Fabric(found)) = platform_proof(&record) else { panic!("no proof") };
        let network = FabricNetwork {
            round_trip_ns: Some(Nanos(50_000)),
            from_target: Some(Rate(800_000_000.0)),
            used: Some(Ratio(0.75)),
        };
        assert_eq!(found.network, Some(network));
    }

    #[test]
    fn a_side_without_valid_runs_proves_nothing() {
        let mut record = compared(&[(10_000, 4_000)]);
        record.runs.pop();
        assert_eq!(platform_proof(&record), None);
    }

    #[test]
    fn the_target_costs_what_its_host_used_beyond_the_local_runs() {
        let mut record = compared(&[(10_000, 4_000), (10_100, 4_000), (9_900, 4_050)]);
        for run in &mut record.runs {
            let is_remote = matches!(&run.kind, RunKind::Proof(part) if part.place == ProofPlace::Remote);
            let kernel_ns = run.totals.operations * if is_remote { 25_000 } else { 1_000 };
            observe_storage(run, "target", kernel_ns);
        }
        let mut added = |is_same_machine| {
            record.storage_hosts = vec![storage_host("target", is_same_machine)];
            let Some(PlatformProof::Fabric(found)) = platform_proof(&record) else { panic!("no proof") };
            found.loads[0].added_target_cpu_ns
        };
        assert!((added(false).unwrap().mean - 24_000.0).abs() < 1.0);
        assert_eq!(added(true), None, "it is counted with the kernel of dbdyno's machine");
    }
}
