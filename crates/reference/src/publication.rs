//! The file format of publications in `published/`, and the systems parsed from them. Unknown keys are refused.

use std::collections::BTreeMap;

use model::{
    Cell, Claim, Columns, Condition, Degree, Fact, FactGroup, FactTable, FactValue, MeasuredRate, Origin, Remark,
    System, SystemPoint, SystemTest,
};
use record::{Bytes, Dop, Layer, Nanos, Pace, Rate, Ratio, Sweep, Unit};
use serde::Deserialize;

use crate::price_book::{BookFile, Refusal};

const MIB: f64 = (1u64 << 20) as f64;

/// Sets a column, converted to the units of dbdyno.
type Put = fn(&mut Columns, f64);

/// The columns of published tables, by key, in the units of publications: per second, 10^6 bytes (mbps)
/// or 2^20 and 2^30 (mib_s, gib_s), percent of all processors, seconds (time), milliseconds.
const COLUMNS: [(&str, Put); 17] = [
    ("rps", |columns, figure| columns.rows_per_second = Some(Rate(figure))),
    ("ops", |columns, figure| columns.operations_per_second = Some(Rate(figure))),
    ("tps", |columns, figure| columns.transactions_per_second = Some(Rate(figure))),
    ("read_iops", |columns, figure| columns.reads_per_second = Some(Rate(figure))),
    ("write_iops", |columns, figure| columns.writes_per_second = Some(Rate(figure))),
    ("mbps", |columns, figure| columns.bytes_per_second = Some(Rate(figure * 1e6))),
    ("read_mbps", |columns, figure| columns.read_bytes_per_second = Some(Rate(figure * 1e6))),
    ("write_mbps", |columns, figure| columns.write_bytes_per_second = Some(Rate(figure * 1e6))),
    ("redo_mbps", |columns, figure| columns.redo_bytes_per_second = Some(Rate(figure * 1e6))),
    ("read_mib_s", |columns, figure| reads(columns, Rate(figure * MIB))),
    ("read_gib_s", |columns, figure| reads(columns, Rate(figure * 1024.0 * MIB))),
    ("write_mib_s", |columns, figure| writes(columns, Rate(figure * MIB))),
    ("write_gib_s", |columns, figure| writes(columns, Rate(figure * 1024.0 * MIB))),
    ("cpu", |columns, figure| columns.cpu_busy = Some(Ratio(figure / 100.0))),
    ("time", |columns, figure| columns.time_ns = Some(Nanos::from_seconds(figure))),
    ("service_ms", |columns, figure| columns.service_mean_ns = Some(millis(figure))),
    ("service_ms_at_most", |columns, figure| columns.service_at_most_ns = Some(millis(figure))),
];

/// The key of a rate that is in no column: units of the test per second.
const RATE: &str = "rate";

/// Columns that are divisors and must be above 0; rates may be 0.
const TIMES: [&str; 3] = ["time", "service_ms", "service_ms_at_most"];

/// A storage generator transfers only what it reads.
fn reads(columns: &mut Columns, rate: Rate) {
    (columns.bytes_per_second, columns.read_bytes_per_second) = (Some(rate), Some(rate));
}

/// A storage generator transfers only what it writes.
fn writes(columns: &mut Columns, rate: Rate) {
    (columns.bytes_per_second, columns.write_bytes_per_second) = (Some(rate), Some(rate));
}

/// Milliseconds, rounded to the nanosecond.
fn millis(milliseconds: f64) -> Nanos {
    Nanos((milliseconds * 1e6).round().max(0.0) as u64)
}

/// One file of `published/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Publication {
    name: String,
    title: String,
    year: u32,
    source: String,
    /// Contradictions in its figures, one sentence each.
    #[serde(default)]
    remarks: Vec<String>,
    #[serde(default)]
    facts: Facts,
    #[serde(default, rename = "test")]
    tests: Vec<TestFigures>,
    #[serde(default, rename = "claim")]
    claims: Vec<ClaimFigures>,
    #[serde(default, rename = "table")]
    tables: Vec<TableFigures>,
    price: Option<BookFile>,
    load: Option<LoadStudy>,
}

