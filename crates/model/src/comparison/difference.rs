//! Differences between systems: facts listed with a comparison, and reasons that rule one out.

use std::collections::BTreeMap;
use std::fmt::Display;

use record::{Bytes, Pace, Preset};

use super::verdict::Reason;
use crate::checks::percent;
use crate::rules::RULES;
use crate::system::{Durability, Fact, FactGroup, InvalidRun, Origin, System, SystemTest, pace_words, size_words};

/// A fact that differs between systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The group.
    pub group: FactGroup,
    /// Its name.
    pub name: String,
    /// Its value on each system; absent where it is not stated: a setting at its default, or of another engine.
    pub values: Vec<Option<String>>,
}

/// The facts that differ between `systems`, by group, in the order of first occurrence. A fact that only one measured
/// system states is a difference; publications omit most facts. With a publication, facts get common names, see
/// [`common_fact`]. Settings are compared within an engine; of settings that other engines lack only the number is
/// given.
pub(super) fn differences(systems: &[System]) -> Vec<Difference> {
    let is_published = |system: &System| matches!(system.origin, Origin::Published { .. });
    let has_published = systems.iter().any(is_published);
    let mut order: BTreeMap<(FactGroup, String), usize> = BTreeMap::new();
    let mut found: Vec<Difference> = Vec::new();
    for (system, at) in systems.iter().zip(0..) {
        for fact in &system.facts {
            let fact = if has_published { common_fact(fact) } else { fact.clone() };
            let index = *order.entry((fact.group, fact.name.clone())).or_insert(found.len());
            if index == found.len() {
                let values = vec![None; systems.len()];
                found.push(Difference { group: fact.group, name: fact.name, values });
            }
            let value = &mut found[index].values[at];
            *value = Some(match value.take() {
                Some(before) => format!("{before}; {}", fact.value),
                None => fact.value,
            });
        }
    }
    let is_measured: Vec<bool> = systems.iter().map(|system| !is_published(system)).collect();
    let mut own = vec![0; systems.len()];
    found.retain(|difference| {
        let can_state = stating(difference, systems);
        if (0..systems.len()).any(|at| is_measured[at] && !can_state[at]) {
            difference.values.iter().zip(&mut own).for_each(|(value, own)| *own += u64::from(value.is_some()));
        }
        let mut stated = difference.values.iter().flatten();
        let first = stated.next();
        let same = stated.all(|value| Some(value) == first);
        let measured = || (0..systems.len()).filter(|at| is_measured[*at] && can_state[*at]);
        let is_omitted = measured().any(|at| difference.values[at].is_none())
            && measured().any(|at| difference.values[at].is_some());
        !same || is_omitted
    });
    found.extend(own_settings(systems, &own));
    found.sort_by_key(|difference| difference.group);
    found
}

/// Which of `systems` can state `difference`: all, except that a setting belongs to the engines that have it.
fn stating(difference: &Difference, systems: &[System]) -> Vec<bool> {
    let has_it = |system: &System| {
        let mut with_value = systems.iter().zip(&difference.values).filter(|(_, value)| value.is_some());
        with_value.any(|(other, _)| other.engine() == system.engine())
    };
    systems.iter().map(|system| difference.group != FactGroup::Setting || has_it(system)).collect()
}

/// The number of settings of each of `systems` that other engines lack; None where all are of one engine.
fn own_settings(systems: &[System], own: &[u64]) -> Option<Difference> {
    own.iter().any(|count| *count > 0).then_some(())?;
    let value = |(system, count): (&System, &u64)| {
        system.engine().filter(|_| *count > 0).map(|engine| format!("{count} of {engine}"))
    };
    let values = systems.iter().zip(own).map(value).collect();
    Some(Difference { group: FactGroup::Setting, name: "engine-specific settings".to_owned(), values })
}

