//! Appends runs with meaningless figures to a record, to measure the cost of appending, and of reading and printing a
//! large record: `cargo run --release -p dbdyno-store --example large -- PATH [RUNS [SECONDS_PER_RUN]]`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use dbdyno_store::Writer;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::evidence::{Answers, ClientShare, CommitCount, LittlesLaw, Steal, Swapping, Throttling, WindowLength};
use record::{
    Bytes, Dop, EngineInventory, Evidence, Finding, HostInventory, Instrument, Latency, Layer, Line, Location, Nanos,
    Pace, Placement, Plan, PlannedRun, Preset, Ratio, Reading, Record, Run, RunKind, SCHEMA_VERSION, Second, Slices,
    Status, Timestamp, Tool, Totals, Unit, Verdict, name,
};

/// The tests, in order of their runs.
const TESTS: [(&str, &str, Layer, Unit); 12] = [
    ("C11", "cpu, integer arithmetic", Layer::Cpu, Unit::Operation),
    ("T131", "integer arithmetic", Layer::Cpu, Unit::Operation),
    ("T132", "exact decimal arithmetic", Layer::Cpu, Unit::Operation),
    ("T141", "string processing", Layer::Cpu, Unit::Operation),
    ("T161", "quicksort", Layer::Server, Unit::Element),
    ("T421", "full table scan, all in the buffer cache", Layer::Server, Unit::Row),
    ("T611", "primary key access, 1 row per statement", Layer::Server, Unit::Statement),
    ("T621", "secondary key access, 320 rows per statement", Layer::Server, Unit::Row),
    ("T626", "random single-block read", Layer::Storage, Unit::Block),
    ("T311", "OLTP insert, 2 rows per transaction", Layer::Database, Unit::Transaction),
    ("T616", "OLTP select by primary key", Layer::Database, Unit::Transaction),
    ("T716", "OLTP update by primary key", Layer::Database, Unit::Transaction),
];

const JOBS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

const HOST_COUNTERS: [&str; 14] = [
    name::HOST_CPU_USER_NS,
    name::HOST_CPU_SYSTEM_NS,
    name::HOST_CPU_IOWAIT_NS,
    name::HOST_CPU_IDLE_NS,
    name::HOST_CPU_STEAL_NS,
    name::HOST_SWAP_IN_COUNT,
    name::DEVICE_READ_COUNT,
    name::DEVICE_READ_BYTES,
    name::DEVICE_WRITE_COUNT,
    name::DEVICE_WRITE_BYTES,
    name::DEVICE_FLUSH_COUNT,
    name::DEVICE_READ_NS,
    name::DEVICE_WRITE_NS,
    name::DEVICE_IN_QUEUE_NS,
];

const ENGINE_COUNTERS: [&str; 12] = [
    name::CLIENT_CPU_NS,
    name::SERVER_CPU_NS,
    name::LOGICAL_READ_COUNT,
    name::PHYSICAL_READ_COUNT,
    name::PHYSICAL_READ_BYTES,
    name::PHYSICAL_WRITE_COUNT,
    name::PHYSICAL_WRITE_BYTES,
    name::REDO_WRITE_BYTES,
    name::REDO_SYNC_COUNT,
    name::COMMIT_COUNT,
    name::BOOKKEEPING_COMMIT_COUNT,
    name::ROLLBACK_COUNT,
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u32| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let path = arguments.first().ok_or("give the path of the record")?;
    let (runs, seconds) = (number(1, 100_000)?, number(2, 100)?);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(42);
    let mut record = record(runs, seconds);
    let mut writer = Writer::create(Path::new(path), &record)?;
    let mut appending = Duration::ZERO;
    for number in 1..=runs {
        let run = run(number, seconds, &mut random);
        let start = Instant::now();
        writer.append(&Line::Run(&run))?;
        appending += start.elapsed();
    }
    record.status = Status::Finished;
    record.ended_at = Some(Timestamp("2026-05-31T12:00:00.000Z".to_owned()));
    writer.append_end(&record)?;
    let each = appending.as_secs_f64() / f64::from(runs.max(1));
    writeln!(io::stdout(), "{runs} runs appended in {:.2} s, {:.3} ms each", appending.as_secs_f64(), each * 1e3)?;
    Ok(())
}

