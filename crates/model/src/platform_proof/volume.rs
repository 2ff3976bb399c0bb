//! A volume of several devices: what it gives of the sum of its members, how evenly, and what redundancy writes.
//!
//! Reads: in each round the volume over the sum of its members, each measured alone with the same load per device. A
//! volume that keeps all of them busy has a share of 1, whatever its redundancy, because reads need no other copy.
//! Writes: bytes that the block layer wrote to the members over bytes that were asked for, held against the level of the
//! array (`Redundancy`).

use record::{Array, IoKind, MemberIo, ProofLoad, ProofPlace, Rate, Ratio, Record, Run};

use super::{OverRounds, Parts, ProofVerdict, cpu_ns_per_io, rate};
use crate::platform::Redundancy;
use crate::rules::RULES;
use crate::statistics::median;

/// What the members of a volume and the volume itself give.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeProof {
    /// Kernel name of the volume; absent where no device is known.
    pub name: Option<String>,
    /// The array; absent for volumes of another kind.
    pub array: Option<Array>,
    /// Reads of small blocks and of large ones, as far as both sides are valid.
    pub reads: Vec<VolumeLoad>,
    /// The members, by name.
    pub members: Vec<MemberShare>,
    /// Writes of small blocks and of large ones.
    pub writes: Vec<Amplification>,
    /// By the reads of small blocks.
    pub verdict: ProofVerdict,
}

/// Reads of the volume beside those of its members.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeLoad {
    /// The load.
    pub load: ProofLoad,
    /// I/Os per second of the volume with small blocks, bytes per second with large ones; the median of all rounds.
    pub volume: Rate,
    /// The sum of the members, each alone.
    pub members_alone: Rate,
    /// All members at the same time, without the volume.
    pub members_together: Option<Rate>,
    /// The volume over the sum of its members.
    pub share: OverRounds,
    /// Processor time per I/O with that of the kernel, nanoseconds: of the volume and of a member.
    pub cpu_ns_per_io: Option<(f64, f64)>,
}

/// One member of a volume.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberShare {
    /// Its name.
    pub name: String,
    /// Its reads of small blocks per second, alone.
    pub alone: Option<Rate>,
    /// Bytes per second of its large reads, alone.
    pub alone_large: Option<Rate>,
    /// Its share of the reads of the volume.
    pub share: Option<Ratio>,
    /// Mean time of its reads while the volume is read, nanoseconds.
    pub read_ns: Option<f64>,
    /// Mean time of its writes while the volume is written, nanoseconds.
    pub write_ns: Option<f64>,
    /// How many times longer than the median of the others it takes, where that is above the limit.
    pub slower_by: Option<f64>,
}

/// Writes of members per write of the volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amplification {
    /// The load.
    pub load: ProofLoad,
    /// I/Os per second of the volume with small blocks, bytes per second with large ones.
    pub volume: Rate,
    /// Bytes written to members per byte written to the volume.
    pub written: OverRounds,
    /// Bytes read from members per byte written: old data and parities.
    pub read: f64,
    /// What the level of the array predicts; absent for other volumes.
    pub expected: Option<f64>,
}

pub(super) fn volume_proof(record: &Record, parts: &Parts<'_>) -> Option<VolumeProof> {
    let device = record.host.devices.iter().find(|device| device.array.is_some()).or(record.host.devices.first());
    let array = device.and_then(|device| device.array.clone());
    let names = member_names(parts);
    let loads = [ProofLoad::SmallReads, ProofLoad::LargeReads];
    let reads: Vec<VolumeLoad> = loads.into_iter().filter_map(|load| reads(parts, &names, load)).collect();
    let loads = [ProofLoad::SmallWrites, ProofLoad::LargeWrites];
    let writes: Vec<Amplification> = loads.into_iter().filter_map(|load| writes(parts, array.as_ref(), load)).collect();
    if reads.is_empty() && writes.is_empty() {
        return None;
    }
    let share = reads.first().filter(|found| found.load == ProofLoad::SmallReads).map(|found| found.share);
    Some(VolumeProof {
        name: device.map(|device| device.name.clone()),
        verdict: ProofVerdict::of(share.and_then(|share| share.interval), RULES.volume_share_min),
        members: members(parts, &names),
        array,
        reads,
        writes,
    })
}

/// The names of all members, those that could not be read alone included.
fn member_names(parts: &Parts<'_>) -> Vec<String> {
    let alone = parts.0.iter().filter_map(|(part, _)| match &part.place {
        ProofPlace::Member { name } => Some(name.clone()),
        _ => None,
    });
    let counted = parts.0.iter().filter_map(|(_, run)| run.storage.as_ref());
    let counted = counted.flat_map(|storage| storage.members.iter().map(|member| member.name.clone()));
    let mut names: Vec<String> = alone.chain(counted).collect();
    names.sort();
    names.dedup();
    names
}

