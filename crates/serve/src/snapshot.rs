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
}

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
        Snapshot { items, unread, notes, histories, generation, places }
    }

    /// What is found by `id`.
    pub fn find(&self, id: &str) -> Option<&Arc<Item>> {
        self.items.get(*self.places.get(id)?)
    }
}
