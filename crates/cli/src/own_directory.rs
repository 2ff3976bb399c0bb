//! Directories of a process and of its agents, which are removed with their content when it ends; what a killed one left is
//! removed by the next.
//!
//! Anybody may make a directory of such a name, and several machines may share the one above it. A directory was left by
//! us only if it bears our mark, belongs to this user alone, and was made on this machine; a lock tells whether a
//! process still has it, but on some file systems only among the processes of one machine. All of that is asked of an open
//! directory, and what is removed is its content, by descriptor: a name may be given to something else meanwhile.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use run::{Error, Result};
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use tempfile::TempDir;

/// So old a directory is before it may be taken for one that was left: a new one may not be locked yet.
const AGE_MIN: Duration = Duration::from_secs(60);

/// The file that tells what a directory is.
const MARK: &str = "mark";

/// Its first line.
const MARK_TEXT: &str = "this directory was made by a process of dbdyno and is removed by it";

/// The longest mark.
const MARK_BYTES_MAX: u64 = 4096;

/// Letters that follow the prefix in a name.
const RANDOM_LETTERS: usize = 6;

/// Since when the machine may have been up when a directory was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// On the kernel that runs.
    SinceStart,
    /// Also before the machine was started: only where somebody is asked, because copies of a disk are told apart by nothing.
    AtAnyTime,
}

/// A directory that is locked as long as its process lives.
pub struct OwnDirectory {
    directory: TempDir,
    _locked: File,
}

impl OwnDirectory {
    /// One below `parent` with a name that begins with `prefix`. Those that killed processes of this machine left there are
    /// removed.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn below(parent: &Path, prefix: &str) -> Result<OwnDirectory> {
        for left in left_below(parent, prefix, Made::SinceStart) {
            // One that cannot be removed is left again.
            let _ = left.remove();
        }
        let failed = |error| {
            Error::environment(format!("no directory can be made in {}: {error}", parent.display()))
                .hint("give a --dir that may be written")
        };
        let builder = tempfile::Builder::new().prefix(prefix).rand_bytes(RANDOM_LETTERS).tempdir_in(parent);
        let directory = builder.map_err(failed)?;
        let locked = File::open(directory.path()).map_err(failed)?;
        // A file system without locks has no other process that could hold one.
        let _ = locked.try_lock();
        let mark = [Some(MARK_TEXT.to_owned()), boot_line(), machine_line()];
        let mark = mark.into_iter().flatten().map(|line| line + "\n").collect::<String>();
        let mut file = File::create_new(directory.path().join(MARK)).map_err(failed)?;
        file.write_all(mark.as_bytes()).map_err(failed)?;
        Ok(OwnDirectory { directory, _locked: locked })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

fn boot_line() -> Option<String> {
    host::boot_id().map(|boot| format!("boot {boot}"))
}

fn machine_line() -> Option<String> {
    host::machine_id().map(|machine| format!("machine {machine}"))
}

/// A directory that a killed process of this user left, open and locked.
#[derive(Debug)]
pub struct LeftDirectory {
    path: PathBuf,
    parent: File,
    name: String,
    directory: File,
    _inner: Vec<File>,
}

/// The directories that killed processes left below `parent` under names of `prefix`.
pub fn left_below(parent: &Path, prefix: &str, made: Made) -> Vec<LeftDirectory> {
    let Ok(above) = File::open(parent) else { return Vec::new() };
    let names = names_in(&above).unwrap_or_default().into_iter().filter_map(|name| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_of(prefix, name)).collect();
    names.sort();
    names.into_iter().filter_map(|name| LeftDirectory::of(parent, &above, name, made)).collect()
}

/// Whether `name` is one that is given to directories of `prefix`.
fn is_of(prefix: &str, name: &str) -> bool {
    let random = name.strip_prefix(prefix);
    random.is_some_and(|text| text.len() == RANDOM_LETTERS && text.bytes().all(|letter| letter.is_ascii_alphanumeric()))
}

impl LeftDirectory {
    /// That of this name, if it is one.
    fn of(path: &Path, parent: &File, name: String, made: Made) -> Option<LeftDirectory> {
        let directory = open_directory(parent, name.as_str()).ok()?;
        let found = directory.metadata().ok()?;
        let is_ours = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0;
        let age = found.modified().ok().and_then(|made| made.elapsed().ok());
        if !is_ours || age.is_none_or(|age| age < AGE_MIN) || !is_marked(&directory, made) {
            return None;
        }
        lock(&directory)?;
        // Those of agents: one that is at work may have outlived the process above it.
        let mut inner = Vec::new();
        for name in names_in(&directory).ok()? {
            match open_directory(&directory, name.as_c_str()) {
                Ok(found) => {
                    lock(&found)?;
                    inner.push(found);
                }
                Err(Errno::NOTDIR | Errno::LOOP) => {}
                // What cannot be looked at may be at work.
                Err(_) => return None,
            }
        }
        let parent = parent.try_clone().ok()?;
        Some(LeftDirectory { path: path.join(&name), parent, name, directory, _inner: inner })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it with its content.
    ///
    /// # Errors
    /// Where something in it cannot be removed, or its name is that of another directory by now.
    pub fn remove(self) -> io::Result<()> {
        let found = self.directory.metadata()?;
        empty(&self.directory, found.dev())?;
        let now = rustix::fs::statat(&self.parent, self.name.as_str(), AtFlags::SYMLINK_NOFOLLOW)?;
        if (now.st_dev, now.st_ino) != (found.dev(), found.ino()) {
            return Err(io::Error::other("it was replaced by another one"));
        }
        Ok(rustix::fs::unlinkat(&self.parent, self.name.as_str(), AtFlags::REMOVEDIR)?)
    }
}

/// The directory `name` of `parent`, which is no link.
fn open_directory(parent: &File, name: impl rustix::path::Arg) -> rustix::io::Result<File> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    rustix::fs::openat(parent, name, flags, Mode::empty()).map(File::from)
}

/// Locks `directory`, if no process has it.
fn lock(directory: &File) -> Option<()> {
    rustix::fs::flock(directory, FlockOperation::NonBlockingLockExclusive).ok()
}

/// Whether `directory` bears the mark of this program on this machine.
fn is_marked(directory: &File, made: Made) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(mark) = rustix::fs::openat(directory, MARK, flags, Mode::empty()).map(File::from) else { return false };
    let is_ours = mark
        .metadata()
        .is_ok_and(|found| found.is_file() && found.uid() == rustix::process::geteuid().as_raw() && found.nlink() == 1);
    let mut text = String::new();
    if !is_ours || mark.take(MARK_BYTES_MAX).read_to_string(&mut text).is_err() {
        return false;
    }
    let has = |line: Option<String>| line.is_some_and(|line| text.lines().any(|known| known == line));
    text.starts_with(MARK_TEXT) && (has(boot_line()) || (made == Made::AtAnyTime && has(machine_line())))
}

