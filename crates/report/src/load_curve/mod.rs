//! Latency over arrival rate, the answer of a search for the highest rate, and think time.

mod answer;
mod command;
mod document;
mod reason;
mod think_time;

use model::{Bound, Contrast, CpuScope, RateCurve, RatePoint, ThinkPoint, ThinkStudy};
use record::{Finding, Ratio, Record, Run, Until, Verdict};

pub(crate) use answer::{answer, curve_answer};
pub(crate) use command::{load_options, other_loads};
pub(crate) use document::{SEARCH, rates, think_times};
use reason::{is_behind, reason};

use crate::figure::{count, duration, number, percent, three_digits, time};
use crate::finding::finding_text;
use crate::layout::{clean, cut};
use crate::words::{dop, list, plural, variation};

/// Curves and sweeps that are drawn.
const CURVES_MAX: usize = 60;

/// Characters of a code.
const CODE_MAX: usize = 8;

/// The test and degree of parallelism of a curve.
fn head(curve: &RateCurve<'_>) -> String {
    format!("{} at {}", cut(&clean(curve.test), CODE_MAX), dop(curve.dop, curve.sweep))
}

/// The same for a study of think time.
fn study_head(study: &ThinkStudy<'_>) -> String {
    format!("{} at {}", cut(&clean(study.test), CODE_MAX), dop(study.dop, study.sweep))
}

/// The rate of the test in a closed loop.
fn capacity(curve: &RateCurve<'_>) -> Option<String> {
    Some(format!("{} steps/s in a closed loop (100 %)", number(curve.capacity?.0)))
}

/// The service level of the search of `record`, as a bound.
fn bound(record: &Record) -> Option<Bound> {
    search(record)?.level.parse().ok()
}

/// Why a closed and an open loop of the same test differ, from their figures.
fn explanation(contrast: &Contrast<'_>) -> String {
    let Contrast { closed, open, long, closed_long, open_long } = contrast;
    if let Some(lag) = contrast.lag() {
        return format!(
            "closed loop: p99 is {}; open loop: p99 is {}{}, because the threads of idle jobs woke up late: p99 of that is \
             {}",
            time(closed.response.p99_ns),
            time(open.run.response.p99_ns),
            open.share.map_or_else(String::new, |share| format!(" at {} of that rate", percent(share))),
            duration(lag),
        );
    }
    let service = open.service.and_then(|service| service.p99_ns);
    let share =
        open.share.map_or_else(|| "at a target rate".to_owned(), |share| format!("at {} of that rate", percent(share)));
    format!(
        "closed loop: p99 is {} and {} of {} took longer than {}, because a waiting job issues no new steps; open loop \
         {share}: steps kept arriving, {} of {} took longer from their intended start, and p99 is {}{}",
        time(closed.response.p99_ns),
        count(*closed_long),
        plural(closed.totals.steps, "step"),
        duration(*long),
        count(*open_long),
        count(open.run.totals.steps),
        time(open.run.response.p99_ns),
        service.map_or_else(String::new, |p99| format!(" (from their actual start: {})", duration(p99)))
    )
}

/// How late idle jobs began their steps, where that is much of a response time.
fn lag(curve: &RateCurve<'_>) -> Option<String> {
    let of = |point: &RatePoint<'_>| {
        let at = point.share.map_or_else(|| format!("{} steps/s", number(point.asked.0)), percent);
        Some(format!("{} at {at}", duration(point.notable_lag()?)))
    };
    let lags = list(curve.points.iter().filter_map(of));
    (!lags.is_empty()).then(|| {
        format!(
            "start lag, the time by which threads of idle jobs woke up late, p50: {lags}; it is part of the response times, \
             and the generator's"
        )
    })
}

/// The yield of SMT, and the capacity used at 50 % busy; nothing where it is not known.
fn hidden(study: &ThinkStudy<'_>) -> Option<String> {
    let yielded = study.smt_yield?;
    let used = model::platform::capacity_used(0.5, yielded);
    Some(format!(
        "all hardware threads give {} times the rate of one per core: at 50 % busy, with cores filled first, {} of the \
         capacity is used",
        three_digits(yielded),
        percent(Ratio(used))
    ))
}

/// The search of `record`.
fn search(record: &Record) -> Option<&Until> {
    record.plan.until.as_ref()
}

/// Findings that are shown; more are counted.
const FINDINGS_MAX: usize = 12;

/// The findings of `run` that answer its purpose, and are no pass.
pub(crate) fn answers(run: &Run) -> impl Iterator<Item = &Finding> {
    run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass && model::is_answer(run, finding))
}

/// A sentence for each of `findings`, with its run and the variation of the run.
pub(crate) fn sentences<'a>(mut findings: impl Iterator<Item = (&'a Run, &'a Finding)>) -> Vec<String> {
    let of_run = |(run, finding): (&Run, &Finding)| {
        let of = run.variation.map(|of| format!(", {}", variation(of))).unwrap_or_default();
        format!("run {}{of}: {}", run.number, finding_text(finding))
    };
    let mut shown: Vec<String> = findings.by_ref().take(FINDINGS_MAX).map(of_run).collect();
    let more = findings.count();
    shown.extend((more > 0).then(|| format!("and {more} more, see the record")));
    shown
}

/// The scope of the CPU time in the tables of `studies`, in one sentence. The capacity used is always that of the host.
fn cpu_scope(studies: &[ThinkStudy<'_>]) -> String {
    const OWN: &str = "processors used and CPU time: dbdyno and the engine";
    const HOST: &str = "the whole host with all other programs, because the CPU time of the engine is not known";
    let points = || studies.iter().flat_map(|study| &study.points).filter(|point| point.processors.is_some());
    let is_host = |point: &&ThinkPoint<'_>| point.cpu_scope == CpuScope::Host;
    let hosts: Vec<String> = points().filter(is_host).map(|point| count(point.run.number.into())).collect();
    let capacity = match points().any(|point| point.used.is_some()) {
        true => "; capacity used: the whole host",
        false => "",
    };
    match hosts.len() {
        0 => format!("{OWN}{capacity}"),
        all if all == points().count() => format!("processors used and CPU time: {HOST}"),
        1 => format!("{OWN}; in run {}: {HOST}{capacity}", list(hosts)),
        _ => format!("{OWN}; in runs {}: {HOST}{capacity}", list(hosts)),
    }
}
