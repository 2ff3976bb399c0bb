//! The measured directory: the only directory on this host that dbdyno writes to.

use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use record::Side;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};

use crate::{Error, Result};

pub(crate) const NAME: &str = "dbdyno-data";
const MARK: &str = "this directory was made by dbdyno and is removed by it";

/// What was left by an earlier invocation, one line each.
pub type Cleaned = Vec<String>;

/// A directory of dbdyno, locked for this invocation; removed when dropped, unless its content is kept.
#[derive(Debug)]
pub struct MeasuredDirectory {
    path: PathBuf,
    /// Holds the lock; the kernel releases it with the process.
    mark: File,
    found_kept: bool,
    keep: bool,
}

impl MeasuredDirectory {
    /// Creates `parent/dbdyno-data`, or takes over what an earlier invocation left. What was kept stays kept, whether
    /// or not `keep` is given again.
    ///
    /// # Errors
    /// Where the directory cannot be created or written, belongs to another user, or is in use.
    pub fn claim(parent: &Path, keep: bool) -> Result<MeasuredDirectory> {
        let wanted = parent.join(NAME);
        if !parent.is_dir() {
            return Err(Error::user(format!("{} is not a directory", parent.display())).hint("give another --dir"));
        }
        if wanted.is_symlink() {
            return Err(Error::environment(format!("directory {} is a link", wanted.display()))
                .hint("give the target of the link as --dir"));
        }
        check_parent(parent)?;
        match DirBuilder::new().mode(0o755).create(&wanted) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(io_error(&wanted, "cannot be created", &error));
            }
            _ => {}
        }
        let path = wanted.canonicalize().map_err(|error| io_error(&wanted, "cannot be read", &error))?;
        let itself = open_directory(&path)?;
        let mark_path = path.join("mark");
        let foreign = || {
            Error::environment(format!("directory {} was not created by dbdyno", path.display()))
                .hint("give another --dir, or move it away")
        };
        if !mark_path.exists() && path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(foreign());
        }
        let mut mark = locked_mark(&itself, &path)?;
        let mut text = String::new();
        mark.read_to_string(&mut text).map_err(|error| io_error(&mark_path, "cannot be read", &error))?;
        if !text.is_empty() && !text.starts_with(MARK) {
            return Err(foreign());
        }
        let found_kept = text.lines().any(|line| line == "kept");
        let mut directory = MeasuredDirectory { path, mark, found_kept, keep: keep || found_kept };
        directory.write_mark()?;
        Ok(directory)
    }

    /// The directory below `parent`, if it exists.
    pub fn existing_in(parent: &Path) -> Option<PathBuf> {
        Some(parent.join(NAME)).filter(|path| path.exists())
    }

    /// The directory below `parent`, claimed to be removed with its content, kept or not.
    ///
    /// # Errors
    /// As for [`MeasuredDirectory::claim`].
    pub fn claim_for_removal(parent: &Path) -> Result<MeasuredDirectory> {
        let mut directory = MeasuredDirectory::claim(parent, false)?;
        (directory.found_kept, directory.keep) = (false, false);
        Ok(directory)
    }

    /// Directory of the files of the engine.
    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// Creates the directory of the files of one side of a comparison in pairs. It is never kept.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make_side(&self, side: Side) -> Result<PathBuf> {
        let path = self.side(side);
        fs::create_dir_all(&path).map_err(|error| io_error(&path, "cannot be created", &error))?;
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

    /// Whether its content stays after the invocation.
    pub fn keep(&self) -> bool {
        self.keep
    }

    /// Its content is removed at the end of the invocation after all, unless an earlier invocation kept it.
    pub fn reset_keep(&mut self) {
        self.keep = self.found_kept;
    }

    /// Has every engine clean up what a killed invocation left, and recreates the data directory unless it was kept.
    /// Returns what was found.
    ///
    /// # Errors
    /// Where something cannot be removed or the directory cannot be written.
    pub fn prepare(&mut self, engines: &[&dyn engine::Engine]) -> Result<Cleaned> {
        let data = self.data();
        let (mut cleaned, mut failure) = (Cleaned::new(), None);
        let directories = [(data.clone(), self.found_kept), (self.side(Side::A), false), (self.side(Side::B), false)];
        for (path, stays) in directories.iter().filter(|(path, _)| path.exists()) {
            // What one engine cannot clean up is no reason to leave the servers of others.
            let mut is_clean = true;
            for outcome in engines.iter().map(|engine| engine.clean_up(path)) {
                is_clean &= outcome.is_ok();
                keep_first(&mut failure, outcome.map(|actions| cleaned.extend(actions)).map_err(Error::from));
            }
            if !stays && is_clean {
                let removed = fs::remove_dir_all(path).map_err(|error| io_error(path, "cannot be removed", &error));
                if removed.is_ok() {
                    cleaned.push(format!("removed {}, left by an earlier invocation", path.display()));
                }
                keep_first(&mut failure, removed);
            }
        }
        failure.map_or(Ok(()), Err)?;
        fs::create_dir_all(&data).map_err(|error| io_error(&data, "cannot be created", &error))?;
        // `create_new`: in a directory that a server user owns, an existing file may be a link.
        let trial = data.join(format!("trial-{}", std::process::id()));
        fs::File::create_new(&trial)
            .and_then(|mut file| file.write_all(&[0u8; 4096]))
            .and_then(|()| fs::remove_file(&trial))
            .map_err(|error| io_error(&data, "cannot be written", &error))?;
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
            .map_err(|error| io_error(&self.path, "cannot be written", &error))
    }
}

