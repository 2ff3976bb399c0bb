//! Proofs of the platform: the runs of its parts held against those of the whole.

mod cache_device;
mod durability;
mod fabric;
mod nfs;
mod numa;
mod shown;
mod tiers;
mod volume;

use record::{PlanSubject, ProofLoad, ProofPart, ProofPlace, ProofSubject, Record, Run};

use crate::decision::ComparisonVerdict;
use crate::delta::per_second;
use crate::observed_side::{storage_cpu_ns, storage_sides};
use crate::rules::RULES;
use crate::statistics::{Interval, mean, student_interval};
use crate::verdict::is_invalid;

pub use cache_device::{CacheDeviceProof, CacheTier, cache_device, cache_hits};
pub use durability::{DurabilityCondition, DurabilityProof, Excluded, GradedLie, Protection, Stratum};
pub use fabric::{FabricLoad, FabricNetwork, FabricProof};
pub use nfs::{NfsCell, NfsLoad, NfsProof};
pub use numa::{DeviceCell, NumaCell, NumaProof};
pub use shown::{NotShown, durability_shown};
pub use tiers::{TierDevice, TierPoint, TiersProof};
pub use volume::{Amplification, MemberShare, VolumeLoad, VolumeProof};

/// What a proof found.
#[derive(Clone, Debug, PartialEq)]
pub enum PlatformProof {
    /// Of a volume.
    Volume(VolumeProof),
    /// Of a volume that is a cache device.
    CacheDevice(CacheDeviceProof),
    /// Of a fabric.
    Fabric(FabricProof),
    /// Of the nodes of memory.
    Numa(NumaProof),
    /// Of the caches below an engine.
    Tiers(TiersProof),
    /// Of a network file system.
    Nfs(NfsProof),
    /// Of acknowledged commits.
    Durability(DurabilityProof),
}

/// Whether a platform gives what its parts promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofVerdict {
    /// The interval lies at or above what is required.
    Holds,
    /// The interval lies below it.
    FallsShort,
    /// The interval includes it, or there are too few rounds.
    Undecided,
}

impl ProofVerdict {
    /// Its name in all views.
    pub fn word(self) -> &'static str {
        match self {
            ProofVerdict::Holds => "HOLDS",
            ProofVerdict::FallsShort => "FALLS SHORT",
            ProofVerdict::Undecided => "UNDECIDED",
        }
    }

    /// By the interval of a share of which `required` is required.
    fn of(interval: Option<Interval>, required: f64) -> ProofVerdict {
        match interval {
            Some(interval) if interval.low >= required => ProofVerdict::Holds,
            Some(interval) if interval.high < required => ProofVerdict::FallsShort,
            _ => ProofVerdict::Undecided,
        }
    }
}

/// A figure over the rounds of a proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverRounds {
    /// The mean: that of the logarithms for ratios above 0, the arithmetic one otherwise.
    pub mean: f64,
    /// The 95 % interval of this mean by Student's t; absent below three rounds.
    pub interval: Option<Interval>,
    /// Rounds with a value.
    pub rounds: usize,
}

impl OverRounds {
    /// Of ratios above 0, with [`ratio_interval`].
    fn of_ratios(ratios: &[f64]) -> Option<OverRounds> {
        let interval = ratio_interval(ratios, 1.0 - RULES.significance);
        let geometric = mean(&logarithms(ratios)).map(f64::exp);
        Some(OverRounds { mean: geometric.or_else(|| mean(ratios))?, interval, rounds: ratios.len() })
    }

    /// None without a value.
    fn of(values: &[f64]) -> Option<OverRounds> {
        let interval = student_interval(values, 1.0 - RULES.significance);
        Some(OverRounds {
            mean: mean(values)?,
            interval: interval.filter(|_| values.len() >= RULES.proof_pairs_min),
            rounds: values.len(),
        })
    }
}

/// What the proof in `record` found; none for a record of another kind, or without valid runs of both sides.
pub fn platform_proof(record: &Record) -> Option<PlatformProof> {
    let PlanSubject::Proof(subject) = record.plan.subject() else { return None };
    let parts = Parts::of(record);
    match subject {
        ProofSubject::Volume if cache_device(&record.host.devices).is_some() => {
            cache_device::cache_device_proof(record, &parts).map(PlatformProof::CacheDevice)
        }
        ProofSubject::Volume => volume::volume_proof(record, &parts).map(PlatformProof::Volume),
        ProofSubject::Fabric => fabric::fabric_proof(record, &parts).map(PlatformProof::Fabric),
        ProofSubject::Numa => numa::numa_proof(&parts).map(PlatformProof::Numa),
        ProofSubject::Tiers => tiers::tiers_proof(&parts).map(PlatformProof::Tiers),
        ProofSubject::Nfs => nfs::nfs_proof(record, &parts).map(PlatformProof::Nfs),
        ProofSubject::Durability => durability::durability_proof(record, &parts).map(PlatformProof::Durability),
    }
}

/// The runs of a proof.
struct Parts<'a>(Vec<(&'a ProofPart, &'a Run)>);

