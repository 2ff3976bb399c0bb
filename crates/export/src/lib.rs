//! Records and published systems for other programs: flat tables as CSV or Parquet, and histogram logs.
//!
//! A crate of its own because of the size of the Parquet dependency. It writes files and prints nothing; rows and
//! columns are defined in `tables`. A figure without a source is empty, and so are the results of an invalid run.

mod column;
mod error;
mod files;
mod folder;
mod interval_log;
mod naming;
mod parquet_file;
#[cfg(test)]
mod tests;

use std::path::Path;

use model::System;
use record::Record;
use tables::{OF_RECORDS, OF_SYSTEMS};

pub use error::{Error, Result};
pub use files::Format;
pub use folder::Existing;

use files::Files;
use folder::Folder;
use interval_log::write_logs;
use naming::Names;

/// An export in progress.
pub struct Export {
    folder: Folder,
    format: Format,
    names: Names,
    /// The files of records; created with the first one, none for histogram logs.
    records: Option<Files<Record>>,
    /// The files of published systems; created with the first one.
    references: Option<Files<System>>,
    written: Written,
    /// Intervals of histograms.
    intervals: usize,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Records.
    pub records: usize,
    /// Published systems.
    pub references: usize,
    /// Name and rows of each table; for histogram logs the total of intervals.
    pub tables: Vec<(String, usize)>,
    /// Invalid runs without a histogram log; 0 for tables, where they are rows without a result.
    pub left_out: usize,
}

impl Export {
    /// Starts an export of files of `format` into the directory `out`, which is created if it does not exist.
    ///
    /// # Errors
    /// `out` cannot be created, or is not empty and `existing` is [`Existing::Refuse`].
    pub fn begin(out: &Path, format: Format, existing: Existing) -> Result<Export> {
        Ok(Export {
            folder: Folder::open(out, existing)?,
            format,
            names: Names::default(),
            records: None,
            references: None,
            written: Written::default(),
            intervals: 0,
        })
    }

    /// Writes `record` and returns its name in the export: its id, or a unique one after an earlier record with the
    /// same id.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add(&mut self, mut record: Record) -> Result<String> {
        self.written.records += 1;
        let name = self.names.add(&record.id);
        record.id.clone_from(&name.id);
        if self.format == Format::Hdr {
            let logs = write_logs(&self.folder, &name.stem, &record)?;
            self.intervals += logs.intervals;
            self.written.left_out += logs.left_out;
            return Ok(name.id);
        }
        let files = match &mut self.records {
            Some(files) => files,
            none => none.insert(Files::create(&self.folder, self.format, OF_RECORDS)?),
        };
        files.add(&record)?;
        Ok(name.id)
    }

    /// Writes the figures of `system`, a published one, into tables of their own.
    ///
    /// # Errors
    /// Histograms are requested, which no publication has, or a file cannot be written.
    pub fn add_reference(&mut self, system: &System) -> Result<()> {
        if self.format == Format::Hdr {
            return Err(Error::NoHistograms { name: system.name.clone() });
        }
        self.written.references += 1;
        let files = match &mut self.references {
            Some(files) => files,
            none => none.insert(Files::create(&self.folder, self.format, OF_SYSTEMS)?),
        };
        files.add(system)
    }

    /// Ends all files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(mut self) -> Result<Written> {
        if self.format == Format::Hdr {
            self.written.tables.push(("intervals".to_owned(), self.intervals));
        }
        self.written.tables.extend(self.records.map(Files::finish).transpose()?.unwrap_or_default());
        self.written.tables.extend(self.references.map(Files::finish).transpose()?.unwrap_or_default());
        Ok(self.written)
    }
}
