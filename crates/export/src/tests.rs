//! Exports, read back with other readers than their writers.

mod activity;
mod histogram;
mod loads;
mod nodes;
mod publication;
mod scans;
mod traces;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use record::{
    Bytes, DataSet, Dop, FailureKind, HostInventory, Instrument, Latency, Layer, Nanos, NodeEvent, NodeEventKind,
    NodeInventory, NodeRun, Outcome, Pace, Placement, Plan, PlannedRun, Preset, Reading, Record, Run, RunKind,
    SCHEMA_VERSION, Second, Slices, StatementRun, Status, Sweep, Timestamp, Tool, Totals, TransactionType, Unit, name,
};

use super::*;

fn histogram(values: &[u64], digits: u8) -> String {
    let mut histogram: Histogram<u64> = Histogram::new_with_bounds(1, 86_400_000_000_000, digits).unwrap();
    values.iter().for_each(|value| histogram.saturating_record(*value));
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
    BASE64_STANDARD.encode(bytes)
}

fn latency(values: &[u64]) -> Latency {
    let longest = Nanos(values.iter().copied().max().unwrap_or_default());
    Latency { count: values.len() as u64, max_ns: longest, histogram: histogram(values, 3), ..Latency::default() }
}

/// Two seconds, three steps in the first and one in the second; the last one took `u64::MAX` as a counter.
fn run(number: u32) -> Run {
    let times = [1_000_000, 2_000_000, 3_000_000, 70_000_000];
    let second = |steps: u64| Second { steps, operations: steps, rows: steps, ..Second::default() };
    let reading = |at: u64, value: u64| Reading {
        at_ns: Nanos(at),
        values: BTreeMap::from([(name::CLIENT_CPU_NS.to_owned(), value), (name::COMMIT_COUNT.to_owned(), u64::MAX)]),
    };
    let planned = PlannedRun::new("T611", RunKind::Test, Dop::jobs(number));
    Run {
        number,
        title: "one, \"two\"\nthree".to_owned(),
        layer: Layer::Server,
        unit: Unit::Statement,
        parameters: BTreeMap::from([("skew".to_owned(), -3)]),
        window_ns: Nanos(1_500_000_000),
        totals: Totals { steps: 4, operations: 4, rows: 4, ..Totals::default() },
        service: latency(&times),
        response: latency(&times),
        seconds: vec![second(3), second(1)],
        slices: Some(Slices {
            width_ns: Nanos::SECOND,
            responses: vec![histogram(&times[..3], 1), histogram(&times[3..], 1)],
        }),
        readings: vec![reading(0, 0), reading(1_500_000_000, 750_000_000)],
        gauges: vec![record::GaugeRun {
            name: "depth".to_owned(),
            readings: vec![
                record::GaugeReading { at_ns: Nanos(0), value: 12.5 },
                record::GaugeReading { at_ns: Nanos(1_000_000_000), value: -1.0 },
            ],
            refusal: None,
        }],
        loads_beside: vec![record::LoadBesideRun {
            load: record::LoadBeside { test: "H100".to_owned(), test_file: None, jobs: 2, rate: Some(0.5) },
            title: "decision queries".to_owned(),
            unit: Unit::Statement,
            window_ns: Nanos::SECOND,
            totals: Totals { steps: 4, operations: 4, ..Totals::default() },
            cancelled: 1,
            service: latency(&times),
            response: latency(&times),
        }],
        transaction_types: vec![TransactionType {
            name: "a, \"b\".sql".to_owned(),
            weight: 9,
            role: Some(record::Role { name: "readers".to_owned(), jobs: Some(2), rate: Some(50.0) }),
            per_minute: Some("NOPM".to_owned()),
            totals: Totals { steps: 4, retried: 1, retries: 2, ..Totals::default() },
            service: latency(&times),
            response: latency(&times),
            statements: [1, 3].map(|line| statement(line, &times)).into(),
        }],
        ..Run::new(&planned, Pace::Unthrottled, Timestamp("2026-01-31T12:00:01.250Z".to_owned()))
    }
}

fn statement(line: u32, times: &[u64]) -> StatementRun {
    StatementRun { line, text: "select\n1".to_owned(), failures: 2, retries: 1, service: latency(times) }
}

