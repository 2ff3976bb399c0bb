//! Records of proofs, made up: a mirror with a slow member, a cache device, a fabric, two nodes, caches.

use record::{
    Array, BlockDevice, Blocks, Bytes, CacheCounts, CacheDevice, CacheState, Crash, CrashCondition, CrashDamage,
    CrashEvent, CrashEventKind, CrashMoment, CrashRung, Dop, ForeignLoad, IoJob, IoKind, IoPhase, IoPlan, Latency,
    Layer, LoopLocation, MemberIo, Nanos, NetworkPath, PageCached, PlannedRun, ProofLoad, ProofPart, ProofPlace,
    ProofSubject, RandomBlocks, Record, Run, RunKind, Setting, Survival, Totals, Unit, name,
};

use crate::storage_sample::{record, run, stream};

const BLOCK: u64 = 8192;

/// One run of a part, at so many I/Os per second with `depth` in flight.
fn part(subject: ProofSubject, place: ProofPlace, load: ProofLoad, rate: u64, depth: u32) -> Run {
    let is_large = matches!(load, ProofLoad::LargeReads | ProofLoad::LargeWrites);
    let block = if is_large { 1 << 20 } else { BLOCK };
    let kind = if load.writes() { IoKind::Write } else { IoKind::Read };
    let mut run = run(0, "part", "part", vec![stream("part", kind, rate, block, 1, depth)]);
    run.totals.bytes = Some(Bytes(run.totals.operations * block));
    run.foreign_load =
        Some(Box::new(ForeignLoad { observed_ns: run.window_ns, kernel_processors: 0.05, ..ForeignLoad::default() }));
    run.kind = RunKind::Proof(ProofPart { subject, place, load });
    run
}

/// The record of these runs, numbered, with the block sizes of their loads.
fn proof(mut runs: Vec<Run>) -> Record {
    for (run, number) in runs.iter_mut().zip(1..) {
        let load = run.kind.proof().unwrap().load;
        (run.number, run.test, run.title) = (number, format!("{load:?}"), format!("{load:?}"));
    }
    let sized = |(name, bytes): (&str, u64)| IoPhase {
        name: name.to_owned(),
        jobs: vec![IoJob { read_blocks: Blocks::all(Bytes(bytes)), ..IoJob::default() }],
    };
    let phases = [("SingleReads", BLOCK), ("SmallReads", BLOCK), ("LargeReads", 1 << 20)].map(sized).to_vec();
    record(runs, Some(IoPlan { phases, ..IoPlan::default() }))
}

/// What two members did: so many requests each, at this mean time.
fn members(mut run: Run, read: [u64; 2], written: u64, mean_ns: [u64; 2]) -> Run {
    let of = |index: usize| MemberIo {
        name: ["nvme0n1", "nvme1n1"][index].to_owned(),
        read_count: read[index],
        read_bytes: Bytes(read[index] * BLOCK),
        read_ns: Nanos(read[index] * mean_ns[index]),
        write_count: written / BLOCK,
        write_bytes: Bytes(written),
        write_ns: Nanos(written / BLOCK * mean_ns[index]),
    };
    run.storage.as_mut().unwrap().members = vec![of(0), of(1)];
    run
}

/// A mirror of two, three rounds: one member takes four times as long, and sequential reads reach one of them only.
pub fn volume() -> Record {
    let mut runs = Vec::new();
    let of = |place, load, rate, depth| part(ProofSubject::Volume, place, load, rate, depth);
    for round in 0..3 {
        for (name, small, large) in [("nvme0n1", 100_000, 3_000), ("nvme1n1", 25_000, 2_900)] {
            let member = || ProofPlace::Member { name: name.to_owned() };
            runs.push(of(member(), ProofLoad::SmallReads, small + round * 100, 16));
            runs.push(of(member(), ProofLoad::LargeReads, large, 4));
        }
        runs.push(of(ProofPlace::Members, ProofLoad::SmallReads, 124_000, 32));
        runs.push(of(ProofPlace::Members, ProofLoad::LargeReads, 5_800, 8));
        let reads = of(ProofPlace::Volume, ProofLoad::SmallReads, 51_000 + round * 200, 32);
        runs.push(members(reads, [255_000, 255_000], 0, [160_000, 640_000]));
        runs.push(of(ProofPlace::Volume, ProofLoad::LargeReads, 2_950, 8));
        for (load, block, rate) in [(ProofLoad::SmallWrites, BLOCK, 20_000), (ProofLoad::LargeWrites, 1 << 20, 1_000)] {
            let writes = of(ProofPlace::Volume, load, rate, 32);
            runs.push(members(writes, [0, 0], rate * 10 * block, [200_000, 800_000]));
        }
    }
    let mut record = proof(runs);
    let array = Array { level: "raid1".to_owned(), member_count: 2, ..Array::default() };
    record.host.devices = vec![BlockDevice { name: "md0".to_owned(), array: Some(array), ..BlockDevice::default() }];
    record
}

