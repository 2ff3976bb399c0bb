//! One platform as a comparison sees it: measured by us, or published by somebody.

mod conditions;
mod facts;
mod measured;
mod paired;

use std::collections::BTreeMap;

use record::{Bytes, Dop, Finding, Layer, Nanos, Pace, Preset, Rate, Ratio, Sweep, Timestamp, Unit};

pub use conditions::conditions;
pub(crate) use facts::{pace_words, size_words};
pub use measured::system;
pub use paired::{ControlProbe, Paired};

use crate::price::PriceBook;

/// A platform with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// The short name that it is asked for by: the record's, or that of the reference.
    pub name: String,
    /// In a few words.
    pub title: String,
    /// Where the figures come from.
    pub origin: Origin,
    /// What the platform consists of and how it was set, in the order in which it should be read.
    pub facts: Vec<Fact>,
    /// Whether an acknowledged commit survives a crash, and the settings from which that follows; absent where unknown.
    pub durability: Option<Durability>,
    /// Its tests, in the order of the record or of the publication.
    pub tests: Vec<SystemTest>,
    /// What is to be said of the figures as a whole: that they contradict themselves, or each other.
    pub remarks: Vec<Remark>,
    /// What it costs, where the publication says.
    pub price: Option<PriceBook>,
    /// What is claimed of it and was not measured.
    pub claims: Vec<Claim>,
    /// Published figures that are no point of a test.
    pub tables: Vec<FactTable>,
}

impl System {
    /// The engine, without its version: settings are those of one engine, and so are their defaults.
    pub fn engine(&self) -> Option<&str> {
        let is_engine = |fact: &&Fact| fact.group == FactGroup::Engine && fact.name == "engine";
        let stated = self.facts.iter().find(is_engine)?.value.as_str();
        let is_version = |(at, _): &(usize, &str)| stated[*at..].starts_with(|letter: char| letter.is_ascii_digit());
        let version = stated.match_indices(' ').map(|(at, space)| (at + 1, space)).find(is_version);
        Some(version.map_or(stated, |(at, _)| stated[..at].trim_end()))
    }

    /// What it says of its pairing, where it is one side of a comparison in pairs.
    pub fn paired(&self) -> Option<&Paired> {
        match &self.origin {
            Origin::Measured { paired, .. } => paired.as_ref(),
            Origin::Published { .. } => None,
        }
    }
}

/// Where figures come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// Measured by dbdyno.
    Measured {
        /// When the measurement began.
        started_at: Timestamp,
        /// The version of dbdyno.
        version: String,
        /// How long and how large.
        preset: Preset,
        /// Where this is one side of a comparison in pairs, what it says of that.
        paired: Option<Paired>,
    },
    /// Published.
    Published {
        /// The year.
        year: u32,
        /// Who, what, where.
        source: String,
    },
}

/// What is to be said of the figures of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// What contradicts itself in a publication.
    Published {
        /// The code of the test; absent where it is about all of them.
        test: Option<String>,
        /// What, in a clause, the code of the test included.
        text: String,
    },
    /// They were measured with a build of dbdyno that was not optimised.
    NotOptimised,
    /// The measurement is not finished, and why.
    NotFinished(Option<String>),
    /// The measurement was broken off, and why.
    Aborted(Option<String>),
    /// Runs of a test were not steady throughout.
    NotSteady {
        /// The code of the test.
        test: String,
        /// How many of its runs.
        runs: usize,
        /// Of how many.
        of_runs: usize,
        /// The number of the first of them.
        first_run: u32,
        /// What was found of it.
        finding: Finding,
    },
}

impl Remark {
    /// The test that it is about; absent where it is about all of them.
    pub fn test(&self) -> Option<&str> {
        match self {
            Remark::Published { test, .. } => test.as_deref(),
            Remark::NotSteady { test, .. } => Some(test),
            Remark::NotOptimised | Remark::NotFinished(_) | Remark::Aborted(_) => None,
        }
    }
}

/// A run that is no result.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidRun {
    /// Its number.
    pub run: u32,
    /// Why it is none.
    pub reason: InvalidReason,
}

/// Why a run is no result.
#[derive(Clone, Debug, PartialEq)]
pub enum InvalidReason {
    /// It broke off, with this message.
    Failed(String),
    /// Checks failed.
    Findings(Vec<Finding>),
    /// Nothing was counted.
    NothingCounted,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactGroup {
    /// Processors, memory, firmware.
    Machine,
    /// Devices and file system.
    Storage,
    /// Kernel and operating system.
    Kernel,
    /// The engine and how it is reached.
    Engine,
    /// A setting of the engine.
    Setting,
    /// How it was measured: preset, window, sizes, placement.
    Measurement,
}

/// One property of a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub group: FactGroup,
    /// Its name.
    pub name: String,
    /// Its value, with the unit.
    pub value: String,
}

/// A rate that was claimed at a degree of parallelism at which nothing was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The code of the test whose rate it is about.
    pub test: String,
    /// The degree of parallelism: as many nodes, jobs or threads, whichever the points of the test vary.
    pub n: u32,
    /// The claimed rate, in the unit of the test.
    pub rate: Rate,
    /// The bytes per second that were claimed beside it.
    pub bytes_per_second: Option<Rate>,
    /// What was said about it where it was published.
    pub text: String,
}

