//! With privileges: all operations of this process are counted, and no others.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dbdyno_trace::{Scope, Tracer};
use record::{Latency, LayerLatency, MeasuringPoint, OperationClass, Trace, TracerKind};

/// Serialises the tests of this binary, which are threads of the traced process.
pub static ALONE: Mutex<()> = Mutex::new(());

/// A tracer of this process; none without privileges or in another PID namespace.
pub fn tracer(device: Option<String>) -> Option<Tracer> {
    let tracer = Tracer::start(&Scope { roots: vec![std::process::id()], device }, Some(TracerKind::Bpf));
    if crate::may_trace() {
        return Some(tracer.map_err(|refused| refused.reason).expect("this process has the capabilities"));
    }
    let reason = match tracer {
        Ok(tracer) => format!("{:?}", tracer.finish().missing),
        Err(refused) => refused.reason,
    };
    assert!(["CAP_BPF", "PID namespace", "does not permit"].iter().any(|words| reason.contains(words)), "{reason}");
    None
}

pub fn found<'a>(trace: &'a Trace, point: MeasuringPoint, name: &str) -> Option<&'a LayerLatency> {
    trace.latencies.iter().find(|latency| latency.point == point && latency.name == name)
}

pub fn counted(trace: &Trace, name: &str) -> u64 {
    found(trace, MeasuringPoint::SystemCall, name).map_or(0, |latency| latency.latency.count)
}

/// The whole disk below `directory`, if it has requests of its own, and whether it has a volatile cache.
pub fn disk(directory: &Path) -> Option<(String, bool)> {
    let number = fs::metadata(directory).unwrap().dev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let mut node = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    if node.join("partition").exists() {
        node.pop();
    }
    let cache = fs::read_to_string(node.join("queue/write_cache")).unwrap_or_default();
    node.join("mq")
        .is_dir()
        .then(|| (node.file_name().unwrap().to_string_lossy().into_owned(), cache.trim() == "write back"))
}

#[test]
fn every_write_and_every_sync_is_counted_and_timed() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let disk = disk(directory.path());
    let Some(tracer) = tracer(disk.as_ref().map(|(name, _)| name.clone())) else { return };
    let file = File::create(directory.path().join("log")).unwrap();
    let write = |count: u64| {
        let mut times: Vec<Duration> = Vec::new();
        for number in 0..count {
            file.write_all_at(&[7; 4_096], number * 4_096).unwrap();
            let start = Instant::now();
            file.sync_data().unwrap();
            times.push(start.elapsed());
        }
        times
    };
    write(3);
    tracer.begin();
    let mut times = write(50);
    tracer.end();
    write(3);
    let trace = tracer.finish();
    assert_eq!((trace.tracer, trace.lost_count), (TracerKind::Bpf, 0));
    assert_eq!((counted(&trace, "pwrite64"), counted(&trace, "fdatasync")), (50, 50), "{:#?}", trace.latencies);
    let writes = found(&trace, MeasuringPoint::SystemCall, "pwrite64").unwrap();
    assert_eq!((writes.class, writes.bytes.map(|bytes| bytes.0)), (OperationClass::Write, Some(50 * 4_096)));
    let sync = found(&trace, MeasuringPoint::SystemCall, "fdatasync").unwrap();
    assert_eq!((sync.class, sync.bytes), (OperationClass::Sync, None));
    times.sort_unstable();
    agrees_with(&sync.latency, &times);
    if let Some((_, is_flushed)) = disk {
        below(&trace, is_flushed);
    }
}

/// The times of the kernel are at most ours, and of the same magnitude.
fn agrees_with(latency: &Latency, times: &[Duration]) {
    let own_ns = |at: usize| times[at].as_nanos() as u64;
    let sum: u64 = times.iter().map(|time| time.as_nanos() as u64).sum();
    assert!(latency.mean_ns.0 * latency.count <= sum, "{latency:?} against {times:?}");
    assert!(latency.max_ns.0 <= own_ns(times.len() - 1));
    let (median, own) = (latency.p50_ns.0, own_ns(times.len() / 2));
    assert!(median * 4 > own && median < own * 4, "{median} ns, and by our own clock {own} ns");
}

/// Each sync has a flush of its own, and each write at least one request.
fn below(trace: &Trace, is_flushed: bool) {
    for (name, least) in [("WRITE", 50), ("FLUSH", if is_flushed { 50 } else { 0 })] {
        let at = |point| found(trace, point, name).map_or(0, |latency| latency.latency.count);
        let (queued, issued) = (at(MeasuringPoint::Block), at(MeasuringPoint::Device));
        assert!(queued >= least && issued >= least, "{name}: {queued} queued, {issued} issued; {:#?}", trace.latencies);
        let mean = |point| found(trace, point, name).map_or(0, |latency| latency.latency.mean_ns.0);
        assert!(mean(MeasuringPoint::Block) >= mean(MeasuringPoint::Device), "{:#?}", trace.latencies);
    }
}

#[test]
fn only_files_count() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(tracer) = tracer(None) else { return };
    let path = directory.path().join("data");
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path).unwrap();
    let (mut receiver, mut sender) = std::io::pipe().unwrap();
    let mut kernel = File::open("/proc/self/stat").unwrap();
    let mut buffer = [0; 64];
    tracer.begin();
    for _ in 0..10 {
        file.write_all(&buffer).unwrap();
        sender.write_all(&buffer).unwrap();
        receiver.read_exact(&mut buffer).unwrap();
        assert!(kernel.read(&mut buffer).unwrap() > 0 || kernel.read_at(&mut buffer, 0).unwrap() > 0);
    }
    file.read_exact_at(&mut buffer, 0).unwrap();
    assert!(file.read_exact_at(&mut buffer, 1 << 40).is_err());
    tracer.end();
    let trace = tracer.finish();
    let counts = ["write", "read", "pread64"].map(|name| counted(&trace, name));
    assert_eq!(counts, [10, 0, 2], "{:#?}", trace.latencies);
    let points: Vec<MeasuringPoint> = trace.missing.iter().map(|missing| missing.point).collect();
    assert_eq!(points, [MeasuringPoint::Block, MeasuringPoint::Device], "without a device");
}

#[test]
fn descendants_of_a_traced_process_count_and_others_do_not() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = directory.path().join("data").display().to_string();
    let copy = |conversion: &str, count: u32| {
        let (output, count) = (format!("of={file}"), format!("count={count}"));
        let arguments = ["if=/dev/zero", &output, "bs=4096", &count, conversion, "status=none"];
        assert!(std::process::Command::new("dd").args(arguments).status().unwrap().success());
    };
    let Some(own) = tracer(None) else { return };
    own.begin();
    copy("conv=fdatasync", 8);
    let own = own.finish();
    assert_eq!((counted(&own, "write"), counted(&own, "fdatasync")), (8, 1), "{:#?}", own.latencies);
    // A child without children.
    let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let scope = Scope { roots: vec![other.id()], device: None };
    let tracer = Tracer::start(&scope, None).map_err(|refused| refused.reason);
    let tracer = tracer.expect("permitted before");
    tracer.begin();
    File::create(&file).unwrap().sync_all().unwrap();
    let trace = tracer.finish();
    other.kill().and_then(|()| other.wait()).unwrap();
    assert!(trace.latencies.is_empty(), "{:#?}", trace.latencies);
}
