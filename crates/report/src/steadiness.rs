//! Steadiness of the rates, run by run, and the meaning of the verdicts, as a part of a document.

mod words;

use std::collections::BTreeMap;

use model::{RULES, Steadiness, is_invalid, steadiness};
use record::evidence::Steady;
use record::{Evidence, Ratio, Record, Run, SteadyRate, SteadyVerdict};

use crate::document::{Block, Cell, Column, Extent, Row, Section, Table, Tone};
use crate::figure::{number, percent};
use crate::words::{at, list, plural, rate_of};

pub(crate) use self::words::{reason_text, rounds_text, window_text};

/// Runs whose seconds are read for their figures; of the others what was found when they ended is shown.
const READ_MAX: usize = 400;

/// Lines of the table of all runs; verdicts are counted over all of them.
const RUNS_MAX: usize = 1000;

/// Lines of the table of runs that are not steady throughout.
const NAMED_MAX: usize = 100;

/// The verdict on one run.
struct Judged<'a> {
    run: &'a Run,
    verdict: SteadyVerdict,
    why: String,
    /// The seconds that count and their rate, as they were found when the run ended.
    stored: Option<&'a SteadyRate>,
    /// The figures of its seconds, where these are read.
    found: Option<Steadiness>,
}

/// What was found when `run` ended: the verdict, why, and the steady part.
fn stored(run: &Run) -> Option<(SteadyVerdict, String, Option<&SteadyRate>)> {
    run.findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::Steady(Steady::Window { verdict, reason, counted }) => {
            let of = finding.agent.as_ref().map(|agent| format!("agent {agent}: ")).unwrap_or_default();
            Some((*verdict, format!("{of}{}", reason_text(reason)), counted.as_ref()))
        }
        _ => None,
    })
}

/// The verdict on `run`: what was found when it ended, else that of its seconds. Nothing where neither exists. Its figures are
/// those of its seconds, where `is_read`.
fn judge(run: &Run, is_read: bool) -> Option<Judged<'_>> {
    let stored = stored(run);
    let found = (!run.seconds.is_empty() && (is_read || stored.is_none())).then(|| steadiness(run));
    let (verdict, why, stored) = stored
        .or_else(|| found.as_ref().map(|found| (found.verdict, reason_text(&found.reason), None)))
        .or_else(|| is_short(run).then(|| (SteadyVerdict::TooShort, String::new(), None)))?;
    Some(Judged { run, verdict, why, stored, found })
}

/// Whether the window of `run` is too short for a verdict.
fn is_short(run: &Run) -> bool {
    run.window_ns.seconds() < RULES.steadiness_seconds_min as f64
}

/// The verdicts with their numbers of runs and their meaning, and the figures of the judged runs; invalid runs are left out. A
/// terminal shows nothing where no run is long enough.
pub(crate) fn steady(record: &Record) -> Section {
    let results = || record.runs.iter().filter(|run| !is_invalid(run) && run.window_ns.0 > 0);
    let judged: Vec<Judged<'_>> =
        results().enumerate().filter_map(|(index, run)| judge(run, index < READ_MAX)).collect();
    let unjudged = (results().count() - judged.len()) as u64;
    let long: Vec<&Judged<'_>> = judged.iter().filter(|judged| judged.verdict != SteadyVerdict::TooShort).collect();
    let mut body = few(&long);
    if !judged.is_empty() {
        body.push(Block::whole(whole(&judged, &long, unjudged)));
    }
    Section::new("steadiness", "Steadiness", body).folded()
}

/// The number of runs by verdict.
fn counts<'j>(judged: impl Iterator<Item = &'j Judged<'j>>) -> BTreeMap<SteadyVerdict, u64> {
    let mut counts = BTreeMap::new();
    judged.for_each(|judged| *counts.entry(judged.verdict).or_default() += 1);
    counts
}

