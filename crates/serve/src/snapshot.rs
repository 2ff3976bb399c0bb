//! All that was known of a directory at one moment.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use model::System;
use model::archive::ArchiveEntry;
use record::{Note, Record};

use crate::packed::Packed;

/// A record that is held packed.
#[derive(Debug)]
pub struct PackedRecord(pub(crate) Packed);

/// A record or a published system.
#[derive(Debug)]
pub struct Item {
    /// By what it is found.
    pub id: String,
    /// Its line in the list.
    pub entry: ArchiveEntry,
    /// What it is.
    pub source: Source,
}

/// What an item is.
#[derive(Debug)]
pub enum Source {
    /// A record.
    Record {
        /// Its file.
        path: PathBuf,
        /// The record, thinned.
        record: PackedRecord,
        /// When its file changed.
        changed_at: SystemTime,
    },
    /// A published system.
    Published(&'static System),
}

impl Item {
    /// The record, thinned, which takes a millisecond to unpack; none of a published system.
    pub fn record(&self) -> Option<Record> {
        match &self.source {
            Source::Record { record, .. } => record.0.record(),
            Source::Published(_) => None,
        }
    }
}

/// A directory at one moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Records, the newest first, then published systems.
    pub items: Vec<Arc<Item>>,
    /// Files that should be records and cannot be read: the name, and why.
    pub unread: Vec<(String, String)>,
    /// Notes, by the identifiers of what they are about.
    pub notes: BTreeMap<String, Note>,
    /// The tests of the records, with the number of records that have each.
    pub histories: BTreeMap<String, usize>,
    /// How many snapshots there were before this one.
    pub generation: u64,
    places: HashMap<String, usize>,
    /// The place of the record before each one, on the same host and target and with a test in common.
    before: HashMap<usize, usize>,
}

/// So many records of the same host and target are looked at for one with a test in common.
const LOOK_BACK: usize = 50;

impl Snapshot {
    /// The snapshot of `items`, in any order.
    pub(crate) fn of(
        mut items: Vec<Arc<Item>>,
        mut unread: Vec<(String, String)>,
        notes: BTreeMap<String, Note>,
        generation: u64,
    ) -> Snapshot {
        items.sort_by(|one, other| {
            let start = |item: &Arc<Item>| item.entry.started_at().map(|start| start.0.clone());
            start(other).cmp(&start(one)).then_with(|| one.entry.name.cmp(&other.entry.name))
        });
        unread.sort();
        let mut histories: BTreeMap<String, usize> = BTreeMap::new();
        for test in items.iter().filter(|item| !item.entry.is_published()).flat_map(|item| &item.entry.tests) {
            *histories.entry(test.clone()).or_default() += 1;
        }
        let places = items.iter().enumerate().map(|(place, item)| (item.id.clone(), place)).collect();
        let before = before(&items);
        Snapshot { items, unread, notes, histories, generation, places, before }
    }

    /// The record before that at `place` among the items, by which it is compared: on the same host and target, and with
    /// a test in common.
    pub fn before(&self, place: usize) -> Option<&Arc<Item>> {
        self.items.get(*self.before.get(&place)?)
    }

    /// The place of `item` among the items.
    pub fn place(&self, item: &Item) -> Option<usize> {
        self.places.get(&item.id).copied()
    }

    /// What is found by `id`.
    pub fn find(&self, id: &str) -> Option<&Arc<Item>> {
        self.items.get(*self.places.get(id)?)
    }
}

/// For each record the one before it, by their places in `items`, the newest first.
fn before(items: &[Arc<Item>]) -> HashMap<usize, usize> {
    let mut earlier: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    let mut found = HashMap::new();
    for (place, item) in items.iter().enumerate().rev().filter(|(_, item)| !item.entry.is_published()) {
        let same = earlier.entry((&item.entry.host, &item.entry.target)).or_default();
        let has_common = |other: &&usize| items[**other].entry.tests.iter().any(|test| item.entry.tests.contains(test));
        if let Some(before) = same.iter().rev().take(LOOK_BACK).find(has_common) {
            found.insert(place, *before);
        }
        same.push(place);
    }
    found
}
