//! Traced repeats: the run that a table is from, and what tracing cost it.

use record::{Ratio, Record, Run, Variation};

use crate::delta::{per_second, share};
use crate::row::is_void;

/// That a run repeats a plain one while the kernel was traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedRepeat {
    /// The number of the plain run; of several that with the median rate, the lower one of two.
    pub plain_run: u32,
    /// Its operations per second over those of the plain run, less 1: below 0 where tracing slowed it down.
    pub cost: Option<Ratio>,
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
    let cost = rate(run).and_then(|traced| share(traced, plain_rate)).map(|ratio| Ratio(ratio - 1.0));
    Some(TracedRepeat { plain_run: plain.number, cost })
}

/// Whether `run` was made to be traced.
pub(super) fn is_traced(run: &Run) -> bool {
    matches!(run.variation, Some(Variation::Traced))
}

/// Whether two runs are of one test at one degree of parallelism.
pub(super) fn is_alike(one: &Run, other: &Run) -> bool {
    one.test == other.test && one.dop == other.dop
}