/// A cache device, three rounds: 90 us from the cache, which serves three reads of four, 800 us from the origin.
pub fn cache_device() -> Record {
    let mut runs = Vec::new();
    let of = |place, load, rate, depth| part(ProofSubject::Volume, place, load, rate, depth);
    for round in 0..3 {
        for (name, mean_us) in [("nvme0n1", 90), ("nvme1n1", 800), ("", 275)] {
            let place = match name {
                "" => ProofPlace::Volume,
                name => ProofPlace::Member { name: name.to_owned() },
            };
            let mut run = of(place, ProofLoad::SingleReads, 1_000_000 / mean_us, 1);
            run.service.mean_ns = Nanos(mean_us * 1_000 + round * 2_000);
            if name.is_empty() {
                // The rest of the requests of the origin are promotions.
                run = members(run, [27_000, 9_000], 0, [88_000, 790_000]);
                let counts = CacheCounts { read_hits: 27_000, read_misses: 8_200, promotions: Some(800) };
                run.storage.as_mut().unwrap().cache = Some(counts);
            }
            runs.push(run);
        }
        let rate = 4_000;
        let writes = of(ProofPlace::Volume, ProofLoad::SmallWrites, rate, 16);
        runs.push(members(writes, [0, 0], rate * 10 * BLOCK, [200_000, 800_000]));
    }
    let mut record = proof(runs);
    let cache = CacheDevice {
        technique: "dm-cache".to_owned(),
        mode: Some("writethrough".to_owned()),
        origin: Some("nvme1n1".to_owned()),
        caches: vec!["nvme0n1".to_owned()],
        ..CacheDevice::default()
    };
    let slaves = ["nvme0n1", "nvme1n1"].map(str::to_owned).to_vec();
    record.host.devices =
        vec![BlockDevice { name: "dm-0".to_owned(), slaves, cache: Some(cache), ..BlockDevice::default() }];
    record
}

/// Reads of a drive locally and through a fabric, four rounds.
pub fn fabric() -> Record {
    let mut runs = Vec::new();
    for round in 0..4 {
        for (load, local, remote, depth) in [
            (ProofLoad::SingleReads, 12_000, 8_000, 1),
            (ProofLoad::SmallReads, 150_000, 147_000, 16),
            (ProofLoad::LargeReads, 3_000, 2_200 + 300 * (round % 2), 4),
        ] {
            runs.push(part(ProofSubject::Fabric, ProofPlace::Local, load, local + round * 10, depth));
            runs.push(part(ProofSubject::Fabric, ProofPlace::Remote, load, remote + round * 20, depth));
        }
    }
    let probe = |code: &str, unit, per_second: u64| {
        let mut probe = part(ProofSubject::Fabric, ProofPlace::Remote, ProofLoad::SingleReads, 1_000, 1);
        let operations = per_second * (probe.window_ns.0 / 1_000_000_000);
        (probe.test, probe.kind, probe.layer, probe.unit) = (code.to_owned(), RunKind::Probe, Layer::Network, unit);
        probe.totals = Totals { steps: operations, operations, ..Totals::default() };
        probe.storage = None;
        probe.service.p50_ns = Nanos(1_000_000_000 / per_second);
        probe
    };
    let mut record = proof(runs);
    let probes = [probe("N11", Unit::RoundTrip, 24_000), probe("N22", Unit::Byte, 2_900_000_000)];
    let planned = |probe: &Run| PlannedRun::new(probe.test.clone(), RunKind::Probe, probe.dop);
    record.plan.runs.extend(probes.iter().map(planned));
    record.plan.number();
    record.runs.extend(probes);
    for (index, run) in record.runs.iter_mut().enumerate() {
        run.number = index as u32 + 1;
    }
    record.plan.network = Some(NetworkPath { peer: Some("10.0.0.2:5250".to_owned()), ..NetworkPath::default() });
    record
}

