//! Two sides of a comparison in pairs and a published system, made up: round figures of machines that do not exist.

use std::collections::BTreeMap;

use model::{
    Columns, CompareOptions, Comparison, ControlProbe, Degree, Durability, Fact, FactGroup, FactValue, InvalidReason,
    InvalidRun, MeasuredRate, Origin, Paired, PriceBook, PriceItem, PriceKind, Remark, System, SystemPoint, SystemTest,
    compare,
};
use record::{Dop, Latency, Layer, Nanos, Pace, Preset, Rate, Ratio, Sweep, Timestamp, Unit};

/// What ten pairs of runs differ by, beside the difference between the systems.
const NOISE: [f64; 10] = [0.004, -0.003, 0.001, -0.002, 0.003, -0.004, 0.002, -0.001, 0.0005, -0.0005];

fn some<T>(value: T) -> Option<T> {
    Some(value)
}

fn rates(per_second: f64, ratio: f64, scatter: f64) -> Vec<MeasuredRate> {
    let rate = |(noise, repeat): (f64, u32)| {
        // Both sides of a pair have the same drift.
        let drift = 1.0 + 0.01 * f64::from(repeat);
        MeasuredRate { repeat, per_second: Rate(per_second * drift * ratio * (1.0 + scatter * noise)) }
    };
    NOISE.into_iter().zip(1..).map(rate).collect()
}

fn point(jobs: u32, rates: Vec<MeasuredRate>) -> SystemPoint {
    let service = Nanos(80_000 * u64::from(jobs));
    let latency = Latency { count: 10_000, p50_ns: service, p99_ns: some(Nanos(service.0 * 3)), ..Latency::default() };
    SystemPoint {
        degree: Degree { dop: Dop::jobs(jobs), in_flight: None },
        rates,
        columns: Columns { service: model::times(&latency), ..Columns::default() },
        ..SystemPoint::default()
    }
}

/// A test at 1, 2 and 4 jobs.
pub fn test(
    code: &str,
    title: &str,
    layer: Layer,
    unit: Unit,
    per_second: f64,
    ratio: f64,
    scatter: f64,
) -> SystemTest {
    let points = [(1, 1.0), (2, 1.9), (4, 3.1)];
    SystemTest {
        is_probe: false,
        code: code.to_owned(),
        title: title.to_owned(),
        layer: some(layer),
        unit,
        sweep: Sweep::Jobs,
        pace: Pace::Unthrottled,
        data_bytes: None,
        changes: some(false),
        parameters: BTreeMap::new(),
        conditions: Vec::new(),
        points: points.map(|(jobs, gain)| point(jobs, rates(per_second * gain, ratio, scatter))).to_vec(),
        verdict: None,
        warnings: Vec::new(),
        note: None,
    }
}

fn fact(group: FactGroup, name: &str, value: &str) -> Fact {
    Fact { group, name: name.to_owned(), value: FactValue::Text(value.to_owned()) }
}

fn side(name: &str, other: &str, ratio: fn(f64) -> f64, noise: f64) -> System {
    let updates = SystemTest {
        changes: some(true),
        ..test(
            "T716",
            "OLTP update, 32 rows per transaction",
            Layer::Database,
            Unit::Transaction,
            900.0,
            ratio(1.5),
            noise,
        )
    };
    let mut invalid = test("T311", "OLTP insert", Layer::Database, Unit::Transaction, 2_000.0, 1.0, 0.0);
    for point in &mut invalid.points {
        (point.rates, point.invalid) =
            (Vec::new(), vec![InvalidRun { run: 7, reason: InvalidReason::Failed("the answer was wrong".to_owned()) }]);
    }
    System {
        name: name.to_owned(),
        title: "Sample 3.1 on db1".to_owned(),
        origin: Origin::Measured {
            started_at: Timestamp("2026-01-31T12:00:00Z".to_owned()),
            version: "0.1.0".to_owned(),
            preset: Preset::Quick,
            paired: some(Paired {
                with: other.to_owned(),
                plan_hash: some(format!("sha256:{}", "0123456789abcdef".repeat(4))),
                loads_beside: Vec::new(),
                control_probe: some(ControlProbe {
                    probe: "C11".to_owned(),
                    unit: Unit::Operation,
                    before: some(Rate(2.5e9)),
                    after: some(Rate(2.48e9)),
                }),
            }),
        },
        facts: vec![
            fact(FactGroup::Machine, "processor", "Sample CPU"),
            fact(FactGroup::Engine, "engine", "Sample 3.1"),
        ],
        durability: some(Durability { durable: some(true), words: "commits are forced".to_owned(), shown: None }),
        tests: vec![
            test("T131", "integer arithmetic", Layer::Cpu, Unit::Operation, 20e6, 1.0, noise),
            test(
                "T611",
                "primary key access, 1 row per statement",
                Layer::Server,
                Unit::Statement,
                50e3,
                ratio(1.05),
                noise,
            ),
            test("T621", "secondary key access", Layer::Server, Unit::Statement, 800.0, ratio(0.8), noise),
            test("T626", "random single-block read", Layer::Storage, Unit::Block, 9_000.0, ratio(1.03), noise * 30.0),
            updates,
            invalid,
        ],
        limits: Vec::new(),
        remarks: Vec::new(),
        price: None,
        claims: Vec::new(),
        tables: Vec::new(),
    }
}