/// The runs that are long enough by verdict, and those that are not steady throughout; nothing without such runs.
fn few(long: &[&Judged<'_>]) -> Vec<Block> {
    if long.is_empty() {
        return Vec::new();
    }
    let counted = counts(long.iter().copied());
    let counted = list(counted.iter().map(|(verdict, count)| format!("{count} {}", verdict.word())));
    let all = format!("Of {} that are long enough: {counted}.", plural(long.len() as u64, "run"));
    let others: Vec<_> = long.iter().filter(|judged| judged.verdict != SteadyVerdict::Steady).copied().collect();
    let more = others.len().saturating_sub(NAMED_MAX);
    let more = (more > 0).then(|| Block::aside(format!("and {more} more, see the record")));
    let table = table("not-steady", "Runs that are not steady throughout", others.into_iter().take(NAMED_MAX));
    [Block::text(all), Block::from(table)].into_iter().chain(more).collect()
}

/// The meaning of the verdicts, and all runs that are long enough.
fn whole(judged: &[Judged<'_>], long: &[&Judged<'_>], unjudged: u64) -> Vec<Block> {
    let columns = vec![Column::text("verdict"), Column::figure("runs"), Column::text("meaning")];
    let words = counts(judged.iter())
        .into_iter()
        .map(|(verdict, count)| Row::new(vec![word(verdict), Cell::count(count), Cell::text(meaning(verdict))]));
    let words = Table::new("steady-words", "Steadiness of the runs", columns).with(words);
    let note = |of: Option<String>| of.map(|words| Block::note(Tone::Plain, [words]));
    let unjudged = (unjudged > 0)
        .then(|| format!("No verdict on {}: no stored verdict and no seconds.", plural(unjudged, "more run")));
    let shown = (long.len() > RUNS_MAX)
        .then(|| format!("The first {RUNS_MAX} of {} are shown; the record has all.", long.len()));
    let all = table("steady", "Runs that are long enough", long.iter().copied().take(RUNS_MAX));
    let summary = format!("Steadiness of all {} runs that are long enough", long.len());
    let all = Block::fold(summary, note(shown).into_iter().chain([all.into()]).collect());
    [Block::from(words)].into_iter().chain(note(unjudged)).chain([all]).collect()
}

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

/// The word of a verdict in its role.
fn word(verdict: SteadyVerdict) -> Cell {
    let tone = match verdict {
        SteadyVerdict::Steady => Tone::Good,
        SteadyVerdict::WarmupCut | SteadyVerdict::Slowdown | SteadyVerdict::TooShort => Tone::Plain,
        SteadyVerdict::Inconclusive => Tone::Unknown,
        SteadyVerdict::Drifting | SteadyVerdict::NotSteady => Tone::Warning,
    };
    Cell::Word(verdict.word().to_owned(), tone)
}

/// A table of runs with their figures.
fn table<'j>(id: &str, caption: &str, judged: impl Iterator<Item = &'j Judged<'j>>) -> Table {
    let columns = vec![
        Column::text("run"),
        Column::text("test"),
        Column::text("at"),
        Column::text("verdict"),
        Column::text("counted"),
        Column::text("rate of these"),
        Column::figure("95 % within the run").from(Extent::Whole),
        Column::figure("drift up to").from(Extent::Whole),
        Column::text("why"),
    ];
    Table { is_sortable: true, ..Table::new(id, caption, columns).with(judged.map(row)) }
}

fn row(judged: &Judged<'_>) -> Row {
    let (run, found) = (judged.run, judged.found.as_ref());
    let interval = found.and_then(|found| found.interval);
    let ends = |_| interval.map(|found| format!("{} to {}", number(found.low), number(found.high))).unwrap_or_default();
    let drift = found.and_then(|found| found.detectable_drift);
    let ends_of = |stored: &SteadyRate| (stored.first_second, stored.last_second);
    let seconds =
        judged.stored.map(ends_of).or(found.map(|found| (found.counted.start as u64 + 1, found.counted.end as u64)));
    let seconds = seconds.map(|(first, last)| format!("second {first} to {last}"));
    let rate = judged.stored.map(|stored| stored.rate.0).or(found.map(|found| found.rate));
    let window = judged.stored.and_then(|stored| stored.window_rate);
    let window = window.map(|rate| format!(", of the window {}", rate_of(rate.0, run.unit))).unwrap_or_default();
    Row::new(vec![
        Cell::Figure(run.number.to_string(), Some(f64::from(run.number))),
        Cell::text(&*run.test),
        Cell::text(at(run)),
        word(judged.verdict),
        seconds.map_or_else(Cell::empty, Cell::text),
        rate.map_or_else(Cell::empty, |rate| Cell::Figure(format!("{}{window}", rate_of(rate, run.unit)), Some(rate))),
        Cell::figure(interval.map(|found| found.low), ends),
        Cell::figure(drift, |share| percent(Ratio(share))),
        Cell::text(&*judged.why),
    ])
}