/// `fact` under a name that records and publications share, which name and split facts differently.
fn common_fact(fact: &Fact) -> Fact {
    use FactGroup::{Engine, Machine, Measurement, Setting, Storage};
    let named = |group, name: &str, value: String| Fact { group, name: name.to_owned(), value };
    let (name, value) = (fact.name.as_str(), fact.value.as_str());
    match (fact.group, name) {
        (Engine, "database") => named(Engine, "engine", value.to_owned()),
        (Setting, "buffer cache") => named(Engine, name, value.to_owned()),
        (Machine, "sockets" | "cores" | "hardware threads") => named(Machine, "topology", format!("{value} {name}")),
        (Storage, "file system") => named(Storage, "storage", value.to_owned()),
        (Storage, name) if name.starts_with("device ") => named(Storage, "storage", format!("{name}: {value}")),
        (Measurement, "small table" | "large table") => named(Measurement, "tables", format!("{name}: {value}")),
        (Measurement, name) if name.starts_with("table ") => named(Measurement, "tables", format!("{name}: {value}")),
        _ => fact.clone(),
    }
}

/// The reasons why the rates of `tests` on `systems` (the base first) are not comparable; empty where there is none.
pub(super) fn reasons(systems: [&System; 2], tests: [&SystemTest; 2]) -> Vec<Reason> {
    let [base, other] = tests;
    let mut reasons = Vec::new();
    if base.unit != other.unit {
        reasons.push("different units".to_owned());
    }
    reasons.extend(
        systems
            .into_iter()
            .filter(|system| is_smoke(system))
            .map(|system| format!("{} was measured with preset smoke, which makes no claims", system.name)),
    );
    reasons.extend(load(base.pace, other.pace));
    reasons.extend(data_size(base.data_bytes, other.data_bytes));
    if !base.is_probe {
        reasons.extend(differing(&base.parameters, &other.parameters));
    }
    reasons.extend(differing(&base.conditions, &other.conditions));
    if base.changes != Some(false) || other.changes != Some(false) {
        reasons.extend(durability(systems.map(|system| system.durability.as_ref())));
    }
    let different = reasons.into_iter().map(Reason::NotAlike);
    different.chain((0..2).filter_map(|at| invalid(systems[at], tests[at]))).collect()
}

fn is_smoke(system: &System) -> bool {
    matches!(system.origin, Origin::Measured { preset: Preset::Smoke, .. })
}

fn load(base: Pace, other: Pace) -> Option<String> {
    let given = matches!(base, Pace::Rate { .. } | Pace::Poisson { .. });
    match base == other {
        true if given => Some(format!("both ran at a given rate ({}): compare the response times", pace_words(base))),
        true => None,
        false => Some(format!("different load: {} and {}", pace_words(base), pace_words(other))),
    }
}

fn data_size(base: Option<Bytes>, other: Option<Bytes>) -> Option<String> {
    let (base, other) = (base?, other?);
    let gap = base.0.abs_diff(other.0) as f64 / base.0.max(other.0).max(1) as f64;
    (gap > RULES.comparable_size_gap).then(|| {
        let limit = percent(RULES.comparable_size_gap);
        format!("table sizes differ by more than {limit}: {} and {}", size_words(base), size_words(other))
    })
}

/// Parameters or conditions that differ, where both are known.
fn differing<T: PartialEq + Display>(base: &BTreeMap<String, T>, other: &BTreeMap<String, T>) -> Vec<String> {
    let known = base.iter().filter_map(|(name, one)| Some((name, one, other.get(name)?)));
    let differ = known.filter(|(_, one, another)| one != another);
    differ.map(|(name, one, another)| format!("different {name}: {one} and {another}")).collect()
}

/// Durable and non-durable commits are different work. Where neither is durable, the settings have to be the same.
fn durability([base, other]: [Option<&Durability>; 2]) -> Option<String> {
    let (base, other) = (base?, other?);
    let same = match (base.durable, other.durable) {
        (Some(true), Some(true)) => true,
        (one, another) => one == another && base.words == other.words,
    };
    (!same)
        .then(|| format!("different durability: {} ({}) and {} ({})", word(base), base.words, word(other), other.words))
}

fn word(durability: &Durability) -> &'static str {
    match durability.durable {
        Some(true) => "durable",
        Some(false) => "not durable",
        None => "durability unknown",
    }
}

/// The reason where no repeat is valid.
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
