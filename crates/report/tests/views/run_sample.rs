//! The runs of the sample: totals, latencies and counters that fit what its test does per second.

use record::{
    Bytes, Ceiling, Check, Dop, Latency, Layer, Nanos, Pace, PlannedRun, Reading, Run, RunKind, Second, Sweep,
    Timestamp, Totals, Unit, Verdict, name,
};

use crate::finding_sample::finding;
use crate::test_sample::Sample;

/// Seconds of each window.
pub const SECONDS: u64 = 3;

/// The run `number` of `sample` at `dop`.
pub fn run(number: u32, sample: &Sample, dop: u32, operations_per_second: u64) -> Run {
    let operations = operations_per_second * SECONDS;
    let transactions = if sample.unit == Unit::Transaction { operations } else { 0 };
    // Work of a processor is done in long steps, and each step is many operations.
    let long = matches!(sample.layer, Layer::Cpu | Layer::Memory) || sample.unit == Unit::Row && sample.code != "T626";
    let steps = if long { SECONDS * 10 * u64::from(dop) } else { operations };
    let window_ns = Nanos(SECONDS * 1_000_000_000 + 2_000_000);
    let service_ns = window_ns.0 * u64::from(dop) / steps.max(1);
    let second = Second {
        steps: steps / SECONDS,
        operations: operations_per_second,
        rows: operations_per_second * sample.rows,
        failures: 0,
        service_ns_sum: Nanos(service_ns * (steps / SECONDS)),
        service_ns_max: Nanos(service_ns * 8),
        response_ns_sum: Nanos(service_ns * (steps / SECONDS)),
        response_ns_max: Nanos(service_ns * 8),
    };
    let planned = PlannedRun::new(
        sample.code,
        RunKind::of_code(sample.code),
        match sample.sweep {
            Sweep::Jobs | Sweep::Agents { .. } => Dop::jobs(dop),
            Sweep::Threads => Dop { nodes: 1, jobs: 1, threads: dop },
        },
    );
    Run {
        number,
        title: sample.title.to_owned(),
        layer: sample.layer,
        unit: sample.unit,
        sweep: sample.sweep,
        ceiling: sample.ceiling.map(|(probe, unit)| Ceiling { probe: probe.to_owned(), unit }),
        cache_fit: sample.cache_fit,
        data_bytes: sample.cache_fit.map(|_| Bytes(1_200_000_000)),
        commits_expected: (transactions > 0).then_some(transactions),
        changes: transactions > 0,
        window_ns,
        totals: Totals {
            steps,
            operations,
            rows: operations * sample.rows,
            transactions,
            bytes: (sample.unit == Unit::Byte).then_some(Bytes(operations)),
            ..Totals::default()
        },
        service: latency(steps, service_ns),
        response: latency(steps, service_ns),
        seconds: vec![second; SECONDS as usize],
        readings: readings(sample, operations, window_ns),
        findings: vec![finding(Check::LittlesLaw, Verdict::Pass)],
        ..Run::new(&planned, Pace::Unthrottled, Timestamp("2026-01-31T12:01:00.000Z".to_owned()))
    }
}

fn latency(count: u64, mean_ns: u64) -> Latency {
    Latency {
        count,
        min_ns: Nanos(mean_ns / 2),
        mean_ns: Nanos(mean_ns),
        p50_ns: Nanos(mean_ns * 9 / 10),
        p90_ns: Some(Nanos(mean_ns * 3 / 2)),
        p99_ns: Some(Nanos(mean_ns * 2)),
        p999_ns: Some(Nanos(mean_ns * 4)),
        max_ns: Nanos(mean_ns * 8),
        histogram: String::new(),
    }
    .printable()
}

/// Counters at the beginning and at the end of the window: of two processors, three quarters at work.
fn readings(sample: &Sample, operations: u64, window_ns: Nanos) -> Vec<Reading> {
    let window = window_ns.0;
    let reads = operations * sample.read_pages;
    let writes = operations * sample.written_pages;
    let redo = operations * sample.redo_bytes;
    let mut grown = vec![
        (name::HOST_CPU_USER_NS, window),
        (name::HOST_CPU_SYSTEM_NS, window / 2),
        (name::HOST_CPU_IOWAIT_NS, window / 10),
        (name::HOST_CPU_IDLE_NS, window * 4 / 10),
        (name::CLIENT_CPU_NS, window / 5),
        (name::DEVICE_READ_COUNT, reads * 3 / 100),
        (name::DEVICE_READ_BYTES, reads * 8192 * 3 / 100),
        (name::DEVICE_WRITE_COUNT, writes / 2 + redo / 16384),
        (name::DEVICE_WRITE_BYTES, writes * 4096 + redo),
        (name::DEVICE_FLUSH_COUNT, redo / 16384),
    ];
    if sample.code.starts_with('T') {
        grown.extend([
            (name::HOST_CPU_STEAL_NS, 0),
            (name::SERVER_CPU_NS, window),
            (name::LOGICAL_READ_COUNT, operations * (sample.read_pages + 3)),
            (name::PHYSICAL_READ_COUNT, reads),
            (name::PHYSICAL_READ_BYTES, reads * 8192),
            (name::PHYSICAL_WRITE_COUNT, writes),
            (name::PHYSICAL_WRITE_BYTES, writes * 8192),
            (name::REDO_WRITE_BYTES, redo),
            (name::COMMIT_COUNT, operations),
        ]);
    }
    let begin = grown.iter().map(|(name, _)| ((*name).to_owned(), 1_000));
    let end = grown.iter().map(|(name, value)| ((*name).to_owned(), 1_000 + value));
    vec![
        Reading { at_ns: Nanos(5_000), values: begin.collect() },
        Reading { at_ns: Nanos(5_000 + window), values: end.collect() },
    ]
}