fn reads(parts: &Parts<'_>, names: &[String], load: ProofLoad) -> Option<VolumeLoad> {
    let volume = parts.runs(&ProofPlace::Volume, load);
    let alone: Vec<Vec<Option<&Run>>> =
        names.iter().map(|name| parts.runs(&ProofPlace::Member { name: name.clone() }, load)).collect();
    let mut rounds = Vec::new();
    for (round, volume) in volume.iter().enumerate() {
        // A round counts where the volume and all members are valid in it.
        let rates: Option<Vec<f64>> =
            alone.iter().map(|runs| runs.get(round).copied().flatten().and_then(|run| rate(run, load))).collect();
        if let (Some(volume), Some(rates)) = (volume.and_then(|run| rate(run, load)), rates) {
            rounds.push((volume, rates.iter().sum::<f64>()));
        }
    }
    let (volumes, sums): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
    let shares: Vec<f64> = rounds.iter().map(|(volume, sum)| volume / sum).collect();
    let cpu_of_volume = median(&parts.values(&ProofPlace::Volume, load, cpu_ns_per_io));
    let cpu_of_members: Vec<f64> = alone.iter().flatten().flatten().filter_map(|run| cpu_ns_per_io(run)).collect();
    Some(VolumeLoad {
        load,
        volume: Rate(median(&volumes)?),
        members_alone: Rate(median(&sums)?),
        members_together: median(&parts.values(&ProofPlace::Members, load, |run| rate(run, load))).map(Rate),
        share: OverRounds::of_ratios(&shares)?,
        cpu_ns_per_io: cpu_of_volume.zip(median(&cpu_of_members)),
    })
}

fn writes(parts: &Parts<'_>, array: Option<&Array>, load: ProofLoad) -> Option<Amplification> {
    let runs = parts.valid(&ProofPlace::Volume, load);
    let per_byte = |run: &Run, bytes: fn(&MemberIo) -> u64| {
        let storage = run.storage.as_ref().filter(|storage| !storage.members.is_empty())?;
        let asked: u64 =
            storage.streams.iter().filter(|stream| stream.kind == IoKind::Write).map(|stream| stream.bytes.0).sum();
        (asked > 0).then_some(storage.members.iter().map(bytes).sum::<u64>() as f64 / asked as f64)
    };
    let written: Vec<f64> = runs.iter().filter_map(|run| per_byte(run, |member| member.write_bytes.0)).collect();
    let read: Vec<f64> = runs.iter().filter_map(|run| per_byte(run, |member| member.read_bytes.0)).collect();
    let expected = array.and_then(|array| {
        let redundancy = Redundancy::of_array(&array.level, array.member_count)?;
        let (members, missing) = (array.member_count, array.missing_count);
        Some(match load {
            ProofLoad::LargeWrites => redundancy.stripe_write_amplification(members, missing),
            _ => redundancy.small_write_amplification(members, missing),
        })
    });
    let volume = median(&parts.values(&ProofPlace::Volume, load, |run| rate(run, load))).map(Rate)?;
    Some(Amplification { load, volume, written: OverRounds::of_ratios(&written)?, read: median(&read)?, expected })
}

/// The members by the figures of the block layer while the volume is used, and their rates alone.
fn members(parts: &Parts<'_>, names: &[String]) -> Vec<MemberShare> {
    let read = used(parts, ProofLoad::SmallReads);
    let written = used(parts, ProofLoad::SmallWrites);
    let all_reads: u64 = read.iter().map(|member| member.read_count).sum();
    let mean = |time: u64, count: u64| (count >= RULES.member_requests_min).then(|| time as f64 / count as f64);
    let mut members: Vec<MemberShare> = names
        .iter()
        .map(|name| {
            let of = |used: &[MemberIo]| used.iter().find(|member| member.name == *name).cloned();
            let (reading, writing) = (of(&read), of(&written));
            let place = ProofPlace::Member { name: name.clone() };
            let alone = |load| median(&parts.values(&place, load, |run| rate(run, load))).map(Rate);
            MemberShare {
                name: name.clone(),
                alone: alone(ProofLoad::SmallReads),
                alone_large: alone(ProofLoad::LargeReads),
                share: reading
                    .as_ref()
                    .filter(|_| all_reads > 0)
                    .map(|member| Ratio(member.read_count as f64 / all_reads as f64)),
                read_ns: reading.and_then(|member| mean(member.read_ns.0, member.read_count)),
                write_ns: writing.and_then(|member| mean(member.write_ns.0, member.write_count)),
                slower_by: None,
            }
        })
        .collect();
    for index in 0..members.len() {
        members[index].slower_by = slower_by(&members, index);
    }
    members
}

/// What all members did in the valid runs of the volume under `load`, summed.
fn used(parts: &Parts<'_>, load: ProofLoad) -> Vec<MemberIo> {
    let mut sums: Vec<MemberIo> = Vec::new();
    for run in parts.valid(&ProofPlace::Volume, load) {
        for member in run.storage.iter().flat_map(|storage| &storage.members) {
            match sums.iter_mut().find(|sum| sum.name == member.name) {
                Some(sum) => {
                    sum.read_count += member.read_count;
                    sum.read_ns.0 += member.read_ns.0;
                    sum.write_count += member.write_count;
                    sum.write_ns.0 += member.write_ns.0;
                }
                None => sums.push(member.clone()),
            }
        }
    }
    sums
}