/// A published load: the goal, and what it requires, in the units of the publication.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadStudy {
    /// Terabytes of flat file per hour.
    pub goal_tb_per_hour: f64,
    /// The same in megabytes per second.
    pub goal_mb_s: f64,
    /// Flat file over its gzip.
    pub gzip_ratio: f64,
    /// Megabytes of gzip per second.
    pub compressed_input_mb_s: f64,
    /// Megabytes of flat file per second that a quarter of a core decompresses.
    pub inflate_mb_s_per_quarter_core: f64,
    /// Quarters of a core that decompression needs.
    pub inflate_units: f64,
    /// Cores that decompression needs.
    pub inflate_cores: f64,
    /// Bandwidth of two 1 Gbit/s links, megabytes per second.
    pub network_mb_s: f64,
    /// Seconds to transfer a terabyte over them.
    pub network_seconds_per_tb: f64,
}

/// Facts by section: names and values.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Facts {
    machine: Vec<(String, String)>,
    storage: Vec<(String, String)>,
    kernel: Vec<(String, String)>,
    engine: Vec<(String, String)>,
    setting: Vec<(String, String)>,
    measurement: Vec<(String, String)>,
}

/// One test with its columns; each column has a figure per degree of parallelism, `nan` where none was published.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TestFigures {
    code: String,
    title: String,
    layer: Option<Layer>,
    unit: Option<Unit>,
    note: Option<String>,
    data_bytes: Option<Bytes>,
    parameters: BTreeMap<String, i64>,
    /// The varied degree, one of these; none where all are empty.
    nodes: Vec<u32>,
    jobs: Vec<u32>,
    threads: Vec<u32>,
    /// Outstanding requests of all jobs.
    in_flight: Option<u32>,
    #[serde(flatten)]
    columns: BTreeMap<String, Vec<f64>>,
}

/// A claim about a test.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimFigures {
    test: String,
    n: u32,
    rate: f64,
    bytes_per_second: Option<f64>,
    text: String,
}

/// A table of numbers and text; empty text where nothing was published.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFigures {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<CellFigure>>,
    #[serde(default)]
    curves: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CellFigure {
    Number(f64),
    Text(String),
}

/// The system that the publication `text` is about, and its plan of a load; or what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<(System, Option<LoadStudy>), String> {
    let file: Publication = toml::from_str(text).map_err(|error| error.to_string())?;
    let book = |prices: BookFile| Refusal { text, path: &file.name }.book(prices).map_err(|error| error.to_string());
    let tests: Vec<SystemTest> = file.tests.into_iter().map(TestFigures::test).collect::<Result<_, _>>()?;
    let remarks = file.remarks.into_iter().map(|text| remark(text, &tests)).collect();
    let system = System {
        origin: Origin::Published { year: file.year, source: file.source },
        facts: file.facts.all(),
        durability: None,
        tests,
        limits: Vec::new(),
        remarks,
        price: file.price.map(book).transpose()?,
        claims: file.claims.into_iter().map(ClaimFigures::claim).collect(),
        tables: file.tables.into_iter().map(TableFigures::table).collect(),
        name: file.name,
        title: file.title,
    };
    Ok((system, file.load))
}

/// The remark `text`, and which of `tests` it is about: the one whose code it begins with.
fn remark(text: String, tests: &[SystemTest]) -> Remark {
    let begins = |code: &str| text.strip_prefix(code).is_some_and(|rest| rest.starts_with([':', ' ']));
    let test = tests.iter().map(|test| &test.code).find(|code| begins(code)).cloned();
    Remark::Published { test, text }
}

impl Facts {
    fn all(self) -> Vec<Fact> {
        let groups = [
            (FactGroup::Machine, self.machine),
            (FactGroup::Storage, self.storage),
            (FactGroup::Kernel, self.kernel),
            (FactGroup::Engine, self.engine),
            (FactGroup::Setting, self.setting),
            (FactGroup::Measurement, self.measurement),
        ];
        let fact = |group| move |(name, value)| Fact { group, name, value: FactValue::Text(value) };
        groups.into_iter().flat_map(|(group, facts)| facts.into_iter().map(fact(group))).collect()
    }
}

impl ClaimFigures {
    fn claim(self) -> Claim {
        let ClaimFigures { test, n, rate, bytes_per_second, text } = self;
        Claim { test, n, rate: Rate(rate), bytes_per_second: bytes_per_second.map(Rate), text }
    }
}

impl TableFigures {
    fn table(self) -> FactTable {
        let cell = |figure| match figure {
            CellFigure::Number(number) => Cell::Number(number),
            CellFigure::Text(words) if words.is_empty() => Cell::Absent,
            CellFigure::Text(words) => Cell::Text(words),
        };
        let rows = self.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        FactTable { title: self.title, columns: self.columns, rows, curves: self.curves }
    }
}

