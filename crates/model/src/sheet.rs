//! The spec sheet: the summary of a record, one line per test.

use record::{Dop, Layer, Rate, Ratio, Record, Run, Sweep, Unit, Verdict};

use crate::delta::{per_second, share};
use crate::derived::{Derived, derived};
use crate::efficiency::{Limit, limit};
use crate::group::{ByTest, Repeats, degree, fastest, valid_groups};
use crate::headline::{Headline, headline};
use crate::optimum::optimum;
use crate::queue::in_flight;
use crate::repeat_drift::{RepeatDrift, repeat_drift};
use crate::rules::RULES;
use crate::state_difference::{DifferingState, differing_states};
use crate::statistics::{Interval, order_interval};
use crate::times::{Times, times};
use crate::verdict::{is_invalid, test_verdict};
use crate::wake_up::WakeUp;

/// The spec sheet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// One per test or probe, in the order in which they were first run.
    pub lines: Vec<Line>,
}

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its code.
    pub test: String,
    /// The title.
    pub title: String,
    /// Whether it is a probe: native code in one process, without an engine.
    pub is_probe: bool,
    /// The layer that it tests.
    pub layer: Layer,
    /// The unit of operations.
    pub unit: Unit,
    /// Which degree of parallelism was varied.
    pub sweep: Sweep,
    /// With one job, or one thread where threads were varied; absent where not run or invalid.
    pub speed: Option<Point>,
    /// The highest throughput; absent where every run is invalid.
    pub best: Option<Point>,
    /// Where jobs were varied: the most throughput for its service time.
    pub optimum: Option<Optimum>,
    /// Throughput over speed; at least 1.
    pub scalability: Option<f64>,
    /// The degrees at which the rates of the repeats drift.
    pub drifts: Vec<RepeatDrift>,
    /// The runs that begin or end in another state of the database than the others, or than they began in.
    pub differing_states: Vec<DifferingState>,
    /// What wake-ups of idle processors add to the steps of `speed`; absent where they add nothing or are not known.
    pub wake_up: Option<WakeUp>,
    /// The worst verdict of the valid runs, a warning at least where it [gains beyond its workers], its repeats drift or their
    /// states differ; `Fail` where all are invalid.
    ///
    /// [gains beyond its workers]: Line::gains_beyond_its_workers
    pub verdict: Verdict,
    /// Number of runs.
    pub runs: usize,
    /// Number of invalid runs, which are ignored above.
    pub invalid_runs: usize,
}

impl Line {
    /// Whether the speedup exceeds the workers, and wake-ups of idle processors in the steps of the single job do not
    /// explain it: a warming cache, or a single job that was delayed by something else.
    pub fn gains_beyond_its_workers(&self) -> bool {
        self.exceeds_workers(self.scalability)
            && self
                .wake_up
                .is_none_or(|found| self.exceeds_workers(self.scalability.map(|gain| gain / found.factor_max())))
    }

    /// Whether the speedup exceeds the workers because the single job wakes up idle processors in each round trip, and
    /// several jobs keep them busy.
    pub fn gain_is_of_wake_ups(&self) -> bool {
        self.exceeds_workers(self.scalability) && !self.gains_beyond_its_workers()
    }

    /// Throughput over what the speed would be without wake-ups of idle processors; None where they are not known.
    pub fn gain_without_wake_ups(&self) -> Option<f64> {
        Some(self.scalability? / self.wake_up?.factor())
    }

    fn exceeds_workers(&self, gain: Option<f64>) -> bool {
        let workers = self.best.as_ref().map(|best| f64::from(best.workers()));
        matches!((gain, workers), (Some(gain), Some(workers)) if gain > workers * RULES.gain_per_worker_max)
    }

    /// Whether no run of the test is valid.
    pub fn is_invalid(&self) -> bool {
        self.best.is_none()
    }
}

/// The point of a sweep over jobs with the highest ratio of throughput to mean service time. Beyond it, more jobs wait for each other
/// more than they add.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// It.
    pub point: Point,
    /// Its share of the highest throughput.
    pub utilisation: Ratio,
}

