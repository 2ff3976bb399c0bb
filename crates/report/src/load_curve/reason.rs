//! Why a rate counts as missed, and contradictions of a search.

use model::{Bound, Contradiction, RatePoint, RecordedSearch};
use record::{Arrival, Check, Run, Verdict};

use crate::figure::{count, duration, number};
use crate::words::list;

/// Contradictory rates that are named; more are counted.
const NAMED_MAX: usize = 4;

/// Whether `run` missed its target rate.
pub(crate) fn is_behind(run: &Run) -> bool {
    run.findings.iter().any(|finding| finding.check() == Check::Backlog && finding.verdict >= Verdict::Warn)
}

/// Why `point` misses `bound`, with the judged value; nothing where it is met or not known.
pub(crate) fn reason(point: &RatePoint<'_>, bound: Option<&Bound>) -> Option<String> {
    if is_behind(point.run) {
        let done = point.done.map(|done| format!("{} of {}", number(done.0), number(point.asked.0)));
        let detail = match (point.run.totals.unfinished, done) {
            (0, Some(done)) => done,
            (0, None) => return Some("rate missed".to_owned()),
            (left, _) => format!("{} not started", count(left)),
        };
        return Some(format!("rate missed: {detail}"));
    }
    let bound = bound.filter(|_| point.kept == Some(false))?;
    match bound.value(&point.run.response) {
        Some(value) if value > bound.limit => Some(format!("missed: {} is {}", bound.statistic, duration(value))),
        _ => Some("missed".to_owned()),
    }
}

/// Contradictions of the search, in one sentence; nothing where its runs agree.
pub(super) fn contradiction(search: &RecordedSearch<'_>, arrival: Arrival) -> Option<String> {
    let all = search.contradictions();
    let (named, rest) = all.split_at(all.len().min(NAMED_MAX));
    let more = (!rest.is_empty()).then(|| format!("also at {} more rates", rest.len()));
    let rates = list(named.iter().map(named_rate).chain(more));
    let why = match arrival {
        Arrival::Fixed => "the capacity of the platform",
        Arrival::Poisson => "the capacity of the platform, or the random arrivals,",
    };
    (!all.is_empty()).then(|| format!("{rates}: {why} varied during the search"))
}

fn named_rate(rate: &Contradiction) -> String {
    let at = format!("at {}/s", number(rate.asked.0));
    let missed = format!("missed {} {at}", times(rate.not_kept));
    match (rate.kept, rate.is_below_answer) {
        (0, _) => format!("{missed}, although a higher rate met it"),
        (kept, _) => format!("met {} and {missed}", times(kept)),
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
