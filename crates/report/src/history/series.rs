//! The series of a history: records that are comparable, in which changes are detected.

use std::collections::{BTreeMap, BTreeSet};

use model::{ChangePoint, change_points, permutations, series_tested, values_needed};
use record::Timestamp;

use crate::text::SMOKE;
use crate::words::list;

/// The seed of the permutation test; constant, so that results are reproducible.
const SEED: u64 = 42;

/// One record of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// Equal in all records of a series: host, engine and its nodes, preset, size of the tables.
    pub(super) platform: String,
    /// Also equal: durability of commits, in the words of the engine; empty without one.
    pub(super) durability: String,
    /// Also equal: conditions of the test, by name.
    pub(super) conditions: BTreeMap<String, String>,
    /// Whether its preset is smoke.
    pub(super) is_smoke: bool,
    /// The test in a few words.
    pub(super) title: String,
    pub(super) unit: &'static str,
    pub(super) record: String,
    pub(super) started_at: Timestamp,
    /// The degree of parallelism; empty where the test is invalid.
    pub(super) at: String,
    /// Absent where the test is invalid or has no such figure.
    pub(super) value: Option<f64>,
    /// The version of the engine, which may differ between records.
    pub(super) version: String,
}

/// The entries of one platform and workload, by time, and the changes between them.
pub(super) struct Series {
    pub(super) platform: String,
    pub(super) durability: String,
    /// The conditions in which another series of this history differs; empty where none does.
    pub(super) apart: String,
    pub(super) entries: Vec<HistoryEntry>,
    /// Indexes of the entries that have a value, in which changes are detected.
    pub(super) valued: Vec<usize>,
    pub(super) changes: Vec<ChangePoint>,
    /// Fewer values than these show no change.
    pub(super) values_needed: usize,
}

/// The series of a history, which are looked at together.
pub(super) struct Look {
    pub(super) series: Vec<Series>,
    /// The number of those that are long enough for a split.
    pub(super) tested: usize,
}

impl Look {
    /// Permutations of each series.
    pub(super) fn permutations(&self) -> u64 {
        permutations(self.tested)
    }
}

impl Series {
    /// The common facts of its records, in one line.
    pub(super) fn label(&self) -> String {
        list([&self.platform, &self.durability, &self.apart].into_iter().filter(|part| !part.is_empty()).cloned())
    }

    /// A warning about all values.
    pub(super) fn warning(&self) -> Option<&'static str> {
        self.entries.iter().any(|entry| entry.is_smoke).then_some(SMOKE)
    }

    /// Its values, by time.
    fn values(&self) -> Vec<f64> {
        self.valued.iter().filter_map(|index| self.entries[*index].value).collect()
    }

    /// The change right before the entry `index`.
    pub(super) fn change_before(&self, index: usize) -> Option<&ChangePoint> {
        self.changes.iter().find(|change| self.valued.get(change.index) == Some(&index))
    }
}

/// The common facts of the records of a series: platform, durability, conditions.
type Common = (String, String, BTreeMap<String, String>);

/// One series per platform, durability and conditions, in the order of their names.
pub(super) fn look(entries: Vec<HistoryEntry>) -> Look {
    let differing = differing(&entries);
    let mut groups: BTreeMap<Common, Vec<HistoryEntry>> = BTreeMap::new();
    for entry in entries {
        let common = (entry.platform.clone(), entry.durability.clone(), entry.conditions.clone());
        groups.entry(common).or_default().push(entry);
    }
    let of = |((platform, durability, conditions), mut entries): (Common, Vec<HistoryEntry>)| {
        entries.sort_by(|one, other| (&one.started_at, &one.record).cmp(&(&other.started_at, &other.record)));
        let valued = (0..entries.len()).filter(|index| entries[*index].value.is_some()).collect();
        let apart = conditions.iter().filter(|(name, _)| differing.contains(*name));
        let apart = list(apart.map(|(name, words)| format!("{name} {words}")));
        Series { platform, durability, apart, entries, valued, changes: Vec::new(), values_needed: 0 }
    };
    let mut series: Vec<Series> = groups.into_iter().map(of).collect();
    let values: Vec<Vec<f64>> = series.iter().map(Series::values).collect();
    let tested = series_tested(&values);
    for (one, changes) in series.iter_mut().zip(change_points(&values, SEED)) {
        (one.changes, one.values_needed) = (changes, values_needed(tested));
    }
    Look { series, tested }
}

/// The names of the conditions that are not the same in all `entries`.
fn differing(entries: &[HistoryEntry]) -> BTreeSet<String> {
    let Some(first) = entries.first() else { return BTreeSet::new() };
    let names = entries.iter().flat_map(|entry| entry.conditions.keys());
    let differs =
        |name: &&String| entries.iter().any(|entry| entry.conditions.get(*name) != first.conditions.get(*name));
    names.filter(differs).cloned().collect()
}
