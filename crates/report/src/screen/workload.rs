//! The row of a workload: its rate, latency and trust, where the time of its steps goes, and what would help.

use model::{ClaimBasis, Gain, Limit, Limiter, Line, MainLimit, Point, Remedy};
use record::Record;

use super::figure::{at, latency, rate, unit};
use crate::beside::Beside;
use crate::curve::{self, Test};
use crate::document::{Card, CurvePoint, Fact, Part, Text, Tone};
use crate::figure::{duration, grouped, percent, volume};
use crate::limit::time_class_name;
use crate::line::repeats;
use crate::summary::{at_once, change_text};
use crate::verdict;
use crate::words::{dop_text, plural, title};

/// How to read the rows.
pub(super) const LEGEND: &str = "▁█: rate from 1 job up; bar: time of a step; range: unknown part stays, or goes";

/// The same of a range, where the curve and the bar have their figures beside them.
pub(super) const RANGE: &str = "A range of times: the part of which nothing is known stays, or goes.";

/// Smaller parts of the time are not named.
const SHARE_MIN: f64 = 0.01;

/// A card for each of `lines` of the sheet of `record`, with the rate over that of another platform.
pub(super) fn cards(record: &Record, lines: &[&Line], beside: Option<&Beside>) -> Vec<Card> {
    let tests = curve::tests(record);
    let limits = model::main_limits(record, lines);
    let compared = |line: &Line| beside?.text(&line.test).map(|text| fact("beside", text));
    let all = lines.iter().zip(limits).map(|(line, limit)| {
        let mut card = card(record, &tests, line, limit.as_ref());
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
    [sync, run.and_then(at_once), repeats(best, line.unit), best.ceiling.as_ref().map(share)]
        .into_iter()
        .flatten()
        .collect()
}

/// The share of a ceiling, and whether the probe is no bound.
pub(super) fn share(limit: &Limit) -> String {
    let no_bound = if limit.is_exceeded() { ": no bound" } else { "" };
    format!("{} of {}{no_bound}", percent(limit.efficiency), limit.probe)
}

/// The verdict on the runs, with their number where they are several.
fn trust(line: &Line) -> String {
    let word = verdict::word_of(line.verdict);
    match line.best.as_ref().map_or(0, |best| best.repeats) {
        0 | 1 => word.to_owned(),
        runs => format!("{word}, {}", plural(runs as u64, "run")),
    }
}

/// Where the time of a step goes.
fn parts(limit: &MainLimit) -> Vec<Part> {
    let known = limit.attribution.classes.iter().filter(|class| class.share.0 >= SHARE_MIN);
    let known = known.map(|class| Part {
        name: time_class_name(class.name).to_owned(),
        share: class.share.0,
        is_unknown: false,
    });
    let known: Vec<Part> = known.collect();
    if known.is_empty() {
        return known;
    }
    let unknown = 1.0 - known.iter().map(|part| part.share).sum::<f64>();
    let unknown = (unknown >= SHARE_MIN).then(|| Part { name: "unknown".to_owned(), share: unknown, is_unknown: true });
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

/// A change, what it concerns now, and the bound of its gain.
fn change(record: &Record, limit: &MainLimit, gain: &Gain) -> String {
    let limiter = &limit.attribution.limiter;
    let what = change_text(gain.remedy, limiter, limit.data_bytes);
    let now = now(record, limit, gain.remedy).map_or_else(String::new, |now| format!(" ({now})"));
    let known = format!("{:.1}", gain.factor_known);
    let most = match gain.factor_max.map(|most| format!("{most:.1}")) {
        Some(most) if most == known => format!("at most {known} times"),
        Some(most) => format!("at most {known}-{most} times"),
        None => format!("at most {known} times if the unknown stays"),
    };
    let measured = if gain.basis == ClaimBasis::Measured { ", measured with less" } else { "" };
    format!("{what}{now}: {most}{measured}")
}

/// The part of the platform that a change concerns, as it is now.
fn now(record: &Record, limit: &MainLimit, remedy: Remedy) -> Option<String> {
    match (remedy, &limit.attribution.limiter) {
        (Remedy::NoOtherPrograms, Limiter::OtherPrograms { used }) => {
            Some(format!("they use {} of the CPU", percent(*used)))
        }
        (Remedy::Memory, _) => Some(format!("now {}", volume(record.engine.as_ref()?.cache_bytes?))),
        (Remedy::LogLatency | Remedy::DataLatency | Remedy::DeviceRate, _) => {
            Some(format!("now {}", record.host.devices.first()?.name))
        }
        (Remedy::Sessions, _) => Some(format!("now {}", dop_text(limit.dop, limit.sweep))),
        _ => None,
    }
}

/// What more sessions or threads than those of the best run gave.
fn more_load(limit: &MainLimit) -> Option<String> {
    let (dop, ratio) = limit.with_more?;
    Some(format!("{} give {} of this rate", dop_text(dop, limit.sweep), percent(ratio)))
}
