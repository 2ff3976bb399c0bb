//! A cache device: which share of the reads its cache serves, what each tier takes, and whether the two-level model holds.
//!
//! t = h * tc + (1 - h) * to, with the time of a read of the cache alone tc and of the origin alone to, one read at a time,
//! so that nothing waits for another read. The share of reads that the cache serves, h, is that which the device counted
//! itself while the volume was read. Where it shows no counters, h is the share of the requests that the block layer counted
//! of cache and origin; what the device moves between them by itself is counted there, too: blocks that dm-cache promotes are
//! read from the origin.

use record::{BlockDevice, CacheDevice, IoKind, MemberIo, ProofLoad, ProofPlace, Ratio, Record, Run};

use super::{OverRounds, Parts, compared, time_ns};
use crate::decision::ComparisonVerdict;
use crate::rules::RULES;
use crate::statistics::median;

/// What a cache device gives.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheDeviceProof {
    /// Its kernel name.
    pub name: String,
    /// What it is made of.
    pub device: CacheDevice,
    /// The caches.
    pub cache: CacheTier,
    /// The origin.
    pub origin: CacheTier,
    /// Share of the reads of the volume that the cache served, by the device's own counters; absent where it shows none.
    pub counted_hits: Option<Ratio>,
    /// Mean time of a read of the volume, nanoseconds.
    pub volume_ns: f64,
    /// The same by the model; absent where cache and origin could not be read alone.
    pub predicted_ns: Option<f64>,
    /// Measured times over those of the model.
    pub measured_over_predicted: Option<OverRounds>,
    /// Times of the volume over those of the origin alone.
    pub over_origin: Option<OverRounds>,
    /// Whether the time is that of the model, within the margin.
    pub verdict: ComparisonVerdict,
}

/// The cache or the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheTier {
    /// Share of the reads of the volume that it served, by the block layer.
    pub share: Option<Ratio>,
    /// Mean time of its reads alone, nanoseconds.
    pub alone_ns: Option<f64>,
    /// Mean time of its reads while the volume is read, by the block layer, nanoseconds.
    pub used_ns: Option<f64>,
    /// Bytes written to it per byte written to the volume.
    pub written: Option<f64>,
}

/// The volume among `devices`, which are below one file system from its own device on, where it is a cache device.
pub fn cache_device(devices: &[BlockDevice]) -> Option<(&BlockDevice, &CacheDevice)> {
    let is_volume = |one: &&BlockDevice| one.slaves.len() > 1 || one.array.is_some() || one.cache.is_some();
    let top = devices.iter().find(is_volume)?;
    Some((top, top.cache.as_ref().filter(|cache| !cache.caches.is_empty())?))
}

/// None without a valid run of the volume.
pub(super) fn cache_device_proof(record: &Record, parts: &Parts<'_>) -> Option<CacheDeviceProof> {
    let (top, device) = cache_device(&record.host.devices)?;
    let runs = parts.runs(&ProofPlace::Volume, ProofLoad::SingleReads);
    let origins: Vec<String> = device.origin.iter().cloned().collect();
    let (mut predicted, mut ratios, mut over_origin) = (Vec::new(), Vec::new(), Vec::new());
    for (round, run) in runs.iter().enumerate() {
        let Some((run, measured)) = run.and_then(|run| Some((run, time_ns(run)?))) else { continue };
        let alone = |names: &[String]| round_mean(parts, names, round);
        let (Some(cache), Some(origin)) = (alone(&device.caches), alone(&origins)) else { continue };
        over_origin.push(measured / origin);
        let counted = cache_hits(run).map(|Ratio(hits)| hits);
        let Some(hits) = counted.or_else(|| share(run, device, &device.caches)) else { continue };
        let model = hits * cache + (1.0 - hits) * origin;
        predicted.push(model);
        ratios.push(measured / model);
    }
    let times: Vec<f64> = runs.iter().flatten().filter_map(|run| time_ns(run)).collect();
    Some(CacheDeviceProof {
        name: top.name.clone(),
        device: device.clone(),
        cache: tier(parts, device, &device.caches),
        origin: tier(parts, device, &origins),
        counted_hits: median(&runs.iter().flatten().filter_map(|run| Some(cache_hits(run)?.0)).collect::<Vec<f64>>())
            .map(Ratio),
        volume_ns: median(&times)?,
        predicted_ns: median(&predicted),
        measured_over_predicted: OverRounds::of_ratios(&ratios),
        over_origin: OverRounds::of_ratios(&over_origin),
        // A rate is the inverse of a time.
        verdict: compared(&ratios.iter().map(|ratio| 1.0 / ratio).collect::<Vec<f64>>(), RULES.tiers_margin),
    })
}

