//! Files of card transactions: equal ones, made by several threads at the same time, each whole or not there.

mod parquet_file;
mod sink;
mod workers;

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use record::Bytes;

use crate::cards::{Cards, Style};
use crate::compression::{Compression, Packer, Packing};
use workers::Workers;

/// Rows that the size of compressed files is estimated from.
const PREVIEW_ROWS: u64 = 1 << 14;
/// The same of Parquet, whose columns begin with all the values that there are.
const PREVIEW_ROWS_OF_COLUMNS: u64 = 1 << 16;

/// What files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilesFormat {
    /// Lines with a bar behind each field, without names.
    Bars,
    /// Lines with commas between the fields, the first one with their names.
    Commas,
    /// Columns, and their types. Compressed by column: Snappy where nothing else is asked for.
    Parquet,
}

impl FilesFormat {
    /// What names of such files end with, without the point.
    pub fn ending(self) -> &'static str {
        match self {
            FilesFormat::Bars => "tbl",
            FilesFormat::Commas => "csv",
            FilesFormat::Parquet => "parquet",
        }
    }

    /// How its rows look as lines; those of Parquet are counted as lines with bars.
    pub fn style(self) -> Style {
        match self {
            FilesFormat::Commas => Style::Commas,
            FilesFormat::Bars | FilesFormat::Parquet => Style::Bars,
        }
    }
}

/// Where the files of rows go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Files in a directory that is there.
    Directory {
        /// The directory, which has to be there.
        path: PathBuf,
        /// How many files, 1 or more.
        files: u32,
    },
    /// One file. Written in place where it is a device or a pipe.
    File(PathBuf),
    /// The standard output of the process, one stream of lines.
    StandardOutput,
}

/// What is to be written.
#[derive(Clone, Debug)]
pub struct Files {
    /// What makes the rows.
    pub cards: Cards,
    /// The format and the compression of the files.
    pub format: FilesFormat,
    /// How they are compressed.
    pub packing: Packing,
    /// The directory, file or stream that the rows are written to.
    pub destination: Destination,
    /// Threads that make rows and compress them, 1 or more.
    pub threads: usize,
    /// Whether a file that somebody left unfinished is replaced; one that is whole always is: [`Files::existing`] tells
    /// before.
    pub replace: bool,
}

/// How large it all will be, about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Bytes of the rows as lines of text.
    pub flat: Bytes,
    /// As the files will lie there.
    pub written: Bytes,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct FilesProgress<'a> {
    /// The file that was last written to.
    pub file: &'a Path,
    /// Lines made so far, of all files.
    pub done: Bytes,
    /// Lines in all, about.
    pub size: Bytes,
}

/// What was written, when all is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesWritten {
    /// How many rows were written.
    pub rows: u64,
    /// Bytes of the rows as lines of text.
    pub flat: Bytes,
    /// As the files lie there.
    pub written: Bytes,
    /// CRC-32 (that of gzip) of all lines in their order, whatever the compression and the format.
    pub crc32: u32,
    /// The files in the order of their rows; empty for the standard output.
    pub paths: Vec<PathBuf>,
}

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// Something could not be written; the file is not there, and others may be.
    #[error("{} cannot be written: {cause}", path.display())]
    Write {
        /// The file that it happened to.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// It was asked to stop.
    #[error("interrupted")]
    Stopped {
        /// Files that are whole and stay.
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
                    // A Parquet file is compressed within.
                    (FilesFormat::Parquet, _) | (_, Compression::Plain) => self.format.ending().to_owned(),
                    (format, compression) => format!("{}.{}", format.ending(), compression.ending()),
                };
                (1..=*files).map(|number| path.join(format!("cards-{number:04}.{ending}"))).collect()
            }
        }
    }

    /// The first of the files that is there already, or what another writer made of it so far: it would be replaced.
    pub fn existing(&self) -> Option<PathBuf> {
        if self.destination == Destination::StandardOutput {
            return None;
        }
        let replaced = self.paths().into_iter().filter(|path| !is_in_place(path));
        replaced.flat_map(|path| [sink::part_of(&path), path]).find(|path| path.symlink_metadata().is_ok())
    }

    /// The rows of each file: as many in each, or one more.
    fn rows(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        let files = match self.destination {
            Destination::Directory { files, .. } => u128::from(files),
            Destination::File(_) | Destination::StandardOutput => 1,
        };
        let rows = u128::from(self.cards.rows());
        let bound = move |file: u128| (rows * file / files) as u64;
        (0..files).map(move |file| bound(file)..bound(file + 1))
    }

    /// How large it all will be; a few thousand rows tell how well they compress.
    ///
    /// # Errors
    /// Where memory is short.
    pub fn preview(&self) -> io::Result<Preview> {
        let flat = Cards::bytes_of(self.cards.rows(), self.format.style());
        let is_parquet = self.format == FilesFormat::Parquet;
        let rows = self.cards.rows().min(if is_parquet { PREVIEW_ROWS_OF_COLUMNS } else { PREVIEW_ROWS });
        let mut lines = Vec::new();
        self.cards.write_as(self.format.style(), 0..rows, &mut lines);
        let written = match is_parquet {
            true => parquet_file::encoded_bytes(&self.cards, 0..rows, self.packing)?,
            false => Packer::new(self.packing)?.pack(&lines)?.len() as u64,
        };
        let scaled = u128::from(flat.0) * u128::from(written) / (lines.len() as u128).max(1);
        Ok(Preview { flat, written: Bytes(u64::try_from(scaled).unwrap_or(u64::MAX)) })
    }
}

/// Whether `path` is something that is written to as it is: `/dev/null`, a named pipe. A disk is not.
pub fn is_in_place(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.file_type().is_char_device() || found.file_type().is_fifo())
}

/// Writes `files`. Each is written beside its place as `NAME.part` and renamed when it is whole; what is not whole when
/// an error occurs, or when `stop` rises, is removed. `progress` is called by several threads.
///
/// # Errors
/// Where a file cannot be written, and where it was asked to stop.
pub fn write_files(
    files: &Files,
    stop: &AtomicBool,
    progress: &(dyn Fn(FilesProgress<'_>) + Sync),
) -> Result<FilesWritten, FilesError> {
    Workers::new(files, stop, progress).work()
}

#[cfg(test)]
mod tests;
