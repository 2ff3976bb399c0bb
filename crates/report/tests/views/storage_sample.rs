//! Records of storage runs, made up: round figures of a device that does not exist.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use record::evidence::{Bound, Compressible, DeviceIo, IoDirection, PageCache, Stall, StepDown, Unwritten};
use record::{
    Bytes, Dop, Evidence, Finding, IoFile, IoKind, IoPhase, IoPlan, IoStream, Latency, Layer, Nanos, Pace, PlannedRun,
    Rate, Ratio, Reading, Record, Round, Run, RunKind, Second, Storage, Timestamp, Totals, Verdict, name,
};

use crate::finding_sample::steal;
use crate::sample;
pub use crate::storage_plan::{job, plan};

const KIB: u64 = 1 << 10;

/// Seconds of each window.
const SECONDS: u64 = 10;

/// Latencies around `mean_ns`: most near it, one in a hundred four times as long, the longest ten times.
fn latency(count: u64, mean_ns: u64) -> Latency {
    let mut histogram: Histogram<u64> = Histogram::new_with_bounds(1, 86_400_000_000_000, 3).unwrap();
    for step in 0..100 {
        histogram.record_n(mean_ns * (60 + step) / 110, count / 101).unwrap();
    }
    histogram.record_n(mean_ns * 4, count / 101).unwrap();
    histogram.record_n(mean_ns * 10, count - count / 101 * 101 + 1).unwrap();
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
    let at = |quantile| Nanos(histogram.value_at_quantile(quantile));
    Latency {
        count: histogram.len(),
        min_ns: Nanos(histogram.min()),
        mean_ns: Nanos(histogram.mean() as u64),
        p50_ns: at(0.5),
        p90_ns: Some(at(0.9)),
        p99_ns: Some(at(0.99)),
        p999_ns: Some(at(0.999)),
        max_ns: Nanos(histogram.max()),
        histogram: BASE64_STANDARD.encode(bytes),
    }
    .printable()
}

/// A stream of `rate` I/Os per second, each of `block` bytes.
pub fn stream(job: &str, kind: IoKind, rate: u64, block: u64, clones: u32, depth: u32) -> IoStream {
    let operations = rate * SECONDS;
    let mean_ns = u64::from(clones) * u64::from(depth) * 1_000_000_000 / rate.max(1);
    let second = Second { steps: rate, operations: rate, ..Second::default() };
    IoStream {
        job: job.to_owned(),
        report_group: 0,
        clone: None,
        kind,
        clones,
        depth,
        slots: clones * depth,
        in_flight_mean: None,
        duty_cycle: Ratio(1.0),
        block_bytes_min: Bytes(block),
        block_bytes_max: Bytes(block),
        random: true,
        direct: true,
        pace: Pace::Unthrottled,
        window_ns: Nanos(SECONDS * 1_000_000_000),
        operations,
        bytes: Bytes(operations * block),
        short: 0,
        failures: 0,
        first_failure: None,
        unfinished: 0,
        verified: 0,
        corrupt: 0,
        stale: 0,
        unverified: 0,
        service: latency(operations, mean_ns),
        response: latency(operations, mean_ns),
        seconds: vec![second; SECONDS as usize],
    }
}

/// A file of 10 GiB, written, direct.
fn file(path: &str) -> IoFile {
    IoFile {
        path: path.to_owned(),
        size_bytes: Bytes::GIB.times(10),
        region_bytes: Bytes::GIB.times(10),
        file_system: Some("xfs".to_owned()),
        has_device: Some(true),
        hole_bytes: Some(Bytes(0)),
        unwritten_bytes: Some(Bytes(0)),
        cached: Some(Ratio(0.0)),
        compressed: Some(Ratio(1.0)),
        repeated: Some(Ratio(0.0)),
        ..IoFile::default()
    }
}

/// So much of what was read came from the device.
fn device_read(verdict: Verdict, share: f64) -> Finding {
    let (direction, share, limit) = (IoDirection::Read, Some(Ratio(share)), Ratio(0.9));
    Finding::new(
        verdict,
        Evidence::DeviceIo(DeviceIo::Counted {
            direction,
            share,
            limit,
            is_forced: false,
            is_counted_by_mount: false,
            loop_file: None,
        }),
    )
}