/// The jobs of `run` over three nodes: the first was lost meanwhile, and the second before.
fn spread(mut run: Run) -> Run {
    let reading = |at: u64, commits: u64, own: u64| Reading {
        at_ns: Nanos(at),
        values: BTreeMap::from([
            (name::COMMIT_COUNT.to_owned(), commits),
            (name::BOOKKEEPING_COMMIT_COUNT.to_owned(), own),
        ]),
    };
    let node = |node: u32, operations: u64, readings: Vec<Reading>| NodeRun {
        node,
        jobs: 2,
        totals: Totals {
            steps: operations + 3,
            operations,
            transactions: operations,
            failures: BTreeMap::from([(FailureKind::Deadlock, 1), (FailureKind::Other, 2)]),
            ..Totals::default()
        },
        service: Latency { p50_ns: Nanos(5), p99_ns: Some(Nanos(9)), ..latency(&[5, 9]) },
        response: Latency::default(),
        seconds: Vec::new(),
        readings,
    };
    let both = vec![reading(0, 100, 4), reading(1_500_000_000, 133, 7)];
    run.nodes = vec![node(1, 3, vec![reading(0, 100, 4)]), node(3, 30, both.clone()), node(4, 30, both)];
    let event = |node: u32, kind: NodeEventKind, jobs: u32, at: u64| NodeEvent {
        at_ns: Nanos(at),
        node,
        name: format!("h{node}"),
        kind,
        jobs,
        message: "gone, it \"said\"".to_owned(),
    };
    run.events = vec![event(2, NodeEventKind::Gone, 0, 0), event(1, NodeEventKind::Lost, 2, 1_250_000_000)];
    run.dop.nodes = 3;
    run
}

fn data_set() -> DataSet {
    DataSet {
        table: "small".to_owned(),
        rows: 4_000,
        size_bytes: Bytes(400_000),
        fingerprint: "f1".to_owned(),
        reused: false,
        jobs: 2,
        load_ns: Some(Nanos(7)),
        finish_ns: None,
        generator_cpu_ns: None,
        server_cpu_ns: None,
    }
}

/// Three runs, the last one aborted; the second and the third over several nodes.
fn record() -> Record {
    let mut runs = vec![traces::traced(run(1)), spread(run(2)), spread(run(3))];
    runs[2].events.clear();
    // Beside a load nothing is told of the layers below.
    runs[0].loads_beside.clear();
    runs[2].outcome = Outcome::Failed { message: "the server is gone".to_owned() };
    let node = |number: u32| NodeInventory { name: format!("h{number}"), takes_writes: number == 1 };
    let planned = |run: &Run| PlannedRun {
        kind: run.kind.clone(),
        number: run.number,
        test: run.test.clone(),
        dop: run.dop,
        repeat: 7,
        variation: None,
    };
    Record {
        schema_version: SCHEMA_VERSION,
        id: "../r 1".to_owned(),
        tool: Tool { version: "0.1.0".to_owned(), optimised: true, build: None },
        started_at: Timestamp("2026-01-31T12:00:00.000Z".to_owned()),
        ended_at: None,
        status: Status::Finished,
        reason: None,
        plan: Plan {
            target: "example".to_owned(),
            directory: "/measured".to_owned(),
            preset: Preset::Quick,
            probe_window_ns: None,
            window_ns: Nanos::SECOND,
            warm_up_ns: Nanos(0),
            steps: None,
            seed: u64::MAX,
            placement: Placement::Kernel,
            pace: Pace::Unthrottled,
            until: None,
            one_thread_per_core: false,
            small_rows: 1,
            large_rows: 2,
            warehouses: None,
            loads_beside: Vec::new(),
            repeats: 7,
            paired: None,
            runs: runs.iter().map(planned).collect(),
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
        engine: None,
        instrument: Instrument::default(),
        nodes: (1..=3).map(node).collect(),
        local_round_trips: None,
        unproved: Vec::new(),
        data_sets: vec![data_set()],
        runs,
    }
}

fn written(out: &Path, format: Format) -> Written {
    let mut export = Export::begin(out, format, Existing::Refuse).unwrap();
    assert_eq!(export.add(record()).unwrap(), "../r 1");
    export.finish().unwrap()
}

type Rows = Vec<BTreeMap<String, String>>;

/// The rows of a table as text, empty cells left out.
fn csv_rows(path: &Path) -> Rows {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let heads = reader.headers().unwrap().clone();
    let row = |line: csv::StringRecord| {
        let cells = heads.iter().zip(line.iter()).filter(|(_, cell)| !cell.is_empty());
        cells.map(|(head, cell)| (head.to_owned(), cell.to_owned())).collect()
    };
    reader.records().map(|line| row(line.unwrap())).collect()
}

fn parquet_rows(path: &Path) -> Rows {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let cell = |field: &Field| match field {
        Field::Null => None,
        Field::Str(text) => Some(text.clone()),
        Field::Double(number) => Some(number.to_string()),
        other => Some(other.to_string()),
    };
    let row = |row: parquet::record::Row| {
        row.get_column_iter().filter_map(|(head, field)| Some((head.clone(), cell(field)?))).collect()
    };
    reader.get_row_iter(None).unwrap().map(|line| row(line.unwrap())).collect()
}

#[test]
fn both_formats_of_tables_are_equal() {
    let (csv, parquet) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let counted = written(csv.path(), Format::Csv);
    assert_eq!(written(parquet.path(), Format::Parquet), counted);
    for (table, rows) in &counted.tables {
        let of_csv = csv_rows(&csv.path().join(format!("{table}.csv")));
        assert_eq!(of_csv.len(), *rows, "{table}");
        assert_eq!(parquet_rows(&parquet.path().join(format!("{table}.parquet"))), of_csv, "{table}");
    }
    let rows: Vec<(&str, usize)> = counted.tables.iter().map(|(name, rows)| (name.as_str(), *rows)).collect();
    let expected = [
        ("runs", 3),
        ("seconds", 6),
        ("findings", 0),
        ("settings", 0),
        ("readings", 12),
        ("streams", 0),
        ("file_streams", 0),
        ("blocks", 0),
        ("block_operations", 0),
        ("transaction_types", 3),
        ("statements", 6),
        ("gauges", 3),
        ("gauge_readings", 6),
        ("loads_beside", 2),
        ("in_kind", 0),
        ("crashes", 0),
        ("nodes", 6),
        ("agents", 0),
        ("agent_hosts", 0),
        ("events", 2),
        ("traces", 2),
        ("activity", 58),
        ("layers", 17),
        ("loads", 0),
        ("load_stages", 0),
        ("scans", 0),
        ("parameters", 3),
        ("data_sets", 1),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_run_is_one_row_with_its_platform_and_an_invalid_one_has_no_result() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), Format::Csv);
    let runs = csv_rows(&directory.path().join("runs.csv"));
    let first = &runs[0];
    let cell = |name: &str| first.get(name).map(String::as_str);
    assert_eq!((cell("title"), cell("repeat"), cell("host")), (Some("one, \"two\"\nthree"), Some("7"), Some("db1")));
    assert_eq!((cell("layer"), cell("unit"), cell("preset")), (Some("server"), Some("statement"), Some("quick")));
    assert_eq!(cell("operations_per_second").unwrap().parse::<f64>().unwrap(), 4.0 / 1.5);
    assert_eq!((cell("client_cpus"), cell("seed")), (Some("0.5"), Some("18446744073709551615")));
    assert_eq!((cell("engine"), cell("device_reads_per_second")), (None, None), "not known, not zero");
    let invalid = &runs[2];
    assert_eq!((invalid["invalid"].as_str(), invalid["message"].as_str()), ("true", "the server is gone"));
    assert!(!invalid.contains_key("operations_per_second") && invalid["operations"] == "4");
    // One whole second is too short to judge steadiness.
    let steady = ["steadiness", "counted_from_second", "counted_seconds"];
    assert_eq!(steady.map(cell), [Some("TOO_SHORT"), Some("0"), Some("1")]);
    assert!(steady.iter().all(|name| !invalid.contains_key(*name)));
    let parameters = csv_rows(&directory.path().join("parameters.csv"));
    assert_eq!((parameters[0]["name"].as_str(), parameters[0]["value"].as_str()), ("skew", "-3"));
    let data_sets = csv_rows(&directory.path().join("data_sets.csv"));
    assert_eq!((data_sets[0]["load_ns"].as_str(), data_sets[0].get("finish_ns")), ("7", None));
}