/// Two nodes, the device at the second.
pub fn numa() -> Record {
    let mut runs = Vec::new();
    for round in 0..3 {
        for (processors, memory) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let is_near = processors == memory;
            for (load, near, far, jobs) in [
                (ProofLoad::MemoryReads, 60_000_000_000, 31_000_000_000, 8),
                (ProofLoad::MemoryLatency, 11_000_000, 7_000_000, 1),
                (ProofLoad::BlockReads, 48_000, 41_000, 4),
            ] {
                let rate = if is_near { near } else { far } + round * 1000;
                let place = ProofPlace::Nodes { processors, memory };
                let mut cell = part(ProofSubject::Numa, place, load, 1_000, 1);
                let operations = rate * (cell.window_ns.0 / 1_000_000_000);
                cell.totals = Totals { steps: operations, operations, ..Totals::default() };
                (cell.storage, cell.service, cell.dop) = (None, Latency::default(), Dop::jobs(jobs));
                runs.push(cell);
            }
        }
        for processors in 0..2 {
            let place = ProofPlace::Nodes { processors, memory: 1 };
            let rate = if processors == 1 { 12_000 } else { 11_300 } + round * 10;
            runs.push(part(ProofSubject::Numa, place, ProofLoad::SingleReads, rate, 1));
        }
    }
    let mut record = proof(runs);
    record.plan.runs =
        record.runs.iter().map(|run| PlannedRun::new(run.test.clone(), run.kind.clone(), run.dop)).collect();
    record
}

/// The caches below an engine with 32 MiB of buffer cache, three rounds: 2 us from it, 3 us more from the page cache, 95 us
/// more from the device.
pub fn tiers() -> Record {
    let mut runs = Vec::new();
    for round in 0..3 {
        for (mebibytes, page_cache, buffer_misses, page_cache_misses) in [
            (16, PageCached::All, 0.0, 0.0),
            (128, PageCached::All, 0.75, 0.0),
            (128, PageCached::Nothing, 0.75, 0.98),
            (64, PageCached::Half, 0.5, 0.51),
        ] {
            let place = ProofPlace::WorkingSet { size_bytes: Bytes(mebibytes << 20), page_cache };
            let mut run = part(ProofSubject::Tiers, place, ProofLoad::BlockReads, 1_000, 1);
            let slower_us = if page_cache == PageCached::Half { 7.0 } else { 0.0 };
            let below_us = 3.0 * (1.0 - page_cache_misses) + (95.0 + slower_us) * page_cache_misses;
            let block_us = 2.0 + buffer_misses * below_us;
            run.service.mean_ns = Nanos((block_us * 64e3) as u64 + round * 200);
            run.storage = None;
            run.blocks = Some(Box::new(random_blocks()));
            let misses = (run.totals.operations as f64 * 64.0 * buffer_misses) as u64;
            let of_device = (misses as f64 * page_cache_misses) as u64;
            // A tenth slower in the point that is predicted.
            let device_ns = of_device * if page_cache == PageCached::Half { 77_000 } else { 70_000 };
            for (name, value) in [
                (name::PHYSICAL_READ_COUNT, misses),
                (name::DEVICE_READ_COUNT, of_device),
                (name::DEVICE_READ_BYTES, of_device * BLOCK),
                (name::DEVICE_READ_NS, device_ns),
            ] {
                let last = run.readings.len() - 1;
                run.readings[0].values.insert(name.to_owned(), 0);
                run.readings[last].values.insert(name.to_owned(), value);
            }
            runs.push(run);
        }
    }
    let mut record = proof(runs);
    record.plan.runs =
        record.runs.iter().map(|run| PlannedRun::new(run.test.clone(), run.kind.clone(), run.dop)).collect();
    record
}

fn random_blocks() -> RandomBlocks {
    RandomBlocks {
        loop_location: LoopLocation::Client,
        operations_per_step: 1,
        caches: CacheState::Warm,
        cache_bytes: Some(Bytes(32 << 20)),
        block_bytes: Some(Bytes(BLOCK)),
        page_cached: None,
        blocks_per_schema: 16_384,
        work_unit: 64,
        operations: Vec::new(),
    }
}

