//! Runs and records for tests: small, valid, and the same every time.

use record::evidence::{Backlog, Bound, DeviceIo, LittlesLaw, PageCache, WindowLength};
use record::{
    Bytes, CacheState, Check, Dop, EngineInventory, Evidence, Finding, ForeignLoad, HostInventory, Instrument, IoFile,
    IoKind, IoStream, Latency, Layer, LocalRoundTrip, LocalRoundTrips, LocalTransport, Location, LoopLocation, Nanos,
    ObservedHost, ObservedRun, Pace, Placement, Plan, PlannedRun, Preset, RandomBlocks, Reading, Record,
    RoundTripWaiting, Run, RunKind, Second, Status, Storage, Timestamp, Tool, Totals, Unit, Variation, Verdict,
};

use crate::Context;

/// An example finding of `check`.
pub(crate) fn finding(check: Check, verdict: Verdict) -> Finding {
    let evidence = match check {
        Check::LittlesLaw => Evidence::LittlesLaw(LittlesLaw::NothingDone),
        Check::Steal => Evidence::Steal(None),
        Check::ForeignCpu => Evidence::ForeignCpu(None),
        Check::ForeignIo => Evidence::ForeignIo(None),
        Check::Swapping => Evidence::Swapping(None),
        Check::Failures => Evidence::Failures(None),
        Check::Stall => Evidence::Stall(None),
        Check::Backlog => Evidence::Backlog(Backlog::Kept { job: None }),
        Check::Bound => Evidence::Bound(Bound::Invalid { level: "p99".to_owned() }),
        Check::DeviceIo => Evidence::DeviceIo(DeviceIo::SeveralDevices),
        Check::PageCache => Evidence::PageCache(PageCache::EngineReads { device_share: None, data_reads: None }),
        Check::WindowLength => Evidence::WindowLength(WindowLength::Short { window_ns_min: Nanos::SECOND }),
        check => panic!("no example of {check:?}"),
    };
    Finding::new(verdict, evidence)
}

/// A run that makes claims, on two hardware threads, without an engine.
pub(crate) fn context(instrument: &Instrument) -> Context<'_> {
    Context {
        engine: None,
        server_hosts: Default::default(),
        storage_hosts: &[],
        host_threads: 2,
        makes_claims: true,
        instrument,
        write_cache: None,
        flush_probe: None,
    }
}

/// A host of storage that the kernel serves, with an agent on it.
pub(crate) fn storage_host(name: &str, is_same_machine: bool) -> ObservedHost {
    let (name, host) = (name.to_owned(), HostInventory::default());
    ObservedHost { name, program: None, is_same_machine, directory: None, host }
}

/// Adds to `run` that the kernel of the host of storage `name` worked for `kernel_ns`.
pub(crate) fn observe_storage(run: &mut Run, name: &str, kernel_ns: u64) {
    let kernel_processors = kernel_ns as f64 / run.window_ns.0 as f64;
    let load = ForeignLoad { observed_ns: run.window_ns, kernel_processors, ..ForeignLoad::default() };
    let observed = ObservedRun { readings: Vec::new(), time_error_ns: Nanos(1), foreign_load: Some(load) };
    run.storage_hosts.insert(name.to_owned(), observed);
}

/// A reading `at` seconds after the start.
pub(crate) fn reading(at: u64, values: &[(&str, u64)]) -> Reading {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Reading { at_ns: Nanos(at * 1_000_000_000), values }
}

/// Ten seconds of an undisturbed closed loop: `jobs` jobs of 1000 steps/s each, one row and one transaction
/// per step.
pub(crate) fn run(test: &str, jobs: u32) -> Run {
    let each = u64::from(jobs) * 1_000;
    let second = Second {
        steps: each,
        operations: each,
        rows: each,
        failures: 0,
        service_ns_sum: Nanos(each * 1_000_000),
        service_ns_max: Nanos(2_000_000),
        response_ns_sum: Nanos(each * 1_000_000),
        response_ns_max: Nanos(2_000_000),
    };
    let latency = latency(each * 10, 1_000_000);
    let planned = PlannedRun::new(test, RunKind::of_code(test), Dop::jobs(jobs));
    Run {
        number: 1,
        title: "a test".to_owned(),
        layer: Layer::Server,
        unit: Unit::Row,
        changes: true,
        reads_too: false,
        window_ns: Nanos(10_000_000_000),
        totals: Totals {
            steps: each * 10,
            operations: each * 10,
            rows: each * 10,
            transactions: each * 10,
            ..Totals::default()
        },
        service: latency.clone(),
        response: latency,
        seconds: vec![second; 10],
        readings: vec![reading(0, &[]), reading(10, &[])],
        ..Run::new(&planned, Pace::Unthrottled, Timestamp::default())
    }
}

