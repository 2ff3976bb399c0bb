//! Traced repeats: the run that a table is from, and what tracing cost it.

use record::{Ratio, Record, Run, Variation};

use crate::delta::{per_second, share};
use crate::row::is_void;
use crate::statistics::{Interval, median, order_interval};

/// That a run repeats a plain one while the kernel was traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedRepeat {
    /// The number of the plain run; of several that with the median rate, the lower one of two.
    pub plain_run: u32,
    /// What tracing cost.
    pub cost: Option<TracingCost>,
}

/// Operations per second of traced runs over those of the plain runs beside them, less 1: below 0 where tracing slowed
/// them down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracingCost {
    /// The median of the pairs.
    pub change: Ratio,
    /// How many pairs of runs, a traced one and the plain one of the same round; without rounds the traced run and the plain
    /// one that stands for the others are the only one.
    pub pairs: usize,
    /// The interval of the median, where there are enough pairs for one.
    pub interval: Option<Interval>,
}

/// The valid traced repeat of `run`, if `run` is a plain one and there is any; the first of several.
pub(super) fn traced_repeat<'a>(record: &'a Record, run: &Run) -> Option<&'a Run> {
    let is_plain = run.variation.is_none();
    record.runs.iter().find(|other| is_plain && is_traced(other) && is_alike(run, other) && !is_void(other))
}

/// What `run` repeats; none where it was not traced as a repeat, and where there is no valid plain run beside it.
pub(super) fn of(record: &Record, run: &Run) -> Option<TracedRepeat> {
    if !is_traced(run) {
        return None;
    }
    let plain = record.runs.iter().filter(|other| other.variation.is_none() && is_alike(run, other) && !is_void(other));
    let rate = |run: &Run| per_second(run, run.totals.operations).map(|rate| rate.0);
    let mut rated: Vec<(f64, &Run)> = plain.filter_map(|other| Some((rate(other)?, other))).collect();
    rated.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.number.cmp(&other.1.number)));
    let (plain_rate, plain) = *rated.get(rated.len().checked_sub(1)? / 2)?;
    let alone = || Some(vec![share(rate(run)?, plain_rate)? - 1.0]);
    let mut changes = of_rounds(record, run);
    if changes.len() < 2 {
        changes = alone().unwrap_or_default();
    }
    Some(TracedRepeat { plain_run: plain.number, cost: cost(&changes) })
}

/// What changed in each round that has a valid traced run like `run` and a plain one.
fn of_rounds(record: &Record, run: &Run) -> Vec<f64> {
    let valid: Vec<&Run> = record.runs.iter().filter(|other| is_alike(run, other) && !is_void(other)).collect();
    let rate = |run: &Run| per_second(run, run.totals.operations).map(|rate| rate.0);
    let change = |traced: &&Run| {
        let plain =
            valid.iter().find(|other| other.variation.is_none() && round(record, other) == round(record, traced))?;
        Some(share(rate(traced)?, rate(plain)?)? - 1.0)
    };
    valid.iter().filter(|traced| is_traced(traced)).filter_map(change).collect()
}

/// The round that `run` is of.
fn round(record: &Record, run: &Run) -> Option<u32> {
    record.plan.runs.iter().find(|planned| planned.number == run.number).map(|planned| planned.repeat)
}

fn cost(changes: &[f64]) -> Option<TracingCost> {
    let change = Ratio(median(changes)?);
    Some(TracingCost { change, pairs: changes.len(), interval: order_interval(changes) })
}

/// Whether `run` was made to be traced.
pub(super) fn is_traced(run: &Run) -> bool {
    matches!(run.variation, Some(Variation::Traced))
}

/// Whether two runs are of one test at one degree of parallelism.
pub(super) fn is_alike(one: &Run, other: &Run) -> bool {
    one.test == other.test && one.dop == other.dop
}
