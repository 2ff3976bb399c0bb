//! Results that an agent keeps in files until its coordinator has them in its record.
//!
//! The directory may be one that other users write into, such as `/tmp`. What stands there is a part only if it is a
//! file of this user in a folder of this user; everything else is left alone, and named. Both are reached by descriptor, so
//! that nothing is put in their place between the check and the use.

use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use record::{Attempt, GivenPart, KeptPart, PartKey};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Error, Result};
use crate::piece::{RESULT_BYTES_MAX, sha256};

/// The folder of the parts, below the directory of an agent.
const FOLDER: &str = "dbdyno-parts";

/// How the name of a part ends.
const ENDING: &str = ".part";

/// How often a part is written where the folder is gone again.
const ATTEMPTS_MAX: usize = 10;

/// The largest part that is read: its result, and whose it is.
const PART_BYTES_MAX: u64 = RESULT_BYTES_MAX + (1 << 20);

/// Parts in a folder, which is there only while it holds one.
#[derive(Clone, Debug)]
pub struct KeptParts {
    folder: PathBuf,
    part_bytes_max: u64,
}

/// The parts of one record, and what stands beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundParts {
    /// The parts.
    pub parts: Vec<GivenPart>,
    /// What is where parts are and was not read as one, each with the reason.
    pub passed_over: Vec<String>,
}

impl KeptParts {
    /// Those below `directory`.
    pub fn below(directory: &Path) -> KeptParts {
        KeptParts { folder: directory.join(FOLDER), part_bytes_max: PART_BYTES_MAX }
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes `part`; it is on stable storage afterwards. A part that is of no record, as those that prepare a run, is not
    /// kept: no record lacks it.
    pub(crate) fn keep(&self, part: &KeptPart) -> Result<()> {
        if part.record.is_empty() {
            return Ok(());
        }
        let name = name(&part.fleet, part.attempt, &part.agent);
        let text = serde_json::to_vec(part).expect("parts are plain data");
        // Another agent may remove the folder, which is empty, just after it was made.
        let mut written = self.write(&name, &text);
        for _ in 1..ATTEMPTS_MAX {
            if !written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                break;
            }
            written = self.write(&name, &text);
        }
        written.map_err(|error| {
            Error::new(format!("part {} cannot be written: {error}", self.folder.join(name).display()))
        })
    }

    fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        let is_new = !self.folder.exists();
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        if let Some(parent) = self.folder.parent().filter(|_| is_new) {
            // Else a crash may leave the part without the folder.
            File::open(parent)?.sync_all()?;
        }
        let folder = match self.open() {
            Ok(folder) => folder.ok_or(io::ErrorKind::NotFound)?,
            Err(why) => return Err(io::Error::other(format!("its folder {why}"))),
        };
        let unfinished = format!(".{name}.{}", std::process::id());
        let written = create(&folder, &unfinished).and_then(|mut file| {
            file.write_all(text)?;
            file.sync_all()?;
            rustix::fs::renameat(&folder, unfinished.as_str(), &folder, name)?;
            Ok(rustix::fs::fsync(&folder)?)
        });
        if written.is_err() {
            // The first error is the one to report.
            let _ = rustix::fs::unlinkat(&folder, unfinished.as_str(), AtFlags::empty());
        }
        written
    }

    /// The folder; None where there is none.
    fn open(&self) -> std::result::Result<Option<OwnedFd>, String> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = match rustix::fs::open(&self.folder, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => return Err("is a link, or no directory".to_owned()),
            Err(error) => return Err(format!("cannot be opened: {error}")),
        };
        let found = rustix::fs::fstat(&folder).map_err(|error| format!("cannot be read: {error}"))?;
        if !is_ours(found.st_uid) {
            return Err(format!("belongs to user {}", found.st_uid));
        }
        match found.st_mode & 0o022 {
            0 => Ok(Some(folder)),
            _ => Err("may be written by other users".to_owned()),
        }
    }

    /// The parts of `record`. What is no part, or none of ours, is left alone and named.
    pub fn of_record(&self, record: &str) -> FoundParts {
        let mut found = FoundParts::default();
        let folder = match self.open() {
            Ok(Some(folder)) => folder,
            Ok(None) => return found,
            Err(why) => {
                found.passed_over.push(format!("folder {} is passed over: it {why}", self.folder.display()));
                return found;
            }
        };
        for name in names_in(&folder) {
            match self.read(&folder, &name) {
                Ok(given) if given.part.record == record => found.parts.push(given),
                Ok(_) => {}
                Err(why) => {
                    let path = self.folder.join(&name);
                    found.passed_over.push(format!("part {} is passed over: it {why}", path.display()));
                }
            }
        }
        found
    }

    /// The part in the file `name` of `folder`.
    fn read(&self, folder: &OwnedFd, name: &str) -> std::result::Result<GivenPart, String> {
        let text = self.content(folder, name)?;
        let part = serde_json::from_slice(&text)
            .map_err(|error| format!("is damaged or no part, at line {}, column {}", error.line(), error.column()))?;
        Ok(GivenPart { sha256: sha256(&text), part })
    }

    /// The content of the file `name` of `folder`, which must be a file of ours.
    fn content(&self, folder: &OwnedFd, name: &str) -> std::result::Result<Vec<u8>, String> {
        // A pipe without a writer would be waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::LOOP) => return Err("is a link".to_owned()),
            Err(error) => return Err(format!("cannot be opened: {error}")),
        };
        let found = rustix::fs::fstat(&file).map_err(|error| format!("cannot be read: {error}"))?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err("is no file".to_owned());
        }
        if !is_ours(found.st_uid) {
            return Err(format!("belongs to user {}", found.st_uid));
        }
        let limit = self.part_bytes_max;
        let mut text = Vec::new();
        let read = file.take(limit + 1).read_to_end(&mut text);
        match read {
            Err(error) => Err(format!("cannot be read: {error}")),
            Ok(length) if length as u64 > limit => Err(format!("has more than {limit} bytes")),
            Ok(_) => Ok(text),
        }
    }

    /// Removes those of `keys` that are there with the content that was given, and the folder with the last part.
    pub fn remove_given(&self, keys: &[PartKey]) {
        let Ok(Some(folder)) = self.open() else { return };
        for key in keys {
            let name = name(&key.fleet, key.attempt, &key.agent);
            if self.content(&folder, &name).is_ok_and(|text| sha256(&text) == key.sha256) {
                // One that cannot be removed is found again.
                let _ = rustix::fs::unlinkat(&folder, name.as_str(), AtFlags::empty());
            }
        }
        self.remove_folder();
    }

    /// Removes a part, if it is there, and the folder with the last one.
    pub fn remove(&self, fleet: &str, attempt: Attempt, agent: &str) {
        let Ok(Some(folder)) = self.open() else { return };
        let _ = rustix::fs::unlinkat(&folder, name(fleet, attempt, agent), AtFlags::empty());
        self.remove_folder();
    }

    fn remove_folder(&self) {
        // Where others are in it, it stays.
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// The names of fleets and agents come from elsewhere: they are no part of the name.
fn name(fleet: &str, Attempt { epoch, run }: Attempt, agent: &str) -> String {
    let whose = &sha256(format!("{fleet} {agent}"))[..16];
    format!("run-{run}-attempt-{epoch}-{whose}{ENDING}")
}

/// The names of the entries of `folder` that may be parts, in order.
fn names_in(folder: &OwnedFd) -> Vec<String> {
    let entries = Dir::read_from(folder).into_iter().flatten().filter_map(std::result::Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ENDING) && !name.starts_with('.')).collect();
    names.sort();
    names
}

/// A new file in `folder`, in place of what a killed process with this number left.
fn create(folder: &OwnedFd, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o600));
    let opened = match open() {
        Err(Errno::EXIST) => rustix::fs::unlinkat(folder, name, AtFlags::empty()).and_then(|()| open()),
        opened => opened,
    };
    Ok(File::from(opened?))
}

