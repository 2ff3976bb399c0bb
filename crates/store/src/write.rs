//! Writes a record so that, whatever happens, there is either the old one or the new one, never half of one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use record::Record;
use serde::Serialize;
use serde_json::Serializer;

use crate::error::{Error, Result};
use crate::lines::Lines;
use crate::read::kind_of;

/// The end of the name of a file that is not yet a record.
const PARTIAL: &str = ".partial";

/// Writes `record` to `path` as indented JSON, a list of numbers on one line: into a file beside it, forced to stable
/// storage, renamed, and the directory forced too. What stood there is replaced as a whole or not at all. A symbolic
/// link stays a link.
///
/// # Errors
/// [`Error::Write`] with what the operating system said, [`Error::WriteTarget`] where something else than a file
/// stands at `path`, [`Error::Content`] for a record that could not be read back.
pub fn write(path: &Path, record: &Record) -> Result<()> {
    let json = encode(path, record)?;
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(metadata) = fs::metadata(&target)
        && !metadata.is_file()
    {
        return Err(Error::WriteTarget { path: path.to_owned(), kind: kind_of(metadata.file_type()) });
    }
    replace(&target, &json).map_err(|cause| Error::Write { path: path.to_owned(), cause })
}

/// The text of the file. Reading it back is cheap beside the run that it describes, and the only check that also
/// finds what the encoder lets pass: a number that is not finite becomes `null`, which is no number.
pub(crate) fn encode(path: &Path, record: &Record) -> Result<Vec<u8>> {
    let content = |cause: serde_json::Error| Error::Content { path: path.to_owned(), reason: cause.to_string() };
    let mut json = Vec::new();
    record.serialize(&mut Serializer::with_formatter(&mut json, Lines::default())).map_err(content)?;
    serde_json::from_slice::<Record>(&json).map_err(content)?;
    json.push(b'\n');
    Ok(json)
}

/// Puts a file with `content` at `target`.
fn replace(target: &Path, content: &[u8]) -> io::Result<()> {
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    remove_leftovers(directory, name);
    let partial = directory.join(partial_name(name, std::process::id()));
    let done = create(&partial)
        .and_then(|file| fill(file, content))
        .and_then(|()| fs::rename(&partial, target))
        .and_then(|()| File::open(directory)?.sync_all());
    if done.is_err() {
        // Best effort: the first error is the one to tell. After the rename there is nothing left to remove.
        let _ = fs::remove_file(&partial);
    }
    done
}

/// A fresh file; one of that name can only be a leftover of an earlier process with our number.
fn create(partial: &Path) -> io::Result<File> {
    match fs::remove_file(partial) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => OpenOptions::new().write(true).create_new(true).open(partial),
    }
}

/// Writes `content` and waits until it is on stable storage.
fn fill(mut file: File, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.sync_all()
}

/// The name under which process `process` writes the record `name`. Hidden, so that nobody takes it for a record.
fn partial_name(name: &OsStr, process: u32) -> OsString {
    let mut partial = OsString::from(".");
    partial.push(name);
    partial.push(format!(".{process}{PARTIAL}"));
    partial
}

/// Removes what processes that died while they wrote this record have left. One that is alive is left alone: its
/// rename must not carry our half.
fn remove_leftovers(directory: &Path, name: &OsStr) {
    let Some(name) = name.to_str() else { return };
    let prefix = format!(".{name}.");
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let dead = entry.file_name().to_str().and_then(|leftover| {
            leftover
                .strip_prefix(&prefix)?
                .strip_suffix(PARTIAL)?
                .parse::<u32>()
                .ok()
                .filter(|process| is_dead(*process))
        });
        if dead.is_some() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether no process has this number; where that cannot be told, no.
fn is_dead(process: u32) -> bool {
    Path::new("/proc/self").exists() && !PathBuf::from(format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_device_is_told_as_such() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let cause = fill(full, b"{}").unwrap_err();
        let error = Error::Write { path: "/measured/r.json".into(), cause };
        assert_eq!(error.to_string(), "record /measured/r.json cannot be written: the file system is full");
        assert!(error.hint().unwrap().contains("free space"));
    }

    #[test]
    fn the_leftover_of_a_dead_process_goes_and_that_of_a_live_one_stays() {
        let directory = tempfile::tempdir().unwrap();
        let name = OsStr::new("r.json");
        // Process numbers end at 2^22 on Linux, so this one is nobody's.
        let dead = directory.path().join(partial_name(name, u32::MAX));
        let live = directory.path().join(partial_name(name, 1));
        let other = directory.path().join(partial_name(OsStr::new("s.json"), u32::MAX));
        for path in [&dead, &live, &other] {
            fs::write(path, "{").unwrap();
        }
        replace(&directory.path().join(name), b"{}").unwrap();
        assert!(!dead.exists());
        assert!(live.exists() && other.exists());
    }
}