/// Response times against a service level.
fn level(verdict: Verdict, statistic: &str, level: &str, value_ns: Option<Nanos>) -> Finding {
    let [level, statistic] = [level, statistic].map(str::to_owned);
    Finding::new(verdict, Evidence::Bound(Bound::Level { level, statistic, value_ns, confirms: None }))
}

/// A run of these streams, with the counters of a device that saw all of it.
pub fn run(number: u32, test: &str, title: &str, streams: Vec<IoStream>) -> Run {
    let sum = |kinds: &[IoKind], of: fn(&IoStream) -> u64| -> u64 {
        streams.iter().filter(|stream| kinds.contains(&stream.kind)).map(of).sum()
    };
    let all: u64 = streams.iter().map(|stream| stream.operations).sum();
    let window = SECONDS * 1_000_000_000;
    let (reads, writes) = (&[IoKind::Read][..], &[IoKind::Write, IoKind::Commit][..]);
    let grown = [
        (name::HOST_CPU_USER_NS, window / 2),
        (name::HOST_CPU_SYSTEM_NS, window / 2),
        (name::HOST_CPU_IDLE_NS, window),
        (name::CLIENT_CPU_NS, all * 2_500),
        (name::DEVICE_READ_COUNT, sum(reads, |stream| stream.operations)),
        (name::DEVICE_READ_BYTES, sum(reads, |stream| stream.bytes.0)),
        (name::DEVICE_READ_NS, window * 8),
        (name::DEVICE_WRITE_COUNT, sum(writes, |stream| stream.operations)),
        (name::DEVICE_WRITE_BYTES, sum(writes, |stream| stream.bytes.0)),
        (name::DEVICE_FLUSH_COUNT, sum(&[IoKind::Sync, IoKind::Commit], |stream| stream.operations)),
        (name::DEVICE_IO_TICKS_NS, window * 99 / 100),
    ];
    let begin = grown.iter().map(|(name, _)| ((*name).to_owned(), 1_000)).collect();
    let end = grown.iter().map(|(name, rise)| ((*name).to_owned(), 1_000 + rise)).collect();
    let first = &streams[0];
    let planned = PlannedRun::new(
        test,
        if RunKind::of_code(test).is_probe() { RunKind::Probe } else { RunKind::Io },
        Dop::jobs(first.clones),
    );
    let plain = Run::new(&planned, first.pace, Timestamp("2026-01-31T12:01:00.000Z".to_owned()));
    Run {
        number,
        title: title.to_owned(),
        layer: Layer::Storage,
        window_ns: Nanos(window),
        totals: Totals { steps: all, operations: all, ..Totals::default() },
        service: first.service.clone(),
        response: first.response.clone(),
        seconds: first.seconds.clone(),
        readings: vec![Reading { at_ns: Nanos(0), values: begin }, Reading { at_ns: Nanos(window), values: end }],
        findings: vec![device_read(Verdict::Pass, 1.0)],
        storage: Some(Box::new(Storage {
            modes: vec!["io_uring, registered files and buffers, DEFER_TASKRUN".to_owned()],
            generator_per_second: Some(Rate(2_000_000.0)),
            scheduling_delay_ns_max: Some(Nanos(300_000)),
            files: vec![file("/measured/dbdyno/dbdyno-data/test")],
            streams,
            ..Storage::default()
        })),
        ..plain
    }
}