/// A table of published figures.
#[derive(Clone, Debug, PartialEq)]
pub struct FactTable {
    /// What it shows.
    pub title: String,
    /// The heads of the columns, with the unit.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// Whether it can be drawn: the first column is the abscissa, ascending, each other one a curve over it.
    pub curves: bool,
}

/// One field of a table of published figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A figure, in the unit of the column.
    Number(f64),
    /// Words.
    Text(String),
    /// Not published.
    Absent,
}

/// Whether a commit that was acknowledged survives a crash of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durability {
    /// Whether it does; absent where settings cannot tell.
    pub durable: Option<bool>,
    /// The settings that it follows from, in words.
    pub words: String,
}

/// One test on a platform.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemTest {
    /// The code.
    pub code: String,
    /// What it is, in a few words.
    pub title: String,
    /// Whether it is a probe: native code in one process, without an engine.
    pub is_probe: bool,
    /// The layer that it is about; absent where the publication does not say.
    pub layer: Option<Layer>,
    /// What the rates count.
    pub unit: Unit,
    /// Which degree of parallelism was varied.
    pub sweep: Sweep,
    /// When steps were due.
    pub pace: Pace,
    /// Size of the tables, where known.
    pub data_bytes: Option<Bytes>,
    /// Whether its transactions change the database, so that commits have to reach stable storage; absent where the
    /// publication does not say.
    pub changes: Option<bool>,
    /// Numbers that the test was run with (`n` of the Fibonacci test, ...), where known.
    pub parameters: BTreeMap<String, i64>,
    /// What else its rate depends on, by name and in words: of random blocks the caches, the place of the loop and the
    /// operations per step.
    pub conditions: BTreeMap<String, String>,
    /// One per degree of parallelism, ascending.
    pub points: Vec<SystemPoint>,
    /// What its runs are to be doubted for: it goes with the figure wherever that is held against another.
    pub doubts: Vec<Finding>,
    /// What was said of it where it was published.
    pub note: Option<String>,
}

/// One test at one degree of parallelism.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemPoint {
    /// The degree; the default stands for 1 of each.
    pub degree: Degree,
    /// What was measured, one per repeat; empty where all of them are invalid.
    pub rates: Vec<MeasuredRate>,
    /// Repeats that are invalid.
    pub invalid: Vec<InvalidRun>,
    /// The published columns of the repeat whose rate is the median (the lower one of two).
    pub columns: Columns,
    /// Where there is one repeat only: half of the 95 % interval of its rate within the run, as a share of the rate.
    /// What another run would bring it does not know.
    pub within_run: Option<Ratio>,
}

impl SystemPoint {
    /// The median of the rates of the repeats, the lower one of two in the middle: it is the rate of a repeat, the one
    /// that `columns` are of. Absent where all are invalid.
    pub fn median(&self) -> Option<Rate> {
        let counts = |rate: &f64| *rate > 0.0 && rate.is_finite();
        let mut rates: Vec<f64> = self.rates.iter().map(|rate| rate.per_second.0).filter(counts).collect();
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len().checked_sub(1)? / 2).copied().map(Rate)
    }
}

/// Degree of parallelism with a default of one of each, and the I/Os in flight of a probe of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degree {
    /// Nodes, jobs, threads.
    pub dop: Dop,
    /// I/Os in flight, where it is a probe of storage.
    pub in_flight: Option<u32>,
}

impl Degree {
    /// Nodes x jobs x threads: since a sweep varies one of them and leaves the others at 1, the one that was varied.
    pub fn parallelism(&self) -> u32 {
        self.dop.nodes.saturating_mul(self.dop.jobs).saturating_mul(self.dop.threads)
    }
}

impl Default for Degree {
    fn default() -> Degree {
        Degree { dop: Dop::jobs(1), in_flight: None }
    }
}

/// The rate of one repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredRate {
    /// Which repeat, counted from 1; of two sides of a pair, equal numbers belong together.
    pub repeat: u32,
    /// Operations per second, in the unit of the test.
    pub per_second: Rate,
}

/// The columns of the published reports. Whatever has no source is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Columns {
    /// Operations, in the unit of the test.
    pub operations_per_second: Option<Rate>,
    /// Rows.
    pub rows_per_second: Option<Rate>,
    /// Transactions.
    pub transactions_per_second: Option<Rate>,
    /// Bytes that the test counts itself.
    pub bytes_per_second: Option<Rate>,
    /// Share of all processors that was busy.
    pub cpu_busy: Option<Ratio>,
    /// Physical reads: the engine's where it counts them, otherwise the block layer's.
    pub reads_per_second: Option<Rate>,
    /// Physical writes, likewise.
    pub writes_per_second: Option<Rate>,
    /// Bytes of these reads.
    pub read_bytes_per_second: Option<Rate>,
    /// Bytes of these writes.
    pub write_bytes_per_second: Option<Rate>,
    /// Redo.
    pub redo_bytes_per_second: Option<Rate>,
    /// The median of the service time.
    pub service_p50_ns: Option<Nanos>,
    /// Its 0.99 quantile.
    pub service_p99_ns: Option<Nanos>,
    /// Its mean: publications print nothing else.
    pub service_mean_ns: Option<Nanos>,
    /// What the mean does not exceed, where the publication says only that.
    pub service_at_most_ns: Option<Nanos>,
    /// Length of the run.
    pub time_ns: Option<Nanos>,
}