impl<'a> Parts<'a> {
    fn of(record: &'a Record) -> Parts<'a> {
        Parts(record.runs.iter().filter_map(|run| Some((run.kind.proof()?, run))).collect())
    }

    /// The runs of one part, one for each round; none in place of an invalid one.
    fn runs(&self, place: &ProofPlace, load: ProofLoad) -> Vec<Option<&'a Run>> {
        let of_part = self.0.iter().filter(|(part, _)| part.place == *place && part.load == load);
        of_part.map(|(_, run)| Some(*run).filter(|run| !is_invalid(run))).collect()
    }

    /// The valid runs of one part.
    fn valid(&self, place: &ProofPlace, load: ProofLoad) -> Vec<&'a Run> {
        self.runs(place, load).into_iter().flatten().collect()
    }

    /// The value of each valid run of one part.
    fn values(&self, place: &ProofPlace, load: ProofLoad, value: impl Fn(&Run) -> Option<f64>) -> Vec<f64> {
        self.valid(place, load).into_iter().filter_map(value).collect()
    }
}

/// The interval of the mean of ratios by their logarithms, so that it includes none below 0; none below three rounds.
fn ratio_interval(ratios: &[f64], confidence: f64) -> Option<Interval> {
    let logarithms = logarithms(ratios);
    let interval = student_interval(&logarithms, confidence).filter(|_| logarithms.len() >= RULES.proof_pairs_min)?;
    Some(Interval { estimate: interval.estimate.exp(), low: interval.low.exp(), high: interval.high.exp() })
}

/// The logarithms of the ratios above 0.
fn logarithms(ratios: &[f64]) -> Vec<f64> {
    ratios.iter().map(|ratio| ratio.ln()).filter(|value| value.is_finite()).collect()
}

/// Whether one side is faster than the other, by the ratios of its rate to that of the other in each round.
fn compared(ratios: &[f64], margin: f64) -> ComparisonVerdict {
    let equivalence = ratio_interval(ratios, 1.0 - 2.0 * RULES.equivalence_significance);
    ratio_interval(ratios, 1.0 - RULES.significance)
        .map_or(ComparisonVerdict::Inconclusive, |interval| ComparisonVerdict::of(interval, equivalence, margin))
}

/// I/Os per second of a run with small blocks, bytes per second of one with large ones.
fn rate(run: &Run, load: ProofLoad) -> Option<f64> {
    let amount = match load {
        ProofLoad::LargeReads | ProofLoad::LargeWrites => run.totals.bytes?.0,
        _ => run.totals.operations,
    };
    per_second(run, amount).map(|rate| rate.0).filter(|rate| *rate > 0.0)
}

/// I/Os per second of `run`.
fn operations(run: &Run) -> Option<f64> {
    per_second(run, run.totals.operations).map(|rate| rate.0).filter(|rate| *rate > 0.0)
}

/// The mean time of an I/O of `run`, nanoseconds.
fn time_ns(run: &Run) -> Option<f64> {
    (run.service.count > 0).then_some(run.service.mean_ns.0 as f64)
}

/// Processor time that the observed hosts of storage of `record` used for one I/O of `run`, nanoseconds. None where one is
/// the machine of dbdyno, whose kernel's threads are counted already.
fn storage_cpu_ns_per_io(record: &Record, run: &Run) -> Option<f64> {
    let operations = run.totals.operations;
    let is_elsewhere = record.storage_hosts.iter().all(|host| !host.is_same_machine);
    let sides = storage_sides(run);
    let used: Vec<f64> = sides.values().map(storage_cpu_ns).collect::<Option<_>>()?;
    let is_known = is_elsewhere && operations > 0 && !used.is_empty() && used.len() == record.storage_hosts.len();
    is_known.then(|| used.iter().sum::<f64>() / operations as f64)
}

/// Processor time of one I/O of `run`, the threads of the kernel included, nanoseconds.
fn cpu_ns_per_io(run: &Run) -> Option<f64> {
    let operations = run.totals.operations;
    (operations > 0).then_some(crate::foreign::cpu_ns_with_kernel(run)? / operations as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_over_rounds_is_in_the_middle_of_its_interval() {
        let ratios = [1.0, 1.0, 1.0, 1.2, 1.21, 1.22];
        let middle = |found: OverRounds| (found.mean, found.interval.unwrap());
        let (mean, interval) = middle(OverRounds::of_ratios(&ratios).unwrap());
        assert!((mean / (interval.low * interval.high).sqrt() - 1.0).abs() < 1e-12, "{mean} {interval:?}");
        let (mean, interval) = middle(OverRounds::of(&ratios).unwrap());
        assert!((mean - (interval.low + interval.high) / 2.0).abs() < 1e-12, "{mean} {interval:?}");
        let nothing = OverRounds::of_ratios(&[0.0, 0.0, 0.0]).unwrap();
        assert_eq!((nothing.mean, nothing.interval), (0.0, None));
        assert_eq!(OverRounds::of_ratios(&[]), None);
    }
}
