//! The files to be written: format, compression, destination.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use record::Bytes;

use crate::cards::{Cards, Style};
use crate::compression::{Compression, Packing};

/// The format of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilesFormat {
    /// Lines with a bar after each field, without a header.
    Bars,
    /// Lines with commas between the fields, with a header.
    Commas,
    /// Parquet, compressed with Snappy by default.
    Parquet,
}

impl FilesFormat {
    /// The file extension, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            FilesFormat::Bars => "tbl",
            FilesFormat::Commas => "csv",
            FilesFormat::Parquet => "parquet",
        }
    }

    /// The style of its rows as lines; rows of Parquet are counted as lines with bars.
    pub fn style(self) -> Style {
        match self {
            FilesFormat::Commas => Style::Commas,
            FilesFormat::Bars | FilesFormat::Parquet => Style::Bars,
        }
    }
}

/// The destination of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Files in an existing directory.
    Directory {
        /// The directory, which has to exist.
        path: PathBuf,
        /// Number of files, 1 or more.
        files: u32,
    },
    /// One file. A device or a pipe is written in place.
    File(PathBuf),
    /// Standard output.
    StandardOutput,
}

/// The files to be written.
#[derive(Clone, Debug)]
pub struct Files {
    /// The generator of the rows.
    pub cards: Cards,
    /// The format of the files.
    pub format: FilesFormat,
    /// The compression of the files.
    pub packing: Packing,
    /// The directory, file or stream.
    pub destination: Destination,
    /// Threads that generate and compress rows, 1 or more.
    pub threads: usize,
    /// Whether an existing incomplete file is replaced; complete ones always are: see [`Files::existing`].
    pub replace: bool,
}

/// The estimated size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Bytes of the rows as lines of text.
    pub flat: Bytes,
    /// Bytes of the files.
    pub written: Bytes,
}

/// The progress of writing.
#[derive(Clone, Copy, Debug)]
pub struct FilesProgress<'a> {
    /// The file last written to.
    pub file: &'a Path,
    /// Bytes of lines so far, of all files.
    pub done: Bytes,
    /// Estimated total bytes of lines.
    pub size: Bytes,
}

/// The result of writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesWritten {
    /// Number of rows.
    pub rows: u64,
    /// Bytes of the rows as lines of text.
    pub flat: Bytes,
    /// Bytes of the files.
    pub written: Bytes,
    /// CRC-32 (that of gzip) of all lines in order, independent of compression and format.
    pub crc32: u32,
    /// The files in the order of their rows; empty for the standard output.
    pub paths: Vec<PathBuf>,
}

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// An I/O error; this file does not exist, others may.
    #[error("{} cannot be written: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// Stopped on request.
    #[error("interrupted")]
    Stopped {
        /// Number of complete files, which are kept.
        whole: usize,
    },
}

impl Files {
    /// The files, in the order of their rows.
    pub fn paths(&self) -> Vec<PathBuf> {
        match &self.destination {
            Destination::File(path) => vec![path.clone()],
            Destination::StandardOutput => vec![PathBuf::from("standard output")],
            Destination::Directory { path, files } => {
                let ending = match (self.format, self.packing.compression()) {
                    // Parquet files are compressed internally.
                    (FilesFormat::Parquet, _) | (_, Compression::Plain) => self.format.ending().to_owned(),
                    (format, compression) => format!("{}.{}", format.ending(), compression.ending()),
                };
                (1..=*files).map(|number| path.join(format!("cards-{number:04}.{ending}"))).collect()
            }
        }
    }

    /// The rows of each file, equal up to one.
    pub(super) fn rows(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        let files = match self.destination {
            Destination::Directory { files, .. } => u128::from(files),
            Destination::File(_) | Destination::StandardOutput => 1,
        };
        let rows = u128::from(self.cards.rows());
        let bound = move |file: u128| (rows * file / files) as u64;
        (0..files).map(move |file| bound(file)..bound(file + 1))
    }
}

/// Whether `path` is written in place: `/dev/null`, a named pipe, but not a disk.
pub fn is_in_place(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.file_type().is_char_device() || found.file_type().is_fifo())
}
