//! Latency over the rate of arrivals, the answer of a search for the highest rate, and what think time leaves of the
//! processors: the sentences that the terminal and the page have in common, and the view of the terminal.

mod answer;
mod command;
mod finding;
mod plan;
mod reason;
mod text;
mod whose;

use model::{Bound, Contrast, RateCurve, ThinkStudy};
use record::{Check, Finding, Outcome, Ratio, Record, Run, Until, Verdict};

pub(crate) use answer::{answer, curve_answer};
pub(crate) use command::{load_options, other_loads};
pub(crate) use finding::{answers, told};
pub(crate) use plan::variations;
pub(crate) use reason::{is_behind, reason};
pub(crate) use text::parts;
pub(crate) use whose::whose;

use crate::figure::{count, duration, number, percent, three_digits, time};
use crate::layout::{clean, cut};
use crate::words::{dop, plural};

/// The head of the part about rates.
pub(crate) const RATES: &str = "LATENCY OVER RATE";

/// The head of the same part where a rate was searched for.
pub(crate) const SEARCH: &str = "THE HIGHEST RATE THAT KEEPS THE SERVICE LEVEL";

/// The head of the part about think time.
pub(crate) const THINK: &str = "THINK TIME";

/// Letters of a code.
const CODE_MAX: usize = 8;

/// Which test at which degree a curve is about.
pub(crate) fn head(curve: &RateCurve<'_>) -> String {
    format!("{} at {}", cut(&clean(curve.test), CODE_MAX), dop(curve.dop, curve.sweep))
}

/// The same of a study of think time.
pub(crate) fn study_head(study: &ThinkStudy<'_>) -> String {
    format!("{} at {}", cut(&clean(study.test), CODE_MAX), dop(study.dop, study.sweep))
}

/// What the test reaches without a rate.
pub(crate) fn capacity(curve: &RateCurve<'_>) -> Option<String> {
    Some(format!("{} steps/s as fast as possible (100 %)", number(curve.capacity?.0)))
}

/// The service level that `record` was searched for, as a bound.
pub(crate) fn bound(record: &Record) -> Option<Bound> {
    wish(record)?.level.parse().ok()
}

/// Why a closed and an open loop of the same test differ, from their own figures.
pub(crate) fn explanation(contrast: &Contrast<'_>) -> String {
    let Contrast { closed, open, long, closed_long, open_long } = contrast;
    let service = open.service.and_then(|service| service.p99_ns);
    let share =
        open.share.map_or_else(|| "under a rate".to_owned(), |share| format!("at {} of that rate", percent(share)));
    format!(
        "as fast as possible (closed loop) p99 is {} and {} of {} took longer than {}, because a job that waits asks for \
         nothing meanwhile; {share} steps kept arriving, {} of {} took longer, counted from when they were due, and p99 is \
         {}{}",
        time(closed.response.p99_ns),
        count(*closed_long),
        plural(closed.totals.steps, "step"),
        duration(*long),
        count(*open_long),
        count(open.run.totals.steps),
        time(open.run.response.p99_ns),
        service.map_or_else(String::new, |p99| format!(" (from when they began: {})", duration(p99)))
    )
}

/// What the second hardware threads add, and what that makes of half busy; nothing where it is not known.
pub(crate) fn hidden(study: &ThinkStudy<'_>) -> Option<String> {
    let yielded = study.smt_yield?;
    let used = model::platform::capacity_used(0.5, yielded);
    Some(format!(
        "all hardware threads give {} times the rate of one per core, so that at 50 % busy {} of the capacity is used, \
         where cores are filled first",
        three_digits(yielded),
        percent(Ratio(used))
    ))
}

/// Whether `run` is invalid for nothing but that its rate, one of a sweep or a search, is not kept: it was made to find that
/// out, and spoils no other figure.
pub(crate) fn has_found_a_limit(run: &Run) -> bool {
    let fails = |finding: &&Finding| finding.verdict == Verdict::Fail;
    let mut failed = run.findings.iter().filter(fails).peekable();
    let is_under_rate = run.variation.is_some() && run.outcome == Outcome::Done;
    is_under_rate && failed.peek().is_some() && failed.all(|finding| finding.check() == Check::Backlog)
}

/// The service level that `record` was searched for.
pub(crate) fn wish(record: &Record) -> Option<&Until> {
    record.plan.until.as_ref()
}