/// The share of reads that the cache of a cache device served in `run`, by the device's own counters; absent where it counted
/// next to none.
pub fn cache_hits(run: &Run) -> Option<Ratio> {
    let counts = run.storage.as_ref()?.cache?;
    let reads = counts.read_hits.checked_add(counts.read_misses)?;
    (reads >= RULES.member_requests_min).then(|| Ratio(counts.read_hits as f64 / reads as f64))
}

/// The mean time of a read of these devices alone in one round; none where one of them has no valid run.
fn round_mean(parts: &Parts<'_>, names: &[String], round: usize) -> Option<f64> {
    let of = |name: &String| {
        let runs = parts.runs(&ProofPlace::Member { name: name.clone() }, ProofLoad::SingleReads);
        runs.get(round).copied().flatten().and_then(time_ns)
    };
    let times: Option<Vec<f64>> = names.iter().map(of).collect();
    crate::statistics::mean(&times?)
}

/// What these devices did during `run`, summed.
fn did(run: &Run, names: &[String]) -> MemberIo {
    let mut sum = MemberIo::default();
    let members = run.storage.iter().flat_map(|storage| &storage.members);
    for member in members.filter(|member| names.contains(&member.name)) {
        sum.read_count += member.read_count;
        sum.read_ns.0 += member.read_ns.0;
        sum.write_bytes.0 += member.write_bytes.0;
    }
    sum
}

/// The share of the reads of `run` that these devices served, among all caches and the origin.
fn share(run: &Run, device: &CacheDevice, names: &[String]) -> Option<f64> {
    let all: Vec<String> = device.caches.iter().chain(&device.origin).cloned().collect();
    let all = did(run, &all).read_count;
    (all > 0).then(|| did(run, names).read_count as f64 / all as f64)
}

fn tier(parts: &Parts<'_>, device: &CacheDevice, names: &[String]) -> CacheTier {
    let reads = parts.valid(&ProofPlace::Volume, ProofLoad::SingleReads);
    let writes = parts.valid(&ProofPlace::Volume, ProofLoad::SmallWrites);
    let shares: Vec<f64> = reads.iter().filter_map(|run| share(run, device, names)).collect();
    let count: u64 = reads.iter().map(|run| did(run, names).read_count).sum();
    let time: u64 = reads.iter().map(|run| did(run, names).read_ns.0).sum();
    let written = |run: &&Run| {
        let storage = run.storage.as_ref().filter(|storage| !storage.members.is_empty())?;
        let asked = storage.streams.iter().filter(|stream| stream.kind == IoKind::Write);
        let asked: u64 = asked.map(|stream| stream.bytes.0).sum();
        (asked > 0).then(|| did(run, names).write_bytes.0 as f64 / asked as f64)
    };
    let rounds = parts.runs(&ProofPlace::Volume, ProofLoad::SingleReads).len();
    let alone: Vec<f64> = (0..rounds).filter_map(|round| round_mean(parts, names, round)).collect();
    CacheTier {
        share: median(&shares).map(Ratio),
        alone_ns: median(&alone),
        used_ns: (count >= RULES.member_requests_min).then(|| time as f64 / count as f64),
        written: median(&writes.iter().filter_map(written).collect::<Vec<f64>>()),
    }
}

