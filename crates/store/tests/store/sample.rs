//! Records to write and read: every field filled, and as few as possible. The figures mean nothing.

use std::collections::BTreeMap;

use record::{
    BlockDevice, Bytes, Cache, CacheFit, Ceiling, CgroupLimits, Check, Cpu, DataSet, Dop, EngineInventory, FailureKind,
    FileSystem, Finding, HostInventory, Instrument, Kernel, Latency, Layer, Location, Memory, Nanos, NumaNode, Outcome,
    Pace, Pairing, Placement, Plan, PlannedRun, Preset, Reading, Record, Run, SCHEMA_VERSION, Second, Setting, Side,
    Skipped, Slices, Status, Sweep, Timestamp, Tool, Totals, Unit, Verdict, name,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn at(text: &str) -> Timestamp {
    Timestamp(text.to_owned())
}

/// A record with as little in it as a record can have.
pub fn sparse() -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        id: "20260131-120000-db1".to_owned(),
        tool: Tool::default(),
        begun_at: at("2026-01-31T12:00:00.000Z"),
        ended_at: None,
        status: Status::Running,
        reason: None,
        plan: plan(Vec::new()),
        host: HostInventory::default(),
        engine: None,
        instrument: Instrument::default(),
        data_sets: Vec::new(),
        runs: Vec::new(),
    }
}

/// A record in which every field holds something.
pub fn full() -> Record {
    let paces = [
        Pace::AsFastAsPossible,
        Pace::Rate { steps_per_second: 1000.1 },
        Pace::Poisson { steps_per_second: 1e-3 },
        Pace::ThinkTime { think_ns: Nanos(7) },
    ];
    let runs: Vec<Run> = paces.into_iter().zip(1..).map(|(pace, number)| run(number, pace)).collect();
    Record {
        tool: Tool { version: "0.1.0".to_owned(), optimised: true },
        ended_at: Some(at("2026-01-31T12:05:00.000Z")),
        status: Status::Interrupted,
        reason: some("interrupted by the user"),
        plan: plan(
            runs.iter()
                .map(|run| PlannedRun { number: run.number, test: run.test.clone(), dop: run.dop, repeat: 1 })
                .collect(),
        ),
        host: host(),
        engine: Some(engine()),
        instrument: Instrument {
            clock_source: some("tsc"),
            clock_read_ns: 21.3,
            loop_step_ns: 0.1 + 0.2,
            null_engine_step_ns: 91.7,
            sample_ns: Nanos(150_000),
        },
        data_sets: vec![DataSet {
            table: "dbdyno_small".to_owned(),
            rows: 1_000_000,
            size_bytes: Bytes(123_456_789),
            fingerprint: "v1-42-1000000".to_owned(),
            reused: false,
            jobs: 2,
            load_ns: Some(Nanos(1_500_000_000)),
            finish_ns: Some(Nanos(700_000_000)),
            generator_cpu_ns: Some(Nanos(400_000_000)),
            server_cpu_ns: Some(Nanos(900_000_000)),
        }],
        runs,
        ..sparse()
    }
}

fn plan(runs: Vec<PlannedRun>) -> Plan {
    Plan {
        target: "local:example".to_owned(),
        directory: "/measured".to_owned(),
        preset: Preset::Quick,
        window_ns: Nanos::SECOND,
        warm_up_ns: Nanos(200_000_000),
        steps: Some(23),
        seed: u64::MAX,
        placement: Placement::Spread,
        pace: Pace::default(),
        small_rows: 1_000_000,
        large_rows: 10_000_000,
        repeats: 1,
        paired: Some(Pairing { side: Side::B, other: "other".to_owned(), other_target: "local:other".to_owned() }),
        runs,
        skipped: vec![Skipped { test: "T332".to_owned(), reason: "no table compression".to_owned() }],
        test_files: vec!["/home/dba/T900.toml".to_owned()],
        io: Some(crate::storage::plan()),
    }
}

