//! Steadiness of the rates, run by run, and the meaning of the verdicts.

use std::collections::BTreeMap;

use maud::{Markup, html};
use model::{RULES, Steadiness, is_invalid, steadiness, steady_verdict};
use record::evidence::Steady;
use record::{Evidence, Ratio, Record, Run, SteadyVerdict};

use super::curve::at;
use super::throughput::rate_of;
use crate::figure::{UNKNOWN, number, percent};
use crate::layout::clean;
use crate::render::page::{Cell, Column, Row, Table};
use crate::steady::reason_text;
use crate::words::plural;

/// Runs whose seconds are judged for a page; the others have their stored verdict.
const JUDGED_MAX: usize = 400;

/// Lines of a table; verdicts are counted over all runs.
const RUNS_MAX: usize = 1000;

/// The meaning of a verdict.
fn meaning(verdict: SteadyVerdict) -> &'static str {
    match verdict {
        SteadyVerdict::Steady => "the rate was level; the mean represents the whole window",
        SteadyVerdict::WarmupCut => {
            "slower at the start; the later seconds are steady; figures are over the whole window unless stated otherwise"
        }
        SteadyVerdict::Slowdown => {
            "faster at the start (burst credits, a cache, heat); the later seconds are steady; figures are over the \
             whole window unless stated otherwise"
        }
        SteadyVerdict::Drifting => "the rate drifted throughout the window: the mean is of no steady state",
        SteadyVerdict::NotSteady => "no level lasted for half of the window: measure longer",
        SteadyVerdict::Inconclusive => "the window does not decide: measure longer",
        SteadyVerdict::TooShort => "a window of less than a minute is too short to judge steadiness",
    }
}

/// The verdict on one run.
struct Judged<'a> {
    run: &'a Run,
    verdict: SteadyVerdict,
    /// The figures; absent where the seconds are not loaded.
    found: Option<Steadiness>,
    why: String,
}

/// The verdict on `run`, from its seconds where `use_seconds`, else the stored one. Nothing where neither exists.
fn judge(run: &Run, use_seconds: bool) -> Option<Judged<'_>> {
    let stored = steady_verdict(run);
    if !run.seconds.is_empty() && (use_seconds || stored.is_none()) {
        let found = steadiness(run);
        return Some(Judged { run, verdict: found.verdict, why: reason_text(&found.reason), found: Some(found) });
    }
    let is_short = run.window_ns.seconds() < RULES.steadiness_seconds_min as f64;
    let verdict = stored.or(is_short.then_some(SteadyVerdict::TooShort))?;
    let why = run.findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::Steady(Steady::Window { reason, .. }) => Some(reason_text(reason)),
        _ => None,
    });
    Some(Judged { run, verdict, found: None, why: why.unwrap_or_default() })
}

/// The verdicts with their numbers of runs, and the figures of the judged runs. Invalid runs are left out.
pub(super) fn steady(record: &Record) -> Markup {
    let results = || record.runs.iter().filter(|run| !is_invalid(run) && run.window_ns.0 > 0);
    let judged: Vec<Judged<'_>> =
        results().enumerate().filter_map(|(index, run)| judge(run, index < JUDGED_MAX)).collect();
    if judged.is_empty() {
        return Markup::default();
    }
    let unjudged = results().count() - judged.len();
    let mut counts: BTreeMap<SteadyVerdict, usize> = BTreeMap::new();
    for judged in &judged {
        *counts.entry(judged.verdict).or_default() += 1;
    }
    let mut words = Table::new(
        "steady-words",
        "Steadiness of the runs",
        &[Column::text("verdict"), Column::figures("runs"), Column::text("meaning")],
    );
    words.rows.extend(counts.iter().map(|(verdict, count)| {
        Row::new(vec![
            Cell::Markup(html! { span class=(class(*verdict)) { (verdict.word()) } }),
            Cell::Figure(count.to_string(), Some(*count as f64)),
            Cell::text(meaning(*verdict)),
        ])
    }));
    let long: Vec<&Judged<'_>> = judged.iter().filter(|judged| judged.verdict != SteadyVerdict::TooShort).collect();
    let few = long.iter().filter(|judged| !judged.verdict.is_steady()).copied();
    let few = table("not-steady", "Runs that are not steady", few);
    let all = table("steady", "Runs that are long enough", long.iter().copied());
    html! {
        h3 { "Steadiness" }
        (words.html())
        @if unjudged > 0 {
            p class="note" { "No verdict on " (plural(unjudged as u64, "more run")) ": no stored verdict and no seconds." }
        }
        (few.html())
        @if !long.is_empty() {
            details {
                summary { "Steadiness of all " (long.len()) " runs that are long enough" }
                @if long.len() > RUNS_MAX {
                    p class="note" { "The first " (RUNS_MAX) " of " (long.len()) " are shown; the record has all." }
                }
                (all.html())
            }
        }
    }
}

fn class(verdict: SteadyVerdict) -> &'static str {
    match verdict {
        SteadyVerdict::Steady => "word pass",
        SteadyVerdict::WarmupCut | SteadyVerdict::Slowdown | SteadyVerdict::TooShort => "word",
        SteadyVerdict::Inconclusive => "word unknown",
        SteadyVerdict::Drifting | SteadyVerdict::NotSteady => "word warn",
    }
}

const COLUMNS: [Column; 9] = [
    Column::figures("run"),
    Column::text("test"),
    Column::text("at"),
    Column::text("verdict"),
    Column::text("counted"),
    Column::figures("rate of these"),
    Column::figures("95 % within the run"),
    Column::figures("drift up to"),
    Column::text("why"),
];

fn table<'a>(id: &str, caption: &str, judged: impl Iterator<Item = &'a Judged<'a>>) -> Table {
    let mut table = Table::new(id, caption, &COLUMNS);
    table.sortable = true;
    table.rows = judged.take(RUNS_MAX).map(row).collect();
    table
}

fn row(Judged { run, verdict, found, why }: &Judged<'_>) -> Row {
    let found = found.as_ref();
    let interval = found.and_then(|found| found.interval);
    let ends = interval.map(|found| format!("{} to {}", number(found.low), number(found.high)));
    let drift = found.and_then(|found| found.detectable_drift);
    let rate = found.map(|found| found.rate);
    let counted = found.map(|found| format!("{} to {} s", found.counted.start, found.counted.end));
    let unknown = || UNKNOWN.to_owned();
    Row::new(vec![
        Cell::Figure(run.number.to_string(), Some(f64::from(run.number))),
        Cell::text(clean(&run.test)),
        Cell::text(at(run)),
        Cell::Markup(html! { span class=(class(*verdict)) { (verdict.word()) } }),
        Cell::text(counted.unwrap_or_else(unknown)),
        Cell::Figure(rate.map_or_else(unknown, |rate| rate_of(rate, run.unit)), rate),
        Cell::Figure(ends.unwrap_or_else(unknown), interval.map(|found| found.low)),
        Cell::Figure(drift.map_or_else(unknown, |share| percent(Ratio(share))), drift),
        Cell::text(clean(why)),
    ])
}
