//! The row of a workload: its rate, latency and trust, where the time of its steps goes, and what would help.

use model::{ClaimBasis, Gain, Limit, Limiter, Line, MainLimit, Point, Remedy, TimeClassName, Warning};
use record::{Check, Record, Verdict, WarningSubject};

use super::figure::{at, latency, rate, unit};
use crate::beside::Beside;
use crate::curve::{self, Test};
use crate::document::{Card, CurvePoint, Fact, Part, Text, Tone};
use crate::figure::{duration, grouped, percent, volume};
use crate::finding::check_words;
use crate::limit::time_class_name;
use crate::line::repeats;
use crate::summary::{at_once, change_text, factors_text, tried_text};
use crate::verdict;
use crate::warning::instance_text;
use crate::words::{dop_text, list, plural, short_title, title};

/// How to read the rows.
pub(super) const LEGEND: &str = "▁█: rate from 1 job up; bar: where the time of a step goes; p50: too few for p99";

/// How to read gains.
pub(super) const GAINS: &str = "about: by the waits that are known; at most: by queues and unknown time as well";

/// Reasons of a verdict that are named.
const REASONS_MAX: usize = 2;

/// Smaller parts of the time are not named.
const SHARE_MIN: f64 = 0.01;

/// A card for each of `lines` of the sheet of `record`, with the rate over that of another platform.
pub(super) fn cards(record: &Record, lines: &[&Line], beside: Option<&Beside>) -> Vec<Card> {
    let tests = curve::tests(record);
    let warnings = model::warnings(record);
    let limits = model::main_limits(record, lines);
    let compared = |line: &Line| beside?.text(&line.test).map(|text| fact("beside", text));
    let all = lines.iter().zip(limits).map(|(line, limit)| {
        let mut card = card(record, &tests, line, limit.as_ref());
        card.notes.extend(limit.filter(MainLimit::is_best_of_tried).map(|limit| tried_text(&limit)));
        card.facts.extend(doubt(record, line, &warnings));
        card.facts.extend(compared(line));
        card
    });
    all.collect()
}

