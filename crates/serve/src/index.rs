//! The index of a directory: what each file says, read again where the file has changed.
//!
//! It is held in memory and nowhere else. The directory is looked through when somebody asks, and no more than once in
//! two seconds: while nobody looks, nothing is read. A record that grows is read again for at most a fiftieth of the
//! time, so that a run on the same host keeps its processors.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use model::System;
use model::archive::{archive_entry, archive_entry_of_system};
use record::Note;

use crate::identity::id_of;
use crate::packed::Packed;
use crate::snapshot::{Item, PackedRecord, Snapshot, Source};
use crate::{Error, Result};

/// So old a snapshot is used as it is.
pub(crate) const AGE_MAX: Duration = Duration::from_secs(2);

/// A record that changes is read again when so many times the last reading has passed.
const REST_FACTOR: u32 = 50;

/// After so many files that were read, memory is given back.
const FILES_BETWEEN: usize = 100;

/// Gives the kernel back what reading has freed. What is kept of each record lies between the freed memory of its reading, which
/// the allocator would otherwise keep: with ten thousand records more than a gigabyte.
fn give_back_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, and touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// An index.
pub struct Index {
    directory: PathBuf,
    published: Vec<Arc<Item>>,
    state: Mutex<State>,
    current: RwLock<Arc<Snapshot>>,
}

/// What was read.
#[derive(Default)]
struct State {
    files: BTreeMap<PathBuf, Known>,
    notes: Option<(Option<Stamp>, BTreeMap<String, Note>)>,
    notes_error: Option<String>,
    scanned_at: Option<Instant>,
}

/// By what it is seen that a file has changed: device, inode, size, and the times of its content and of its entry.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

/// A file as it was read.
struct Known {
    stamp: Stamp,
    content: Content,
    read_at: Instant,
    took: Duration,
}

/// What a file is.
enum Content {
    Item(Arc<Item>),
    Unread(String),
    /// It is no record, and need not be one.
    Other,
}

impl Index {
    /// An index of `directory`, which is read for the first time, with `published` systems.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn new(directory: &Path, published: &'static [System]) -> Result<Index> {
        let unreadable = |error: store::Error| {
            Error::user(error.to_string(), "give a directory of records; `dbdyno run` writes them into the current one")
        };
        store::candidates(directory).map_err(unreadable)?;
        let item = |system: &'static System| {
            let entry = archive_entry_of_system(system);
            Arc::new(Item { id: system.name.clone(), entry, source: Source::Published(system) })
        };
        let index = Index {
            directory: directory.to_owned(),
            published: published.iter().map(item).collect(),
            state: Mutex::default(),
            current: RwLock::default(),
        };
        index.current(Duration::ZERO);
        Ok(index)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What is known, no older than `age_max`; while somebody else reads, what was known before.
    pub fn current(&self, age_max: Duration) -> Arc<Snapshot> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return self.known(),
        };
        if state.scanned_at.is_none_or(|scanned| scanned.elapsed() >= age_max) {
            if self.scan(&mut state) {
                let snapshot = self.snapshot(&state, self.known().generation + 1);
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
            }
            state.scanned_at = Some(Instant::now());
        }
        self.known()
    }

    /// Forgets when the directory was looked through, after something was written into it.
    pub(crate) fn expire(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).scanned_at = None;
    }

    fn known(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks through the directory; whether anything has changed.
    fn scan(&self, state: &mut State) -> bool {
        let mut has_changed = self.read_notes(state);
        // A directory that is gone has no records.
        let paths = store::candidates(&self.directory).unwrap_or_default();
        let mut before = std::mem::take(&mut state.files);
        let mut files_read = 0_usize;
        for path in paths {
            let known = before.remove(&path);
            // What has vanished meanwhile is not there.
            let Some((stamp, changed_at)) = stamp(&path) else {
                has_changed |= known.is_some();
                continue;
            };
            let known = match known {
                Some(known) if known.stamp == stamp || known.read_at.elapsed() < known.took * REST_FACTOR => known,
                _ => {
                    has_changed = true;
                    files_read += 1;
                    if files_read.is_multiple_of(FILES_BETWEEN) {
                        give_back_memory();
                    }
                    read(&path, stamp, changed_at)
                }
            };
            state.files.insert(path, known);
        }
        if files_read > 0 {
            give_back_memory();
        }
        has_changed || !before.is_empty() || state.scanned_at.is_none()
    }

    /// Reads the notes where their file has changed; whether it has.
    fn read_notes(&self, state: &mut State) -> bool {
        let stamp = stamp(&self.directory.join(store::NOTES_FILE)).map(|(stamp, _)| stamp);
        if state.notes.as_ref().is_some_and(|(known, _)| *known == stamp) {
            return false;
        }
        let (notes, error) = match store::notes(&self.directory) {
            Ok(notes) => (notes, None),
            Err(error) => (BTreeMap::new(), Some(format!("notes cannot be read: {error}"))),
        };
        state.notes = Some((stamp, notes));
        state.notes_error = error;
        true
    }

    fn snapshot(&self, state: &State, generation: u64) -> Snapshot {
        let mut items: Vec<Arc<Item>> = Vec::new();
        let mut unread: Vec<(String, String)> = Vec::new();
        let mut known: HashMap<&str, &Path> = HashMap::new();
        for (path, file) in &state.files {
            match &file.content {
                Content::Other => {}
                Content::Unread(reason) => unread.push((file_name(path), reason.clone())),
                Content::Item(item) => match known.insert(&item.id, path) {
                    None => items.push(Arc::clone(item)),
                    Some(first) => {
                        unread.push((file_name(path), format!("it is the same record as {}", file_name(first))));
                        known.insert(&item.id, first);
                    }
                },
            }
        }
        unread.extend(state.notes_error.iter().map(|error| (store::NOTES_FILE.to_owned(), error.clone())));
        items.extend(self.published.iter().cloned());
        let notes = state.notes.as_ref().map(|(_, notes)| notes.clone()).unwrap_or_default();
        Snapshot::of(items, unread, notes, generation)
    }
}

