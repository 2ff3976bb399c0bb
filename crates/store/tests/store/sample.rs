//! Sample records: with every field, and with as few as possible. The figures are meaningless.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use record::evidence::{CommitCount, DeviceIo, LittlesLaw};
use record::load_profile::LoadQuantity;
use record::{
    Activity, AgentHost, AgentRun, AgentStart, Array, ArrayMember, Arrival, AskedQuantity, BackgroundProgram,
    BlockDevice, Build, Bytes, Cache, CacheFilling, CacheFit, Ceiling, CgroupLimits, ClockMethod, Cpu, Crash,
    CrashDamage, CrashEvent, CrashEventKind, CrashMoment, DataReads, DataSet, DatabaseState, DevicePath, Dop,
    EngineInventory, Evidence, ExpectedPoint, ExpectedTimes, FailureKind, FileSystem, Finding, ForeignLoad,
    HostInventory, HostState, Instrument, Kernel, KernelLog, Latency, Layer, LayerLatency, LeftOut, LoadInKind,
    LoadLevel, Location, MeasuringPoint, Memory, MemoryModule, MissingLayer, Nanos, NetworkEnd, NetworkInterface,
    NetworkMount, NetworkPath, NodeEvent, NodeEventKind, NodeInventory, NodeRun, NumaNode, ObservedHost, ObservedRun,
    OperationClass, Outcome, Owed, Pace, Pairing, PciFunction, PciKind, PciLink, Placement, Plan, PlannedRun, Preset,
    Ratio, Reading, Record, Resource, RoleInKind, Run, SCHEMA_VERSION, SampledWait, Script, Scripts, Second, Setting,
    Settling, SettlingStep, Side, SignedNanos, Skipped, Slices, StatementRun, Status, StepInKind, Survival, Sweep,
    Timestamp, Tool, Totals, Trace, TracerKind, TransactionType, UnavailableTracer, Unit, Until, Variation, Verdict,
    WaitClass, name,
};

/// 23 values of 1 ns, as stored.
pub const HISTOGRAM: &str = "HISTFAAAACN4nJNpmSzMwMDAxAABzFCakYHBb8pEfwYG+w9QAT0AWQAEbQ==";

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn at(text: &str) -> Timestamp {
    Timestamp(text.to_owned())
}

fn database_state() -> DatabaseState {
    DatabaseState {
        table_bytes: Some(Bytes(81_920)),
        cached_bytes: Some(Bytes(40_960)),
        dirty_bytes: Some(Bytes(8_192)),
        page_cached_bytes: Some(Bytes(4_096)),
        log_position_bytes: Some(Bytes(23_456_789)),
        log_since_checkpoint_bytes: Some(Bytes(1_024)),
        is_log_written_before: Some(true),
        dead_row_count: Some(23),
        vacuum_count: Some(2),
    }
}

/// A load beside.
fn load_beside() -> record::LoadBeside {
    let test_file = Some("mine.toml".to_owned());
    record::LoadBeside { test: "T901".to_owned(), test_file, jobs: 2, rate: Some(0.5) }
}

/// A minimal record.
pub fn sparse() -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        id: "20260131-120000-db1".to_owned(),
        tool: Tool::default(),
        started_at: at("2026-01-31T12:00:00.000Z"),
        ended_at: None,
        status: Status::Running,
        reason: None,
        plan: plan(Vec::new()),
        host: HostInventory::default(),
        server_hosts: Default::default(),
        storage_hosts: Default::default(),
        agent_hosts: Default::default(),
        engine: None,
        instrument: Instrument::default(),
        nodes: Vec::new(),
        local_round_trips: None,
        unproved: Vec::new(),
        data_sets: Vec::new(),
        runs: Vec::new(),
    }
}