fn host() -> HostInventory {
    HostInventory {
        host_name: some("db1"),
        product: some("Example Server 9"),
        cpu: Cpu {
            model: some("Example CPU 4242"),
            sockets: Some(2),
            cores: Some(16),
            threads: 32,
            smt: Some(true),
            clock_mhz: Some(2260.123456),
            clock_mhz_max: Some(3400.0),
            governor: some("performance"),
            caches: vec![Cache { level: 1, kind: "data".to_owned(), size_bytes: Bytes(32 << 10), instances: 16 }],
            numa_nodes: vec![NumaNode { number: 0, cpus: "0-31".to_owned(), memory_bytes: Some(Bytes::GIB.times(96)) }],
        },
        memory: Memory {
            total_bytes: Bytes::GIB.times(192),
            available_bytes: Some(Bytes::GIB.times(180)),
            swap_bytes: Some(Bytes(0)),
            transparent_huge_pages: some("madvise"),
            huge_page_pool_bytes: Some(Bytes(0)),
        },
        file_system: Some(FileSystem {
            kind: "xfs".to_owned(),
            mount_point: "/measured".to_owned(),
            source: "/dev/mapper/data".to_owned(),
            options: "rw,noatime".to_owned(),
            size_bytes: Some(Bytes::GIB.times(1000)),
            free_bytes: Some(Bytes::GIB.times(900)),
        }),
        devices: vec![BlockDevice {
            name: "dm-0".to_owned(),
            model: some("Example NVMe"),
            size_bytes: Some(Bytes::GIB.times(1000)),
            rotational: Some(false),
            scheduler: some("none"),
            queue_depth: Some(1023),
            write_cache: some("write back"),
            fua: Some(true),
            logical_block_bytes: Some(Bytes(512)),
            slaves: vec!["nvme0n1".to_owned()],
        }],
        kernel: Kernel {
            release: "6.12.1".to_owned(),
            architecture: "x86_64".to_owned(),
            operating_system: some("Debian GNU/Linux 13"),
            clock_source: some("tsc"),
            command_line: some("quiet \"ä\\\n"),
        },
        virtualisation: some("kvm"),
        cgroup: CgroupLimits {
            version: Some(2),
            cpu_quota: Some(1.5),
            cpu_set: some("0-1"),
            memory_max_bytes: Some(Bytes::GIB),
            cpu_period_ns: Some(Nanos(100_000_000)),
        },
    }
}

fn engine() -> EngineInventory {
    EngineInventory {
        name: "example".to_owned(),
        title: "Example SQL".to_owned(),
        version: "9.1".to_owned(),
        location: Location::UnixSocket,
        nodes: 1,
        encryption: some("TLS 1.3"),
        throwaway: true,
        block_bytes: Some(Bytes(8192)),
        cache_bytes: Some(Bytes::GIB),
        durable: Some(true),
        durability: "commits are forced to the device".to_owned(),
        settings: vec![Setting { name: "cache".to_owned(), value: "1GB".to_owned(), default: some("128MB") }],
    }
}

fn run(number: u32, pace: Pace) -> Run {
    let latency = Latency {
        count: 23,
        min_ns: Nanos(1),
        mean_ns: Nanos(2),
        p50_ns: Nanos(2),
        p90_ns: Nanos(3),
        p99_ns: Nanos(4),
        p999_ns: Nanos(5),
        max_ns: Nanos(u64::MAX),
        histogram: "HISTFAAAAA==".to_owned(),
    };
    let finding = |check, verdict| Finding { check, verdict, detail: "23 commits of 23".to_owned() };
    let failed = Outcome::Failed { message: "the session was closed by the server".to_owned() };
    Run {
        number,
        test: "T311".to_owned(),
        title: "OLTP insert, 2 rows per transaction".to_owned(),
        layer: Layer::Database,
        unit: Unit::Transaction,
        sweep: Sweep::Jobs,
        dop: Dop::jobs(number),
        pace,
        ceiling: Some(Ceiling { probe: "P111".to_owned(), unit: Unit::Operation }),
        cache_fit: Some(CacheFit::Inside),
        data_bytes: Some(Bytes(4096)),
        commits_expected: Some(23),
        changes: true,
        parameters: BTreeMap::from([("n".to_owned(), i64::MIN)]),
        begun_at: at("2026-01-31T12:00:01.000Z"),
        window_ns: Nanos(1_000_000_123),
        outcome: if number == 1 { Outcome::Done } else { failed },
        totals: Totals {
            steps: 23,
            operations: 23,
            rows: 46,
            transactions: 23,
            bytes: Some(Bytes(9007199254740993)),
            failures: BTreeMap::from([(FailureKind::Deadlock, 1), (FailureKind::Serialization, 2)]),
            unfinished: 1,
        },
        storage: Some(Box::new(crate::storage::outcome(&latency))),
        service: latency.clone(),
        response: latency,
        seconds: vec![
            Second { steps: 23, operations: 23, rows: 46, ..Second::default() },
            Second { steps: 24, operations: 23, rows: 46, failures: 1, response_ns_max: Nanos(9), ..Second::default() },
        ],
        slices: Some(Slices { width_ns: Nanos::SECOND, responses: vec!["HISTFAAAAA==".to_owned(), String::new()] }),
        readings: vec![
            Reading { at_ns: Nanos(5), values: BTreeMap::from([(name::COMMIT_COUNT.to_owned(), 0)]) },
            Reading { at_ns: Nanos(9), values: BTreeMap::from([(name::COMMIT_COUNT.to_owned(), u64::MAX)]) },
        ],
        findings: vec![
            finding(Check::CommitCount, Verdict::Pass),
            finding(Check::Steal, Verdict::Unknown),
            finding(Check::LittlesLaw, Verdict::Warn),
            finding(Check::PageCache, Verdict::Fail),
        ],
    }
}