/// Run `number` of T611 with these findings.
pub(crate) fn found(number: u32, findings: &[(Check, Verdict)]) -> Run {
    let findings = findings.iter().map(|(check, verdict)| finding(*check, *verdict)).collect();
    Run { number, findings, ..run("T611", 1) }
}

/// `run` as one of a sweep of rates.
pub(crate) fn paced(run: Run) -> Run {
    let pace = Pace::Rate { steps_per_second: 100.0 };
    Run { variation: Some(Variation::Paced { pace, one_thread_per_core: false }), ..run }
}

/// The same without foreign load.
pub(crate) fn alone(run: Run) -> Run {
    let load = ForeignLoad { observed_ns: run.window_ns, ..ForeignLoad::default() };
    Run { foreign_load: Some(Box::new(load)), ..run }
}

/// A run of random blocks.
pub(crate) fn blocks_run(caches: CacheState) -> Run {
    let blocks = RandomBlocks {
        loop_location: LoopLocation::Client,
        operations_per_step: 1,
        caches,
        cache_bytes: Some(Bytes::MIB),
        block_bytes: Some(Bytes(8_192)),
        page_cached: None,
        blocks_per_schema: 10_000,
        work_unit: 64,
        operations: Vec::new(),
    };
    Run { layer: Layer::Storage, unit: Unit::Statement, blocks: Some(Box::new(blocks)), ..run("B100", 1) }
}

/// `count` values around `mean_ns`, at most twice as long.
pub(crate) fn latency(count: u64, mean_ns: u64) -> Latency {
    Latency {
        count,
        min_ns: Nanos(mean_ns / 2),
        mean_ns: Nanos(mean_ns),
        p50_ns: Nanos(mean_ns),
        p90_ns: Some(Nanos(mean_ns * 3 / 2)),
        p99_ns: Some(Nanos(mean_ns * 19 / 10)),
        p999_ns: Some(Nanos(mean_ns * 2)),
        max_ns: Nanos(mean_ns * 2),
        histogram: String::new(),
    }
    .printable()
}

/// The same run with these counter deltas between the first and the last reading.
pub(crate) fn counted(mut run: Run, deltas: &[(&str, u64)]) -> Run {
    let last = run.readings.len() - 1;
    for (name, delta) in deltas {
        run.readings[0].values.insert((*name).to_owned(), 1_000);
        run.readings[last].values.insert((*name).to_owned(), 1_000 + delta);
    }
    run
}

/// A run on a server, whose steps take `service_ns` on average and are one round trip each.
pub(crate) fn server_run(jobs: u32, service_ns: u64) -> Run {
    let run = run("T611", jobs);
    let steps = run.totals.steps;
    Run { service: latency(steps, service_ns), ..counted(run, &[(record::name::CLIENT_ROUND_TRIP_COUNT, steps)]) }
}

/// Round trips over a Unix socket with these medians on two processors, idle and busy; a quarter longer over TCP. On one
/// processor there are no such cases.
pub(crate) fn round_trips(processors: u32, idle_ns: u64, busy_ns: u64) -> LocalRoundTrips {
    let case = |transport, waiting, median_ns| LocalRoundTrip {
        transport,
        waiting,
        cpus: if waiting == RoundTripWaiting::OneProcessor { vec![0] } else { vec![0, 1] },
        latency: latency(1_000, median_ns),
    };
    let cases =
        [(LocalTransport::UnixSocket, 4), (LocalTransport::Tcp, 5)].into_iter().flat_map(|(transport, quarters)| {
            [
                case(transport, RoundTripWaiting::OneProcessor, 2 * busy_ns * quarters / 4),
                case(transport, RoundTripWaiting::Idle, idle_ns * quarters / 4),
                case(transport, RoundTripWaiting::Busy, busy_ns * quarters / 4),
            ]
        });
    let has_two = processors > 1;
    LocalRoundTrips { processors, cases: cases.filter(|case| has_two || case.cpus.len() == 1).collect() }
}

/// The same run with `factor` times as many operations.
pub(crate) fn faster(mut run: Run, factor: u64) -> Run {
    run.totals.operations *= factor;
    run.seconds.iter_mut().for_each(|second| second.operations *= factor);
    run
}

