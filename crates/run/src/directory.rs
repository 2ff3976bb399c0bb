//! The measured directory: the one place on this host where dbdyno writes.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use record::Side;
use rustix::fs::FlockOperation;

use crate::{Error, Result};

const NAME: &str = "dbdyno-data";
const MARK: &str = "this directory was made by dbdyno and is removed by it";

/// What an earlier invocation had left, a line each.
pub type Cleaned = Vec<String>;

/// A directory of ours, locked for this invocation; removed when it is dropped, unless what is in it is kept.
#[derive(Debug)]
pub struct MeasuredDirectory {
    path: PathBuf,
    /// Holds the lock; the kernel releases it with the process.
    mark: File,
    found_kept: bool,
    keep: bool,
}

impl MeasuredDirectory {
    /// Makes `parent/dbdyno-data`, or takes it over where an earlier invocation left it. What was kept stays kept,
    /// whether or not `keep` is wished again.
    ///
    /// # Errors
    /// Where the directory cannot be made or written, belongs to somebody else, or is in use.
    pub fn claim(parent: &Path, keep: bool) -> Result<MeasuredDirectory> {
        let wanted = parent.join(NAME);
        if !parent.is_dir() {
            return Err(Error::user(format!("{} is not a directory", parent.display())).hint("give another --dir"));
        }
        if wanted.is_symlink() {
            return Err(Error::environment(format!("directory {} is a link", wanted.display()))
                .hint("give the place that it leads to as --dir"));
        }
        fs::create_dir_all(&wanted).map_err(|error| refused(&wanted, "cannot be made", &error))?;
        let path = wanted.canonicalize().map_err(|error| refused(&wanted, "cannot be read", &error))?;
        let mark_path = path.join("mark");
        let foreign = || {
            Error::environment(format!("directory {} was not made by dbdyno", path.display()))
                .hint("give another --dir, or move it away")
        };
        if !mark_path.exists() && path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(foreign());
        }
        let mut mark = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&mark_path)
            .map_err(|error| refused(&path, "cannot be written", &error))?;
        lock(&mut mark, &path)?;
        let mut text = String::new();
        mark.read_to_string(&mut text).map_err(|error| refused(&mark_path, "cannot be read", &error))?;
        if !text.is_empty() && !text.starts_with(MARK) {
            return Err(foreign());
        }
        let found_kept = text.lines().any(|line| line == "kept");
        let mut directory = MeasuredDirectory { path, mark, found_kept, keep: keep || found_kept };
        directory.write_mark()?;
        Ok(directory)
    }

    /// Where an earlier invocation left something below `parent`; none where there is nothing.
    pub fn left_below(parent: &Path) -> Option<PathBuf> {
        Some(parent.join(NAME)).filter(|path| path.exists())
    }

    /// The directory below `parent`, claimed in order to be removed with all that is in it, kept or not.
    ///
    /// # Errors
    /// As for [`MeasuredDirectory::claim`].
    pub fn to_be_removed(parent: &Path) -> Result<MeasuredDirectory> {
        let mut directory = MeasuredDirectory::claim(parent, false)?;
        (directory.found_kept, directory.keep) = (false, false);
        Ok(directory)
    }

    /// Where engines put their files.
    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// Where the engine of one side of a comparison in pairs puts its files; made anew. It never stays.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make_side(&self, side: Side) -> Result<PathBuf> {
        let path = self.side(side);
        fs::create_dir_all(&path).map_err(|error| refused(&path, "cannot be made", &error))?;
        Ok(path)
    }

    fn side(&self, side: Side) -> PathBuf {
        self.path.join(match side {
            Side::A => "a",
            Side::B => "b",
        })
    }

    /// The directory itself, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether what is in it stays when the invocation ends.
    pub fn keep(&self) -> bool {
        self.keep
    }

    /// What is in it goes after all when the invocation ends, unless an earlier one kept it.
    pub fn let_go(&mut self) {
        self.keep = self.found_kept;
    }

    /// Lets every engine clean up what a dead invocation left and makes the data directory anew, unless it was kept.
    /// Says what was found.
    ///
    /// # Errors
    /// Where something cannot be removed or the directory cannot be written.
    pub fn prepare(&mut self, engines: &[&dyn engine::Engine]) -> Result<Cleaned> {
        let data = self.data();
        let mut cleaned = Cleaned::new();
        let places = [(data.clone(), self.found_kept), (self.side(Side::A), false), (self.side(Side::B), false)];
        for (place, stays) in places.iter().filter(|(place, _)| place.exists()) {
            for engine in engines {
                cleaned.extend(engine.clean_up(place)?);
            }
            if !stays {
                fs::remove_dir_all(place).map_err(|error| refused(place, "cannot be removed", &error))?;
                cleaned.push(format!("removed {}, left by an earlier invocation", place.display()));
            }
        }
        fs::create_dir_all(&data).map_err(|error| refused(&data, "cannot be made", &error))?;
        let trial = data.join("trial");
        fs::write(&trial, [0u8; 4096])
            .and_then(|()| fs::remove_file(&trial))
            .map_err(|error| refused(&data, "cannot be written", &error))?;
        Ok(cleaned)
    }

    fn write_mark(&mut self) -> Result<()> {
        let state = if self.keep { "kept" } else { "in use" };
        let text = format!("{MARK}\n{state}\nprocess {}\n", std::process::id());
        self.mark
            .rewind()
            .and_then(|()| self.mark.set_len(0))
            .and_then(|()| self.mark.write_all(text.as_bytes()))
            .and_then(|()| self.mark.sync_all())
            .map_err(|error| refused(&self.path, "cannot be written", &error))
    }
}

