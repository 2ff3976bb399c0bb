//! What became of a load in kind: what was asked, what was reached, and the times that were predicted.

use record::load_profile::LoadQuantity;
use record::{
    AskedQuantity, ExpectedPoint, ExpectedTimes, LoadInKind, Location, Nanos, Rate, Ratio, Record, RoleInKind, Run,
    RunKind, TransactionType, name,
};

use crate::row::row;
use crate::sizing::expected_times;
use crate::times::times;
use crate::verdict::is_invalid;

/// The code of the test that a load in kind is.
pub const IN_KIND_TEST: &str = "K100";

/// Whether `run` is one of the load in kind of `record`.
pub fn is_in_kind(record: &Record, run: &Run) -> bool {
    record.plan.in_kind.is_some() && run.test == IN_KIND_TEST && run.kind == RunKind::Test
}

/// A role of a load in kind in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoleFigures<'a> {
    /// The role.
    pub role: &'a RoleInKind,
    /// What it did.
    pub of: &'a TransactionType,
    /// Steps per second that were asked.
    pub asked: Rate,
    /// Steps per second that succeeded.
    pub reached: Rate,
    /// The one as a share of the other; above 1 where more arrived than on average.
    pub share: Ratio,
}

/// The roles of `load` in `run`, in their order.
pub fn role_figures<'a>(load: &'a LoadInKind, run: &'a Run) -> Vec<RoleFigures<'a>> {
    let seconds = run.window_ns.seconds();
    let of = |role: &'a RoleInKind| {
        let of = run.transaction_types.iter().find(|of| of.name == role.step.name())?;
        let asked = of.role.as_ref().and_then(|own| own.rate).unwrap_or(role.steps_per_second);
        let reached = of.totals.operations as f64 / seconds;
        let is_known = seconds > 0.0 && asked > 0.0;
        is_known.then(|| RoleFigures {
            role,
            of,
            asked: Rate(asked),
            reached: Rate(reached),
            share: Ratio(reached / asked),
        })
    };
    load.roles.iter().filter_map(of).collect()
}

/// A quantity of a load as engine and host counted it in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountedQuantity {
    /// The quantity.
    pub quantity: LoadQuantity,
    /// How much of it the load asks per second.
    pub asked: f64,
    /// What was counted per second; absent where no counter tells it.
    pub counted: Option<f64>,
}

/// What counters say of the quantities that the load in kind of `record` asks in `run`, of all roles together. A read that the cache
/// or the page cache served was asked and is not counted by the device.
pub fn counted_quantities(record: &Record, run: &Run) -> Vec<CountedQuantity> {
    let Some(load) = &record.plan.in_kind else { return Vec::new() };
    let is_embedded = record.engine.as_ref().is_some_and(|engine| engine.location == Location::InProcess);
    // An engine in this process shares its processor time with the jobs.
    let processor = if is_embedded { name::CLIENT_CPU_NS } else { name::SERVER_CPU_NS };
    let row = row(run);
    let rate = |rate: Option<Rate>| rate.map(|rate| rate.0);
    let of = |asked: &AskedQuantity| {
        let counted = match asked.quantity {
            LoadQuantity::PhysicalReadsPerSecond => rate(row.device_io.reads_per_second),
            LoadQuantity::PhysicalReadBytesPerSecond => rate(row.device_io.read_bytes_per_second),
            LoadQuantity::PhysicalWritesPerSecond => rate(row.device_io.writes_per_second),
            LoadQuantity::CommitsPerSecond => {
                let commits = role_figures(load, run).into_iter().filter(|of| of.role.quantity == asked.quantity);
                commits.map(|of| of.reached.0).next()
            }
            LoadQuantity::LogBytesPerSecond => rate(row.redo_bytes_per_second),
            LoadQuantity::LogicalReadsPerSecond => rate(row.logical_reads_per_second),
            LoadQuantity::DatabaseProcessorSecondsPerSecond => rate(crate::rate(run, processor)).map(|ns| ns / 1e9),
            _ => None,
        };
        CountedQuantity { quantity: asked.quantity, asked: asked.per_second, counted }
    };
    load.asked.iter().map(of).collect()
}

/// Times that were predicted for a role, beside those that were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedTimes<'a> {
    /// The role with what it did.
    pub figures: RoleFigures<'a>,
    /// What another record, or other tests of this one, showed at such rates; absent where none did.
    pub expected: Option<ExpectedTimes>,
    /// Whether the measured median of response lies within what was predicted.
    pub verdict: PredictionVerdict,
}

/// How a measured time is to a predicted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionVerdict {
    /// No test was measured that stands for the role.
    NotMeasured,
    /// The rate lies beyond the highest that was measured.
    Beyond,
    /// The role did nothing that has a time.
    NoTime,
    /// No longer than predicted at the next higher rate that was measured, and no shorter than at the next lower one.
    Within,
    /// Shorter.
    Shorter,
    /// Longer.
    Longer,
}

/// A time within this share beside a band is within it: two runs of one test at one rate differ by that much.
const BAND_MARGIN: f64 = 0.15;

/// The times of each role of `run`, beside what is predicted for `record`.
pub fn predicted_times<'a>(record: &'a Record, run: &'a Run) -> Vec<PredictedTimes<'a>> {
    let Some(load) = &record.plan.in_kind else { return Vec::new() };
    let own = if load.expected.is_empty() { expected_times(load, record) } else { load.expected.clone() };
    let of = |figures: RoleFigures<'a>| {
        let expected = own.iter().find(|one| one.quantity == figures.role.quantity).cloned();
        let verdict = expected.as_ref().map_or(PredictionVerdict::NotMeasured, |one| verdict(one, figures.of, run));
        PredictedTimes { figures, expected, verdict }
    };
    role_figures(load, run).into_iter().map(of).collect()
}

fn verdict(expected: &ExpectedTimes, of: &TransactionType, run: &Run) -> PredictionVerdict {
    let Some(above) = expected.points.last().filter(|point| point.per_second >= expected.per_second) else {
        return PredictionVerdict::Beyond;
    };
    let measured = if above.is_open { &of.response } else { &of.service };
    let Some(measured) = times(measured).filter(|_| !is_invalid(run)) else { return PredictionVerdict::NoTime };
    let (low, high) = band(&expected.points);
    let measured = measured.p50_ns.0 as f64;
    match (measured < low.0 as f64 * (1.0 - BAND_MARGIN), measured > high.0 as f64 * (1.0 + BAND_MARGIN)) {
        (true, _) => PredictionVerdict::Shorter,
        (_, true) => PredictionVerdict::Longer,
        _ => PredictionVerdict::Within,
    }
}

/// The shortest and the longest median that `points` predict.
fn band(points: &[ExpectedPoint]) -> (Nanos, Nanos) {
    let medians = || points.iter().map(|point| point.p50_ns);
    // Without a lower rate nothing is said of how short it is.
    let shortest = medians().min().filter(|_| points.len() > 1);
    (shortest.unwrap_or_default(), medians().max().unwrap_or_default())
}
