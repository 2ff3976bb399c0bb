//! A file that appears under its name when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind::NotFound;
use std::io::{self, Write, stdout};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use super::request::{Destination, Files, is_in_place};

/// The output of one file.
pub(super) struct Sink {
    file: File,
    bytes: u64,
    /// None for a device, a pipe and the standard output, which cannot be renamed.
    part: Option<Part>,
}

/// An incomplete file.
struct Part {
    part: PathBuf,
    path: PathBuf,
    is_complete: bool,
}

/// The name of the file at `path` until it is complete.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    PathBuf::from(part)
}

impl Sink {
    /// Opens the output for `path`.
    pub(super) fn open(files: &Files, path: &Path) -> io::Result<Sink> {
        let (file, part) = match &files.destination {
            // Without the line buffer of the standard library.
            Destination::StandardOutput => (File::from(stdout().as_fd().try_clone_to_owned()?), None),
            _ if is_in_place(path) => (OpenOptions::new().write(true).open(path)?, None),
            _ => {
                let part = part_of(path);
                if files.replace {
                    fs::remove_file(&part)
                        .or_else(|error| if error.kind() == NotFound { Ok(()) } else { Err(error) })?;
                }
                // An existing file is not overwritten.
                let file = File::create_new(&part)?;
                (file, Some(Part { part, path: path.to_owned(), is_complete: false }))
            }
        };
        Ok(Sink { file, bytes: 0, part })
    }

    /// Bytes written.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Renames the complete file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        if let Some(part) = &mut self.part {
            fs::rename(&part.part, &part.path)?;
            part.is_complete = true;
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
        if !self.is_complete {
            let _ = fs::remove_file(&self.part);
        }
    }
}
