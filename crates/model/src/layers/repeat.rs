//! Traced repeats, and the overhead of tracing.

use std::collections::{BTreeMap, HashMap};

use record::{Dop, Ratio, Record, Run, Variation};

use crate::delta::{per_second, share};
use crate::group;
use crate::statistics::{Interval, median, order_interval};
use crate::verdict::is_invalid;

/// The plain run that a traced run repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedRepeat {
    /// The number of the plain run; of several, that with the median rate, the lower one of two.
    pub plain_run: u32,
    /// The overhead of tracing.
    pub cost: Option<TracingCost>,
}

/// Relative change of operations per second from plain to traced runs; below 0 where tracing slowed them down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracingCost {
    /// The median of the pairs.
    pub change: Ratio,
    /// Pairs of a traced and a plain run of the same round; without rounds, one pair with the representative plain run.
    pub pairs: usize,
    /// The interval of the median, where there are enough pairs for one.
    pub interval: Option<Interval>,
}

/// Runs of one test at one degree of parallelism.
type Alike<'a> = (&'a str, Dop);

/// The traced repeats of a record.
pub(super) struct Repeats<'a>(BTreeMap<Alike<'a>, Repeated<'a>>);

/// The valid runs of one test at one degree of parallelism of which there are traced ones.
struct Repeated<'a> {
    /// The first of them that was traced.
    traced: &'a Run,
    /// Rate and number of the representative plain run.
    plain: Option<(f64, u32)>,
    /// Relative change in each round with a traced and a plain run.
    changes: Vec<f64>,
}

impl<'a> Repeats<'a> {
    /// The traced repeats of `record`.
    pub(super) fn of(record: &'a Record) -> Repeats<'a> {
        let traced = record.runs.iter().filter(|run| is_traced(run) && !is_invalid(run));
        let mut alike: BTreeMap<Alike<'_>, Vec<&Run>> = traced.map(|run| (key(run), Vec::new())).collect();
        if alike.is_empty() {
            return Repeats(BTreeMap::new());
        }
        for run in record.runs.iter().filter(|run| !is_invalid(run)) {
            alike.entry(key(run)).and_modify(|runs| runs.push(run));
        }
        let rounds = record.plan.runs.iter().map(|planned| (planned.number, planned.repeat)).collect();
        Repeats(alike.into_iter().filter_map(|(key, runs)| Some((key, Repeated::of(&runs, &rounds)?))).collect())
    }

    /// The valid traced repeat of `run`, if `run` is a plain one and there is any; the first of several.
    pub(super) fn traced(&self, run: &Run) -> Option<&'a Run> {
        self.0.get(&key(run)).filter(|_| run.variation.is_none()).map(|repeated| repeated.traced)
    }

    /// The plain run that `run` repeats; None for a run that is not a traced repeat, and without a valid plain run.
    pub(super) fn repeat(&self, run: &Run) -> Option<TracedRepeat> {
        let repeated = self.0.get(&key(run)).filter(|_| is_traced(run))?;
        let (plain_rate, plain_run) = repeated.plain?;
        let alone = || Some(vec![share(rate(run)?, plain_rate)? - 1.0]);
        let cost = match repeated.changes.len() {
            0 | 1 => cost(&alone().unwrap_or_default()),
            _ => cost(&repeated.changes),
        };
        Some(TracedRepeat { plain_run, cost })
    }
}

impl<'a> Repeated<'a> {
    /// The repeated runs of `runs`, whose rounds by number are `rounds`.
    fn of(runs: &[&'a Run], rounds: &HashMap<u32, u32>) -> Option<Repeated<'a>> {
        let plain = || runs.iter().copied().filter(|run| run.variation.is_none());
        let rated = group::Repeats::of(plain().filter_map(|run| Some((rate(run)?, run))).collect());
        let round = |run: &Run| rounds.get(&run.number).copied();
        let mut plain_of: HashMap<Option<u32>, &Run> = HashMap::new();
        for run in plain() {
            plain_of.entry(round(run)).or_insert(run);
        }
        let traced = || runs.iter().copied().filter(|run| is_traced(run));
        let change = |run: &Run| Some(share(rate(run)?, rate(plain_of.get(&round(run))?)?)? - 1.0);
        Some(Repeated {
            traced: traced().next()?,
            plain: rated.and_then(|repeats| repeats.speaking()).map(|(rate, run)| (rate, run.number)),
            changes: traced().filter_map(change).collect(),
        })
    }
}

fn key(run: &Run) -> Alike<'_> {
    (&run.test, run.dop)
}

fn rate(run: &Run) -> Option<f64> {
    per_second(run, run.totals.operations).map(|rate| rate.0)
}

fn cost(changes: &[f64]) -> Option<TracingCost> {
    let change = Ratio(median(changes)?);
    Some(TracingCost { change, pairs: changes.len(), interval: order_interval(changes) })
}

/// Whether `run` is a traced repeat.
pub(super) fn is_traced(run: &Run) -> bool {
    matches!(run.variation, Some(Variation::Traced))
}

/// Whether two runs are of one test at one degree of parallelism.
pub(super) fn is_alike(one: &Run, other: &Run) -> bool {
    one.test == other.test && one.dop == other.dop
}
