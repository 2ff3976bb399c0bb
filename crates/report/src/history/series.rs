//! Which records of a history are alike: only between those a change is looked for.

use std::collections::{BTreeMap, BTreeSet};

use model::{ChangePoint, change_points};

use super::{HistoryEntry, VALUES_MIN};
use crate::text::SMOKE;
use crate::words::list;

/// Of what the shuffles that a change is tested with are drawn: any number will do, but always the same.
const SEED: u64 = 42;

/// The entries of one platform that did the same, by time, and the changes between them.
pub(super) struct Series {
    pub(super) platform: String,
    pub(super) durability: String,
    /// Of what its records were run with that in which another series of this history differs; empty where none does.
    pub(super) apart: String,
    pub(super) entries: Vec<HistoryEntry>,
    /// Indexes of the entries that have a value: those that a change is looked for in.
    pub(super) valued: Vec<usize>,
    pub(super) changes: Vec<ChangePoint>,
}

impl Series {
    /// What its records have in common, in one line.
    pub(super) fn label(&self) -> String {
        list([&self.platform, &self.durability, &self.apart].into_iter().filter(|part| !part.is_empty()).cloned())
    }

    /// What concerns every value.
    pub(super) fn warning(&self) -> Option<&'static str> {
        self.entries.iter().any(|entry| entry.is_smoke).then_some(SMOKE)
    }

    /// The change that lies right before the entry `index`.
    pub(super) fn change_before(&self, index: usize) -> Option<&ChangePoint> {
        self.changes.iter().find(|change| self.valued.get(change.index) == Some(&index))
    }
}

/// What the records of one series have in common: platform, durability, conditions.
type Common = (String, String, BTreeMap<String, String>);

/// One series per platform, durability and conditions, in the order of their names.
pub(super) fn series(entries: Vec<HistoryEntry>) -> Vec<Series> {
    let differing = differing(&entries);
    let mut alike: BTreeMap<Common, Vec<HistoryEntry>> = BTreeMap::new();
    for entry in entries {
        let common = (entry.platform.clone(), entry.durability.clone(), entry.conditions.clone());
        alike.entry(common).or_default().push(entry);
    }
    let of = |((platform, durability, conditions), mut entries): (Common, Vec<HistoryEntry>)| {
        entries.sort_by(|one, other| (&one.started_at, &one.record).cmp(&(&other.started_at, &other.record)));
        let valued: Vec<usize> = (0..entries.len()).filter(|index| entries[*index].value.is_some()).collect();
        let values: Vec<f64> = valued.iter().filter_map(|index| entries[*index].value).collect();
        let changes = if values.len() < VALUES_MIN { Vec::new() } else { change_points(&values, SEED) };
        let apart = conditions.iter().filter(|(name, _)| differing.contains(*name));
        let apart = list(apart.map(|(name, words)| format!("{name} {words}")));
        Series { platform, durability, apart, entries, valued, changes }
    };
    alike.into_iter().map(of).collect()
}

/// The names of the conditions that are not the same in all `entries`.
fn differing(entries: &[HistoryEntry]) -> BTreeSet<String> {
    let Some(first) = entries.first() else { return BTreeSet::new() };
    let names = entries.iter().flat_map(|entry| entry.conditions.keys());
    let differs =
        |name: &&String| entries.iter().any(|entry| entry.conditions.get(*name) != first.conditions.get(*name));
    names.filter(differs).cloned().collect()
}