#[test]
fn records_of_one_name_get_unique_names() {
    for format in [Format::Csv, Format::Hdr] {
        let directory = tempfile::tempdir().unwrap();
        let mut export = Export::begin(directory.path(), format, Existing::Refuse).unwrap();
        let given = [(); 2].map(|()| export.add(record()).unwrap());
        assert_eq!(given, ["../r 1", "../r 1-2"]);
        export.finish().unwrap();
        match format {
            Format::Hdr => assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 4),
            _ => {
                let runs = csv_rows(&directory.path().join("runs.csv"));
                let records: Vec<&str> = runs.iter().map(|run| run["record"].as_str()).collect();
                assert_eq!(records[2..4], given);
            }
        }
    }
}

#[test]
fn existing_files_are_replaced_only_on_request() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("runs.csv"), "mine").unwrap();
    fs::write(directory.path().join("notes"), "mine").unwrap();
    let refused = Export::begin(directory.path(), Format::Csv, Existing::Refuse).err().unwrap();
    assert!(refused.to_string().ends_with(" is not empty") && refused.hint().unwrap().contains("--force"));
    assert_eq!(fs::read(directory.path().join("runs.csv")).unwrap(), b"mine");
    let mut export = Export::begin(directory.path(), Format::Csv, Existing::Replace).unwrap();
    assert_eq!(export.add(record()).unwrap(), "../r 1");
    export.finish().unwrap();
    assert_eq!(csv_rows(&directory.path().join("runs.csv")).len(), 3);
    assert_eq!(fs::read(directory.path().join("notes")).unwrap(), b"mine");
}