/// An export with one and with four connections, three rounds: four are faster for small reads only.
pub fn nfs() -> Record {
    let mut runs = Vec::new();
    for round in 0..3 {
        for (load, one, four, depth) in [
            (ProofLoad::SmallReads, 40_000, 71_000, 16),
            (ProofLoad::LargeReads, 1_100, 1_090, 4),
            (ProofLoad::SmallWrites, 9_000, 9_100 + 900 * (round % 2), 16),
            (ProofLoad::LargeWrites, 600, 604, 4),
        ] {
            for (count, rate) in [(1, one), (4, four)] {
                let place = ProofPlace::Connections { count };
                runs.push(part(ProofSubject::Nfs, place, load, rate + round * 4, depth));
            }
        }
    }
    proof(runs)
}

/// A crash in which so many of 400 acknowledged commits are lost, with the events of two clients.
fn crash(number: u32, lost: u64) -> Crash {
    let event =
        |at_us: u64, client: u32, number: u64, kind| CrashEvent { at_ns: Nanos(at_us * 1_000), client, number, kind };
    let last = if lost > 0 { CrashEventKind::Lost } else { CrashEventKind::Acknowledged };
    Crash {
        number,
        state: 1,
        changes: Some(1_200),
        seed: u64::from(number),
        moment: [CrashMoment::Commit, CrashMoment::Checkpoint, CrashMoment::Tables][number as usize % 3],
        survival: [Survival::AllLost, Survival::Prefix, Survival::Subset, Survival::Torn][number as usize % 4],
        delay_ns: None,
        isolated_ns: None,
        attempted: 402,
        acknowledged: 400,
        unknown: 2,
        found: Some(401 - lost),
        unsynced_writes: Some(3),
        unsynced_bytes: Some(Bytes(3 * BLOCK)),
        ready_ns: Some(Nanos(180_000_000 + u64::from(number) * 1_000_000)),
        would_not_start: None,
        damage: CrashDamage { lost, ..CrashDamage::default() },
        complaints: Vec::new(),
        seen: None,
        ended_with: None,
        timeline: vec![
            event(39_100, 0, 198, CrashEventKind::Acknowledged),
            event(39_400, 1, 199, CrashEventKind::Acknowledged),
            event(39_800, 0, 199, CrashEventKind::Acknowledged),
            event(40_300, 1, 200, last),
            event(40_700, 0, 200, last),
            event(41_000, 1, 201, CrashEventKind::UnknownGone),
            event(41_100, 0, 201, CrashEventKind::UnknownThere),
            event(41_200, 0, 0, CrashEventKind::Fault),
        ],
    }
}

/// Crashes of an engine with so many states each, of which so many lose commits, beside storage that ignores syncs, storage that
/// ignores some, and two settings.
fn crashes(lossy: u32, states: u32) -> Record {
    let of = |condition, must_lose: bool, count: u32, lossy: u32| {
        let protections = vec!["sync".to_owned(), "double_write".to_owned()];
        let rung = CrashRung::D1;
        let place = ProofPlace::Crashes {
            rung,
            file_system: None,
            cluster: None,
            condition,
            must_lose,
            count,
            states,
            protections,
        };
        let mut run = part(ProofSubject::Durability, place, ProofLoad::Ledger, 100, 1);
        run.storage = None;
        let crashes = (1..=count).map(|number| crash(number, if number <= lossy { 7 } else { 0 }));
        run.crashes =
            crashes.flat_map(|crash| (1..=states).map(move |state| Crash { state, ..crash.clone() })).collect();
        run
    };
    let settings = |settings: &str| CrashCondition::Settings { settings: settings.to_owned() };
    let mut record = proof(vec![
        of(CrashCondition::Asked, false, 60, lossy),
        of(CrashCondition::LyingStorage { every: 1 }, true, 5, 4),
        of(CrashCondition::LyingStorage { every: 10 }, false, 60, 9),
        of(settings("double_write=off"), true, 5, 5),
        of(settings("flush_log_at_the_commit_of_a_transaction=2"), true, 5, 5),
    ]);
    record.engine = crate::sample::record().engine.map(|mut engine| {
        let setting = |name: &str| Setting { name: name.to_owned(), value: "on".to_owned(), default: None };
        engine.settings.push(setting("double_write"));
        engine
    });
    record
}

/// 60 runs of the load with five states each without a loss, and controls that lose.
pub fn durability() -> Record {
    crashes(0, 5)
}

/// 60 crashes, three of which lose commits.
pub fn lossy_durability() -> Record {
    crashes(3, 1)
}
