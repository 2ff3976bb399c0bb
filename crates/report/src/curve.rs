//! The runs of one test at each degree of parallelism, for charts and tables, and those of a curve.

use std::collections::HashMap;

use model::scalability::Added;
use model::{Degree, Repeats, Times, by_degree, degree, in_flight, is_invalid};
use record::{Pace, Record, Run, Sweep, Unit};

use crate::scalability::varied_noun;
use crate::words::{at, short_title};

/// One test of a record.
pub(crate) struct Test<'a> {
    /// Its code.
    pub(crate) code: &'a str,
    /// Its title.
    pub(crate) title: &'a str,
    /// What is counted.
    pub(crate) unit: Unit,
    /// The degree of parallelism that was varied.
    pub(crate) sweep: Sweep,
    /// One per degree of parallelism that has a result, in the order of the spec sheet: by nodes, jobs, threads, and
    /// I/Os in flight.
    pub(crate) loads: Vec<Load<'a>>,
    /// Invalid runs that have counts.
    invalid: Vec<Rated<'a>>,
}

/// Operations per second of a run, and the run.
type Rated<'a> = (f64, &'a Run);

/// Invalid runs of one curve that are drawn.
const INVALID_MAX: usize = 100;

/// The loads and invalid runs of a test that share a chart, over what is varied.
pub(crate) struct Curve<'t, 'a> {
    added: Added,
    /// The degree of what is varied and its load, ascending.
    pub(crate) points: Vec<(f64, &'t Load<'a>)>,
    /// The degree of what is varied, operations per second, and the invalid run.
    pub(crate) invalid: Vec<(f64, f64, &'a Run)>,
}

/// One test at one degree of parallelism.
pub(crate) struct Load<'a> {
    /// The run that is shown: that with the median rate, the lower one of two.
    pub(crate) run: &'a Run,
    /// Operations per second of that run.
    pub(crate) per_second: f64,
    /// The rates of all repeats, ascending.
    pub(crate) rates: Vec<f64>,
    /// Service time of that run.
    pub(crate) service: Option<Times>,
}

impl Load<'_> {
    /// The lowest and the highest rate, where there are several repeats.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        let (least, greatest) = (self.rates.first()?, self.rates.last()?);
        (self.rates.len() > 1).then_some((*least, *greatest))
    }

    /// The degree of parallelism, as in the tables.
    pub(crate) fn at(&self) -> String {
        at(self.run)
    }
}

impl<'a> Test<'a> {
    /// The load with the highest rate; of equal ones that with the least parallelism.
    pub(crate) fn best(&self) -> Option<&Load<'a>> {
        self.loads.iter().reduce(|best, load| if load.per_second > best.per_second { load } else { best })
    }

    /// The load with the least parallelism on the fewest nodes: one job, where that was run.
    pub(crate) fn first(&self) -> Option<&Load<'a>> {
        self.loads.iter().min_by_key(|load| workers(load.run))
    }

    /// The loads of a curve.
    pub(crate) fn curve(&self) -> Curve<'_, 'a> {
        let rated = self.loads.iter().filter(|load| load.per_second > 0.0);
        let added = Added::of(rated.map(|load| degree(load.run)), self.sweep);
        let n = |run: &Run| added.n(degree(run)).map(f64::from);
        let mut points: Vec<(f64, &Load<'a>)> =
            self.loads.iter().filter_map(|load| Some((n(load.run)?, load))).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let invalid = self.invalid.iter().filter_map(|(rate, run)| Some((n(run)?, *rate, *run)));
        Curve { added, points, invalid: invalid.take(INVALID_MAX).collect() }
    }

    /// Whether any run has a target rate.
    pub(crate) fn has_target_rate(&self) -> bool {
        let has_target = |load: &Load<'_>| matches!(load.run.pace, Pace::Rate { .. } | Pace::Poisson { .. });
        self.loads.iter().any(has_target)
    }
}

impl<'a> Curve<'_, 'a> {
    /// The point with the highest rate; of equal ones the first.
    pub(crate) fn best(&self) -> Option<&Load<'a>> {
        let loads = self.points.iter().map(|(_, load)| *load);
        loads.reduce(|best, load| if load.per_second > best.per_second { load } else { best })
    }

    /// The label of the horizontal axis.
    pub(crate) fn noun(&self) -> String {
        let on = self.on_nodes().map(|nodes| format!(" on {nodes} nodes"));
        format!("{}{}", varied_noun(self.added.varied), on.unwrap_or_default())
    }

    /// The number of nodes of all points; absent where it is one, and where nodes are varied.
    pub(crate) fn on_nodes(&self) -> Option<u32> {
        self.added.on_nodes()
    }

    /// Whether a run at `degree` belongs to the curve.
    pub(crate) fn has(&self, degree: Degree) -> bool {
        self.added.n(degree).is_some()
    }
}

/// The tests of `record` in the order of their first run, each with its plain runs.
pub(crate) fn tests(record: &Record) -> Vec<Test<'_>> {
    let mut indexes: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Vec<&Run>> = Vec::new();
    for run in record.runs.iter().filter(|run| run.variation.is_none()) {
        let index = *indexes.entry(&run.test).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    groups.into_iter().filter_map(|runs| test(&runs)).collect()
}

fn test<'a>(runs: &[&'a Run]) -> Option<Test<'a>> {
    let first = *runs.first()?;
    let (invalid, valid): (Vec<&Run>, Vec<&Run>) = runs.iter().copied().partition(|run| is_invalid(run));
    Some(Test {
        code: &first.test,
        title: short_title(first.layer, &first.title),
        unit: first.unit,
        sweep: first.sweep,
        loads: by_degree(valid, per_second).into_values().filter_map(|repeats| load(&repeats)).collect(),
        invalid: invalid.into_iter().filter_map(|run| Some((per_second(run)?, run))).collect(),
    })
}

fn load<'a>(repeats: &Repeats<'a>) -> Option<Load<'a>> {
    let (per_second, run) = repeats.speaking()?;
    Some(Load { run, per_second, rates: repeats.rates(), service: model::row(run).service })
}

/// Operations per second of the window, as in [`model::row`], without the cost of a whole row: a record may have 100
/// 000 runs.
fn per_second(run: &Run) -> Option<f64> {
    (run.window_ns.0 > 0).then(|| run.totals.operations as f64 / run.window_ns.seconds())
}

/// The parallelism of a run: I/Os in flight of a storage probe, jobs times threads otherwise.
fn workers(run: &Run) -> u32 {
    in_flight(run).unwrap_or(run.dop.jobs.saturating_mul(run.dop.threads))
}
