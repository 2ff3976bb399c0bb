//! The runs of one test at each degree of parallelism, as charts and tables need them.

use std::collections::{BTreeMap, HashMap};

use model::{Quantiles, in_flight, is_void};
use record::{Dop, Pace, Record, Run, Sweep, Unit};

use crate::text::short_title;
use crate::words::dop;

/// One test of a record.
pub(super) struct Test<'a> {
    /// Its code.
    pub(super) code: &'a str,
    /// What it is, in a few words.
    pub(super) title: &'a str,
    /// What is counted.
    pub(super) unit: Unit,
    /// Which degree of parallelism was varied.
    pub(super) sweep: Sweep,
    /// One per degree of parallelism that has a result, ascending.
    pub(super) loads: Vec<Load<'a>>,
    /// Void runs that counted something all the same: how much went on at once, and operations per second.
    pub(super) void: Vec<(f64, f64, &'a Run)>,
}

/// Operations per second of a run, and the run.
type Rated<'a> = (f64, &'a Run);

/// Void runs of one test that are drawn.
const VOID_MAX: usize = 100;

/// One test at one degree of parallelism.
pub(super) struct Load<'a> {
    /// The run that speaks: that with the median rate, the lower one of two.
    pub(super) run: &'a Run,
    /// How much goes on at once: I/Os in flight of a probe of storage, jobs times threads of everything else.
    pub(super) workers: f64,
    /// Operations per second of that run.
    pub(super) per_second: f64,
    /// The rates of all repetitions, ascending.
    pub(super) rates: Vec<f64>,
    /// Service time of that run.
    pub(super) service: Option<Quantiles>,
}

impl Load<'_> {
    /// The least and the greatest rate, where there are several repetitions.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        let (least, greatest) = (self.rates.first()?, self.rates.last()?);
        (self.rates.len() > 1).then_some((*least, *greatest))
    }

    /// At which degree, in the letters of the tables.
    pub(super) fn at(&self) -> String {
        at(self.run)
    }
}

impl<'a> Test<'a> {
    /// The load with the highest rate; of equal ones that with the least parallelism.
    pub(super) fn best(&self) -> Option<&Load<'a>> {
        self.loads.iter().reduce(|best, load| if load.per_second > best.per_second { load } else { best })
    }

    /// The load with the least parallelism.
    pub(super) fn first(&self) -> Option<&Load<'a>> {
        self.loads.first()
    }

    /// Whether the rate of any run was asked for, and not found.
    pub(super) fn is_given(&self) -> bool {
        let given = |load: &Load<'_>| matches!(load.run.pace, Pace::Rate { .. } | Pace::Poisson { .. });
        self.loads.iter().any(given)
    }

    /// What the horizontal axis of a curve of this test counts.
    pub(super) fn workers(&self) -> &'static str {
        match (self.loads.first().and_then(|load| in_flight(load.run)), self.sweep) {
            (Some(_), _) => "I/Os in flight",
            (None, Sweep::Jobs) => "jobs",
            (None, Sweep::Threads) => "threads",
        }
    }
}

/// At which degree of parallelism `run` was, in the letters of the tables.
pub(super) fn at(run: &Run) -> String {
    match in_flight(run) {
        Some(in_flight) => format!("{in_flight} in flight"),
        None => dop(run.dop, run.sweep),
    }
}

/// The tests of `record` in the order in which they were first run.
pub(super) fn tests(record: &Record) -> Vec<Test<'_>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Vec<&Run>> = Vec::new();
    for run in &record.runs {
        let place = *places.entry(&run.test).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups.into_iter().filter_map(|runs| test(&runs)).collect()
}

fn test<'a>(runs: &[&'a Run]) -> Option<Test<'a>> {
    let first = *runs.first()?;
    let mut groups: BTreeMap<(Dop, Option<u32>), Vec<Rated<'_>>> = BTreeMap::new();
    let mut void = Vec::new();
    for run in runs {
        let Some(rate) = per_second(run) else { continue };
        if is_void(run) {
            if void.len() < VOID_MAX {
                void.push((workers(run), rate, *run));
            }
        } else {
            groups.entry((run.dop, in_flight(run))).or_default().push((rate, run));
        }
    }
    let mut loads: Vec<Load<'_>> = groups.into_values().filter_map(load).collect();
    loads.sort_by(|one, other| one.workers.total_cmp(&other.workers));
    Some(Test {
        code: &first.test,
        title: short_title(first.layer, &first.title),
        unit: first.unit,
        sweep: first.sweep,
        loads,
        void,
    })
}

fn load(mut runs: Vec<Rated<'_>>) -> Option<Load<'_>> {
    runs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.number.cmp(&other.1.number)));
    let (per_second, run) = *runs.get((runs.len() - 1) / 2)?;
    let service = model::row(run).service;
    Some(Load { run, workers: workers(run), per_second, rates: runs.iter().map(|(rate, _)| *rate).collect(), service })
}

/// Operations per second of the window, as [`model::row`] has them; there may be a hundred thousand runs, and the rest
/// of their rows is not needed.
fn per_second(run: &Run) -> Option<f64> {
    (run.window_ns.0 > 0).then(|| run.totals.operations as f64 / run.window_ns.seconds())
}

fn workers(run: &Run) -> f64 {
    f64::from(in_flight(run).unwrap_or(run.dop.jobs.saturating_mul(run.dop.threads)))
}
