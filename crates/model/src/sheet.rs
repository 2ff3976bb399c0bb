//! The spec sheet: what a record comes to, one line per test.

use std::collections::{BTreeMap, HashMap};

use record::{Dop, Layer, Rate, Ratio, Record, Run, Sweep, Unit, Verdict};

use crate::delta::{per_second, share};
use crate::derived::{Derived, derived};
use crate::efficiency::{limit, rate_in};
use crate::group::{Repeats, by_degree, degree};
use crate::queue::in_flight;
use crate::row::{Quantiles, is_invalid, quantiles, verdict};
use crate::rules::RULES;
use crate::statistics::{Interval, order_interval};
use crate::system::Degree;

/// The condensed record.
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
    /// What it is, in a few words.
    pub title: String,
    /// Whether it is a probe: native code in one process, without an engine.
    pub is_probe: bool,
    /// The layer it is about.
    pub layer: Layer,
    /// What is counted.
    pub unit: Unit,
    /// Which degree of parallelism was varied.
    pub sweep: Sweep,
    /// At one job, or at one thread where threads were varied; absent where that was not run or is invalid.
    pub speed: Option<Point>,
    /// The highest throughput; absent where every run is invalid.
    pub best: Option<Point>,
    /// Throughput over speed; at least 1.
    pub scalability: Option<f64>,
    /// The worst that is said of a run that is not invalid; `Fail` where all are.
    pub verdict: Verdict,
    /// Runs of this test.
    pub runs: usize,
    /// Runs of it that are invalid; they contribute nothing above.
    pub invalid_runs: usize,
}

impl Line {
    /// Whether more was gained than jobs and threads can explain: a cache that was warmed, or a single job that the
    /// kernel kept waiting.
    pub fn gains_beyond_its_workers(&self) -> bool {
        let workers = self.best.as_ref().map(|best| f64::from(best.workers()));
        matches!((self.scalability, workers), (Some(gain), Some(workers)) if gain > workers * RULES.gain_per_worker_max)
    }

    /// Whether not one run of the test is a result.
    pub fn is_invalid(&self) -> bool {
        self.best.is_none()
    }
}

/// One test at one degree of parallelism. Where it was run there several times, the run with the median rate (the
/// lower one of two) speaks, so that rate and latencies belong together and repetition does not pay.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The number of that run.
    pub run: u32,
    /// Degree of parallelism.
    pub dop: Dop,
    /// I/Os that it keeps in flight; absent where it is not a probe of storage.
    pub in_flight: Option<u32>,
    /// Operations, in the unit of the line.
    pub operations_per_second: Rate,
    /// Valid runs there, this one included.
    pub repeats: usize,
    /// The median of their rates with its 95 % interval, that of [`crate::order_interval`]: what another run would
    /// bring. Absent of fewer than six.
    pub interval: Option<Interval>,
    /// Bytes, where the test counts them itself.
    pub bytes_per_second: Option<Rate>,
    /// Service time.
    pub service: Option<Quantiles>,
    /// What the test is usually spoken of in, where that is something else.
    pub derived: Option<Derived>,
    /// What it is held against, where the probe was run and is not invalid.
    pub ceiling: Option<Limit>,
}

impl Point {
    /// How much goes on at once: I/Os in flight of a probe of storage, jobs times threads of everything else.
    pub(crate) fn workers(&self) -> u32 {
        self.in_flight.unwrap_or(self.dop.jobs.saturating_mul(self.dop.threads))
    }
}

/// A ceiling, as found in the same record.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The code of the probe.
    pub probe: String,
    /// In what the two are compared. Against a probe of storage, blocks are physical I/Os and bytes physical bytes of
    /// the kind that the probe makes, and transactions are held against commits.
    pub unit: Unit,
    /// Its rate, in that unit.
    pub per_second: Rate,
    /// The point's rate, in that unit.
    pub reached: Rate,
    /// At how many jobs the probe gave it: as many as the point has workers (jobs times threads) where the probe was
    /// run so; otherwise where it gave most.
    pub jobs: u32,
    /// At how many I/Os in flight, of a probe of storage; these are then what the point's workers are held against.
    pub in_flight: Option<u32>,
    /// Share of what the engine read that the block layer did not see, where reads are held against a probe of
    /// storage: the page cache served it. A small efficiency then says that the device was hardly asked.
    pub cached: Option<Ratio>,
    /// The point's share of it; above 1 where the probe does not bound the test.
    pub efficiency: Ratio,
}

impl Limit {
    /// Whether the point did more than the probe, and so much that whole percents show it: then the probe does not
    /// bound the test in this record.
    pub fn is_exceeded(&self) -> bool {
        self.efficiency.0 >= 1.005
    }
}