fn is_ours(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;
    use crate::tests::kept_part;

    const NOBODY: u32 = 65_534;

    fn entries(kept: &KeptParts) -> usize {
        fs::read_dir(kept.folder()).map_or(0, Iterator::count)
    }

    #[test]
    fn a_part_is_there_until_it_is_removed_and_the_folder_goes_with_the_last_one() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        assert_eq!(kept.of_record("r"), FoundParts::default());
        let parts = [kept_part("r", 1, "a"), kept_part("r", 2, "../b"), kept_part("other", 3, "a")];
        parts.iter().for_each(|part| kept.keep(part).unwrap());
        assert_eq!(fs::metadata(kept.folder()).unwrap().permissions().mode() & 0o777, 0o700, "others do not read it");
        fs::write(kept.folder().join("notes.txt"), "mine").unwrap();
        let found = kept.of_record("r");
        assert_eq!((found.parts.len(), found.passed_over.len()), (2, 0));
        assert!(found.parts.iter().all(|given| parts.contains(&given.part)));
        for part in &parts {
            kept.remove(&part.fleet, part.attempt, &part.agent);
        }
        assert_eq!(entries(&kept), 1, "what is not ours stays");
        fs::remove_file(kept.folder().join("notes.txt")).unwrap();
        kept.remove("f", Attempt { epoch: 9, run: 9 }, "a");
        assert!(!kept.folder().exists());
    }

    #[test]
    fn a_part_of_no_record_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        kept.keep(&kept_part("", 1, "a")).unwrap();
        assert!(!kept.folder().exists());
    }

    #[test]
    fn only_what_was_given_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        ["a", "b"].iter().for_each(|agent| kept.keep(&kept_part("r", 1, agent)).unwrap());
        let keys: Vec<PartKey> = kept.of_record("r").parts.iter().map(GivenPart::key).collect();
        // Another part takes the place of one.
        let mut later = kept_part("r", 1, "b");
        later.result.host_threads += 1;
        kept.keep(&later).unwrap();
        kept.remove_given(&keys);
        let left = kept.of_record("r").parts;
        assert_eq!(left.iter().map(|given| &given.part).collect::<Vec<_>>(), [&later]);
    }

    #[test]
    fn what_is_no_part_is_named_and_the_parts_beside_it_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts { part_bytes_max: 64 << 10, ..KeptParts::below(directory.path()) };
        ["a", "b"].iter().for_each(|agent| kept.keep(&kept_part("r", 1, agent)).unwrap());
        let at = |name: &str| kept.folder().join(name);
        let text = fs::read(kept.folder().join(names_in(&kept.open().unwrap().unwrap()).remove(0))).unwrap();
        fs::write(at("damaged.part"), &text[..text.len() / 2]).unwrap();
        fs::write(at("secret.part"), "{\"s3cret\": 1}").unwrap();
        fs::write(at("large.part"), vec![b' '; 65 << 10]).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe.part"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        symlink("/dev/zero", at("link.part")).unwrap();
        fs::create_dir(at("folder.part")).unwrap();
        let mut passed_over = vec!["damaged", "folder", "large", "link", "pipe", "secret"];
        if rustix::process::geteuid().is_root() {
            fs::write(at("strange.part"), &text).unwrap();
            chown(at("strange.part"), Some(NOBODY), None).unwrap();
            passed_over.push("strange");
        }
        let found = kept.of_record("r");
        assert_eq!(found.parts.len(), 2, "{found:?}");
        assert_eq!(found.passed_over.len(), passed_over.len(), "{found:?}");
        for (said, name) in found.passed_over.iter().zip(passed_over) {
            assert!(said.contains(&format!("{name}.part is passed over: it ")), "{said}");
            assert!(!said.contains("s3cret"), "what was read is not repeated: {said}");
        }
    }

    #[test]
    fn a_folder_of_others_is_neither_written_nor_read() {
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let kept = KeptParts::below(directory.path());
        let is_refused = |why: &str| {
            let refused = kept.keep(&kept_part("r", 1, "a")).unwrap_err();
            assert!(refused.message.contains(why), "{refused}");
            let found = kept.of_record("r");
            assert!(found.parts.is_empty() && found.passed_over[0].contains(why), "{found:?}");
            kept.remove("f", Attempt { epoch: 1, run: 1 }, "a");
        };
        let there = KeptParts::below(elsewhere.path());
        there.keep(&kept_part("r", 1, "a")).unwrap();
        symlink(there.folder(), kept.folder()).unwrap();
        is_refused("is a link");
        assert_eq!(entries(&there), 1, "nothing is removed or written through a link");
        fs::remove_file(kept.folder()).unwrap();
        fs::rename(there.folder(), kept.folder()).unwrap();
        fs::set_permissions(kept.folder(), PermissionsExt::from_mode(0o777)).unwrap();
        is_refused("may be written by other users");
        if rustix::process::geteuid().is_root() {
            fs::set_permissions(kept.folder(), PermissionsExt::from_mode(0o755)).unwrap();
            chown(kept.folder(), Some(NOBODY), None).unwrap();
            is_refused("belongs to user 65534");
        }
        assert_eq!(entries(&kept), 1);
    }
}