/// A record without runs.
fn record(runs: u32, seconds: u32) -> Record {
    let repeat = |number: u32| (number - 1) / (TESTS.len() * JOBS.len()) as u32 + 1;
    let planned = |number: u32| PlannedRun {
        kind: record::RunKind::Test,
        number,
        test: test_of(number).0.to_owned(),
        dop: Dop::jobs(jobs_of(number)),
        repeat: repeat(number),
        variation: None,
    };
    Record {
        schema_version: SCHEMA_VERSION,
        id: "large".to_owned(),
        tool: Tool { version: "0.1.0".to_owned(), optimised: true, build: None },
        started_at: Timestamp("2026-01-31T12:00:00.000Z".to_owned()),
        ended_at: None,
        status: Status::Running,
        reason: None,
        plan: Plan {
            target: "local:example".to_owned(),
            directory: "/measured".to_owned(),
            preset: Preset::Publish,
            probe_window_ns: None,
            window_ns: Nanos(u64::from(seconds) * Nanos::SECOND.0),
            warm_up_ns: Nanos::SECOND,
            steps: None,
            seed: 42,
            placement: Placement::Kernel,
            pace: Pace::Unthrottled,
            until: None,
            one_thread_per_core: false,
            small_rows: 1_000_000,
            large_rows: 100_000_000,
            warehouses: None,
            loads_beside: Vec::new(),
            repeats: repeat(runs.max(1)),
            paired: None,
            runs: (1..=runs).map(planned).collect(),
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
        },
        host: HostInventory { host_name: Some("db1".to_owned()), ..HostInventory::default() },
        server_hosts: Default::default(),
        storage_hosts: Default::default(),
        agent_hosts: Default::default(),
        engine: Some(engine()),
        instrument: Instrument::default(),
        nodes: Vec::new(),
        local_round_trips: None,
        unproved: Vec::new(),
        data_sets: Vec::new(),
        runs: Vec::new(),
    }
}

/// Code, title, layer and unit of the test of run `number`, counted from 1.
fn test_of(number: u32) -> (&'static str, &'static str, Layer, Unit) {
    TESTS[(number - 1) as usize % TESTS.len()]
}

fn jobs_of(number: u32) -> u32 {
    JOBS[(number - 1) as usize / TESTS.len() % JOBS.len()]
}

fn engine() -> EngineInventory {
    EngineInventory {
        name: "example".to_owned(),
        title: "Example SQL".to_owned(),
        version: "9.1".to_owned(),
        location: Location::UnixSocket,
        nodes: 1,
        encryption: None,
        temporary: true,
        direct_reads: None,
        sessions_share_file_lock: false,
        block_bytes: Some(Bytes(8192)),
        cache_bytes: Some(Bytes::GIB),
        durable: Some(true),
        durability: "commits are forced to the device".to_owned(),
        durability_shown: None,
        settings: Vec::new(),
    }
}

/// A run of `seconds` seconds with all data of a test: series, two histograms, 60 slices, readings at both ends and one
/// in between.
fn run(number: u32, seconds: u32, random: &mut Xoshiro256PlusPlus) -> Run {
    let (test, title, layer, unit) = test_of(number);
    let jobs = jobs_of(number);
    let rate = 900 * u64::from(jobs) / (1 + u64::from(jobs) / 24) + u64::from(random.next_u32() % 90);
    let second = |random: &mut Xoshiro256PlusPlus| {
        let steps = rate + u64::from(random.next_u32() % 100);
        let (sum, longest) = (Nanos(steps * 1_083_331), Nanos(9_000_000 + u64::from(random.next_u32() % 5_000_000)));
        Second {
            steps,
            operations: steps,
            rows: steps,
            failures: 0,
            service_ns_sum: sum,
            service_ns_max: longest,
            response_ns_sum: sum,
            response_ns_max: longest,
        }
    };
    let series: Vec<Second> = (0..seconds).map(|_| second(random)).collect();
    let steps = series.iter().map(|second| second.steps).sum();
    let window_ns = Nanos(u64::from(seconds) * Nanos::SECOND.0 + 1_234);
    let service = latency(steps, random);
    let planned = PlannedRun::new(test, RunKind::Test, Dop::jobs(jobs));
    Run {
        number,
        title: title.to_owned(),
        layer,
        unit,
        data_bytes: Some(Bytes(123_456_789)),
        commits_expected: Some(steps),
        parameters: BTreeMap::from([("rows".to_owned(), 1_000_000)]),
        window_ns,
        totals: Totals { steps, operations: steps, rows: steps, transactions: steps, ..Totals::default() },
        response: service.clone(),
        service,
        seconds: series,
        slices: Some(slices(seconds, rate, random)),
        readings: readings(number, window_ns, random),
        findings: findings(number),
        ..Run::new(&planned, Pace::Unthrottled, Timestamp("2026-01-31T12:00:01.000Z".to_owned()))
    }
}