/// The plain runs of a record by the code of their test, each test where it was first run.
pub(crate) struct ByTest<'a> {
    codes: Vec<&'a str>,
    runs: HashMap<&'a str, Vec<&'a Run>>,
}

impl<'a> ByTest<'a> {
    pub(crate) fn of(record: &'a Record) -> ByTest<'a> {
        let (mut codes, mut runs) = (Vec::new(), HashMap::<&str, Vec<&Run>>::new());
        for run in record.runs.iter().filter(|run| run.variation.is_none()) {
            let of_test = runs.entry(&run.test).or_default();
            if of_test.is_empty() {
                codes.push(run.test.as_str());
            }
            of_test.push(run);
        }
        ByTest { codes, runs }
    }

    /// The runs of the test `code`, in the order in which they were carried out.
    pub(crate) fn runs(&self, code: &str) -> &[&'a Run] {
        self.runs.get(code).map_or(&[], Vec::as_slice)
    }
}

/// The spec sheet of `record`. An invalid run contributes nothing, and job files and calibrations have views of their own.
pub fn sheet(record: &Record) -> Sheet {
    let by_test = ByTest::of(record);
    Sheet { lines: by_test.codes.iter().filter_map(|code| line(&by_test, code)).collect() }
}

fn line(by_test: &ByTest<'_>, code: &str) -> Option<Line> {
    let runs = by_test.runs(code);
    let of_sheet = |run: &&&Run| run.storage.is_none() || run.kind.is_probe();
    runs.iter().find(of_sheet)?;
    let first = *runs.first()?;
    let groups = groups(runs, first.unit);
    let valid: Vec<&Run> = groups.values().filter_map(|repeats| Some(repeats.speaking()?.1)).collect();
    let single = |run: &&&Run| match first.sweep {
        // Of a probe of storage the first of them has fewest I/Os in flight.
        Sweep::Jobs => run.dop.jobs == 1,
        Sweep::Threads => run.dop.threads == 1,
    };
    let point = |run: &Run| point(by_test, run, groups.get(&degree(run))?);
    let speed = valid.iter().find(single).and_then(|run| point(run));
    let best = fastest(&valid, first.unit).and_then(point);
    let scalability = match (&speed, &best) {
        (Some(speed), Some(best)) => share(best.operations_per_second.0, speed.operations_per_second.0),
        _ => None,
    };
    let invalid_runs = runs.iter().filter(|run| is_invalid(run)).count();
    let worst = runs.iter().filter(|run| !is_invalid(run)).map(|run| verdict(run)).max();
    Some(Line {
        test: first.test.clone(),
        title: first.title.clone(),
        is_probe: first.kind.is_probe(),
        layer: first.layer,
        unit: first.unit,
        sweep: first.sweep,
        verdict: worst.filter(|_| best.is_some()).unwrap_or(Verdict::Fail),
        speed,
        best,
        scalability,
        runs: runs.len(),
        invalid_runs,
    })
}

/// Of `runs` of one test those that are not invalid and have a rate in `unit`, the one that speaks at each degree of
/// parallelism.
pub(crate) fn valid<'a>(runs: &[&'a Run], unit: Unit) -> BTreeMap<Degree, &'a Run> {
    let groups = groups(runs, unit).into_iter();
    groups.filter_map(|(degree, repeats)| Some((degree, repeats.speaking()?.1))).collect()
}

/// Of `runs` of one test those that are not invalid and have a rate in `unit`.
fn groups<'a>(runs: &[&'a Run], unit: Unit) -> BTreeMap<Degree, Repeats<'a>> {
    let rate = |run: &Run| rate_in(run, unit).filter(|_| !is_invalid(run)).map(|rate| rate.0);
    by_degree(runs.iter().copied(), rate)
}

/// The run with the highest rate; of equal ones that with the least parallelism, which comes first.
pub(crate) fn fastest<'a>(runs: &[&'a Run], unit: Unit) -> Option<&'a Run> {
    runs.iter().copied().reduce(|best, run| if rate_of(run, unit) > rate_of(best, unit) { run } else { best })
}

/// The point of `run`, which speaks for `repeats`.
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
        service: quantiles(&run.service),
        derived: derived(run),
        ceiling: run.ceiling.as_ref().and_then(|ceiling| limit(by_test, run, ceiling)),
    })
}

fn rate_of(run: &Run, unit: Unit) -> f64 {
    rate_in(run, unit).map_or(0.0, |rate| rate.0)
}

#[cfg(test)]
mod tests;