fn read(path: &Path, stamp: Stamp, changed_at: SystemTime) -> Known {
    let begun = Instant::now();
    let content = match store::read_without_series(path, &model::thin) {
        Ok(record) => match Packed::of(&record) {
            Some(packed) => Content::Item(Arc::new(Item {
                id: id_of(&record),
                entry: archive_entry(&record),
                source: Source::Record { path: path.to_owned(), record: PackedRecord(packed), changed_at },
            })),
            None => Content::Unread("it cannot be held in memory".to_owned()),
        },
        Err(error) if store::should_be_a_record(path, &error) || is_json_lines(path) => {
            let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            Content::Unread(format!("{error}{hint}"))
        }
        Err(_) => Content::Other,
    };
    Known { stamp, content, read_at: Instant::now(), took: begun.elapsed() }
}

/// Whether a file has the name that records have, and no other thing of dbdyno: one that is no record is named, because it
/// is missed otherwise. Documents (`.json`) are often exports.
fn is_json_lines(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file()
}

fn stamp(path: &Path) -> Option<(Stamp, SystemTime)> {
    let of = fs::metadata(path).ok()?;
    let stamp = (of.dev(), of.ino(), of.size(), (of.mtime(), of.mtime_nsec()), (of.ctime(), of.ctime_nsec()));
    Some((stamp, of.modified().unwrap_or(SystemTime::UNIX_EPOCH)))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_and_go_and_are_named_where_they_cannot_be_read() {
        let place = tempfile::tempdir().unwrap();
        let index = Index::new(place.path(), &[]).unwrap();
        assert!(index.current(Duration::ZERO).items.is_empty());
        fs::write(place.path().join("dbdyno-1.jsonl"), "{\"head\":{\"format\":\"dbdyno record\"").unwrap();
        fs::write(place.path().join("export.json"), "[]").unwrap();
        fs::write(place.path().join("other.jsonl"), "{\"at\":1}\n").unwrap();
        let found = index.current(Duration::ZERO);
        assert_eq!(found.unread.len(), 2, "{:?}", found.unread);
        assert_eq!(found.unread[0].0, "dbdyno-1.jsonl");
        assert!(found.unread[1].0 == "other.jsonl" && found.unread[1].1.contains("not the head"), "{:?}", found.unread);
        fs::remove_file(place.path().join("other.jsonl")).unwrap();
        let found = index.current(Duration::ZERO);
        assert_eq!(index.current(Duration::ZERO).generation, found.generation, "nothing has changed");
        fs::remove_file(place.path().join("dbdyno-1.jsonl")).unwrap();
        assert!(index.current(Duration::from_secs(3600)).unread.len() == 1, "it is not looked through again");
        assert!(index.current(Duration::ZERO).unread.is_empty());
    }

    #[test]
    fn a_directory_that_is_not_there_is_refused() {
        let refused = Index::new(Path::new("/nonexistent"), &[]).err().expect("an error").to_string();
        assert!(refused.contains("/nonexistent") && refused.contains("hint: "), "{refused}");
    }

    #[test]
    fn damaged_notes_are_named() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join(store::NOTES_FILE), "x").unwrap();
        let found = Index::new(place.path(), &[]).unwrap().current(Duration::ZERO);
        assert!(found.unread[0].1.contains("notes cannot be read"), "{:?}", found.unread);
    }
}