/// The names of the entries of `directory`.
fn names_in(directory: &File) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let name = entry?.file_name().to_owned();
        if ![&b"."[..], b".."].contains(&name.to_bytes()) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Removes the content of `directory`, all of it on `device`: what is mounted in it is not ours.
fn empty(directory: &File, device: u64) -> io::Result<()> {
    for name in names_in(directory)? {
        let found = rustix::fs::statat(directory, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
            rustix::fs::unlinkat(directory, name.as_c_str(), AtFlags::empty())?;
            continue;
        }
        let inner = open_directory(directory, name.as_c_str())?;
        if inner.metadata()?.dev() != device {
            return Err(io::Error::other("another file system is mounted in it"));
        }
        empty(&inner, device)?;
        rustix::fs::unlinkat(directory, name.as_c_str(), AtFlags::REMOVEDIR)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    const NOBODY: u32 = 65_534;

    /// Makes `name` below `parent` as a killed process would have left it, with `mark`.
    fn made(parent: &Path, name: &str, mark: &str) {
        fs::create_dir(parent.join(name)).unwrap();
        fs::write(parent.join(name).join(MARK), mark).unwrap();
        fs::create_dir(parent.join(name).join("inner")).unwrap();
        fs::write(parent.join(name).join("inner/thesis.tex"), "mine").unwrap();
        age(&parent.join(name));
    }

    fn age(path: &Path) {
        fs::set_permissions(path, PermissionsExt::from_mode(0o700)).unwrap();
        let before = fs::FileTimes::new().set_modified(std::time::SystemTime::now() - 2 * AGE_MIN);
        File::open(path).unwrap().set_times(before).unwrap();
    }

    fn mark(lines: &[Option<String>]) -> String {
        let lines = lines.iter().flatten().map(|line| format!("{line}\n"));
        format!("{MARK_TEXT}\n{}", lines.collect::<String>())
    }

    fn paths(left: &[LeftDirectory]) -> Vec<PathBuf> {
        left.iter().map(|left| left.path().to_owned()).collect()
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let ours = mark(&[boot_line()]);
        ["x-left00", "x-live00", "x-outer0", "y-left00"].iter().for_each(|name| made(parent.path(), name, &ours));
        let live = [File::open(at("x-live00")).unwrap(), File::open(at("x-outer0/inner")).unwrap()];
        live.iter().for_each(|live| live.try_lock().unwrap());
        let own = OwnDirectory::below(parent.path(), "x-").unwrap();
        let second = OwnDirectory::below(parent.path(), "x-").unwrap();
        assert!(!at("x-left00").exists(), "it was left");
        assert!(at("x-live00").exists() && at("x-outer0").exists() && at("y-left00").exists() && own.path().exists());
        assert!(left_below(parent.path(), "x-", Made::AtAnyTime).is_empty(), "all of them are locked, or new");
        let path = own.path().to_owned();
        drop((own, second));
        assert!(!path.exists());
        live.iter().for_each(|live| live.unlock().unwrap());
        assert_eq!(paths(&left_below(parent.path(), "x-", Made::SinceStart)), [at("x-live00"), at("x-outer0")]);
    }

    #[test]
    fn what_a_process_makes_is_found_when_it_was_killed() {
        let parent = tempfile::tempdir().unwrap();
        let OwnDirectory { directory, .. } = OwnDirectory::below(parent.path(), "x-").unwrap();
        let path = directory.keep();
        age(&path);
        let left = left_below(parent.path(), "x-", Made::SinceStart);
        assert!(paths(&left) == [path.as_path()], "{left:?}");
        left.into_iter().for_each(|left| left.remove().unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn directories_of_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let ours = mark(&[boot_line()]);
        let other_machine = mark(&[Some("boot 1".to_owned()), Some("machine 1".to_owned())]);
        made(parent.path(), "x-thesis", "notes");
        made(parent.path(), "x-nowher", &mark(&[]));
        made(parent.path(), "x-remote", &other_machine);
        made(parent.path(), "x-longer-name", &ours);
        made(parent.path(), "x-open00", &ours);
        fs::set_permissions(at("x-open00"), PermissionsExt::from_mode(0o777)).unwrap();
        made(parent.path(), "x-linked", "");
        fs::remove_file(at("x-linked/mark")).unwrap();
        fs::write(at("mark"), &ours).unwrap();
        symlink(at("mark"), at("x-linked/mark")).unwrap();
        age(&at("x-linked"));
        made(parent.path(), "target", &ours);
        symlink(at("target"), at("x-link00")).unwrap();
        fs::write(at("x-file00"), "mine").unwrap();
        if rustix::process::geteuid().is_root() {
            made(parent.path(), "x-nobody", &ours);
            chown(at("x-nobody"), Some(NOBODY), None).unwrap();
        }
        let before = fs::read_dir(parent.path()).unwrap().count();
        assert_eq!(paths(&left_below(parent.path(), "x-", Made::AtAnyTime)), Vec::<PathBuf>::new());
        drop(OwnDirectory::below(parent.path(), "x-").unwrap());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), before);
    }

    #[test]
    fn what_was_left_before_the_machine_was_started_is_found_only_for_a_question() {
        let Some(machine) = machine_line() else { return };
        let parent = tempfile::tempdir().unwrap();
        made(parent.path(), "x-left00", &mark(&[Some("boot 1".to_owned()), Some(machine)]));
        assert!(left_below(parent.path(), "x-", Made::SinceStart).is_empty());
        assert_eq!(left_below(parent.path(), "x-", Made::AtAnyTime).len(), 1);
    }

    #[test]
    fn a_name_that_was_given_to_something_else_is_not_removed() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        made(parent.path(), "x-left00", &mark(&[boot_line()]));
        let [left] = <[LeftDirectory; 1]>::try_from(left_below(parent.path(), "x-", Made::SinceStart)).unwrap();
        fs::rename(at("x-left00"), at("away")).unwrap();
        made(parent.path(), "x-left00", "");
        assert!(left.remove().is_err());
        assert!(at("x-left00/inner/thesis.tex").exists(), "only what was looked at is emptied");
    }
}
