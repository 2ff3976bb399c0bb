//! Directories of a process and of its agents, which are removed with their content when it ends; what a killed one left is
//! removed by the next.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use run::{Error, Result};
use tempfile::TempDir;

/// So old a directory is before it may be taken for one that was left.
const AGE_MIN: Duration = Duration::from_secs(60);

/// A directory that is locked as long as its process lives.
pub struct OwnDirectory {
    directory: TempDir,
    _locked: File,
}

impl OwnDirectory {
    /// One below `parent` with a name that begins with `prefix`. Older ones of that name are removed, unless they, or a
    /// directory in them, are locked.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn below(parent: &Path, prefix: &str) -> Result<OwnDirectory> {
        remove_left(parent, prefix);
        let failed = |error| {
            Error::environment(format!("no directory can be made in {}: {error}", parent.display()))
                .hint("give a --dir that may be written")
        };
        let directory = tempfile::Builder::new().prefix(prefix).tempdir_in(parent).map_err(failed)?;
        let locked = File::open(directory.path()).map_err(failed)?;
        // A file system without locks has no other process that could hold one.
        let _ = locked.try_lock();
        Ok(OwnDirectory { directory, _locked: locked })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes what killed processes left below `parent` under names that begin with `prefix`; returns what was removed.
pub fn remove_left(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut left = named(parent, prefix);
    // One that cannot be removed is left again.
    left.retain(|path| is_left(path) && fs::remove_dir_all(path).is_ok());
    left
}

/// The directories below `parent` whose names begin with `prefix`.
fn named(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().filter_map(std::result::Result::ok);
    let is_named = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name().to_string_lossy().starts_with(prefix)
    };
    entries.filter(is_named).map(|entry| entry.path()).collect()
}

/// Whether no process has the directory at `path`, nor one in it. A new one may not be locked yet.
fn is_left(path: &Path) -> bool {
    let age = fs::metadata(path).and_then(|metadata| metadata.modified()).ok().and_then(|made| made.elapsed().ok());
    if age.is_none_or(|age| age < AGE_MIN) {
        return false;
    }
    let is_free = |path: &PathBuf| File::open(path).is_ok_and(|directory| directory.try_lock().is_ok());
    is_free(&path.to_owned()) && named(path, "").iter().all(is_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        for name in ["x-left/inner", "x-live/inner", "y-other", "mine"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::create_dir(at("x-new")).unwrap();
        fs::write(at("x-file"), "mine").unwrap();
        let age = |name: &str| {
            let before = fs::FileTimes::new().set_modified(std::time::SystemTime::now() - 2 * AGE_MIN);
            File::open(at(name)).unwrap().set_times(before).unwrap();
        };
        ["x-left", "x-live", "x-file", "y-other", "mine"].iter().for_each(|name| age(name));
        let inner = File::open(at("x-live/inner")).unwrap();
        inner.try_lock().unwrap();
        let (first, second) =
            (OwnDirectory::below(parent.path(), "x-").unwrap(), OwnDirectory::below(parent.path(), "x-"));
        assert!(!at("x-left").exists() && at("x-live").exists() && at("y-other").exists() && at("mine").exists());
        assert!(at("x-file").exists() && at("x-new").exists() && first.path().exists(), "one that is in use stays");
        let path = first.path().to_owned();
        drop((first, second));
        assert!(!path.exists());
        assert_eq!(remove_left(parent.path(), "x-"), [""; 0].map(PathBuf::from), "it is locked");
        inner.unlock().unwrap();
        assert_eq!(remove_left(parent.path(), "x-"), [at("x-live")]);
        assert!(!at("x-live").exists());
    }
}
