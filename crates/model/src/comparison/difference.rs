//! Differences between systems: facts listed with a comparison, and reasons that rule one out.

use std::collections::BTreeMap;

use record::{Bytes, Pace, Preset};

use super::shift::are_paired;
use super::verdict::Reason;
use crate::rules::RULES;
use crate::system::{Condition, Durability, Fact, FactGroup, FactValue, InvalidRun, Origin, System, SystemTest};

/// A fact that differs between systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The group.
    pub group: FactGroup,
    /// Its name.
    pub name: String,
    /// Its values on each system; none where it is not stated: a setting at its default, or of another engine.
    pub values: Vec<Vec<FactValue>>,
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
                let values = vec![Vec::new(); systems.len()];
                found.push(Difference { group: fact.group, name: fact.name, values });
            }
            found[index].values[at].push(fact.value);
        }
    }
    let is_measured: Vec<bool> = systems.iter().map(|system| !is_published(system)).collect();
    let mut own = vec![0; systems.len()];
    found.retain(|difference| {
        let can_state = stating(difference, systems);
        if (0..systems.len()).any(|at| is_measured[at] && !can_state[at]) {
            difference.values.iter().zip(&mut own).for_each(|(value, own)| *own += u64::from(!value.is_empty()));
        }
        let mut stated = difference.values.iter().filter(|value| !value.is_empty());
        let first = stated.next();
        let same = stated.all(|value| Some(value) == first);
        let measured = || (0..systems.len()).filter(|at| is_measured[*at] && can_state[*at]);
        let is_omitted = measured().any(|at| difference.values[at].is_empty())
            && measured().any(|at| !difference.values[at].is_empty());
        !same || is_omitted
    });
    found.extend(own_settings(systems, &own));
    found.sort_by_key(|difference| difference.group);
    found
}

/// Which of `systems` can state `difference`: all, except that a setting belongs to the engines that have it.
fn stating(difference: &Difference, systems: &[System]) -> Vec<bool> {
    let has_it = |system: &System| {
        let mut with_value = systems.iter().zip(&difference.values).filter(|(_, value)| !value.is_empty());
        with_value.any(|(other, _)| other.engine() == system.engine())
    };
    systems.iter().map(|system| difference.group != FactGroup::Setting || has_it(system)).collect()
}

/// The number of settings of each of `systems` that other engines lack; None where all are of one engine.
fn own_settings(systems: &[System], own: &[u64]) -> Option<Difference> {
    own.iter().any(|count| *count > 0).then_some(())?;
    let value = |(system, count): (&System, &u64)| {
        let engine = system.engine().filter(|_| *count > 0);
        engine.map(|engine| FactValue::OwnSettings { count: *count, engine: engine.to_owned() }).into_iter().collect()
    };
    let values = systems.iter().zip(own).map(value).collect();
    Some(Difference { group: FactGroup::Setting, name: "engine-specific settings".to_owned(), values })
}

/// `fact` under a name that records and publications share, which name and split facts differently.
fn common_fact(fact: &Fact) -> Fact {
    use FactGroup::{Engine, Machine, Measurement, Setting, Storage};
    let under = |group, name: &str, value| Fact { group, name: name.to_owned(), value };
    let value = || fact.value.clone();
    let named = || FactValue::Named { name: fact.name.clone(), value: Box::new(value()) };
    let counted = || FactValue::Counted { value: Box::new(value()), noun: fact.name.clone() };
    match (fact.group, fact.name.as_str()) {
        (Engine, "database") => under(Engine, "engine", value()),
        (Setting, name @ "buffer cache") => under(Engine, name, value()),
        (Machine, "sockets" | "cores" | "hardware threads") => under(Machine, "topology", counted()),
        (Storage, "file system") => under(Storage, "storage", value()),
        (Storage, name) if name.starts_with("device ") => under(Storage, "storage", named()),
        (Measurement, "small table" | "large table") => under(Measurement, "tables", named()),
        (Measurement, name) if name.starts_with("table ") => under(Measurement, "tables", named()),
        _ => fact.clone(),
    }
}

/// The reasons why the rates of `tests` on `systems` (the base first) are not comparable; empty where there is none.
pub(super) fn reasons(systems: [&System; 2], tests: [&SystemTest; 2]) -> Vec<Reason> {
    let [base, other] = tests;
    let mut reasons = Vec::new();
    if base.unit != other.unit {
        reasons.push(Reason::Units);
    }
    let smoke = systems.into_iter().filter(|system| is_smoke(system));
    reasons.extend(smoke.map(|system| Reason::Smoke { system: system.name.clone() }));
    reasons.extend(pace(base.pace, other.pace));
    reasons.extend(data_size(base.data_bytes, other.data_bytes));
    if !base.is_probe {
        let shared =
            base.parameters.iter().filter_map(|(name, one)| Some((name, [*one, *other.parameters.get(name)?])));
        let differ = shared.filter(|(_, [one, another])| one != another);
        reasons.extend(differ.map(|(name, values)| Reason::Parameter { name: name.clone(), values }));
    }
    let pairs =
        base.conditions.iter().filter_map(|one| Some((one, other.conditions.iter().find(|of| of.is_alike(one))?)));
    // The sides of a pair may differ in their loads: what these cost is what the pair is about.
    let is_meant = |one: &Condition| matches!(one, Condition::LoadsBeside(_)) && are_paired(systems);
    let differ = pairs.filter(|(one, another)| one != another && !is_meant(one));
    reasons.extend(differ.map(|(one, another)| Reason::Condition([one.clone(), another.clone()])));
    if base.changes != Some(false) || other.changes != Some(false) {
        reasons.extend(durability(systems.map(|system| system.durability.as_ref())));
    }
    reasons.extend((0..2).filter_map(|at| invalid(systems[at], tests[at])));
    reasons
}

fn is_smoke(system: &System) -> bool {
    matches!(system.origin, Origin::Measured { preset: Preset::Smoke, .. })
}

fn pace(base: Pace, other: Pace) -> Option<Reason> {
    match base == other {
        true if matches!(base, Pace::Rate { .. } | Pace::Poisson { .. }) => Some(Reason::GivenRate(base)),
        true => None,
        false => Some(Reason::Paces([base, other])),
    }
}

fn data_size(base: Option<Bytes>, other: Option<Bytes>) -> Option<Reason> {
    let (base, other) = (base?, other?);
    let gap = base.0.abs_diff(other.0) as f64 / base.0.max(other.0).max(1) as f64;
    (gap > RULES.comparable_size_gap).then_some(Reason::TableSizes([base, other]))
}

/// Durable and non-durable commits are different work. Where neither is durable, the settings have to be the same.
fn durability([base, other]: [Option<&Durability>; 2]) -> Option<Reason> {
    let (base, other) = (base?, other?);
    let same = match (base.durable, other.durable) {
        (Some(true), Some(true)) => true,
        (one, another) => one == another && base.words == other.words,
    };
    (!same).then(|| Reason::Durability([base.clone(), other.clone()]))
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