/// Ten seconds of 8 KiB I/O in a written file, direct: `clones` clones of 1000 I/Os per second each, in one stream.
pub(crate) fn io_run(test: &str, kind: IoKind, clones: u32) -> Run {
    let mut run = Run { layer: Layer::Storage, unit: Unit::Operation, ..run(test, clones) };
    (run.totals.rows, run.totals.transactions) = (0, 0);
    run.seconds.iter_mut().for_each(|second| second.rows = 0);
    let stream = stream(&run, kind, clones);
    run.totals.bytes = Some(stream.bytes);
    let file = IoFile {
        path: "/data/file".to_owned(),
        size_bytes: Bytes::GIB,
        region_bytes: Bytes::GIB,
        file_system: Some("ext4".to_owned()),
        has_device: Some(true),
        hole_bytes: Some(Bytes(0)),
        unwritten_bytes: Some(Bytes(0)),
        cached: Some(record::Ratio(0.0)),
        compressed: Some(record::Ratio(1.0)),
        repeated: Some(record::Ratio(0.0)),
        ..IoFile::default()
    };
    run.storage = Some(Box::new(Storage {
        modes: vec!["io_uring".to_owned()],
        generator_per_second: Some(record::Rate(1_000_000.0)),
        scheduling_delay_ns_max: Some(Nanos(1_000_000)),
        files: vec![file],
        streams: vec![stream],
        ..Storage::default()
    }));
    run
}

/// The I/O of `run` as a stream of `clones` clones with one I/O in flight each.
pub(crate) fn stream(run: &Run, kind: IoKind, clones: u32) -> IoStream {
    IoStream {
        job: "job".to_owned(),
        report_group: 0,
        clone: None,
        kind,
        clones,
        depth: 1,
        slots: clones,
        in_flight_mean: None,
        duty_cycle: record::Ratio(1.0),
        block_bytes_min: Bytes(8_192),
        block_bytes_max: Bytes(8_192),
        random: true,
        direct: true,
        pace: run.pace,
        window_ns: run.window_ns,
        operations: run.totals.operations,
        bytes: Bytes(run.totals.operations * 8_192),
        short: 0,
        failures: 0,
        first_failure: None,
        unfinished: 0,
        verified: 0,
        corrupt: 0,
        stale: 0,
        unverified: 0,
        service: run.service.clone(),
        response: run.response.clone(),
        seconds: run.seconds.clone(),
    }
}

/// The storage part of a storage run.
pub(crate) fn storage(run: &mut Run) -> &mut Storage {
    run.storage.as_mut().expect("a run of storage")
}

/// An engine on this host, behind a socket, durable.
pub(crate) fn engine() -> EngineInventory {
    EngineInventory {
        name: "engine".to_owned(),
        title: "Engine".to_owned(),
        version: "1".to_owned(),
        location: Location::UnixSocket,
        nodes: 1,
        encryption: None,
        temporary: true,
        direct_reads: None,
        sessions_share_file_lock: false,
        block_bytes: Some(Bytes(8_192)),
        cache_bytes: Some(Bytes::MIB.times(128)),
        durable: Some(true),
        durability: "every commit waits for the log".to_owned(),
        durability_shown: None,
        settings: Vec::new(),
    }
}

/// An overhead of 50 ns per step, and 200 ns with a test.
pub(crate) fn instrument() -> Instrument {
    Instrument { loop_step_ns: 50.0, null_engine_step_ns: 200.0, ..Instrument::default() }
}

/// A finished record of these runs, numbered in order.
pub(crate) fn record(runs: Vec<Run>) -> Record {
    let runs = runs.into_iter().zip(1..).map(|(run, number)| Run { number, ..run }).collect();
    Record {
        schema_version: record::SCHEMA_VERSION,
        id: String::new(),
        tool: Tool::default(),
        started_at: Timestamp::default(),
        ended_at: None,
        status: Status::Finished,
        reason: None,
        plan: plan(),
        host: HostInventory::default(),
        server_hosts: Default::default(),
        storage_hosts: Default::default(),
        agent_hosts: Default::default(),
        engine: Some(engine()),
        instrument: instrument(),
        nodes: Vec::new(),
        local_round_trips: None,
        unproved: Vec::new(),
        data_sets: Vec::new(),
        runs,
    }
}

fn plan() -> Plan {
    Plan {
        target: String::new(),
        directory: String::new(),
        preset: Preset::Quick,
        probe_window_ns: None,
        window_ns: Nanos::SECOND,
        warm_up_ns: Nanos(0),
        steps: None,
        seed: 1,
        placement: Placement::Kernel,
        pace: Pace::Unthrottled,
        until: None,
        one_thread_per_core: false,
        small_rows: 1,
        large_rows: 1,
        warehouses: None,
        loads_beside: Vec::new(),
        repeats: 1,
        paired: None,
        runs: Vec::new(),
        skipped: Vec::new(),
        test_files: Vec::new(),
        scripts: None,
        in_kind: None,
        io: None,
        network: None,
        agents: None,
        agent_hosts: Vec::new(),
        jobs_per_agent: None,
        client_threads: None,
        database_per_agent: false,
    }
}
