//! A record as one invocation leaves it, made up: round figures of a machine that does not exist.

use std::collections::BTreeMap;

use crate::data_sample::{data_set, reused};
pub use crate::platform_sample::{engine, host};
use record::{
    Bytes, CacheFit, Ceiling, Check, Dop, Finding, Instrument, Latency, Layer, Nanos, Outcome, Pace, Placement, Plan,
    PlannedRun, Preset, Reading, Record, Run, SCHEMA_VERSION, Second, Skipped, Status, Sweep, Timestamp, Tool, Totals,
    Unit, Verdict, name,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn at(text: &str) -> Timestamp {
    Timestamp(text.to_owned())
}

/// One test of the sample: what a run at one job does per second, and how it grows.
struct Sample {
    code: &'static str,
    title: &'static str,
    layer: Layer,
    unit: Unit,
    sweep: Sweep,
    /// Operations per second at 1, 2 and 4 jobs or threads.
    operations_per_second: [u64; 3],
    /// Rows of one operation.
    rows: u64,
    /// Pages of 8 KiB that one operation reads and writes, and bytes of redo.
    read_pages: u64,
    written_pages: u64,
    redo_bytes: u64,
    ceiling: Option<(&'static str, Unit)>,
    cache_fit: Option<CacheFit>,
}

const PLAIN: Sample = Sample {
    code: "",
    title: "",
    layer: Layer::Cpu,
    unit: Unit::Operation,
    sweep: Sweep::Jobs,
    operations_per_second: [0; 3],
    rows: 0,
    read_pages: 0,
    written_pages: 0,
    redo_bytes: 0,
    ceiling: None,
    cache_fit: None,
};

const SAMPLES: &[Sample] = &[
    Sample {
        code: "P111",
        title: "native integer arithmetic",
        operations_per_second: [1_000_000_000, 2_000_000_000, 2_000_000_000],
        ..PLAIN
    },
    Sample {
        code: "P211",
        title: "memory bandwidth, triad",
        layer: Layer::Memory,
        unit: Unit::Byte,
        operations_per_second: [10_000_000_000, 16_000_000_000, 16_500_000_000],
        ..PLAIN
    },
    Sample {
        code: "T131",
        title: "integer arithmetic, native 64-bit type",
        operations_per_second: [20_000_000, 40_000_000, 41_000_000],
        ceiling: Some(("P111", Unit::Operation)),
        ..PLAIN
    },
    Sample {
        code: "T151",
        title: "Fibonacci, recursive",
        unit: Unit::Call,
        operations_per_second: [5_000_000, 10_000_000, 10_100_000],
        ..PLAIN
    },
    Sample {
        code: "T611",
        title: "primary key access, 1 row per statement",
        layer: Layer::Server,
        unit: Unit::Statement,
        operations_per_second: [30_000, 55_000, 60_000],
        rows: 1,
        cache_fit: Some(CacheFit::Inside),
        ..PLAIN
    },
    Sample {
        code: "T621",
        title: "secondary key access, 320 rows per statement",
        layer: Layer::Server,
        unit: Unit::Statement,
        operations_per_second: [2_000, 3_900, 3_950],
        rows: 320,
        cache_fit: Some(CacheFit::Inside),
        ..PLAIN
    },
    Sample {
        code: "T426",
        title: "sequential read through the engine",
        layer: Layer::Storage,
        unit: Unit::Row,
        sweep: Sweep::Threads,
        operations_per_second: [40_000, 60_000, 65_000],
        rows: 1,
        read_pages: 1,
        cache_fit: Some(CacheFit::Outside),
        ..PLAIN
    },
    Sample {
        code: "T626",
        title: "random single-block read through the engine",
        layer: Layer::Storage,
        unit: Unit::Row,
        operations_per_second: [9_000, 17_000, 30_000],
        rows: 1,
        read_pages: 1,
        cache_fit: Some(CacheFit::Outside),
        ..PLAIN
    },
    Sample {
        code: "T721",
        title: "random write: update of 320 scattered rows per transaction",
        layer: Layer::Storage,
        unit: Unit::Transaction,
        operations_per_second: [100, 180, 250],
        rows: 320,
        read_pages: 320,
        written_pages: 320,
        redo_bytes: 160_000,
        cache_fit: Some(CacheFit::Outside),
        ..PLAIN
    },
    Sample {
        code: "T331",
        title: "bulk load",
        layer: Layer::Database,
        unit: Unit::Row,
        operations_per_second: [500_000, 800_000, 850_000],
        rows: 1,
        redo_bytes: 130,
        ..PLAIN
    },
    Sample {
        code: "T441",
        title: "aggregation and report query",
        layer: Layer::Database,
        unit: Unit::Statement,
        operations_per_second: [2, 4, 4],
        rows: 100,
        ..PLAIN
    },
    Sample {
        code: "T311",
        title: "OLTP insert, 2 rows per transaction",
        layer: Layer::Database,
        unit: Unit::Transaction,
        operations_per_second: [1_000, 1_900, 3_500],
        rows: 2,
        written_pages: 1,
        redo_bytes: 1_000,
        ..PLAIN
    },
    Sample {
        code: "T616",
        title: "OLTP select by primary key, 32 rows per transaction",
        layer: Layer::Database,
        unit: Unit::Transaction,
        operations_per_second: [1_500, 2_900, 3_000],
        rows: 32,
        ..PLAIN
    },
];

/// Seconds of each window.
const SECONDS: u64 = 3;

/// A sample of 13 tests at 1, 2 and 4 jobs, three of them in doubt, with one run broken off and one test skipped.
pub fn record() -> Record {
    let mut runs = Vec::new();
    for sample in SAMPLES {
        for (index, dop) in [1, 2, 4].into_iter().enumerate() {
            runs.push(run(runs.len() as u32 + 1, sample, dop, sample.operations_per_second[index]));
        }
    }
    spoil(&mut runs);
    let planned = runs.iter().map(|run| PlannedRun {
        number: run.number,
        test: run.test.clone(),
        dop: run.dop,
        repeat: 1,
        variation: None,
    });
    Record {
        schema_version: SCHEMA_VERSION,
        id: "20260131-120000-db1".to_owned(),
        tool: Tool { version: "0.1.0".to_owned(), optimised: true, build: None },
        begun_at: at("2026-01-31T12:00:00.000Z"),
        ended_at: Some(at("2026-01-31T12:04:30.000Z")),
        status: Status::Finished,
        reason: None,
        plan: plan(planned.collect()),
        host: host(),
        engine: Some(engine()),
        instrument: Instrument {
            clock_source: some("tsc"),
            clock_read_ns: 20.0,
            loop_step_ns: 80.0,
            null_engine_step_ns: 150.0,
            sample_ns: Nanos(200_000),
        },
        nodes: Vec::new(),
        data_sets: vec![data_set("dbdyno_small", 1_000_000, 2_000_000_000), reused("dbdyno_large", 10_000_000)],
        runs,
    }
}

/// Puts doubts into the sample, each of another kind.
fn spoil(runs: &mut [Run]) {
    let mut add = |test: &str, jobs: Option<u32>, check, verdict, detail: &str| {
        for run in runs.iter_mut().filter(|run| run.test == test && jobs.is_none_or(|jobs| run.dop.jobs == jobs)) {
            run.findings.push(Finding { check, verdict, detail: detail.to_owned() });
        }
    };
    add("T626", None, Check::PageCache, Verdict::Warn, "the block layer saw 3 % of what the engine read");
    add(
        "T611",
        Some(4),
        Check::ClientShare,
        Verdict::Warn,
        "dbdyno itself used 61 % of the processor time, limit 50 %",
    );
    add("T721", Some(4), Check::CommitCount, Verdict::Fail, "750 commits counted here, 375 by the engine");
    add("T616", None, Check::Steal, Verdict::Unknown, "the host does not say how much time the hypervisor took");
    for (test, detail) in [("T331", "took 1.2 %"), ("T441", "took 0.9 %"), ("T311", "took 1.1 %")] {
        add(
            test,
            Some(2),
            Check::Steal,
            Verdict::Warn,
            &format!("the hypervisor {detail} of the processors; limit 0.5 %"),
        );
    }
    for run in runs.iter_mut().filter(|run| run.test == "T441" && run.dop.jobs == 4) {
        run.outcome = Outcome::Failed { message: "the server closed the session: out of memory".to_owned() };
    }
    for run in runs.iter_mut().filter(|run| run.test == "T151") {
        run.parameters.insert("n".to_owned(), 30);
    }
}

fn run(number: u32, sample: &Sample, dop: u32, operations_per_second: u64) -> Run {
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
    Run {
        number,
        test: sample.code.to_owned(),
        title: sample.title.to_owned(),
        layer: sample.layer,
        unit: sample.unit,
        sweep: sample.sweep,
        dop: match sample.sweep {
            Sweep::Jobs => Dop::jobs(dop),
            Sweep::Threads => Dop { nodes: 1, jobs: 1, threads: dop },
        },
        variation: None,
        pace: Pace::AsFastAsPossible,
        ceiling: sample.ceiling.map(|(probe, unit)| Ceiling { probe: probe.to_owned(), unit }),
        cache_fit: sample.cache_fit,
        data_bytes: sample.cache_fit.map(|_| Bytes(1_200_000_000)),
        commits_expected: (transactions > 0).then_some(transactions),
        changes: transactions > 0,
        parameters: BTreeMap::new(),
        begun_at: at("2026-01-31T12:01:00.000Z"),
        window_ns,
        outcome: Outcome::Done,
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
        slices: None,
        readings: readings(sample, operations, window_ns),
        nodes: Vec::new(),
        events: Vec::new(),
        storage: None,
        activity: None,
        trace: None,
        blocks: None,
        load: None,
        streams: None,
        findings: vec![Finding {
            check: Check::LittlesLaw,
            verdict: Verdict::Pass,
            detail: "jobs in flight agree with throughput times response time within 0.1 %".to_owned(),
        }],
    }
}

fn latency(count: u64, mean_ns: u64) -> Latency {
    Latency {
        count,
        min_ns: Nanos(mean_ns / 2),
        mean_ns: Nanos(mean_ns),
        p50_ns: Nanos(mean_ns * 9 / 10),
        p90_ns: Nanos(mean_ns * 3 / 2),
        p99_ns: Nanos(mean_ns * 2),
        p999_ns: Nanos(mean_ns * 4),
        max_ns: Nanos(mean_ns * 8),
        histogram: String::new(),
    }
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

fn plan(runs: Vec<PlannedRun>) -> Plan {
    Plan {
        target: "local:example".to_owned(),
        directory: "/measured/dbdyno".to_owned(),
        preset: Preset::Quick,
        window_ns: Nanos(SECONDS * 1_000_000_000),
        warm_up_ns: Nanos(500_000_000),
        steps: None,
        seed: 42,
        placement: Placement::Kernel,
        pace: Pace::AsFastAsPossible,
        until: None,
        one_thread_per_core: false,
        small_rows: 1_000_000,
        large_rows: 10_000_000,
        repeats: 1,
        paired: None,
        runs,
        skipped: vec![
            Skipped { test: "T332".to_owned(), reason: "Example SQL has no table compression".to_owned() },
            Skipped { test: "T512".to_owned(), reason: "Example SQL builds an index with one thread".to_owned() },
        ],
        test_files: Vec::new(),
        io: None,
    }
}