/// How many times longer the reads, or else the writes, of a member take than those of the median of the others.
fn slower_by(members: &[MemberShare], index: usize) -> Option<f64> {
    let times = |of: fn(&MemberShare) -> Option<f64>| {
        let others: Vec<f64> = members
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .filter_map(|(_, other)| of(other))
            .collect();
        Some(of(&members[index])? / median(&others)?)
    };
    let alone = |member: &MemberShare| member.alone.map(|rate| 1.0 / rate.0);
    let found = [times(|member| member.read_ns), times(|member| member.write_ns), times(alone)];
    let worst = found.into_iter().flatten().filter(|times| times.is_finite()).fold(0.0, f64::max);
    (worst >= RULES.slow_member_ratio).then_some(worst)
}

#[cfg(test)]
mod tests {
    use record::{BlockDevice, Bytes, Nanos, ProofPart, ProofSubject, RunKind};

    use super::super::platform_proof;
    use super::*;
    use crate::fixture::{io_run, record};
    use crate::platform_proof::PlatformProof;

    /// A valid run of a part at so many I/Os per second.
    fn part(place: ProofPlace, load: ProofLoad, rate: u64) -> Run {
        let kind = if load.writes() { IoKind::Write } else { IoKind::Read };
        let mut run = io_run("part", kind, 1);
        run.totals.operations = rate * run.window_ns.0 / 1_000_000_000;
        run.kind = RunKind::Proof(ProofPart { subject: ProofSubject::Volume, place, load });
        run
    }

    fn with_members(mut run: Run, members: &[(&str, u64, u64)]) -> Run {
        let io = |(name, count, mean_ns): &(&str, u64, u64)| MemberIo {
            name: (*name).to_owned(),
            read_count: *count,
            read_bytes: Bytes(count * 8192),
            read_ns: Nanos(count * mean_ns),
            write_count: *count,
            write_bytes: Bytes(count * 8192),
            write_ns: Nanos(count * mean_ns),
        };
        run.storage.as_mut().unwrap().members = members.iter().map(io).collect();
        run
    }

    fn member(name: &str) -> ProofPlace {
        ProofPlace::Member { name: name.to_owned() }
    }

    /// Three rounds of two members and a stripe over them.
    fn striped(volume_rate: u64, slow_ns: u64) -> Record {
        let mut runs = Vec::new();
        for round in 0..3 {
            runs.push(part(member("a"), ProofLoad::SmallReads, 1000 + round));
            runs.push(part(member("b"), ProofLoad::SmallReads, 1000));
            let volume = part(ProofPlace::Volume, ProofLoad::SmallReads, volume_rate + round);
            runs.push(with_members(volume, &[("a", 5000, 100_000), ("b", 5000, slow_ns)]));
            let writes = part(ProofPlace::Volume, ProofLoad::SmallWrites, 1000);
            let asked = writes.storage.as_ref().unwrap().streams[0].bytes.0 / 8192;
            runs.push(with_members(writes, &[("a", asked, 100_000), ("b", asked, 100_000)]));
        }
        let mut record = record(runs);
        let planned =
            record.runs.iter().map(|run| record::PlannedRun::new("part", run.kind.clone(), run.dop)).collect();
        record.plan.runs = planned;
        let array = Array { level: "raid1".to_owned(), member_count: 2, ..Array::default() };
        record.host.devices =
            vec![BlockDevice { name: "md0".to_owned(), array: Some(array), ..BlockDevice::default() }];
        record
    }

    fn proof(record: &Record) -> VolumeProof {
        match platform_proof(record) {
            Some(PlatformProof::Volume(proof)) => proof,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_volume_that_gives_the_sum_of_its_members_holds() {
        let proof = proof(&striped(1960, 100_000));
        assert_eq!((proof.verdict, proof.name.as_deref()), (ProofVerdict::Holds, Some("md0")));
        let reads = &proof.reads[0];
        assert!((reads.share.mean - 0.98).abs() < 0.001 && reads.share.rounds == 3, "{reads:?}");
        assert_eq!(proof.members.iter().map(|member| member.share).collect::<Vec<_>>(), [Some(Ratio(0.5)); 2]);
        assert!(proof.members.iter().all(|member| member.slower_by.is_none()));
        let writes = &proof.writes[0];
        assert!((writes.written.mean - 2.0).abs() < 1e-9 && writes.expected == Some(2.0), "{writes:?}");
    }

    #[test]
    fn one_that_gives_half_falls_short_and_the_slow_member_is_named() {
        let proof = proof(&striped(1000, 500_000));
        assert_eq!(proof.verdict, ProofVerdict::FallsShort);
        let slow: Vec<(&str, Option<f64>)> =
            proof.members.iter().map(|member| (member.name.as_str(), member.slower_by)).collect();
        assert_eq!(slow, [("a", None), ("b", Some(5.0))]);
    }

    #[test]
    fn two_rounds_decide_nothing() {
        let mut record = striped(1960, 100_000);
        record.runs.truncate(8);
        assert_eq!(proof(&record).verdict, ProofVerdict::Undecided);
        record.runs.clear();
        assert_eq!(platform_proof(&record), None);
    }
}
