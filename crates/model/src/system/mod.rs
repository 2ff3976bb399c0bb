//! A platform as the subject of a comparison: measured, or published.

mod conditions;
mod fact_value;
mod facts;
mod measured;
mod paired;

use std::collections::BTreeMap;

use record::{
    Bytes, DurabilityShown, EngineInventory, Finding, Layer, Nanos, Pace, Preset, Rate, Ratio, Sweep, Timestamp, Unit,
    Verdict,
};

pub use conditions::{Condition, conditions, parameters};
pub use fact_value::{DeviceFact, FactSize, FactValue};
pub use measured::system;
pub use paired::{ControlDrift, ControlProbe, Paired};

use crate::degree::Degree;
use crate::price::PriceBook;
use crate::summary::MainLimit;
use crate::times::Times;

/// A platform with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// Its short name: of the record, or of the reference.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Where the figures come from.
    pub origin: Origin,
    /// Hardware, software and settings, in the order of display.
    pub facts: Vec<Fact>,
    /// Durability of commits; absent where unknown.
    pub durability: Option<Durability>,
    /// Its tests, in the order of the record or of the publication.
    pub tests: Vec<SystemTest>,
    /// The limits of its main results; none of a publication.
    pub limits: Vec<MainLimit>,
    /// Remarks on the figures.
    pub remarks: Vec<Remark>,
    /// Its published prices.
    pub price: Option<PriceBook>,
    /// Claims that were not measured.
    pub claims: Vec<Claim>,
    /// Published figures that are not points of a test.
    pub tables: Vec<FactTable>,
}

impl System {
    /// The engine, without its version: settings are those of one engine, and so are their defaults.
    pub fn engine(&self) -> Option<&str> {
        let is_engine = |fact: &&Fact| fact.group == FactGroup::Engine && fact.name == "engine";
        let stated = self.facts.iter().find(is_engine)?.value.text()?;
        let is_version = |(at, _): &(usize, &str)| stated[*at..].starts_with(|letter: char| letter.is_ascii_digit());
        let version = stated.match_indices(' ').map(|(at, space)| (at + 1, space)).find(is_version);
        Some(version.map_or(stated, |(at, _)| stated[..at].trim_end()))
    }

    /// Its pairing, where it is one side of a paired comparison.
    pub fn paired(&self) -> Option<&Paired> {
        match &self.origin {
            Origin::Measured { paired, .. } => paired.as_ref(),
            Origin::Published { .. } => None,
        }
    }
}

/// The origin of figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// Measured by dbdyno.
    Measured {
        /// Start of the measurement.
        started_at: Timestamp,
        /// The version of dbdyno.
        version: String,
        /// The preset.
        preset: Preset,
        /// Its pairing, where it is one side of a paired comparison.
        paired: Option<Paired>,
    },
    /// Published.
    Published {
        /// The year.
        year: u32,
        /// Author, title and place of publication.
        source: String,
    },
}

/// A remark on the figures of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// A contradiction in a publication.
    Published {
        /// The code of the test; absent where it applies to all.
        test: Option<String>,
        /// The remark as a clause, with the code of the test.
        text: String,
    },
    /// Measured with an unoptimised build of dbdyno.
    NotOptimised,
    /// The measurement is not finished, with the reason.
    NotFinished(Option<String>),
    /// The measurement was aborted, with the reason.
    Aborted(Option<String>),
    /// Runs of a test were not steady throughout.
    NotSteady {
        /// The code of the test.
        test: String,
        /// Number of unsteady runs.
        runs: usize,
        /// Number of all its runs.
        of_runs: usize,
        /// The number of the first of them.
        first_run: u32,
        /// Its finding.
        finding: Finding,
    },
}

impl Remark {
    /// Its test; None where it applies to all.
    pub fn test(&self) -> Option<&str> {
        match self {
            Remark::Published { test, .. } => test.as_deref(),
            Remark::NotSteady { test, .. } => Some(test),
            Remark::NotOptimised | Remark::NotFinished(_) | Remark::Aborted(_) => None,
        }
    }
}

/// An invalid run.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidRun {
    /// Its number.
    pub run: u32,
    /// Why it is invalid.
    pub reason: InvalidReason,
}

/// Why a run is invalid.
#[derive(Clone, Debug, PartialEq)]
pub enum InvalidReason {
    /// It was aborted, with this message.
    Failed(String),
    /// Checks failed.
    Findings(Vec<Finding>),
    /// Nothing was counted.
    NothingCounted,
}

