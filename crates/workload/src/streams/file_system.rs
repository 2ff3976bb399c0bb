//! Files on the file system, with direct or buffered I/O, synced where the engine would commit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use engine::{Error, Kind, ObjectAccess, Result};
use record::Bytes;
use rustix::fs::OFlags;

use super::backend::FileBackend;

/// A backend of files in a folder.
pub struct FileSystemBackend {
    folder: PathBuf,
    /// Whether direct I/O is used.
    direct: bool,
    open: Option<File>,
    writes: bool,
    /// A created file that is not committed yet.
    fresh: Option<PathBuf>,
}

impl FileSystemBackend {
    /// In `folder`, with direct I/O if `direct`.
    pub fn new(folder: &Path, direct: bool) -> FileSystemBackend {
        FileSystemBackend { folder: folder.to_owned(), direct, open: None, writes: false, fresh: None }
    }

    /// Whether the file system at `folder` supports direct I/O.
    pub fn takes_direct(folder: &Path) -> bool {
        let trial = folder.join("trial");
        let flag = OFlags::DIRECT.bits() as i32;
        let opened = OpenOptions::new().write(true).create(true).truncate(true).custom_flags(flag).open(&trial);
        // It may not exist.
        let _ = fs::remove_file(&trial);
        opened.is_ok()
    }

    fn path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("file-{number}"))
    }

    fn options(&self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.custom_flags(if self.direct { OFlags::DIRECT.bits() as i32 } else { 0 });
        options
    }

    fn opened(&self) -> Result<&File> {
        self.open.as_ref().ok_or_else(|| Error::new(Kind::Statement, "no file is open"))
    }

    fn refused(&self, what: &str, error: &io::Error) -> Error {
        let full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let message = format!("a file in {} cannot be {what}: {error}", self.folder.display());
        match full {
            true => Error::new(Kind::Space, message).hint("free space, give a smaller --file, or another --dir"),
            false => Error::new(Kind::Lost, message),
        }
    }
}

impl FileBackend for FileSystemBackend {
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    fn create(&mut self, number: u32, _size: Bytes) -> Result<()> {
        let path = self.path(number);
        let opened = self.options().write(true).create(true).truncate(true).open(&path);
        self.open = Some(opened.map_err(|error| self.refused("created", &error))?);
        (self.writes, self.fresh) = (true, Some(path));
        Ok(())
    }

    fn open(&mut self, number: u32, access: ObjectAccess) -> Result<()> {
        self.writes = access == ObjectAccess::Write;
        let opened = self.options().read(!self.writes).write(self.writes).open(self.path(number));
        self.open = Some(opened.map_err(|error| self.refused("opened", &error))?);
        Ok(())
    }

    fn write(&mut self, at: u64, content: &[u8]) -> Result<()> {
        self.opened()?.write_all_at(content, at).map_err(|error| self.refused("written", &error))
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        self.opened()?.read_exact_at(into, at).map_err(|error| self.refused("read", &error))
    }

    fn commit(&mut self) -> Result<()> {
        if let Some(file) = self.open.take().filter(|_| self.writes) {
            file.sync_all().map_err(|error| self.refused("synced", &error))?;
        }
        self.fresh = None;
        Ok(())
    }

    fn abort(&mut self) -> Result<()> {
        self.open = None;
        match self.fresh.take() {
            Some(path) => fs::remove_file(path).map_err(|error| self.refused("removed", &error)),
            None => Ok(()),
        }
    }
}