/// Streams of every kind in four runs: one of published rows, one of a database with a rate, one of trims with a
/// warning, one that is invalid.
pub fn io() -> Record {
    let mut runs = vec![
        run(1, "io", "nvme-rand-read", vec![stream("nvme", IoKind::Read, 250_000, 4 * KIB, 16, 16)]),
        run(2, "io", "database", database()),
        run(3, "io", "trim", vec![stream("trim", IoKind::Trim, 20, 1 << 20, 1, 16)]),
        run(4, "io", "memory", vec![stream("nvme", IoKind::Read, 9_000_000, 4 * KIB, 16, 16)]),
    ];
    let storage = |run: &mut Run, change: fn(&mut Storage)| run.storage.as_deref_mut().map(change).unwrap();
    storage(&mut runs[1], |storage| {
        storage.modes.push("pread and pwrite, O_DIRECT".to_owned());
        storage.refused.push("polled completion: Operation not supported".to_owned());
        storage.files = vec![file("/measured/dbdyno/dbdyno-data/data.0"), file("/measured/dbdyno/dbdyno-data/log")];
        (storage.files[1].size_bytes, storage.files[1].region_bytes) = (Bytes::GIB, Bytes::GIB);
        storage.files[1].unwritten_bytes = Some(Bytes::MIB.times(900));
        let round = |rate| Round { length_ns: Nanos(60_000_000_000), operations_per_second: Rate(rate) };
        storage.rounds = [9000.0, 6000.0, 5200.0, 5010.0, 5000.0, 5005.0, 4990.0].map(round).to_vec();
    });
    storage(&mut runs[2], |storage| {
        storage.files[0] = IoFile { is_device: true, found: true, ..file("/dev/nvme9n1") };
        storage.generator_per_second = None;
    });
    storage(&mut runs[3], |storage| {
        storage.files[0].file_system = Some("tmpfs".to_owned());
        (storage.files[0].has_device, storage.files[0].cached) = (Some(false), Some(Ratio(1.0)));
    });
    let unwritten = Unwritten::Some {
        path: "log".to_owned(),
        share: Ratio(0.88),
        are_holes: false,
        are_read: false,
        limit: Ratio(0.01),
    };
    let compressible = Compressible::NotKnown { path: "log".to_owned() };
    runs[1].findings.extend([
        Finding::new(Verdict::Warn, Evidence::Unwritten(unwritten)),
        Finding::new(Verdict::Unknown, Evidence::Compressible(compressible)),
    ]);
    let fall = StepDown { job: "trim".to_owned(), before: Rate(20.0), after: Rate(12.0), at_second: 6 };
    runs[2].findings.push(Finding::new(Verdict::Warn, Evidence::StepDown(Some(fall))));
    let memory =
        DeviceIo::NoDevice { path: "test".to_owned(), file_system: Some("tmpfs".to_owned()), memory_device: None };
    let cached = PageCache::Files { cached: Some(Ratio(1.0)), limit: Ratio(0.05) };
    runs[3].findings = vec![
        Finding::new(Verdict::Fail, Evidence::DeviceIo(memory)),
        Finding::new(Verdict::Warn, Evidence::PageCache(cached)),
    ];
    record(runs, Some(plan()))
}

/// Reads and writes of two clones at a rate, syncs, and a log of commits.
fn database() -> Vec<IoStream> {
    let poisson = Pace::Poisson { steps_per_second: 3_000.0 };
    let data = |kind, clone, rate| IoStream {
        report_group: 1,
        clone: Some(clone),
        pace: poisson,
        response: latency(rate * SECONDS, 2_000_000),
        service: latency(rate * SECONDS, 400_000),
        block_bytes_max: Bytes(if kind == IoKind::Write { 128 * KIB } else { 32 * KIB }),
        ..stream("data", kind, rate, if kind == IoKind::Write { 4 * KIB } else { 8 * KIB }, 1, 16)
    };
    let mut streams = Vec::new();
    for clone in 0..2 {
        streams.push(data(IoKind::Read, clone, 1050));
        streams.push(IoStream { unfinished: 17, ..data(IoKind::Write, clone, 450) });
        let sync = data(IoKind::Sync, clone, 14);
        streams.push(IoStream { bytes: Bytes(0), block_bytes_max: Bytes(0), block_bytes_min: Bytes(0), ..sync });
    }
    streams[1].failures = 3;
    streams[1].short = 1;
    streams[1].first_failure = Some("No space left on device (os error 28)".to_owned());
    (streams[0].verified, streams[0].corrupt) = (65_536, 0);
    let commit = stream("redo", IoKind::Commit, 8_000, 4 * KIB, 1, 1);
    streams.push(IoStream { report_group: 2, random: false, ..commit });
    streams
}

/// A record of these runs on the machine of the sample, without an engine.
pub fn record(runs: Vec<Run>, io: Option<IoPlan>) -> Record {
    let planned = |run: &Run| PlannedRun {
        kind: run.kind.clone(),
        number: run.number,
        test: run.test.clone(),
        dop: run.dop,
        repeat: 1,
        variation: None,
    };
    let mut record = sample::record();
    record.plan.runs = runs.iter().map(planned).collect();
    (record.plan.skipped, record.plan.io) = (Vec::new(), io);
    (record.engine, record.data_sets) = (None, Vec::new());
    Record { runs, ..record }
}

