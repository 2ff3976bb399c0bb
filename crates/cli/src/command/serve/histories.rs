//! Histories of monitors in a directory, read for those who only look. One is read again where its files have changed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::promise::{Month, TargetNow};
use monitor::History;
use run::{Error, Result};

/// Histories that are shown.
const HISTORIES_MAX: usize = 16;

/// A history that has not changed is read again after so long: windows go on without bursts.
const AGE_MAX: Duration = Duration::from_secs(15);

/// What a file of SQLite begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The histories of a directory.
pub struct Histories {
    directory: PathBuf,
    /// What was read, by the names of the files. One is read at a time: closing a file gives up the locks of other
    /// readers of this process.
    known: Mutex<BTreeMap<String, HistoryRead>>,
}

/// A history that was read.
pub struct HistoryRead {
    /// Whether a monitor is at work on it.
    pub is_written: bool,
    /// Its targets; or why it cannot be read.
    pub targets: std::result::Result<Vec<TargetNow>, String>,
    stamp: Stamp,
    read_at: Instant,
}

/// By what it is seen that a history has changed: sizes and times of the file and of its log.
type Stamp = [Option<(u64, i64, i64)>; 2];

impl Histories {
    /// Those in `directory`.
    pub fn new(directory: &Path) -> Histories {
        Histories { directory: directory.to_owned(), known: Mutex::default() }
    }

    /// All of them now, by the names of their files.
    pub fn now(&self) -> MutexGuard<'_, BTreeMap<String, HistoryRead>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = std::mem::take(&mut *known);
        for (name, path) in self.files() {
            let stamp = stamp(&path);
            let read = before.remove(&name);
            let read = match read.filter(|read| read.stamp == stamp && read.read_at.elapsed() < AGE_MAX) {
                // Whether somebody is at work does not show in the file.
                Some(read) => HistoryRead { is_written: History::is_written(&path), ..read },
                None => HistoryRead {
                    is_written: History::is_written(&path),
                    targets: History::to_read(&path)
                        .and_then(|history| history.now(&path))
                        .map_err(|error| error.message),
                    stamp,
                    read_at: Instant::now(),
                },
            };
            known.insert(name, read);
        }
        known
    }

    /// The month `month` of `target` in the history called `name`.
    ///
    /// # Errors
    /// Where there is no such history, target or month, and where it cannot be read.
    pub fn month(&self, name: &str, target: &str, month: &str) -> Result<Month> {
        let _one = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // What is asked for is one of the files that are there, and never a part of a path.
        let (_, path) = self.files().into_iter().find(|(known, _)| known == name).ok_or_else(|| {
            Error::user("there is no such history here").hint("the live page has links to all months")
        })?;
        let months = History::to_read(&path)?.months(&path, month)?;
        months
            .into_iter()
            .find(|known| known.target == target)
            .ok_or_else(|| Error::user("the history has no such target").hint("the live page has links to all months"))
    }

    /// The files that may be histories, by name.
    fn files(&self) -> Vec<(String, PathBuf)> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().filter_map(std::result::Result::ok);
        let paths = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "db") && path.is_file() && is_history(path));
        let name = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), path));
        let mut files: Vec<(String, PathBuf)> = paths.filter_map(name).collect();
        files.sort();
        files.truncate(HISTORIES_MAX);
        files
    }
}

/// Whether the file at `path` is a database that says it is a history.
fn is_history(path: &Path) -> bool {
    let mut head = [0_u8; 100];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.starts_with(MAGIC) && head[68..72] == monitor::HISTORY_ID.to_be_bytes()
}

fn stamp(path: &Path) -> Stamp {
    let log = PathBuf::from(format!("{}-wal", path.display()));
    let of = |path: &Path| fs::metadata(path).ok().map(|file| (file.size(), file.mtime(), file.mtime_nsec()));
    [of(path), of(&log)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_histories_are_read() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("other.db"), "x".repeat(200)).unwrap();
        let path = place.path().join("m.db");
        drop(History::to_write(&path).unwrap());
        let histories = Histories::new(place.path());
        let names: Vec<String> = histories.now().keys().cloned().collect();
        assert_eq!(names, ["m.db"]);
        assert!(!histories.now()["m.db"].is_written && histories.now()["m.db"].targets.as_ref().unwrap().is_empty());
        let writer = History::to_write(&path).unwrap();
        assert!(histories.now()["m.db"].is_written);
        drop(writer);
        for name in ["other.db", "../m.db", "m.db-wal", ""] {
            assert!(histories.month(name, "x", "2026-11").is_err(), "{name}");
        }
        assert!(histories.month("m.db", "x", "2026-11").unwrap_err().message.contains("no such target"));
    }
}