#[cfg(test)]
mod tests {
    use record::{CacheCounts, Nanos, PlannedRun, ProofPart, ProofSubject, RunKind};

    use super::*;
    use crate::fixture::{io_run, record};
    use crate::platform_proof::{PlatformProof, platform_proof};

    /// Rounds in which the cache takes 100 us, the origin 1000 us, and serves one read of four; the volume takes `factor`
    /// times what the model says.
    fn proof(factors: &[f64]) -> CacheDeviceProof {
        counted_proof(factors, None)
    }

    /// The same where the device counts itself.
    fn counted_proof(factors: &[f64], counts: Option<CacheCounts>) -> CacheDeviceProof {
        let run = |place, mean_us: f64| {
            let mut run = io_run("part", IoKind::Read, 1);
            run.service.mean_ns = Nanos((mean_us * 1e3) as u64);
            let load = ProofLoad::SingleReads;
            run.kind = RunKind::Proof(ProofPart { subject: ProofSubject::Volume, place, load });
            run
        };
        let member = |name: &str| ProofPlace::Member { name: name.to_owned() };
        let io = |name: &str, count| MemberIo { name: name.to_owned(), read_count: count, ..MemberIo::default() };
        let round = |factor: &f64| {
            let mut volume = run(ProofPlace::Volume, 325.0 * factor);
            volume.storage.as_mut().unwrap().members = vec![io("fast", 3000), io("meta", 500), io("slow", 1000)];
            volume.storage.as_mut().unwrap().cache = counts;
            [run(member("fast"), 100.0), run(member("slow"), 1000.0), volume]
        };
        let mut record = record(factors.iter().flat_map(round).collect());
        record.plan.runs = record.runs.iter().map(|run| PlannedRun::new("part", run.kind.clone(), run.dop)).collect();
        let cache = CacheDevice {
            technique: "dm-cache".to_owned(),
            origin: Some("slow".to_owned()),
            caches: vec!["fast".to_owned()],
            metadata: Some("meta".to_owned()),
            ..CacheDevice::default()
        };
        let slaves = ["fast", "meta", "slow"].map(str::to_owned).to_vec();
        let top = BlockDevice { name: "dm-0".to_owned(), slaves, cache: Some(cache), ..BlockDevice::default() };
        record.host.devices = vec![top];
        match platform_proof(&record) {
            Some(PlatformProof::CacheDevice(proof)) => proof,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_volume_that_takes_what_its_tiers_take_is_that_of_the_model() {
        let found = proof(&[1.0, 1.02, 0.99]);
        assert_eq!((found.verdict, found.cache.share), (ComparisonVerdict::Equivalent, Some(Ratio(0.75))));
        assert!((found.predicted_ns.unwrap() - 325_000.0).abs() < 1.0, "{found:?}");
        assert!((found.over_origin.unwrap().mean - 0.325).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn its_own_counters_go_before_those_of_the_block_layer() {
        // Blocks that are promoted are reads of the origin that nobody waits for: 9 of 10 were hits.
        let counts = |hits, misses| Some(CacheCounts { read_hits: hits, read_misses: misses, promotions: Some(700) });
        let found = counted_proof(&[0.585, 0.59, 0.58], counts(3600, 400));
        assert_eq!((found.counted_hits, found.cache.share), (Some(Ratio(0.9)), Some(Ratio(0.75))));
        assert!((found.predicted_ns.unwrap() - 190_000.0).abs() < 1.0, "{found:?}");
        assert_eq!(found.verdict, ComparisonVerdict::Equivalent);
        let few = counted_proof(&[1.0, 1.02, 0.99], counts(30, 0));
        assert_eq!((few.counted_hits, few.verdict), (None, ComparisonVerdict::Equivalent));
    }

    #[test]
    fn one_that_takes_longer_is_slower_and_two_rounds_decide_nothing() {
        assert_eq!(proof(&[1.5, 1.52, 1.48]).verdict, ComparisonVerdict::Slower);
        assert_eq!(proof(&[1.0, 1.0]).verdict, ComparisonVerdict::Inconclusive);
    }
}