fn card(record: &Record, tests: &[Test<'_>], line: &Line, limit: Option<&MainLimit>) -> Card {
    let best = line.best.as_ref();
    let curve = tests.iter().find(|test| test.code == line.test);
    let curve = curve.map(Test::curve);
    let points = curve.iter().flat_map(|curve| &curve.points);
    Card {
        name: title(line).to_owned(),
        code: line.test.clone(),
        figure: best.map_or_else(|| "no result".to_owned(), |best| grouped(rate(line, best))),
        unit: best.map_or_else(String::new, |best| unit(line, best).to_owned()),
        at: best.map_or_else(String::new, |best| at(line, best)),
        latency: best.and_then(|best| best.headline).map_or_else(String::new, latency),
        trust: (trust(line), Tone::of(line.verdict)),
        curve: points.map(|(x, load)| CurvePoint { x: *x, y: load.per_second }).collect(),
        varied: curve.as_ref().map_or_else(String::new, |curve| curve.noun()),
        parts: limit.map_or_else(Vec::new, parts),
        notes: best.map_or_else(Vec::new, |best| notes(record, line, best)),
        facts: limit.map_or_else(Vec::new, |limit| facts(record, limit)),
    }
}

/// The interval of the repeats, the syncs beside the writes, and the share of the ceiling.
fn notes(record: &Record, line: &Line, best: &Point) -> Vec<String> {
    let run = record.runs.iter().find(|run| run.number == best.run);
    let sync = run.and_then(model::sync_beside).map(|sync| format!("sync p50 {}", duration(sync.service.p50_ns)));
    [sync, run.and_then(at_once), repeats(best, line.unit), best.ceiling.as_ref().map(|limit| share(record, limit))]
        .into_iter()
        .flatten()
        .collect()
}

/// The share of a ceiling, and whether the probe is no bound.
pub(super) fn share(record: &Record, limit: &Limit) -> String {
    let no_bound = if limit.is_exceeded() { ": no bound" } else { "" };
    let probe = record.runs.iter().find(|run| run.test == limit.probe);
    let probe = probe.map_or_else(
        || limit.probe.clone(),
        |run| format!("{} ({}, without a database)", limit.probe, short_title(run.layer, &run.title)),
    );
    format!("{} of {probe}{no_bound}", percent(limit.efficiency))
}

/// The parts that are named alike on every engine, or timed by the device in place of the engine, are drawn alike.
fn series(of: TimeClassName) -> usize {
    match of {
        TimeClassName::OnProcessor => 0,
        TimeClassName::DataIo | TimeClassName::DeviceReads => 1,
        TimeClassName::LogSyncs | TimeClassName::DeviceFlushes => 2,
        TimeClassName::Locks | TimeClassName::InEngine => 3,
        TimeClassName::RoundTrips | TimeClassName::WakeUps => 4,
    }
}

/// The verdict on the runs, with their number where they are several.
fn trust(line: &Line) -> String {
    let word = verdict::word_of(line.verdict);
    match line.best.as_ref().map_or(0, |best| best.repeats) {
        0 | 1 => word.to_owned(),
        runs => format!("{word}, {}", plural(runs as u64, "run")),
    }
}

/// Why a test has a warning, or what of it was not checked.
fn doubt(record: &Record, line: &Line, warnings: &[Warning<'_>]) -> Option<Fact> {
    let is_told = |warning: &&Warning<'_>| {
        let is_planned = warning.subject == WarningSubject::Check(Check::WindowLength);
        warning.verdict == line.verdict && !(is_planned && line.verdict == Verdict::Unknown)
    };
    let of_line = warnings.iter().filter(is_told).filter_map(|warning| {
        let mut instances = warning.instances.iter().filter(|one| one.run.test == line.test);
        let of_best = instances.clone().find(|one| Some(one.run.number) == line.best.as_ref().map(|best| best.run));
        let instance = of_best.or_else(|| instances.next())?;
        Some(match (line.verdict, warning.subject) {
            (Verdict::Unknown, WarningSubject::Check(of)) => check_words(of).name.to_owned(),
            _ => clause(&instance_text(record, warning.subject, instance)).to_owned(),
        })
    });
    let reasons: Vec<String> = of_line.collect();
    let what = if line.verdict == Verdict::Unknown { "not checked: " } else { "" };
    let more = reasons.len().saturating_sub(REASONS_MAX);
    let more = (more > 0).then(|| format!("{more} more"));
    let shown = list(reasons.iter().take(REASONS_MAX).cloned().chain(more));
    (!shown.is_empty()).then(|| fact("trust", format!("{what}{shown}")))
}

/// The first clause of a sentence.
fn clause(sentence: &str) -> &str {
    let clause = sentence.split([';', ':']).next().unwrap_or_default();
    clause.split(", and ").next().unwrap_or_default()
}

/// Where the time of a step goes.
fn parts(limit: &MainLimit) -> Vec<Part> {
    let known = limit.attribution.classes.iter().filter(|class| class.share.0 >= SHARE_MIN);
    let known = known.map(|class| Part {
        name: time_class_name(class.name).to_owned(),
        share: class.share.0,
        series: Some(series(class.name)),
    });
    let known: Vec<Part> = known.collect();
    if known.is_empty() {
        return known;
    }
    let unknown = 1.0 - known.iter().map(|part| part.share).sum::<f64>();
    let unknown = (unknown >= SHARE_MIN).then(|| Part { name: "unknown".to_owned(), share: unknown, series: None });
    known.into_iter().chain(unknown).collect()
}

/// The best change, with its gain and the part of the platform that it concerns; where none is known, why more load is none.
fn facts(record: &Record, limit: &MainLimit) -> Vec<Fact> {
    let text = match limit.remedies.first() {
        Some(gain) => Some(("change", change(record, limit, gain))),
        None => more_load(limit).map(|text| ("load", text)),
    };
    text.map(|(label, text)| fact(label, text)).into_iter().collect()
}

fn fact(label: &str, text: String) -> Fact {
    Fact { label: label.to_owned(), sentences: vec![Text::from(text)] }
}

/// A change, what it concerns now, and its gain.
fn change(record: &Record, limit: &MainLimit, gain: &Gain) -> String {
    let limiter = &limit.attribution.limiter;
    let what = change_text(gain.remedy, limiter, limit.data_bytes);
    // Such a fact has a line, as a rule.
    let what = what.strip_prefix("a ").unwrap_or(&what);
    let now = now(record, limit, gain.remedy).map_or_else(String::new, |now| format!(" ({now})"));
    let factors = factors_text(gain);
    let measured = if gain.basis == ClaimBasis::Measured { ", measured with less" } else { "" };
    format!("{what}{now}: {factors} times{measured}")
}

/// The part of the platform that a change concerns, as it is now.
fn now(record: &Record, limit: &MainLimit, remedy: Remedy) -> Option<String> {
    match (remedy, &limit.attribution.limiter) {
        (Remedy::NoOtherPrograms, Limiter::OtherPrograms { used }) => {
            Some(format!("they use {} of the CPU", percent(*used)))
        }
        (Remedy::Memory, _) => Some(format!("now {}", volume(record.engine.as_ref()?.cache_bytes?))),
        (Remedy::LogLatency | Remedy::DataLatency | Remedy::DeviceRate, _) => {
            Some(record.host.devices.first()?.name.clone())
        }
        (Remedy::Processors(_), _) => Some(format!("now {}", record.host.cpu.threads)),
        (Remedy::Sessions, _) => Some(format!("now {}", dop_text(limit.dop, limit.sweep))),
        _ => None,
    }
}

/// What more sessions or threads than those of the best run gave.
fn more_load(limit: &MainLimit) -> Option<String> {
    let (dop, ratio) = limit.with_more?;
    Some(format!("{} give {} of this rate", dop_text(dop, limit.sweep), percent(ratio)))
}