impl Drop for MeasuredDirectory {
    fn drop(&mut self) {
        // Errors are ignored here; the next invocation finds and reports what could not be removed.
        let _ = fs::remove_dir_all(self.side(Side::A));
        let _ = fs::remove_dir_all(self.side(Side::B));
        if !self.keep {
            let _ = fs::remove_dir_all(self.data());
            let _ = fs::remove_file(self.path.join("mark"));
            let _ = fs::remove_dir(&self.path);
        }
        // Closing the file would not do: a program that another thread is just starting has a copy of the descriptor.
        let _ = rustix::fs::flock(&self.mark, FlockOperation::Unlock);
    }
}

/// Keeps the error of `outcome` if it is the first one.
fn keep_first(failure: &mut Option<Error>, outcome: Result<()>) {
    if failure.is_none() {
        *failure = outcome.err();
    }
}

/// A world-writable parent must belong to root or to us: its owner may replace anything in it, whatever the sticky bit
/// keeps others from.
fn check_parent(parent: &Path) -> Result<()> {
    let found = fs::metadata(parent).map_err(|error| io_error(parent, "cannot be read", &error))?;
    let everybody_writes = found.mode() & 0o002 != 0;
    if everybody_writes && !is_trusted(found.uid()) {
        return Err(Error::environment(format!(
            "directory {} is world-writable and belongs to user {}",
            parent.display(),
            found.uid()
        ))
        .hint("give a --dir that belongs to you"));
    }
    Ok(())
}

fn is_trusted(uid: u32) -> bool {
    uid == 0 || is_us(uid)
}

fn is_us(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
}

/// Opens the directory at `path`, which must be ours.
///
/// Another owner could replace every file in it by a link, and root would write there.
fn open_directory(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let opened = rustix::fs::open(path, flags, Mode::empty()).and_then(|file| {
        let found = rustix::fs::fstat(&file)?;
        Ok((file, found))
    });
    let (file, found) = opened.map_err(|error| io_error(path, "cannot be read", &error.into()))?;
    if !is_us(found.st_uid) {
        return Err(Error::environment(format!(
            "directory {} belongs to user {} and was not created by dbdyno",
            path.display(),
            found.st_uid
        ))
        .hint("give another --dir, or have its owner remove it"));
    }
    if found.st_mode & 0o002 != 0 {
        return Err(Error::environment(format!("directory {} is world-writable", path.display()))
            .hint("remove that permission (chmod o-w), or give another --dir"));
    }
    Ok(file)
}