/// The group of a fact.
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
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The group.
    pub group: FactGroup,
    /// Its name: a key that records share with publications.
    pub name: String,
    /// Its value.
    pub value: FactValue,
}

/// A claimed rate at a degree of parallelism that was not measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The code of the test.
    pub test: String,
    /// The degree of parallelism: nodes, jobs or threads, as varied by the test.
    pub n: u32,
    /// The claimed rate, in the unit of the test.
    pub rate: Rate,
    /// The claimed bytes per second.
    pub bytes_per_second: Option<Rate>,
    /// The published statement.
    pub text: String,
}

/// A table of published figures.
#[derive(Clone, Debug, PartialEq)]
pub struct FactTable {
    /// What it shows.
    pub title: String,
    /// The headings of the columns, with the unit.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// Whether it can be plotted: the first column is the ascending abscissa, each other one a curve.
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
    /// Whether it does; absent where unknown.
    pub durable: Option<bool>,
    /// The settings that decide it, in words.
    pub words: String,
    /// What faults have shown of it; absent where no proof was given.
    pub shown: Option<DurabilityShown>,
}

impl Durability {
    /// That of an engine: a commit that was lost is not durable, whatever the settings say.
    pub fn of(engine: &EngineInventory) -> Durability {
        let shown = engine.durability_shown.clone();
        let is_lost = shown.as_ref().is_some_and(|shown| shown.damaged > 0);
        let durable = if is_lost { Some(false) } else { engine.durable };
        Durability { durable, words: engine.durability.clone(), shown }
    }
}

/// One test on a platform.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemTest {
    /// The code.
    pub code: String,
    /// The title.
    pub title: String,
    /// Whether it is a probe: native code in one process, without an engine.
    pub is_probe: bool,
    /// The layer that it tests; absent where not published.
    pub layer: Option<Layer>,
    /// What the rates count.
    pub unit: Unit,
    /// Which degree of parallelism was varied.
    pub sweep: Sweep,
    /// The pace.
    pub pace: Pace,
    /// Size of the tables, where known.
    pub data_bytes: Option<Bytes>,
    /// Whether its transactions change the database, so that commits have to reach stable storage; absent where the
    /// publication does not say.
    pub changes: Option<bool>,
    /// Parameters of the test (`n` of the Fibonacci test, ...), where known.
    pub parameters: BTreeMap<String, i64>,
    /// Other conditions of its rate, each at most once.
    pub conditions: Vec<Condition>,
    /// One per degree of parallelism, ascending.
    pub points: Vec<SystemPoint>,
    /// The verdict on the test, as in the spec sheet of its record; absent where published.
    pub verdict: Option<Verdict>,
    /// Warnings of its runs, kept with the figure in comparisons.
    pub warnings: Vec<Finding>,
    /// The published note.
    pub note: Option<String>,
}

/// One test at one degree of parallelism.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemPoint {
    /// The degree; the default stands for 1 of each.
    pub degree: Degree,
    /// One rate per valid repeat.
    pub rates: Vec<MeasuredRate>,
    /// Repeats that are invalid.
    pub invalid: Vec<InvalidRun>,
    /// The published columns of the repeat whose rate is the median (the lower one of two).
    pub columns: Columns,
    /// For a single repeat: half-width of the 95 % interval of its rate within the run, as a share of the rate.
    pub within_run: Option<Ratio>,
}

impl SystemPoint {
    /// The median rate, the lower one of two, which is that of the repeat of `columns`. None where all are invalid.
    pub fn median(&self) -> Option<Rate> {
        let counts = |rate: &f64| *rate >= 0.0 && rate.is_finite();
        let mut rates: Vec<f64> = self.rates.iter().map(|rate| rate.per_second.0).filter(counts).collect();
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len().checked_sub(1)? / 2).copied().map(Rate)
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
    /// Physical writes, from the same source.
    pub writes_per_second: Option<Rate>,
    /// Bytes of these reads.
    pub read_bytes_per_second: Option<Rate>,
    /// Bytes of these writes.
    pub write_bytes_per_second: Option<Rate>,
    /// Redo.
    pub redo_bytes_per_second: Option<Rate>,
    /// Service time, where it was measured.
    pub service: Option<Times>,
    /// Its mean, which is all that publications print.
    pub service_mean_ns: Option<Nanos>,
    /// Upper bound of the mean, where only that is published.
    pub service_at_most_ns: Option<Nanos>,
    /// Length of the run.
    pub time_ns: Option<Nanos>,
}