/// One test at one degree of parallelism, by its representative run: that with the median rate (the lower one of two).
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The number of that run.
    pub run: u32,
    /// Degree of parallelism.
    pub dop: Dop,
    /// I/Os in flight; absent unless a storage probe.
    pub in_flight: Option<u32>,
    /// Operations, in the unit of the line.
    pub operations_per_second: Rate,
    /// Number of valid runs.
    pub repeats: usize,
    /// The median of their rates with its 95 % interval by [`crate::order_interval`]. Absent below six runs.
    pub interval: Option<Interval>,
    /// Bytes, where the test counts them itself.
    pub bytes_per_second: Option<Rate>,
    /// Service time.
    pub service: Option<Times>,
    /// The latency that stands for the run, by name.
    pub headline: Option<Headline>,
    /// The figure in the usual terms of the test, where different.
    pub derived: Option<Derived>,
    /// Its ceiling, where there is a valid probe.
    pub ceiling: Option<Limit>,
}

impl Point {
    /// Workers: I/Os in flight of a storage probe, otherwise jobs times threads.
    pub(crate) fn workers(&self) -> u32 {
        self.in_flight.unwrap_or(self.dop.jobs.saturating_mul(self.dop.threads))
    }
}

/// The spec sheet of `record`, without invalid runs, job files and calibrations.
pub fn sheet(record: &Record) -> Sheet {
    let by_test = ByTest::of(record);
    let of_sheet = |run: &&Run| run.storage.is_none() || run.kind.is_probe();
    let codes = by_test.codes().filter(|code| by_test.runs(code).iter().any(of_sheet));
    Sheet { lines: codes.filter_map(|code| line(&by_test, code)).collect() }
}

/// The line of the test `code`.
pub(crate) fn line(by_test: &ByTest<'_>, code: &str) -> Option<Line> {
    let runs = by_test.runs(code);
    let first = *runs.first()?;
    let groups = valid_groups(runs, first.unit);
    let valid: Vec<&Run> = groups.values().filter_map(|repeats| Some(repeats.speaking()?.1)).collect();
    let single = |run: &&&Run| match first.sweep {
        // The first run of a storage probe has the fewest I/Os in flight.
        Sweep::Jobs | Sweep::Agents { .. } => run.dop.jobs == 1,
        Sweep::Threads => run.dop.threads == 1,
    };
    let point = |run: &Run| point(by_test, run, groups.get(&degree(run))?);
    let alone = valid.iter().find(single);
    let speed = alone.and_then(|run| point(run));
    let best = fastest(&valid, first.unit).and_then(point);
    let optimum =
        optimum(&valid, first.unit).and_then(|(run, utilisation)| Some(Optimum { point: point(run)?, utilisation }));
    let scalability = match (&speed, &best) {
        (Some(speed), Some(best)) => share(best.operations_per_second.0, speed.operations_per_second.0),
        _ => None,
    };
    let invalid_runs = runs.iter().filter(|run| is_invalid(run)).count();
    let mut line = Line {
        test: first.test.clone(),
        title: first.title.clone(),
        is_probe: first.kind.is_probe(),
        layer: first.layer,
        unit: first.unit,
        sweep: first.sweep,
        verdict: Verdict::Pass,
        speed,
        best,
        optimum,
        scalability,
        drifts: groups.values().filter_map(|repeats| repeat_drift(repeats, by_test.rows_repeated())).collect(),
        differing_states: differing_states(&groups.values().flat_map(Repeats::runs).collect::<Vec<_>>()),
        wake_up: alone.and_then(|run| by_test.wake_up(run)),
        runs: runs.len(),
        invalid_runs,
    };
    let is_in_doubt = line.gains_beyond_its_workers() || !line.drifts.is_empty() || !line.differing_states.is_empty();
    line.verdict = test_verdict(runs, line.best.is_some(), is_in_doubt);
    Some(line)
}

/// The point of `run`, the representative of `repeats`.
fn point(by_test: &ByTest<'_>, run: &Run, repeats: &Repeats<'_>) -> Option<Point> {
    let rates: Vec<f64> = repeats.runs().filter_map(|run| Some(per_second(run, run.totals.operations)?.0)).collect();
    Some(Point {
        run: run.number,
        dop: run.dop,
        in_flight: in_flight(run),
        operations_per_second: per_second(run, run.totals.operations)?,
        repeats: repeats.count(),
        interval: order_interval(&rates),
        bytes_per_second: run.totals.bytes.and_then(|bytes| per_second(run, bytes.0)),
        service: times(&run.service),
        headline: headline(run),
        derived: derived(run),
        ceiling: run.ceiling.as_ref().and_then(|ceiling| limit(by_test, run, ceiling)),
    })
}

#[cfg(test)]
mod tests;
