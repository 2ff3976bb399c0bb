//! The series of a history: records that are comparable, in which changes are detected.

use record::Preset;

use super::change_point::{ChangePoint, change_points, permutations, series_tested, values_needed};
use super::entry::{HistoryCommon, HistoryCondition, HistoryEntry};

/// The seed of the permutation test; constant, so that results are reproducible.
const SEED: u64 = 42;

/// The entries of one platform and workload, by time, and the changes between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What all of them have in common.
    pub common: HistoryCommon,
    /// The conditions in which another series of this history differs, in no order.
    pub apart: Vec<HistoryCondition>,
    /// The entries.
    pub entries: Vec<HistoryEntry>,
    /// Indexes of the entries that have a value, in which changes are detected.
    pub valued: Vec<usize>,
    /// The changes; their indexes are those of `valued`.
    pub changes: Vec<ChangePoint>,
    /// Fewer values than these show no change.
    pub values_needed: usize,
}

/// The series of a history, which are looked at together.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The series, in the order of their first entries.
    pub series: Vec<Series>,
    /// The number of those that are long enough for a split.
    pub tested: usize,
}

impl Look {
    /// Permutations of each series.
    pub fn permutations(&self) -> u64 {
        permutations(self.tested)
    }
}

impl Series {
    /// Whether it has enough values for a change to be seen.
    pub fn is_long_enough(&self) -> bool {
        self.valued.len() >= self.values_needed
    }

    /// Whether its figures mean nothing.
    pub fn is_smoke(&self) -> bool {
        self.common.platform.preset == Preset::Smoke
    }

    /// The change right before the entry `index`.
    pub fn change_before(&self, index: usize) -> Option<&ChangePoint> {
        self.changes.iter().find(|change| self.valued.get(change.index) == Some(&index))
    }

    /// The last entry with a value before the entry `index`.
    pub fn valued_before(&self, index: usize) -> Option<&HistoryEntry> {
        self.valued.iter().rev().find(|valued| **valued < index).map(|valued| &self.entries[*valued])
    }

    /// Its values, by time.
    fn values(&self) -> Vec<f64> {
        self.valued.iter().filter_map(|index| self.entries[*index].value).collect()
    }
}

/// One series of `entries` for each platform, durability and conditions.
pub fn look(entries: Vec<HistoryEntry>) -> Look {
    let commons: Vec<HistoryCommon> = entries.iter().map(|entry| entry.common.clone()).collect();
    let mut series: Vec<Series> = Vec::new();
    for entry in entries {
        match series.iter_mut().find(|known| known.common.is_equal(&entry.common)) {
            Some(known) => known.entries.push(entry),
            None => series.push(Series {
                apart: entry.common.apart(&commons),
                common: entry.common.clone(),
                entries: vec![entry],
                valued: Vec::new(),
                changes: Vec::new(),
                values_needed: 0,
            }),
        }
    }
    for one in &mut series {
        one.entries.sort_by(|one, other| (&one.started_at, &one.record).cmp(&(&other.started_at, &other.record)));
        one.valued = (0..one.entries.len()).filter(|index| one.entries[*index].value.is_some()).collect();
    }
    let values: Vec<Vec<f64>> = series.iter().map(Series::values).collect();
    let tested = series_tested(&values);
    for (one, changes) in series.iter_mut().zip(change_points(&values, SEED)) {
        (one.changes, one.values_needed) = (changes, values_needed(tested));
    }
    Look { series, tested }
}

impl HistoryCommon {
    /// Whether records with the two are of one series.
    fn is_equal(&self, other: &HistoryCommon) -> bool {
        let are_within = |one: &HistoryCommon, other: &HistoryCommon| {
            one.conditions.iter().all(|condition| other.conditions.contains(condition))
        };
        self.platform == other.platform
            && self.durability == other.durability
            && are_within(self, other)
            && are_within(other, self)
    }

    /// The conditions in which one of `others` differs.
    fn apart(&self, others: &[HistoryCommon]) -> Vec<HistoryCondition> {
        let differs = |condition: &&HistoryCondition| {
            others.iter().any(|other| {
                let same = other.conditions.iter().find(|known| known.is_alike(condition));
                same != Some(*condition)
            })
        };
        self.conditions.iter().filter(differs).cloned().collect()
    }
}