impl Drop for MeasuredDirectory {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; the next invocation finds what could not be removed and says so.
        let _ = fs::remove_dir_all(self.side(Side::A));
        let _ = fs::remove_dir_all(self.side(Side::B));
        if self.keep {
            return;
        }
        let _ = fs::remove_dir_all(self.data());
        let _ = fs::remove_file(self.path.join("mark"));
        let _ = fs::remove_dir(&self.path);
    }
}

fn lock(mark: &mut File, path: &Path) -> Result<()> {
    if rustix::fs::flock(&*mark, FlockOperation::NonBlockingLockExclusive).is_ok() {
        return Ok(());
    }
    let mut text = String::new();
    let owner = mark
        .read_to_string(&mut text)
        .ok()
        .and_then(|_| text.lines().find_map(|line| line.strip_prefix("process ").map(str::to_owned)))
        .map_or_else(String::new, |process| format!(" by process {process}"));
    Err(Error::environment(format!("directory {} is in use{owner}", path.display()))
        .hint("wait until it has ended, or give another --dir"))
}

fn refused(path: &Path, what: &str, error: &std::io::Error) -> Error {
    let hint = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "give a --dir that may be written",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, or give another --dir",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => "give the path of a directory",
        _ => "give another --dir",
    };
    Error::environment(format!("directory {} {what}: {error}", path.display())).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_directory_that_is_not_kept() {
        let parent = tempfile::tempdir().unwrap();
        let mut directory = MeasuredDirectory::claim(parent.path(), false).unwrap();
        assert_eq!(directory.prepare(&[]).unwrap(), Cleaned::new());
        fs::write(directory.data().join("table"), "rows").unwrap();
        drop(directory);
        assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn what_is_kept_is_found_again_and_stays_kept() {
        let parent = tempfile::tempdir().unwrap();
        let mut directory = MeasuredDirectory::claim(parent.path(), true).unwrap();
        directory.prepare(&[]).unwrap();
        fs::write(directory.data().join("table"), "rows").unwrap();
        drop(directory);
        let mut again = MeasuredDirectory::claim(parent.path(), false).unwrap();
        assert_eq!(again.prepare(&[]).unwrap(), Cleaned::new());
        assert!(again.data().join("table").exists());
        drop(again);
        assert!(parent.path().join(NAME).join("data/table").exists());
        assert!(MeasuredDirectory::left_below(parent.path()).is_some());
        drop(MeasuredDirectory::to_be_removed(parent.path()).unwrap());
        assert!(MeasuredDirectory::left_below(parent.path()).is_none());
        assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn the_sides_of_a_comparison_never_stay() {
        let parent = tempfile::tempdir().unwrap();
        let mut directory = MeasuredDirectory::claim(parent.path(), true).unwrap();
        directory.prepare(&[]).unwrap();
        let sides = [Side::A, Side::B].map(|side| directory.make_side(side).unwrap());
        assert_ne!(sides[0], sides[1]);
        fs::write(sides[0].join("table"), "rows").unwrap();
        drop(directory);
        assert!(!sides[0].exists() && !sides[1].exists());
        // As after kill -9: one of them is there.
        fs::create_dir(&sides[1]).unwrap();
        let mut next = MeasuredDirectory::claim(parent.path(), false).unwrap();
        let cleaned = next.prepare(&[]).unwrap();
        assert_eq!(cleaned.len(), 1, "{cleaned:?}");
        assert!(!sides[1].exists() && next.data().exists(), "what was kept stays");
    }

    #[test]
    fn what_a_dead_invocation_left_is_removed_and_said() {
        let parent = tempfile::tempdir().unwrap();
        let mut directory = MeasuredDirectory::claim(parent.path(), false).unwrap();
        directory.prepare(&[]).unwrap();
        fs::write(directory.data().join("table"), "rows").unwrap();
        // As after kill -9: the lock is gone, the files are there.
        let MeasuredDirectory { mark, .. } = &directory;
        rustix::fs::flock(mark, FlockOperation::Unlock).unwrap();
        let mut next = MeasuredDirectory::claim(parent.path(), false).unwrap();
        let cleaned = next.prepare(&[]).unwrap();
        assert_eq!(cleaned.len(), 1, "{cleaned:?}");
        assert!(!next.data().join("table").exists());
        std::mem::forget(directory);
    }

    #[test]
    fn a_directory_of_somebody_else_is_not_touched() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join(NAME)).unwrap();
        fs::write(parent.path().join(NAME).join("letter"), "dear").unwrap();
        let error = MeasuredDirectory::claim(parent.path(), false).unwrap_err();
        assert!(error.message.contains("was not made by dbdyno"), "{error}");
        assert!(parent.path().join(NAME).join("letter").exists());
        assert!(!parent.path().join(NAME).join("mark").exists());
    }

    #[test]
    fn two_invocations_do_not_share_a_directory() {
        let parent = tempfile::tempdir().unwrap();
        let _first = MeasuredDirectory::claim(parent.path(), false).unwrap();
        let error = MeasuredDirectory::claim(parent.path(), false).unwrap_err();
        assert!(error.message.contains(&format!("in use by process {}", std::process::id())), "{error}");
    }
}