/// The mark file, locked. If the previous invocation removed it while we waited for the lock, the lock is on a deleted
/// file, and the mark is created again.
fn locked_mark(directory: &OwnedFd, path: &Path) -> Result<File> {
    let failed = |error: rustix::io::Errno| io_error(path, "cannot be written", &error.into());
    loop {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = rustix::fs::openat(directory, "mark", flags, Mode::from_raw_mode(0o644));
        let mut mark = match opened {
            Err(rustix::io::Errno::LOOP) => {
                return Err(Error::environment(format!("the mark in {} is a link", path.display()))
                    .hint("give another --dir, or move it away"));
            }
            opened => File::from(opened.map_err(failed)?),
        };
        let found = rustix::fs::fstat(&mark).map_err(failed)?;
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        if !is_file || !is_us(found.st_uid) || found.st_nlink > 1 {
            return Err(Error::environment(format!("the mark in {} was not created by dbdyno", path.display()))
                .hint("give another --dir, or move it away"));
        }
        lock(&mut mark, path)?;
        let now = rustix::fs::statat(directory, "mark", AtFlags::SYMLINK_NOFOLLOW);
        if now.is_ok_and(|now| (now.st_dev, now.st_ino) == (found.st_dev, found.st_ino)) {
            return Ok(mark);
        }
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

fn io_error(path: &Path, what: &str, error: &std::io::Error) -> Error {
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
    fn a_directory_that_is_not_kept_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let mut directory = MeasuredDirectory::claim(parent.path(), false).unwrap();
        assert_eq!(directory.prepare(&[]).unwrap(), Cleaned::new());
        fs::write(directory.data().join("table"), "rows").unwrap();
        drop(directory);
        assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_kept_directory_stays_kept() {
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
        assert!(MeasuredDirectory::existing_in(parent.path()).is_some());
        drop(MeasuredDirectory::claim_for_removal(parent.path()).unwrap());
        assert!(MeasuredDirectory::existing_in(parent.path()).is_none());
        assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_hold_the_lock() {
        let parent = tempfile::tempdir().unwrap();
        let directory = MeasuredDirectory::claim(parent.path(), true).unwrap();
        // As in a child between fork and exec.
        let copy = directory.mark.try_clone().unwrap();
        drop(directory);
        drop(MeasuredDirectory::claim(parent.path(), false).unwrap());
        drop(copy);
    }

    #[test]
    fn the_sides_of_a_comparison_are_never_kept() {
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
    fn files_of_a_killed_invocation_are_removed_and_reported() {
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
    fn a_foreign_directory_is_not_changed() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join(NAME)).unwrap();
        fs::write(parent.path().join(NAME).join("notes"), "content").unwrap();
        let error = MeasuredDirectory::claim(parent.path(), false).unwrap_err();
        assert!(error.message.contains("was not created by dbdyno"), "{error}");
        assert!(parent.path().join(NAME).join("notes").exists());
        assert!(!parent.path().join(NAME).join("mark").exists());
    }

    /// Runs `script` as user `uid`.
    fn as_user(uid: u32, script: &str, directory: &Path) {
        let mut command = std::process::Command::new("sh");
        std::os::unix::process::CommandExt::uid(&mut command, uid);
        std::os::unix::process::CommandExt::gid(&mut command, uid);
        assert!(command.args(["-c", script]).current_dir(directory).status().unwrap().success(), "{script}");
    }

    /// A directory like /tmp.
    fn for_everybody() -> tempfile::TempDir {
        let parent = tempfile::tempdir().unwrap();
        fs::set_permissions(parent.path(), std::os::unix::fs::PermissionsExt::from_mode(0o1777)).unwrap();
        parent
    }

    const NOBODY: u32 = 65_534;

    #[test]
    fn a_directory_of_another_user_is_refused_and_links_in_it_are_not_followed() {
        let parent = for_everybody();
        let secret = tempfile::NamedTempFile::new().unwrap();
        fs::write(secret.path(), "of ours").unwrap();
        if !rustix::process::geteuid().is_root() {
            // Only root can act as another user; a link in our own directory is refused in any case.
            fs::create_dir(parent.path().join(NAME)).unwrap();
            std::os::unix::fs::symlink(secret.path(), parent.path().join(NAME).join("mark")).unwrap();
            assert!(MeasuredDirectory::claim(parent.path(), false).is_err());
            return;
        }
        let prepared = format!("mkdir -m 777 {NAME} && printf '{MARK}\\nin use\\n' > {NAME}/mark");
        as_user(NOBODY, &prepared, parent.path());
        let error = MeasuredDirectory::claim(parent.path(), false).unwrap_err();
        assert!(error.message.contains("belongs to user 65534"), "{error}");
        let link = format!("rm {NAME}/mark && ln -s {} {NAME}/mark", secret.path().display());
        as_user(NOBODY, &link, parent.path());
        MeasuredDirectory::claim(parent.path(), false).unwrap_err();
        MeasuredDirectory::claim_for_removal(parent.path()).unwrap_err();
        assert_eq!(fs::read_to_string(secret.path()).unwrap(), "of ours");
    }

    #[test]
    fn a_foreign_mark_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let (ours, target) = (parent.path().join(NAME), parent.path().join("target"));
        fs::create_dir(&ours).unwrap();
        fs::write(&target, format!("{MARK}\n")).unwrap();
        std::os::unix::fs::symlink(&target, ours.join("mark")).unwrap();
        assert!(MeasuredDirectory::claim(parent.path(), false).unwrap_err().message.contains("is a link"));
        fs::remove_file(ours.join("mark")).unwrap();
        fs::hard_link(&target, ours.join("mark")).unwrap();
        assert!(
            MeasuredDirectory::claim(parent.path(), false).unwrap_err().message.contains("was not created by dbdyno")
        );
        assert_eq!(fs::read_to_string(&target).unwrap(), format!("{MARK}\n"));
    }

    #[test]
    fn a_world_writable_directory_of_another_user_is_refused() {
        let parent = for_everybody();
        assert!(MeasuredDirectory::claim(parent.path(), false).is_ok(), "our own");
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(parent.path(), Some(NOBODY), None).unwrap();
            let error = MeasuredDirectory::claim(parent.path(), false).unwrap_err();
            assert!(error.message.contains("is world-writable"), "{error}");
        }
    }

    #[test]
    fn two_invocations_do_not_share_a_directory() {
        let parent = tempfile::tempdir().unwrap();
        let _first = MeasuredDirectory::claim(parent.path(), false).unwrap();
        let error = MeasuredDirectory::claim(parent.path(), false).unwrap_err();
        assert!(error.message.contains(&format!("in use by process {}", std::process::id())), "{error}");
    }
}