/// A record with every field.
pub fn full() -> Record {
    let paces = [
        Pace::Unthrottled,
        Pace::Rate { steps_per_second: 1000.1 },
        Pace::Poisson { steps_per_second: 1e-3 },
        Pace::ThinkTime { think_ns: Nanos(7) },
    ];
    let runs: Vec<Run> = paces.into_iter().zip(1..).map(|(pace, number)| run(number, pace)).collect();
    Record {
        tool: Tool { version: "0.1.0".to_owned(), optimised: true, build: Some(build()) },
        ended_at: Some(at("2026-01-31T12:05:00.000Z")),
        status: Status::Interrupted,
        reason: some("interrupted by the user"),
        plan: plan(
            runs.iter()
                .map(|run| PlannedRun {
                    kind: run.kind.clone(),
                    number: run.number,
                    test: run.test.clone(),
                    dop: run.dop,
                    repeat: 1,
                    variation: None,
                })
                .collect(),
        ),
        host: host(),
        server_hosts: vec![ObservedHost {
            name: "db1".to_owned(),
            program: Some("server".to_owned()),
            is_same_machine: true,
            directory: Some("/srv/data".to_owned()),
            host: host(),
        }],
        storage_hosts: vec![ObservedHost {
            name: "filer".to_owned(),
            program: None,
            is_same_machine: false,
            directory: None,
            host: host(),
        }],
        agent_hosts: vec![AgentHost { agent: "a1".to_owned(), boot_id: some("b"), host: host() }],
        engine: Some(engine()),
        instrument: Instrument {
            clock_source: some("tsc"),
            clock_method: Some(ClockMethod::Tsc),
            clock_read_ns: 21.3,
            loop_step_ns: 0.1 + 0.2,
            null_engine_step_ns: 91.7,
            sample_ns: Nanos(150_000),
        },
        nodes: [("db1", true), ("db2", false)].map(node).into(),
        local_round_trips: None,
        unproved: Vec::new(),
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

fn node((name, takes_writes): (&str, bool)) -> NodeInventory {
    NodeInventory { name: name.to_owned(), takes_writes }
}

fn plan(runs: Vec<PlannedRun>) -> Plan {
    Plan {
        target: "local:example".to_owned(),
        directory: "/measured".to_owned(),
        preset: Preset::Quick,
        probe_window_ns: None,
        window_ns: Nanos::SECOND,
        warm_up_ns: Nanos(200_000_000),
        steps: Some(23),
        seed: u64::MAX,
        placement: Placement::Spread,
        pace: Pace::default(),
        until: Some(Until { level: "p99.9=50ms".to_owned(), arrival: Arrival::Fixed, tolerance: Ratio(0.05) }),
        one_thread_per_core: true,
        small_rows: 1_000_000,
        large_rows: 10_000_000,
        warehouses: Some(7),
        repeats: 1,
        paired: Some(Pairing {
            side: Side::B,
            other: "other".to_owned(),
            other_target: "local:other".to_owned(),
            plan_hash: some("sha256:0123"),
        }),
        runs,
        skipped: vec![Skipped { test: "T332".to_owned(), reason: "no table compression".to_owned() }],
        test_files: vec!["/home/dba/T900.toml".to_owned()],
        scripts: Some(Scripts {
            scripts: vec![Script { role: Some("readers".to_owned()), ..Script::new("read.sql", 9, "select 1;\n") }],
            variables: BTreeMap::from([("size".to_owned(), "100".to_owned())]),
            initialized_scale: Some(1),
            tries_max: std::num::NonZeroU32::new(5),
            query_mode: record::QueryMode::Extended,
            connect: true,
            roles: vec![record::Role { name: "readers".to_owned(), jobs: None, rate: Some(50.0) }],
            gauges: vec![record::Gauge { name: "depth".to_owned(), sql: "select 12.5".to_owned() }],
        }),
        in_kind: Some(in_kind()),
        loads_beside: vec![load_beside()],
        io: Some(crate::storage::plan()),
        network: Some(NetworkPath {
            peer: some("db2:5250"),
            address: "192.0.2.2:5250".to_owned(),
            far: NetworkEnd { host_name: some("db2"), ..NetworkEnd::default() },
            near: NetworkEnd {
                host_name: some("db1"),
                kernel: some("6.1.0"),
                version: some("1.2.3"),
                interface: Some(NetworkInterface { name: "eth0".to_owned(), ..NetworkInterface::default() }),
            },
            is_same_host: false,
        }),
        agents: Some(3),
        agent_hosts: Vec::new(),
        jobs_per_agent: None,
        client_threads: None,
        database_per_agent: false,
    }
}

fn in_kind() -> LoadInKind {
    let point = |per_second| ExpectedPoint {
        per_second,
        jobs: 2,
        is_open: true,
        p50_ns: Nanos(120_000),
        p99_ns: Some(Nanos(900_000)),
    };
    LoadInKind {
        level: LoadLevel::P99,
        times: 1.5,
        sessions_told: Some(40.0),
        sessions: 4,
        asked: vec![AskedQuantity { quantity: LoadQuantity::LogBytesPerSecond, per_second: 650_000.0 }],
        roles: vec![RoleInKind {
            step: StepInKind::Commit { rows: 1, row_bytes: Bytes(300), changed_rows: 0.25 },
            jobs: 4,
            steps_per_second: 210.0,
            quantity: LoadQuantity::CommitsPerSecond,
            asked_per_second: 210.0,
        }],
        left_out: vec![LeftOut { quantity: LoadQuantity::RollbacksPerSecond, per_second: Some(1.5) }],
        expected: vec![ExpectedTimes {
            quantity: LoadQuantity::CommitsPerSecond,
            per_second: 210.0,
            test: "T311".to_owned(),
            measured_max: 900.0,
            points: vec![point(200.0), point(400.0)],
        }],
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
            numa_nodes: vec![NumaNode {
                number: 0,
                cpus: "0-31".to_owned(),
                memory_bytes: Some(Bytes::GIB.times(96)),
                distances: vec![10, 21],
            }],
            stepping: some("family 6, model 42, stepping 7"),
            microcode: some("0x2f"),
            clock_driver: some("example_pstate"),
            boost: Some(false),
            idle_driver: some("example_idle"),
            idle_states: vec!["C1".to_owned()],
        },
        memory: Memory {
            total_bytes: Bytes::GIB.times(192),
            available_bytes: Some(Bytes::GIB.times(180)),
            swap_bytes: Some(Bytes(0)),
            transparent_huge_pages: some("madvise"),
            huge_page_pool_bytes: Some(Bytes(0)),
            transparent_huge_page_defragmentation: some("madvise"),
            modules: vec![MemoryModule {
                slot: some("A1"),
                size_bytes: Bytes::GIB.times(192),
                kind: some("DDR5"),
                megatransfers_per_second_max: Some(5600),
                megatransfers_per_second: Some(4800),
            }],
        },
        file_system: Some(FileSystem {
            kind: "xfs".to_owned(),
            mount_point: "/measured".to_owned(),
            source: "/dev/mapper/data".to_owned(),
            options: "rw,noatime".to_owned(),
            size_bytes: Some(Bytes::GIB.times(1000)),
            free_bytes: Some(Bytes::GIB.times(900)),
            network: Some(NetworkMount {
                version: some("4.2"),
                transport: some("tcp"),
                connections: 4,
                read_bytes_max: Some(Bytes::MIB),
                write_bytes_max: Some(Bytes::MIB),
            }),
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
            firmware: some("EX42"),
            serial_masked: some("****1234"),
            link: Some(PciLink {
                gigatransfers_per_second: 16.0,
                lanes: 4,
                gigatransfers_per_second_max: 16.0,
                lanes_max: 4,
            }),
            queue: BTreeMap::from([("read_ahead_kb".to_owned(), "128".to_owned())]),
            pci_address: some("0000:3b:00.0"),
            numa_node: Some(1),
            hardware_queue_count: Some(32),
            array: Some(Array {
                level: "raid5".to_owned(),
                state: some("active"),
                member_count: 3,
                missing_count: 1,
                sync_action: some("recover"),
                sync_done: Some(Ratio(0.25)),
                chunk_bytes: Some(Bytes(524_288)),
                members: vec![ArrayMember { name: "sda".to_owned(), state: "in_sync".to_owned() }],
            }),
            cache: Some(record::CacheDevice {
                technique: "bcache".to_owned(),
                mode: Some("writeback".to_owned()),
                origin: Some("sda".to_owned()),
                caches: vec!["nvme0n1".to_owned()],
                metadata: None,
                block_bytes: None,
            }),
            subsystem: some("nqn.2014-08.org.example:lab"),
            path_policy: some("numa"),
            paths: vec![DevicePath {
                name: "nvme5".to_owned(),
                transport: some("tcp"),
                address: some("traddr=10.0.0.1"),
                state: some("live"),
                access: some("optimized"),
                queue_count: Some(3),
            }],
            backing_file: some("/srv/disk.img"),
            backing_is_direct: Some(false),
            is_memory: true,
            is_opaque: true,
        }],
        kernel: Kernel {
            release: "6.12.1".to_owned(),
            architecture: "x86_64".to_owned(),
            operating_system: some("Debian GNU/Linux 13"),
            clock_source: some("tsc"),
            command_line: some("quiet \"ä\\\n"),
            mitigations: BTreeMap::from([("meltdown".to_owned(), "Not affected".to_owned())]),
            settings: BTreeMap::from([("vm.dirty_ratio".to_owned(), "20".to_owned())]),
            clock_synchronised: Some(true),
            clock_error_max_ns: Some(Nanos(1_500_000)),
        },
        virtualisation: some("kvm"),
        cgroup: CgroupLimits {
            version: Some(2),
            cpu_quota: Some(1.5),
            cpu_set: some("0-1"),
            memory_max_bytes: Some(Bytes::GIB),
            cpu_period_ns: Some(Nanos(100_000_000)),
        },
        firmware: some("Example Firmware 1.2"),
        network: vec![NetworkInterface {
            name: "eth0".to_owned(),
            driver: some("example_net"),
            packet_bytes_max: Some(Bytes(1500)),
            megabits_per_second: Some(25_000),
        }],
        pci: vec![PciFunction {
            address: "0000:3b:00.0".to_owned(),
            above: some("0000:3a:00.0"),
            kind: PciKind::Storage,
            names: vec!["nvme0n1".to_owned()],
            numa_node: Some(1),
            link: Some(PciLink {
                gigatransfers_per_second: 16.0,
                lanes: 2,
                gigatransfers_per_second_max: 16.0,
                lanes_max: 4,
            }),
        }],
        at_start: Some(state()),
        at_end: Some(state()),
    }
}

fn build() -> Build {
    Build {
        commit: some("0123456789abcdef0123456789abcdef01234567"),
        clean: Some(true),
        compiler: some("rustc 1.95.0"),
        platform: some("x86_64-unknown-linux-gnu"),
        flags: some("release, opt-level 3"),
        program_sha256: some(&"ab".repeat(32)),
    }
}

fn state() -> HostState {
    HostState {
        load_average_1_minute: Some(0.25),
        background_programs: Some(vec![BackgroundProgram {
            name: "backup".to_owned(),
            processors: 0.5,
            ..BackgroundProgram::default()
        }]),
        clock_mhz: Some(2260.5),
        temperature_celsius_max: Some(51.5),
        thermal_throttle_count: Some(u64::MAX),
        multiplication_ns: Some(1.25),
        memory_available_bytes: Some(Bytes::GIB),
        free_bytes: Some(Bytes::GIB),
        kernel_log: Some(KernelLog {
            unreadable: some("it may be read by root only"),
            last_message: 1000,
            warning_count: 2,
            fault_count: 1,
            faults: vec!["nvme0n1: I/O error, dev nvme0n1, sector 8".to_owned()],
        }),
    }
}

fn engine() -> EngineInventory {
    EngineInventory {
        name: "example".to_owned(),
        title: "Example SQL".to_owned(),
        version: "9.1".to_owned(),
        location: Location::UnixSocket,
        nodes: 2,
        encryption: some("TLS 1.3"),
        temporary: true,
        direct_reads: Some(false),
        sessions_share_file_lock: false,
        block_bytes: Some(Bytes(8192)),
        cache_bytes: Some(Bytes::GIB),
        durable: Some(true),
        durability: "commits are forced to the device".to_owned(),
        durability_shown: None,
        settings: vec![Setting { name: "cache".to_owned(), value: "1GB".to_owned(), default: some("128MB") }],
    }
}

fn run(number: u32, pace: Pace) -> Run {
    let latency = Latency {
        count: 23,
        min_ns: Nanos(1),
        mean_ns: Nanos(2),
        p50_ns: Nanos(2),
        p90_ns: Some(Nanos(3)),
        p99_ns: Some(Nanos(4)),
        p999_ns: Some(Nanos(5)),
        max_ns: Nanos(u64::MAX),
        histogram: HISTOGRAM.to_owned(),
    }
    .printable();
    let totals = Totals {
        steps: 23,
        operations: 23,
        rows: 46,
        transactions: 23,
        bytes: Some(Bytes(9007199254740993)),
        failures: BTreeMap::from([(FailureKind::Deadlock, 1), (FailureKind::Serialization, 2)]),
        unfinished: 1,
        retried: 2,
        retries: 3,
    };
    let counted = CommitCount::Counted { ours: 23, surplus: 0, difference: Ratio(0.0), limit: Ratio(0.005) };
    let failed = Outcome::Failed { message: "the session was closed by the server".to_owned() };
    Run {
        kind: record::RunKind::Test,
        jobs_ended_separately: true,
        clock_difference_ns_max: Some(Nanos(74)),
        client_threads: Some(record::ClientThreads {
            threads: 2,
            method: record::WaitMethod::Epoll,
            unseen_ns_p50: Nanos(2_000),
            unseen_ns_p99: Nanos(30_000),
            unseen_ns_max: Nanos(400_000),
        }),
        server_hosts: [(
            "db1".to_owned(),
            ObservedRun {
                readings: vec![Reading { at_ns: Nanos(7), values: [("host_cpu_user_ns".to_owned(), 5)].into() }],
                time_error_ns: Nanos(90_000),
                foreign_load: None,
            },
        )]
        .into(),
        storage_hosts: [(
            "filer".to_owned(),
            ObservedRun { readings: Vec::new(), time_error_ns: Nanos(80_000), foreign_load: None },
        )]
        .into(),
        live_viewers: NonZeroU32::new(2),
        foreign_load: Some(Box::new(ForeignLoad {
            observed_ns: Nanos(1_000_000_000),
            processors: 0.25,
            kernel_processors: 0.01,
            read_bytes: Some(Bytes(4_096)),
            write_bytes: Some(Bytes(0)),
            server_read_bytes: Some(Bytes(8_192)),
            server_write_bytes: None,
            programs: vec![BackgroundProgram {
                name: "backup".to_owned(),
                processors: 0.25,
                read_bytes_per_second: Some(4_096.0),
                write_bytes_per_second: Some(0.0),
            }],
        })),
        number,
        test: "T311".to_owned(),
        title: "OLTP insert, 2 rows per transaction".to_owned(),
        layer: Layer::Database,
        unit: Unit::Transaction,
        sweep: Sweep::Jobs,
        dop: Dop::jobs(number),
        variation: (number > 1).then_some(Variation::Perturbed { resource: Resource::DeviceIo, share: 0.8 }),
        pace,
        ceiling: Some(Ceiling { probe: "C11".to_owned(), unit: Unit::Operation }),
        cache_fit: Some(CacheFit::Inside),
        rows_at_random: true,
        owed: Some(Owed { settle_ns: Nanos(77_000), device_write_bytes: Some(Bytes(8_192)) }),
        state_at_begin: Some(Box::new(database_state())),
        state_at_end: Some(Box::new(database_state())),
        settling: Some(Settling {
            settle_ns: Nanos(1_234),
            steps: vec![SettlingStep::Vacuum, SettlingStep::Purge, SettlingStep::WriteBack, SettlingStep::Checkpoint],
            cache_fill: Some(CacheFilling { rows: 320, bytes: Bytes(57_000), read_ns: Nanos(99_000) }),
        }),
        data_reads: Some(DataReads::Dropped),
        checkpoints: Some(Box::new(record::RequestedCheckpoints {
            wanted: 3,
            completed: 2,
            refusal: Some("it may not".to_owned()),
        })),
        data_bytes: Some(Bytes(4096)),
        commits_expected: Some(23),
        changes: true,
        reads_too: false,
        parameters: BTreeMap::from([("n".to_owned(), i64::MIN)]),
        started_at: at("2026-01-31T12:00:01.000Z"),
        window_ns: Nanos(1_000_000_123),
        outcome: if number == 1 { Outcome::Done } else { failed },
        totals: totals.clone(),
        storage: Some(Box::new(crate::storage::outcome(&latency))),
        nodes: vec![NodeRun {
            node: 2,
            jobs: number,
            totals: totals.clone(),
            service: latency.clone(),
            response: latency.clone(),
            seconds: vec![Second { steps: 23, operations: 23, ..Second::default() }],
            readings: vec![Reading { at_ns: Nanos(5), values: BTreeMap::new() }],
        }],
        gauges: vec![record::GaugeRun {
            name: "depth".to_owned(),
            readings: vec![record::GaugeReading { at_ns: Nanos(1_000_000_000), value: 12.5 }],
            refusal: Some("it returned no column".to_owned()),
        }],
        crashes: vec![Crash {
            number: 1,
            state: 2,
            changes: Some(70),
            seed: 7,
            moment: CrashMoment::Checkpoint,
            survival: Survival::Torn,
            delay_ns: Some(Nanos(2_000_000)),
            isolated_ns: Some(Nanos(30_000_000)),
            attempted: 9,
            acknowledged: 8,
            unknown: 1,
            found: Some(8),
            unsynced_writes: Some(3),
            unsynced_bytes: Some(Bytes(12_288)),
            ready_ns: Some(Nanos(300_000_000)),
            would_not_start: Some("it did not".to_owned()),
            damage: CrashDamage { lost: 1, ..CrashDamage::default() },
            complaints: vec!["page 7".to_owned()],
            seen: Some(record::FaultSeen::Server),
            ended_with: Some("it was closed".to_owned()),
            timeline: vec![CrashEvent { at_ns: Nanos(5), client: 1, number: 2, kind: CrashEventKind::Lost }],
        }],
        loads_beside: vec![record::LoadBesideRun {
            load: load_beside(),
            title: "decision queries".to_owned(),
            unit: Unit::Statement,
            window_ns: Nanos(1_000_000_000),
            totals: totals.clone(),
            cancelled: 1,
            service: latency.clone(),
            response: latency.clone(),
        }],
        transaction_types: vec![TransactionType {
            name: "read.sql".to_owned(),
            weight: 9,
            role: Some(record::Role { name: "readers".to_owned(), jobs: Some(2), rate: Some(50.0) }),
            per_minute: Some("NOPM".to_owned()),
            totals: totals.clone(),
            service: latency.clone(),
            response: latency.clone(),
            statements: vec![StatementRun {
                line: 1,
                text: "select 1".to_owned(),
                failures: 4,
                retries: 3,
                service: latency.clone(),
            }],
        }],
        events: vec![NodeEvent {
            at_ns: Nanos(7),
            node: 2,
            name: "db2".to_owned(),
            kind: NodeEventKind::Lost,
            jobs: 1,
            message: "the server closed the connection".to_owned(),
        }],
        agents: vec![AgentRun {
            agent: "generator-1".to_owned(),
            jobs: number,
            host_threads: 4,
            start: AgentStart { offset_ns: SignedNanos(-77), clock_error_ns: Nanos(12_000) },
            window_ns: Nanos(1_000_000_000),
            totals: totals.clone(),
            service: latency.clone(),
            response: latency.clone(),
            seconds: vec![Second { steps: 23, operations: 23, ..Second::default() }],
            readings: vec![Reading { at_ns: Nanos(5), values: BTreeMap::new() }],
        }],
        activity: Some(activity()),
        trace: Some(Box::new(trace(&latency))),
        blocks: None,
        load: None,
        streams: None,
        service: latency.clone(),
        start_lag: Some(Box::new(latency.clone())),
        response: latency,
        seconds: vec![
            Second { steps: 23, operations: 23, rows: 46, ..Second::default() },
            Second { steps: 24, operations: 23, rows: 46, failures: 1, response_ns_max: Nanos(9), ..Second::default() },
        ],
        slices: Some(Slices { width_ns: Nanos::SECOND, responses: vec![HISTOGRAM.to_owned(), String::new()] }),
        readings: vec![
            Reading { at_ns: Nanos(5), values: BTreeMap::from([(name::COMMIT_COUNT.to_owned(), 0)]) },
            Reading { at_ns: Nanos(9), values: BTreeMap::from([(name::COMMIT_COUNT.to_owned(), u64::MAX)]) },
        ],
        findings: vec![
            Finding::new(Verdict::Pass, Evidence::CommitCount(counted)),
            Finding { agent: some("generator-1"), ..Finding::new(Verdict::Unknown, Evidence::Steal(None)) },
            Finding { others: 1, ..Finding::new(Verdict::Warn, Evidence::LittlesLaw(LittlesLaw::NothingDone)) },
            Finding::new(Verdict::Fail, Evidence::DeviceIo(DeviceIo::SeveralDevices)),
        ],
    }
}

fn activity() -> Activity {
    Activity {
        period_ns: Nanos(100_000_000),
        sample_count: 10,
        observed_ns: Nanos(1_000_000_000),
        cost_ns: Nanos(4_000_000),
        waits: vec![SampledWait { class: WaitClass::Commit, event: "log sync".to_owned(), session_count: 7 }],
    }
}

fn trace(latency: &Latency) -> Trace {
    Trace {
        tracer: TracerKind::Bpf,
        unavailable: vec![UnavailableTracer {
            tracer: TracerKind::Tracefs,
            reason: "tracefs cannot be read".to_owned(),
            hint: "run as root".to_owned(),
        }],
        missing: vec![MissingLayer {
            point: MeasuringPoint::Device,
            reason: "the device is on another host".to_owned(),
            hint: "run dbdyno there".to_owned(),
        }],
        lost_count: 1,
        latencies: vec![LayerLatency {
            point: MeasuringPoint::SystemCall,
            class: OperationClass::Sync,
            name: "fdatasync".to_owned(),
            bytes: None,
            latency: latency.clone(),
        }],
    }
}
