//! What a history has of a record.

use std::mem::discriminant;

use record::{Bytes, Dop, Pace, Preset, Record, Run, Sweep, Timestamp, Unit};

use crate::sheet::{Line, Point, sheet};
use crate::system::{Condition, conditions, parameters};

/// The figure of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Operations per second, in the unit of the test.
    Throughput,
    /// The 0.99 quantile of the service time.
    P99,
    /// Share of the ceiling in the same record.
    Efficiency,
}

/// The query of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryQuery {
    /// The code of the test.
    pub test: String,
    /// At how many jobs; absent: at the degree of parallelism with the highest throughput.
    pub jobs: Option<u32>,
    /// Which figure.
    pub metric: Metric,
}

/// One record of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// What is equal in all records of a series.
    pub common: HistoryCommon,
    /// The test in a few words.
    pub title: String,
    /// The unit of its operations.
    pub unit: Unit,
    /// The record.
    pub record: String,
    /// When it began.
    pub started_at: Timestamp,
    /// The degree of parallelism; absent where the test is invalid.
    pub at: Option<HistoryDegree>,
    /// The figure, in operations per second, nanoseconds, or as a share; absent where the test is invalid or has none.
    pub value: Option<f64>,
    /// The version of the engine, which may differ between records; empty without one.
    pub version: String,
}

/// What is equal in all records of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryCommon {
    /// Where the test ran, and with how much data.
    pub platform: HistoryPlatform,
    /// Durability of commits, in the words of the engine; empty without one.
    pub durability: String,
    /// The conditions of the test, in no order; none where it was not run plainly.
    pub conditions: Vec<HistoryCondition>,
}

/// The platform of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPlatform {
    /// The engine; absent where the test needs none.
    pub engine: Option<String>,
    /// The name of the host, where it has one.
    pub host: Option<String>,
    /// Nodes of the engine; 1 without one.
    pub nodes: u32,
    /// The preset.
    pub preset: Preset,
    /// Size of the tables to three digits: two loads of the same rows differ by a few pages.
    pub data: Option<Bytes>,
}

/// A condition that separates runs from those of another series.
#[derive(Clone, Debug, PartialEq)]
pub enum HistoryCondition {
    /// The number of a parameter of the test.
    Parameter(String, i64),
    /// A condition of its kind.
    OfKind(Condition),
    /// The pace of its steps.
    Pace(Pace),
    /// On which hardware threads it runs.
    HardwareThreads {
        /// On one of each core, and not on all.
        one_per_core: bool,
    },
}

impl HistoryCondition {
    /// Whether `other` is a value of the same condition.
    pub fn is_alike(&self, other: &HistoryCondition) -> bool {
        match (self, other) {
            (HistoryCondition::Parameter(one, _), HistoryCondition::Parameter(other, _)) => one == other,
            (HistoryCondition::OfKind(one), HistoryCondition::OfKind(other)) => one.is_alike(other),
            _ => discriminant(self) == discriminant(other),
        }
    }
}

/// The degree of parallelism of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryDegree {
    /// Of a test, with what its sweep varies.
    Dop(Dop, Sweep),
    /// I/Os in flight of a storage probe.
    InFlight(u32),
}

/// The entry of `record` for `query`; none where it has no plain run of the test at that degree of parallelism.
pub fn history_entry(mut record: Record, query: &HistoryQuery) -> Option<HistoryEntry> {
    if let Some(jobs) = query.jobs {
        record.runs.retain(|run| run.test != query.test || run.dop.jobs == jobs);
    }
    let sheet = sheet(&record);
    let line = sheet.lines.iter().find(|line| line.test == query.test)?;
    let best = line.best.as_ref();
    let is_plain = |run: &&Run| run.test == query.test && run.variation.is_none();
    let is_shown = |run: &&Run| best.is_some_and(|best| best.run == run.number);
    let mut plain = record.runs.iter().filter(is_plain);
    let shown = plain.clone().find(is_shown).or_else(|| plain.next());
    let engine = record.engine.as_ref();
    let platform = HistoryPlatform {
        engine: engine.map(|engine| engine.title.clone()),
        host: record.host.host_name.clone(),
        nodes: engine.map_or(1, |engine| engine.nodes),
        preset: record.plan.preset,
        data: shown.and_then(|run| run.data_bytes).map(to_three_digits),
    };
    let common = HistoryCommon {
        platform,
        durability: engine.map_or_else(String::new, |engine| engine.durability.clone()),
        conditions: shown.map(|run| conditions_of(&record, run)).unwrap_or_default(),
    };
    Some(HistoryEntry {
        common,
        title: line.title.clone(),
        unit: line.unit,
        record: record.id.clone(),
        started_at: record.started_at.clone(),
        at: best.map(|best| degree(line, best)),
        value: best.and_then(|best| value(best, query.metric)).filter(|value| value.is_finite()),
        version: engine.map_or_else(String::new, |engine| engine.version.clone()),
    })
}

