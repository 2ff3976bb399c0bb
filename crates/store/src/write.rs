//! Writing of records, line by line, each line synced to stable storage.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use record::{End, Line, Record, Run};

use crate::error::{Error, Result};
use crate::fold::{end, lines};
use crate::holder::holder;
use crate::parse::Fields;
use crate::read::{kind_of, open, read_fields};

/// A record to which lines are appended. It holds a lock: no other process can append to the file, but all can read it.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    /// Length up to the end of the last complete line.
    whole_bytes: u64,
    /// Whether an incomplete append may follow it.
    is_torn: bool,
}

impl Writer {
    /// Creates the file of `record`.
    ///
    /// # Errors
    /// [`Error::Write`] with the error of the operating system, also if the file exists; [`Error::WriteTarget`] if
    /// `path` is not a file; [`Error::Content`] for a value that could not be read back. The file is removed then.
    pub fn create(path: &Path, record: &Record) -> Result<Writer> {
        if let Ok(metadata) = fs::metadata(path)
            && !metadata.is_file()
        {
            return Err(Error::WriteTarget { path: path.to_owned(), kind: kind_of(metadata.file_type()) });
        }
        let refused = |cause| Error::Write { path: path.to_owned(), cause };
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(path).map_err(refused)?;
        let mut writer = Writer { path: path.to_owned(), file, whole_bytes: 0, is_torn: false };
        let text = encode(path, record);
        let written = writer
            .lock()
            .and_then(|()| writer.put(&text?))
            .and_then(|()| File::open(directory(path)).and_then(|directory| directory.sync_all()).map_err(refused));
        if written.is_err() {
            // Best effort: the first error is returned.
            let _ = fs::remove_file(path);
        }
        written.map(|()| writer)
    }

    /// Opens the record at `path` for appending. Nothing is written yet; the next append truncates an incomplete line.
    ///
    /// # Errors
    /// As for [`crate::read`]; [`Error::Locked`] if another process appends to it.
    pub fn resume(path: &Path) -> Result<(Writer, Record)> {
        let append: fn(&mut OpenOptions) = |options| {
            options.read(true).append(true);
        };
        let file = open(path, &append).map_err(|error| match error {
            Error::Read { path, cause } if is_read_only(&cause) => Error::Write { path, cause },
            error => error,
        })?;
        let mut writer = Writer { path: path.to_owned(), file, whole_bytes: 0, is_torn: true };
        writer.lock()?;
        let (record, contents) = read_fields(path, &writer.file, Fields::All, &|_| {})?;
        writer.whole_bytes = contents.whole_bytes;
        Ok((writer, record))
    }

    /// Whose file it is, and who may write it: of the file that is read and appended to, whatever stands at its path by now.
    ///
    /// # Errors
    /// [`Error::Read`] with the error of the operating system.
    pub fn metadata(&self) -> Result<fs::Metadata> {
        self.file.metadata().map_err(|cause| Error::Read { path: self.path.clone(), cause })
    }

    /// Appends `line` with one write and one sync. The file before it is not read.
    ///
    /// # Errors
    /// [`Error::Write`] with the error of the operating system, [`Error::Content`] for a value that could not be read
    /// back. The line is not part of the record then; others can still be appended.
    pub fn append(&mut self, line: &Line<&Run>) -> Result<()> {
        let text = encode_line(&self.path, line)?;
        self.put(&text)
    }

    /// Appends the end of `record`.
    ///
    /// # Errors
    /// As for [`Writer::append`].
    pub fn append_end(&mut self, record: &Record) -> Result<()> {
        let end: End = end(record);
        self.append(&Line::End(Box::new(end)))
    }

    fn lock(&self) -> Result<()> {
        match self.file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(Error::Locked { path: self.path.clone(), holder: holder(&self.file) }),
            // A file system without locks: no other process can hold one either.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => Ok(()),
            Err(TryLockError::Error(cause)) => Err(Error::Write { path: self.path.clone(), cause }),
        }
    }

    fn put(&mut self, text: &[u8]) -> Result<()> {
        self.try_put(text).map_err(|cause| Error::Write { path: self.path.clone(), cause })
    }

    fn try_put(&mut self, text: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.whole_bytes)?;
        }
        self.is_torn = true;
        let written = self.file.write_all(text).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => {
                self.whole_bytes += text.len() as u64;
                self.is_torn = false;
            }
            // Readers ignore an incomplete last line, but not one in the middle. If it cannot be truncated now, the
            // next append does it, or fails.
            Err(_) => self.is_torn = self.file.set_len(self.whole_bytes).is_err(),
        }
        written
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Closing the file would not do: a program that another thread is just starting has a copy of the descriptor.
        let _ = self.file.unlock();
    }
}

fn is_read_only(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The text of the file of `record`.
pub(crate) fn encode(path: &Path, record: &Record) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    lines(record).try_for_each(|line| encode_line(path, &line).map(|line| text.extend(line)))?;
    Ok(text)
}

/// The text of `line`. It is read back as a check: the encoder turns a number that is not finite into `null`.
fn encode_line(path: &Path, line: &Line<&Run>) -> Result<Vec<u8>> {
    let content = |cause: serde_json::Error| Error::Content { path: path.to_owned(), reason: cause.to_string() };
    let mut text = serde_json::to_vec(line).map_err(content)?;
    serde_json::from_slice::<Line>(&text).map_err(content)?;
    text.push(b'\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_device_is_reported() {
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut writer = Writer { path: "/measured/r.jsonl".into(), file, whole_bytes: 0, is_torn: false };
        let error = writer.append(&Line::Resumed { repeated: Vec::new() }).unwrap_err();
        assert_eq!(error.to_string(), "record /measured/r.jsonl cannot be written: the file system is full");
        assert!(error.hint().unwrap().contains("free space"));
        assert!(writer.is_torn, "a device cannot be truncated: the next append must");
    }

    #[test]
    fn the_next_append_truncates_an_incomplete_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(&path).unwrap();
        let mut writer = Writer { path: path.clone(), file, whole_bytes: 0, is_torn: false };
        writer.append(&Line::Unplanned { numbers: vec![7] }).unwrap();
        let whole = fs::read(&path).unwrap();
        writer.file.write_all(b"{\"run\":{\"num").unwrap();
        writer.is_torn = true;
        writer.append(&Line::Unplanned { numbers: vec![7] }).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [&whole[..], &whole[..]].concat());
    }
}