/// Side A and side B of one comparison in pairs; B has another cache and commits that do not wait.
pub fn pair() -> [System; 2] {
    let base = side("r-a", "r-b", |_| 1.0, 0.0);
    let mut other = side("r-b", "r-a", |ratio| ratio, 1.0);
    other.facts.push(fact(FactGroup::Setting, "sample_cache", "64 MiB"));
    other.durability = some(Durability { durable: some(false), words: "commits do not wait".to_owned(), shown: None });
    other.tests.push(test("T331", "bulk load", Layer::Database, Unit::Row, 1e5, 1.0, 0.0));
    other.remarks.push(remark(some("T331"), "T331: rows do not add up"));
    other.remarks.push(remark(None, "the clock was changed"));
    [base, other]
}

/// What contradicts itself, in `test` or as a whole.
pub fn remark(test: Option<&str>, text: &str) -> Remark {
    Remark::Published { test: test.map(str::to_owned), text: text.to_owned() }
}

/// A published system with figures of two of the tests.
pub fn published() -> System {
    let test = |code: &str, title: &str, unit: Unit, per_second: f64| {
        let mut test = self::test(code, title, Layer::Server, unit, per_second, 1.0, 0.0);
        for point in &mut test.points {
            point.rates.truncate(1);
            point.columns = Columns {
                operations_per_second: point.rates.first().map(|rate| rate.per_second),
                cpu_busy: some(Ratio(0.06)),
                write_bytes_per_second: some(Rate(291e6)),
                redo_bytes_per_second: some(Rate(15e6)),
                service_at_most_ns: some(Nanos(500_000)),
                time_ns: some(Nanos::from_seconds(78.0)),
                ..Columns::default()
            };
        }
        test
    };
    let tests = vec![
        test("T611", "in-memory primary key access", Unit::Statement, 11_650.0),
        test("T721", "random write (8 KByte)", Unit::Transaction, 106.4),
    ];
    System {
        name: "sample-2012".to_owned(),
        title: "Sample 9000 with 2 arrays".to_owned(),
        origin: Origin::Published { year: 2012, source: "Sample Ltd, report".to_owned() },
        tests,
        price: some(book(1_000_000.0)),
        remarks: vec![remark(some("T721"), "T721: redo is more than what was written")],
        durability: None,
        ..side("", "", |_| 1.0, 0.0)
    }
}

/// A price book of one line.
pub fn book(list_price: f64) -> PriceBook {
    let item = PriceItem {
        name: "all of it".to_owned(),
        kind: PriceKind::Once,
        quantity: 1.0,
        list_price,
        discount: Ratio(0.2),
    };
    let (currency, date, source) = ("CHF".to_owned(), "2026-01-31".to_owned(), "an offer".to_owned());
    PriceBook { currency, date, source, years: 3, items: vec![item] }
}

/// `systems` compared by the usual rules.
pub fn compared(systems: &[System]) -> Comparison {
    compare(systems, CompareOptions::default())
}
