//! Files of card transactions of equal size, written by several threads, each complete or absent.

mod parquet_file;
mod request;
mod sink;
mod workers;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use record::Bytes;

use crate::cards::Cards;
use crate::compression::Compressor;
use sink::part_of;
use workers::Workers;

pub use request::{Destination, Files, FilesError, FilesFormat, FilesProgress, FilesWritten, Preview, is_in_place};

/// Rows of the sample for the compression ratio.
const PREVIEW_ROWS: u64 = 1 << 14;
/// The same of Parquet, whose columns start with a dictionary of all values.
const PREVIEW_ROWS_OF_COLUMNS: u64 = 1 << 16;

impl Files {
    /// The first of the files that exists, complete or incomplete, and would be replaced.
    pub fn existing(&self) -> Option<PathBuf> {
        if self.destination == Destination::StandardOutput {
            return None;
        }
        let replaced = self.paths().into_iter().filter(|path| !is_in_place(path));
        replaced.flat_map(|path| [part_of(&path), path]).find(|path| path.symlink_metadata().is_ok())
    }

    /// The estimated size, with the compression ratio of a few thousand rows.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn preview(&self) -> io::Result<Preview> {
        let flat = Cards::bytes_of(self.cards.rows(), self.format.style());
        let is_parquet = self.format == FilesFormat::Parquet;
        let rows = self.cards.rows().min(if is_parquet { PREVIEW_ROWS_OF_COLUMNS } else { PREVIEW_ROWS });
        let mut lines = Vec::new();
        self.cards.write_as(self.format.style(), 0..rows, &mut lines);
        let written = match is_parquet {
            true => parquet_file::encoded_bytes(&self.cards, 0..rows, self.packing)?,
            false => Compressor::new(self.packing)?.compress(&lines)?.len() as u64,
        };
        let scaled = u128::from(flat.0) * u128::from(written) / (lines.len() as u128).max(1);
        Ok(Preview { flat, written: Bytes(u64::try_from(scaled).unwrap_or(u64::MAX)) })
    }
}

/// Writes `files`. Each is written as `NAME.part` and renamed when it is complete; incomplete files are removed after
/// an error or when `stop` is set. `progress` is called by several threads.
///
/// # Errors
/// If a file cannot be written, or `stop` is set.
pub fn write_files(
    files: &Files,
    stop: &AtomicBool,
    progress: &(dyn Fn(FilesProgress<'_>) + Sync),
) -> Result<FilesWritten, FilesError> {
    Workers::new(files, stop, progress).work()
}

#[cfg(test)]
mod tests;
