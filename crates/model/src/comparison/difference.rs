//! What differs between platforms, settings and measurements.

use std::collections::BTreeMap;

use crate::system::{Fact, FactGroup, Origin, System};

/// A fact that is not the same on all systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about.
    pub group: FactGroup,
    /// Its name.
    pub name: String,
    /// Its value on each system; absent where it says nothing of it (a setting has its default there, or the engine is
    /// another one and has no such setting).
    pub values: Vec<Option<String>>,
}

/// The facts that differ between `systems`, by group, in the order in which they first occur. What one of them does not
/// say is a difference where it was measured and another one that was says it; a publication is silent about most
/// things, and beside one facts that it calls by other names stand under one of both, see [`beside_publication`].
/// Settings are compared within an engine; how many there are that the other engines do not have is told instead.
pub(super) fn differences(systems: &[System]) -> Vec<Difference> {
    let is_published = |system: &System| matches!(system.origin, Origin::Published { .. });
    let has_published = systems.iter().any(is_published);
    let mut order: BTreeMap<(FactGroup, String), usize> = BTreeMap::new();
    let mut found: Vec<Difference> = Vec::new();
    for (system, at) in systems.iter().zip(0..) {
        for fact in &system.facts {
            let fact = if has_published { beside_publication(fact) } else { fact.clone() };
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
        let knows = knowing(difference, systems);
        if (0..systems.len()).any(|at| is_measured[at] && !knows[at]) {
            difference.values.iter().zip(&mut own).for_each(|(value, own)| *own += u64::from(value.is_some()));
        }
        let mut known = difference.values.iter().flatten();
        let first = known.next();
        let same = known.all(|value| Some(value) == first);
        let measured = || (0..systems.len()).filter(|at| is_measured[*at] && knows[*at]);
        let silent = measured().any(|at| difference.values[at].is_none())
            && measured().any(|at| difference.values[at].is_some());
        !same || silent
    });
    found.extend(own_settings(systems, &own));
    found.sort_by_key(|difference| difference.group);
    found
}

/// Which of `systems` can say something of `difference`: all, but of a setting those of the engines that have it.
fn knowing(difference: &Difference, systems: &[System]) -> Vec<bool> {
    let has_it = |system: &System| {
        let mut stating = systems.iter().zip(&difference.values).filter(|(_, value)| value.is_some());
        stating.any(|(stating, _)| stating.engine() == system.engine())
    };
    systems.iter().map(|system| difference.group != FactGroup::Setting || has_it(system)).collect()
}

/// How many settings each of `systems` states that others cannot have; none where all are of one engine.
fn own_settings(systems: &[System], own: &[u64]) -> Option<Difference> {
    own.iter().any(|count| *count > 0).then_some(())?;
    let told = |(system, count): (&System, &u64)| {
        system.engine().filter(|_| *count > 0).map(|engine| format!("{count} of {engine}"))
    };
    let values = systems.iter().zip(own).map(told).collect();
    Some(Difference { group: FactGroup::Setting, name: "not had by the other engines".to_owned(), values })
}

/// `fact` under a name that records and publications share: each has its own words for the same thing, and what a
/// record says in one fact is several in a publication, or the other way round.
fn beside_publication(fact: &Fact) -> Fact {
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