/// Times of about a millisecond with a long tail.
fn histogram(values: u64, digits: u8, random: &mut Xoshiro256PlusPlus) -> (Histogram<u64>, String) {
    let mut histogram: Histogram<u64> =
        Histogram::new_with_bounds(1, 86_400_000_000_000, digits).expect("the bounds are in order");
    for _ in 0..values.min(200) {
        let uniform = |random: &mut Xoshiro256PlusPlus| f64::from(random.next_u32()) / f64::from(u32::MAX);
        let normal = (0..6).map(|_| uniform(random) - 0.5).sum::<f64>() * 2f64.sqrt();
        histogram.saturating_record((1e6 * (normal * 0.4).exp()) as u64);
    }
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(&histogram, &mut bytes).expect("a vector takes every byte");
    (histogram, BASE64_STANDARD.encode(bytes))
}

fn latency(count: u64, random: &mut Xoshiro256PlusPlus) -> Latency {
    let (histogram, text) = histogram(count, 3, random);
    let at = |quantile| Nanos(histogram.value_at_quantile(quantile));
    Latency {
        count,
        min_ns: Nanos(histogram.min()),
        mean_ns: Nanos(histogram.mean() as u64),
        p50_ns: at(0.5),
        p90_ns: Some(at(0.9)),
        p99_ns: Some(at(0.99)),
        p999_ns: Some(at(0.999)),
        max_ns: Nanos(histogram.max()),
        histogram: text,
    }
    .printable()
}

/// Equal slices: generating sixty per run would take longer than the measured work.
fn slices(seconds: u32, rate: u64, random: &mut Xoshiro256PlusPlus) -> Slices {
    let count = seconds.min(60);
    let (_, text) = histogram(rate, 1, random);
    let width_ns = Nanos(u64::from(seconds) * Nanos::SECOND.0 / u64::from(count.max(1)));
    Slices { width_ns, responses: vec![text; count as usize] }
}

fn readings(number: u32, window_ns: Nanos, random: &mut Xoshiro256PlusPlus) -> Vec<Reading> {
    let begin = u64::from(number) * 2 * window_ns.0;
    let mut counters: BTreeMap<String, u64> =
        HOST_COUNTERS.iter().chain(&ENGINE_COUNTERS).map(|name| ((*name).to_owned(), begin / 7)).collect();
    let mut reading = |at: u64, names: &[&[&str]]| {
        counters.values_mut().for_each(|value| *value += u64::from(random.next_u32() >> 4));
        let kept = counters.iter().filter(|(name, _)| names.iter().any(|names| names.contains(&name.as_str())));
        Reading { at_ns: Nanos(at), values: kept.map(|(name, value)| (name.clone(), *value)).collect() }
    };
    vec![
        reading(begin, &[&HOST_COUNTERS, &ENGINE_COUNTERS]),
        reading(begin + window_ns.0 / 2, &[&HOST_COUNTERS]),
        reading(begin + window_ns.0, &[&HOST_COUNTERS, &ENGINE_COUNTERS]),
    ]
}

fn findings(number: u32) -> Vec<Finding> {
    let limit = Ratio(0.005);
    let stolen = Steal {
        share: Ratio(f64::from(number % 977) / 1e4),
        limit,
        stolen_ns: Nanos(200_000_000),
        judged_ns_min: Nanos(30_000_000),
        worst_interval: None,
    };
    let counted = CommitCount::Counted { ours: 23, surplus: 0, difference: Ratio(0.0), limit };
    let (busy, window_ns) = (1.5, Nanos(100_000_000_000));
    let steal = if number.is_multiple_of(5) { Verdict::Warn } else { Verdict::Pass };
    [
        (Verdict::Pass, Evidence::Answers(Answers::Right)),
        (Verdict::Pass, Evidence::LittlesLaw(LittlesLaw::OpenLoop { busy, jobs: 2 })),
        (Verdict::Pass, Evidence::CommitCount(counted)),
        (
            Verdict::Pass,
            Evidence::ClientShare(ClientShare::PerStep { share: Some(limit), with_interpreter: true, limit }),
        ),
        (steal, Evidence::Steal(Some(stolen))),
        (Verdict::Pass, Evidence::Throttling(Throttling { share: Ratio(0.0), limit })),
        (Verdict::Pass, Evidence::Swapping(Some(Swapping { pages: 0, pages_per_second_max: 100.0 }))),
        (Verdict::Pass, Evidence::RateLevels(None)),
        (Verdict::Pass, Evidence::WindowLength(WindowLength::Enough { window_ns })),
    ]
    .map(|(verdict, evidence)| Finding::new(verdict, evidence))
    .into()
}