impl TestFigures {
    /// The degrees of parallelism; one job where none was varied.
    fn degrees(&self) -> Result<Vec<Dop>, String> {
        let code = &self.code;
        let varied: Vec<(&str, &[u32])> =
            [("nodes", self.nodes.as_slice()), ("jobs", &self.jobs), ("threads", &self.threads)]
                .into_iter()
                .filter(|(_, degrees)| !degrees.is_empty())
                .collect();
        let dop = |what: &str, degree: u32| match what {
            "nodes" => Dop { nodes: degree, jobs: 1, threads: 1 },
            "threads" => Dop { nodes: 1, jobs: 1, threads: degree },
            _ => Dop::jobs(degree),
        };
        match varied.as_slice() {
            [] => Ok(vec![Dop::jobs(1)]),
            [(_, degrees)] if !degrees.is_sorted_by(|one, next| one < next) => {
                Err(format!("the degrees of parallelism of {code} are not ascending"))
            }
            [(what, degrees)] => Ok(degrees.iter().map(|degree| dop(what, *degree)).collect()),
            [(one, _), (other, _), ..] => Err(format!("{code} varies {one} and {other}")),
        }
    }

    /// A closed-loop test, the only load type published.
    fn test(self) -> Result<SystemTest, String> {
        let degrees = self.degrees()?;
        self.columns.iter().try_for_each(|(key, figures)| self.check(key, figures, degrees.len()))?;
        let (Some(layer), Some(unit), false) = (self.layer, self.unit, self.code.is_empty() || self.title.is_empty())
        else {
            return Err(format!("test {:?} {:?} lacks code, title, layer or unit", self.code, self.title));
        };
        Ok(SystemTest {
            points: degrees.iter().enumerate().map(|(index, dop)| self.point(unit, index, *dop)).collect(),
            // Codes of the catalogue: probes are P and digits.
            is_probe: record::RunKind::of_code(&self.code).is_probe(),
            code: self.code,
            title: self.title,
            layer: Some(layer),
            unit,
            sweep: if degrees.iter().any(|dop| dop.threads > 1) { Sweep::Threads } else { Sweep::Jobs },
            pace: Pace::Unthrottled,
            data_bytes: self.data_bytes,
            changes: None,
            parameters: self.parameters,
            // Published storage studies measured arrays, bypassing the caches of the host.
            conditions: match layer {
                Layer::Storage => vec![Condition::Reads { from_device: true }],
                _ => Vec::new(),
            },
            verdict: None,
            warnings: Vec::new(),
            note: self.note,
        })
    }

    fn check(&self, key: &str, figures: &[f64], needed: usize) -> Result<(), String> {
        let code = &self.code;
        if key != RATE && COLUMNS.iter().all(|(known, _)| *known != key) {
            return Err(format!("unknown field `{key}` of {code}"));
        }
        if figures.len() != needed {
            return Err(format!("{key} of {code} has {} figures, {needed} are needed", figures.len()));
        }
        let is_time = TIMES.contains(&key);
        let is_wrong = |figure: f64| if is_time { figure <= 0.0 } else { figure < 0.0 } || figure.is_infinite();
        let limit = if is_time { "above 0" } else { "0 or more" };
        match figures.iter().find(|figure| is_wrong(**figure)) {
            Some(figure) => Err(format!("{key} of {code} has the figure {figure}, it has to be {limit}")),
            None => Ok(()),
        }
    }

    fn point(&self, unit: Unit, index: usize, dop: Dop) -> SystemPoint {
        let at = |key: &str| self.columns.get(key)?.get(index).copied().filter(|figure| !figure.is_nan());
        let mut columns = Columns::default();
        COLUMNS
            .iter()
            .filter_map(|(key, put)| Some((put, at(key)?)))
            .for_each(|(put, figure)| put(&mut columns, figure));
        // The published column in the unit of the test.
        let counted = match unit {
            Unit::Row | Unit::Block => {
                columns.rows_per_second.or(columns.reads_per_second).or(columns.writes_per_second)
            }
            Unit::Transaction => columns.transactions_per_second.or(columns.operations_per_second),
            Unit::Byte => columns.write_bytes_per_second.or(columns.read_bytes_per_second).or(columns.bytes_per_second),
            _ => columns.operations_per_second,
        };
        let rate = at(RATE).map(Rate).or(counted);
        SystemPoint {
            degree: Degree { dop, in_flight: self.in_flight },
            rates: rate.map(|per_second| MeasuredRate { repeat: 1, per_second }).into_iter().collect(),
            columns,
            ..SystemPoint::default()
        }
    }
}

#[cfg(test)]
mod tests;
