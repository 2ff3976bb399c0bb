//! The tracers agree: both count the same requests of the same device at the same time.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::PoisonError;

use dbdyno_trace::{Scope, Tracer};
use record::{Latency, MeasuringPoint, OperationClass, Trace, TracerKind};

use crate::permitted::{ALONE, disk, found};

/// Reads and writes of the test.
const READS: u64 = 2_000;
const WRITES: u64 = 600;
/// Bytes of each: enough to make the overhead of both tracers small.
const BLOCK: usize = 65_536;
/// Maximum difference of two counts of the same events, as a ratio or in requests in flight at the edges.
const COUNT_RATIO_MAX: f64 = 0.02;
const AT_EDGES: f64 = 4.0;
/// Maximum difference of their means.
const MEAN_RATIO_MAX: f64 = 0.10;

/// A block aligned for direct I/O.
#[repr(align(4096))]
struct Block([u8; BLOCK]);

/// Reads and their time by the kernel's counters, milliseconds.
fn counters(disk: &str) -> (u64, u64) {
    let text = fs::read_to_string(format!("/sys/block/{disk}/stat")).unwrap();
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (numbers[0], numbers[3])
}

fn direct(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).custom_flags(libc::O_DIRECT).open(path).unwrap()
}

fn write_all(file: &File, blocks: u64) {
    let block = Block([7; BLOCK]);
    (0..blocks).for_each(|number| file.write_all_at(&block.0, number * BLOCK as u64).unwrap());
}

/// Direct reads by one thread, direct writes with a sync after every eighth by another.
fn work(file: &File) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut block = Block([0; BLOCK]);
            for number in 0..READS {
                let index = number.wrapping_mul(0x9e37_79b9) % WRITES;
                file.read_exact_at(&mut block.0, index * BLOCK as u64).unwrap();
            }
        });
        scope.spawn(|| {
            for round in 0..WRITES / 8 {
                (0..8).for_each(|at| {
                    let offset = (round * 8 + at) * BLOCK as u64;
                    file.write_all_at(&Block([9; BLOCK]).0, offset).unwrap();
                });
                file.sync_data().unwrap();
            }
        });
    });
}

fn latency<'t>(trace: &'t Trace, point: MeasuringPoint, name: &str) -> &'t Latency {
    let found = found(trace, point, name);
    &found.unwrap_or_else(|| panic!("{:?} has no {name} at {point:?}: {:#?}", trace.tracer, trace.latencies)).latency
}

fn is_near(one: f64, other: f64, ratio_max: f64) -> bool {
    (one / other - 1.0).abs() <= ratio_max
}

fn counts_agree(one: u64, other: u64) -> bool {
    let (one, other) = (one as f64, other as f64);
    (one - other).abs() <= AT_EDGES || is_near(one, other, COUNT_RATIO_MAX)
}

/// Two tracers agree on the requests `name`.
fn agree(bpf: &Trace, lower: &Trace, name: &str) {
    for point in [MeasuringPoint::Block, MeasuringPoint::Device] {
        let (one, other) = (latency(bpf, point, name), latency(lower, point, name));
        let message = format!("{:?} {point:?} {name}: {other:?}, and by BPF {one:?}", lower.tracer);
        assert!(counts_agree(other.count, one.count), "{message}");
        let means_agree = is_near(other.mean_ns.0 as f64, one.mean_ns.0 as f64, MEAN_RATIO_MAX);
        // Writeback and flushes are allocated long before they are inserted, and there are few flushes: one at an edge
        // is much of their mean.
        let is_same = name == "READ" || name == "WRITE" && point == MeasuringPoint::Device;
        assert!(!is_same || means_agree, "{message}");
    }
    let medians = [bpf, lower].map(|trace| latency(trace, MeasuringPoint::Device, name).p50_ns.0 as f64);
    assert!(is_near(medians[1], medians[0], MEAN_RATIO_MAX), "{:?} {name}: {medians:?}", lower.tracer);
}

#[test]
fn all_tracers_count_and_time_the_same_requests() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some((disk, is_flushed)) = disk(directory.path()) else { return };
    if !crate::may_read_tracefs() {
        return;
    }
    let file = direct(&directory.path().join("data"));
    write_all(&file, WRITES);
    file.sync_all().unwrap();
    let scope = Scope { roots: vec![std::process::id()], device: Some(disk.clone()) };
    let start = |tracer: TracerKind| {
        Tracer::start(&scope, Some(tracer)).unwrap_or_else(|refused| panic!("{tracer:?}: {refused:?}"))
    };
    let tracers = [TracerKind::Bpf, TracerKind::Tracefs].map(start);
    let before = counters(&disk);
    tracers.iter().for_each(Tracer::begin);
    work(&file);
    tracers.iter().for_each(Tracer::end);
    let after = counters(&disk);
    let traces = tracers.map(Tracer::finish);
    for trace in &traces {
        for (name, made) in [("READ", READS), ("WRITE", WRITES)] {
            let count = found(trace, MeasuringPoint::Device, name).map_or(0, |found| found.latency.count);
            let message = format!("{:?}: {count} of {made} {name}, {} lost", trace.tracer, trace.lost_count);
            let is_whole = count as f64 >= made as f64 * (1.0 - COUNT_RATIO_MAX);
            assert!(is_whole, "{message}");
            // Each missing request is counted as lost.
            assert!(trace.tracer == TracerKind::Bpf || count + trace.lost_count >= made, "{message}");
        }
    }
    let [bpf, tracefs] = &traces;
    for name in ["READ", "WRITE"].into_iter().chain(is_flushed.then_some("FLUSH")) {
        agree(bpf, tracefs, name);
    }
    let (reads, time_ms) = (after.0 - before.0, after.1 - before.1);
    let (block, mean_ns) = (latency(bpf, MeasuringPoint::Block, "READ"), time_ms as f64 * 1e6 / reads as f64);
    assert!(counts_agree(reads, block.count), "{reads} by the counters, {block:?}");
    assert!(is_near(mean_ns, block.mean_ns.0 as f64, MEAN_RATIO_MAX), "{mean_ns} ns by the counters, {block:?}");
}

#[test]
fn tracefs_reports_system_calls_as_missing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some((disk, _)) = disk(directory.path()).filter(|_| crate::may_read_tracefs()) else { return };
    let kind = TracerKind::Tracefs;
    let scope = Scope { roots: vec![std::process::id()], device: Some(disk.clone()) };
    let tracer = Tracer::start(&scope, Some(kind)).map_err(|refused| refused.reason).unwrap();
    assert_eq!(tracer.kind(), kind);
    tracer.begin();
    File::create(directory.path().join("data")).unwrap().sync_all().unwrap();
    let trace = tracer.finish();
    assert_eq!(trace.tracer, kind);
    let missing: Vec<MeasuringPoint> = trace.missing.iter().map(|missing| missing.point).collect();
    assert_eq!(missing, [MeasuringPoint::SystemCall], "{:?}", trace.missing);
    assert!(trace.missing[0].reason.contains("another tracer was requested"), "{:?}", trace.missing);
    assert!(trace.latencies.iter().all(|row| row.class != OperationClass::Sync), "{:#?}", trace.latencies);
    let nowhere = Scope { device: None, ..scope };
    let refused = Tracer::start(&nowhere, Some(kind)).err().expect("there is no device");
    assert!(refused.reason.contains("not on a known disk"), "{refused:?}");
    assert_eq!(refused.unavailable.iter().map(|unavailable| unavailable.tracer).collect::<Vec<_>>(), [kind]);
}
