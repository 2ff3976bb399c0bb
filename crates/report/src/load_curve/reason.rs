//! Why a rate counts as not kept, and what of a search contradicts itself.

use model::{Bound, Contradiction, RatePoint, RecordedSearch};
use record::{Arrival, Check, Run, Verdict};

use crate::figure::{count, duration, number};
use crate::words::list;

/// Rates about which runs contradict each other that are named; of more the rest is counted.
const NAMED_MAX: usize = 4;

/// Whether `run` did not keep the rate that was asked for.
pub(crate) fn is_behind(run: &Run) -> bool {
    run.findings.iter().any(|finding| finding.check() == Check::Backlog && finding.verdict >= Verdict::Warn)
}

/// Why `point` does not keep `bound`, with the value that was judged; nothing of one that keeps it, and where that is
/// not known.
pub(crate) fn reason(point: &RatePoint<'_>, bound: Option<&Bound>) -> Option<String> {
    if is_behind(point.run) {
        let done = point.done.map(|done| format!("{} of {}", number(done.0), number(point.asked.0)));
        let said = match (point.run.totals.unfinished, done) {
            (0, Some(done)) => done,
            (0, None) => return Some("rate not kept".to_owned()),
            (left, _) => format!("{} not begun", count(left)),
        };
        return Some(format!("rate not kept: {said}"));
    }
    let bound = bound.filter(|_| point.kept == Some(false))?;
    match bound.value(&point.run.response) {
        Some(value) if value > bound.limit => Some(format!("not kept: {} is {}", bound.statistic, duration(value))),
        _ => Some("not kept".to_owned()),
    }
}

/// What of the search contradicts itself, in one sentence; nothing where its runs agree.
pub(super) fn contradiction(search: &RecordedSearch<'_>, arrival: Arrival) -> Option<String> {
    let all = search.contradictions();
    let (named, rest) = all.split_at(all.len().min(NAMED_MAX));
    let more = (!rest.is_empty()).then(|| format!("likewise at {} more rates", rest.len()));
    let said = list(named.iter().map(named_rate).chain(more));
    let why = match arrival {
        Arrival::Fixed => "what the platform gives",
        Arrival::Poisson => "what the platform gives, or the draw of the arrivals,",
    };
    (!all.is_empty()).then(|| format!("{said}: {why} varied while it was searched"))
}

fn named_rate(rate: &Contradiction) -> String {
    let at = format!("at {}/s", number(rate.asked.0));
    let not_kept = format!("not kept {} {at}", times(rate.not_kept));
    match (rate.kept, rate.is_below_answer) {
        (0, _) => format!("{not_kept}, though a higher rate was"),
        (kept, _) => format!("kept {} and {not_kept}", times(kept)),
    }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
