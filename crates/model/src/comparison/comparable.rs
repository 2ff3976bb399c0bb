//! Why two systems cannot be compared in a test.

use std::collections::BTreeMap;
use std::fmt::Display;

use record::{Bytes, Pace, Preset};

use super::verdict::Reason;
use crate::checks::percent;
use crate::rules::RULES;
use crate::system::{Durability, InvalidRun, Origin, System, SystemTest, pace_words, size_words};

/// The reasons why the rates of `tests` on `systems` (the base first) are not of the same thing; empty
/// where there is none.
pub(super) fn reasons(systems: [&System; 2], tests: [&SystemTest; 2]) -> Vec<Reason> {
    let [base, other] = tests;
    let mut reasons = Vec::new();
    if base.unit != other.unit {
        reasons.push("the two count different units".to_owned());
    }
    reasons.extend(
        systems
            .into_iter()
            .filter(|system| is_smoke(system))
            .map(|system| format!("{} was measured with the preset smoke, whose figures mean nothing", system.name)),
    );
    reasons.extend(load(base.pace, other.pace));
    reasons.extend(data_size(base.data_bytes, other.data_bytes));
    if !base.is_probe {
        reasons.extend(run_with(&base.parameters, &other.parameters));
    }
    reasons.extend(run_with(&base.conditions, &other.conditions));
    if base.changes != Some(false) || other.changes != Some(false) {
        reasons.extend(durability(systems.map(|system| system.durability.as_ref())));
    }
    let not_alike = reasons.into_iter().map(Reason::NotAlike);
    not_alike.chain((0..2).filter_map(|at| invalid(systems[at], tests[at]))).collect()
}

fn is_smoke(system: &System) -> bool {
    matches!(system.origin, Origin::Measured { preset: Preset::Smoke, .. })
}

fn load(base: Pace, other: Pace) -> Option<String> {
    let given = matches!(base, Pace::Rate { .. } | Pace::Poisson { .. });
    match base == other {
        true if given => {
            Some(format!("the rate was given ({}) and not found: compare the response times", pace_words(base)))
        }
        true => None,
        false => Some(format!("the load differs: {} and {}", pace_words(base), pace_words(other))),
    }
}

fn data_size(base: Option<Bytes>, other: Option<Bytes>) -> Option<String> {
    let (base, other) = (base?, other?);
    let gap = base.0.abs_diff(other.0) as f64 / base.0.max(other.0).max(1) as f64;
    (gap > RULES.comparable_size_gap).then(|| {
        let limit = percent(RULES.comparable_size_gap);
        format!("the tables differ in size by more than {limit}: {} and {}", size_words(base), size_words(other))
    })
}

/// What a test was run with, where both know it.
fn run_with<T: PartialEq + Display>(base: &BTreeMap<String, T>, other: &BTreeMap<String, T>) -> Vec<String> {
    let known = base.iter().filter_map(|(name, one)| Some((name, one, other.get(name)?)));
    let differ = known.filter(|(_, one, another)| one != another);
    differ.map(|(name, one, another)| format!("the test was run with {name} {one} and {another}")).collect()
}

/// A commit that waits for stable storage and one that does not are different work. Where neither waits, how much they
/// leave to chance has to be the same.
fn durability([base, other]: [Option<&Durability>; 2]) -> Option<String> {
    let (base, other) = (base?, other?);
    let same = match (base.durable, other.durable) {
        (Some(true), Some(true)) => true,
        (one, another) => one == another && base.words == other.words,
    };
    (!same)
        .then(|| format!("durability differs: {} ({}) and {} ({})", word(base), base.words, word(other), other.words))
}

fn word(durability: &Durability) -> &'static str {
    match durability.durable {
        Some(true) => "durable",
        Some(false) => "not durable",
        None => "durability unknown",
    }
}

/// That not one repeat counts.
fn invalid(system: &System, test: &SystemTest) -> Option<Reason> {
    if test.points.iter().any(|point| !point.rates.is_empty()) {
        return None;
    }
    let invalid: Vec<&InvalidRun> = test.points.iter().flat_map(|point| &point.invalid).collect();
    let system = system.name.clone();
    Some(match invalid.first() {
        None => Reason::NoFigure { system },
        Some(first) => Reason::Invalid { system, runs: invalid.len(), first: (*first).clone() },
    })
}