/// The conditions that separate `run` from runs of other series.
fn conditions_of(record: &Record, run: &Run) -> Vec<HistoryCondition> {
    // Parameters of a probe only control its length.
    let parameters = parameters(run).into_iter().filter(|_| !run.kind.is_probe());
    let parameters = parameters.map(|(name, number)| HistoryCondition::Parameter(name, number));
    let of_kind = conditions(run).into_iter().map(HistoryCondition::OfKind);
    let threads = HistoryCondition::HardwareThreads { one_per_core: record.plan.one_thread_per_core };
    parameters.chain(of_kind).chain([HistoryCondition::Pace(run.pace), threads]).collect()
}

fn degree(line: &Line, point: &Point) -> HistoryDegree {
    point.in_flight.map_or(HistoryDegree::Dop(point.dop, line.sweep), HistoryDegree::InFlight)
}

fn value(point: &Point, metric: Metric) -> Option<f64> {
    match metric {
        Metric::Throughput => Some(point.operations_per_second.0),
        Metric::P99 => point.service?.p99_ns.map(|time| time.0 as f64),
        Metric::Efficiency => point.ceiling.as_ref().map(|limit| limit.efficiency.0),
    }
}

/// `size` to three decimal digits, halves to the even one.
fn to_three_digits(Bytes(size): Bytes) -> Bytes {
    let step = 10u64.pow(size.checked_ilog10().unwrap_or(0).saturating_sub(2));
    let (whole, rest) = (size / step, size % step);
    let is_up = rest * 2 > step || (rest * 2 == step && whole % 2 == 1);
    Bytes((whole + u64::from(is_up)).saturating_mul(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{engine, paced, record, run};

    fn query() -> HistoryQuery {
        HistoryQuery { test: "T611".to_owned(), jobs: None, metric: Metric::Throughput }
    }

    #[test]
    fn an_entry_has_what_its_record_is_comparable_by() {
        let measured = Record { engine: Some(engine()), ..record(vec![run("T611", 2)]) };
        let found = history_entry(measured.clone(), &query()).unwrap();
        assert_eq!(found.at, Some(HistoryDegree::Dop(Dop::jobs(2), Sweep::Jobs)));
        assert_eq!(found.common.platform.engine, Some(engine().title));
        assert!(found.common.conditions.contains(&HistoryCondition::Pace(Pace::Unthrottled)));
        let none = HistoryQuery { jobs: Some(3), ..query() };
        assert_eq!(history_entry(measured, &none), None, "no run with three jobs");
        assert_eq!(history_entry(record(vec![run("T612", 2)]), &query()), None);
    }

    #[test]
    fn a_test_that_was_only_run_at_a_rate_has_no_conditions() {
        let found = history_entry(record(vec![paced(run("T611", 2))]), &query());
        assert!(found.is_none_or(|entry| entry.common.conditions.is_empty() && entry.value.is_none()));
    }

    #[test]
    fn sizes_that_differ_by_pages_are_equal() {
        let rounded = |size| to_three_digits(Bytes(size)).0;
        assert_eq!([0, 7, 999, 1_000].map(rounded), [0, 7, 999, 1_000]);
        assert_eq!([1_004, 1_005, 1_006, 1_015, 9_996].map(rounded), [1_000, 1_000, 1_010, 1_020, 10_000]);
        assert_eq!(rounded(123_449_999), rounded(123_400_000));
        assert_eq!(rounded(u64::MAX), 18_400_000_000_000_000_000);
    }
}