/// A search for the highest rate that keeps a service level: seven measurements, of which one is invalid.
pub fn search() -> Record {
    let steps = [
        (1, 1_000, 150),
        (2, 2_000, 160),
        (3, 4_000, 220),
        (4, 8_000, 900),
        (5, 5_600, 260),
        (6, 6_700, 420),
        (7, 6_100, 240),
    ];
    let run_at = |(number, rate, mean_us): (u32, u64, u64)| {
        let pace = Pace::Rate { steps_per_second: rate as f64 };
        let reads = IoStream {
            pace,
            service: latency(rate * SECONDS, 150_000),
            response: latency(rate * SECONDS, mean_us * 1_000),
            ..stream("io", IoKind::Read, rate, 8 * KIB, 4, 8)
        };
        let mut run = run(number, "until", "randread 8 KiB", vec![reads]);
        run.storage.as_deref_mut().unwrap().bound = Some("p99=1ms".to_owned());
        let kept = run.response.p99_ns.is_some_and(|p99| p99 < Nanos(1_000_000));
        let verdict = if kept { Verdict::Pass } else { Verdict::Warn };
        run.findings.push(level(verdict, "p99", "p99=1ms", run.response.p99_ns));
        run
    };
    let mut runs: Vec<Run> = steps.into_iter().map(run_at).collect();
    runs[1].findings.extend([
        Finding::new(
            Verdict::Warn,
            Evidence::Stall(Some(Stall {
                scheduling_delay_ns_max: Nanos(400_000_000),
                limit_ns: Nanos(20_000_000),
                is_open_loop: true,
            })),
        ),
        steal(Verdict::Fail, 40.0),
    ]);
    let mut only = job("io");
    only.pace = Pace::Rate { steps_per_second: 1_000.0 };
    record(
        runs,
        Some(IoPlan { phases: vec![IoPhase { name: "io".to_owned(), jobs: vec![only] }], ..IoPlan::default() }),
    )
}

/// A calibration: small reads at 1 to 64 in flight, the best load three times, large reads; one run is invalid.
pub fn calibration() -> Record {
    let small = [(1, 9_800), (2, 19_000), (4, 36_000), (8, 60_000), (16, 82_000), (32, 90_000), (64, 91_000)];
    let again = [(32, 90_400), (32, 89_700)];
    let large = [(4, 2_900), (8, 3_000), (8, 3_020)];
    let sized = |in_flight: u32, rate, block| {
        stream("calibrate", IoKind::Read, rate, block, in_flight.min(4), in_flight.div_ceil(4))
    };
    let mut runs: Vec<Run> = Vec::new();
    for (in_flight, rate) in small.into_iter().chain(again) {
        let number = runs.len() as u32 + 1;
        runs.push(run(number, "max_iops", "random reads of 8 KiB", vec![sized(in_flight, rate, 8 * KIB)]));
    }
    for (in_flight, rate) in large {
        let number = runs.len() as u32 + 1;
        runs.push(run(number, "max_mbps", "random reads of 1 MiB", vec![sized(in_flight, rate, 1 << 20)]));
    }
    for run in &mut runs {
        run.storage.as_deref_mut().unwrap().bound = Some("mean=500us".to_owned());
        let kept = if run.service.mean_ns < Nanos(500_000) { Verdict::Pass } else { Verdict::Warn };
        run.findings.push(level(kept, "mean", "mean=500us", Some(run.response.mean_ns)));
    }
    runs[1].findings.push(device_read(Verdict::Fail, 0.03));
    let phases = vec![IoPhase { name: "calibrate".to_owned(), jobs: vec![job("calibrate")] }];
    record(runs, Some(IoPlan { phases, ..IoPlan::default() }))
}

/// The sample of a whole platform, with a probe of storage in it.
pub fn mixed_record() -> Record {
    let mut record = sample::record();
    let number = record.runs.len() as u32 + 1;
    record.runs.push(run(number, "S21", "random reads", vec![stream("S21", IoKind::Read, 52_000, 8 * KIB, 4, 32)]));
    record
}
