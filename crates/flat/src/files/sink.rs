//! A file that is there when it is whole, and not before.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind::NotFound;
use std::io::{self, Write, stdout};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use super::{Destination, Files, is_in_place};

/// Where the bytes of one file go.
pub(super) struct Sink {
    file: File,
    bytes: u64,
    /// None of a device, a pipe and the standard output, where nothing can be renamed.
    part: Option<Part>,
}

/// The name of a file until it is whole.
struct Part {
    part: PathBuf,
    path: PathBuf,
    is_whole: bool,
}

/// What the file at `path` is called until it is whole.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    PathBuf::from(part)
}

impl Sink {
    /// Opens the one of `files` that is to be at `path`.
    pub(super) fn open(files: &Files, path: &Path) -> io::Result<Sink> {
        let (file, part) = match &files.destination {
            // Past the buffer of the standard library, which looks for ends of lines.
            Destination::StandardOutput => (File::from(stdout().as_fd().try_clone_to_owned()?), None),
            _ if is_in_place(path) => (OpenOptions::new().write(true).open(path)?, None),
            _ => {
                let part = part_of(path);
                if files.replace {
                    fs::remove_file(&part)
                        .or_else(|error| if error.kind() == NotFound { Ok(()) } else { Err(error) })?;
                }
                // Somebody else's is not written to, whatever it is.
                let file = File::create_new(&part)?;
                (file, Some(Part { part, path: path.to_owned(), is_whole: false }))
            }
        };
        Ok(Sink { file, bytes: 0, part })
    }

    /// Bytes that were written.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives the whole file its name.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        if let Some(part) = &mut self.part {
            fs::rename(&part.part, &part.path)?;
            part.is_whole = true;
        }
        Ok(())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.is_whole {
            // There is nobody left to tell.
            let _ = fs::remove_file(&self.part);
        }
    }
}
