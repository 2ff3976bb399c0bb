//! Records and published systems as other programs want them: flat tables as CSV or Parquet, and histogram logs.
//!
//! A crate of its own because Parquet pulls weight that nobody else must pay. It writes files and prints nothing; which
//! rows and columns there are is said in `tables`. A figure that has no source is empty, and so are the results of an invalid
//! run.

mod column;
mod comma;
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

use files::Files;
use folder::Folder;
use interval_log::write_logs;
use naming::Names;

/// What files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One `TABLE.csv` for each table (RFC 4180, UTF-8, one line of heads).
    Csv,
    /// One `TABLE.parquet` for each table.
    Parquet,
    /// One `RECORD.NUMBER.TEST.hlog` for each run that is not invalid.
    Hdr,
}

/// What to do with files that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is written beside anything else.
    Refuse,
    /// Files of the same names are replaced, others stay.
    Replace,
}

/// Files that are being written.
pub struct Export {
    folder: Folder,
    format: Format,
    names: Names,
    /// Of records; made with the first of them, none where histograms are written.
    records: Option<Files<Record>>,
    /// Of published systems; made with the first of them.
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
    /// Name and rows of each table; name and intervals in all where histograms were written.
    pub tables: Vec<(String, usize)>,
    /// Invalid runs that have no log; none of tables, where they are rows without a result.
    pub left_out: usize,
}

impl Export {
    /// Begins to write files of `format` into the directory `out`, which is made if it is not there.
    ///
    /// # Errors
    /// Where `out` cannot be made, or holds something and `existing` is [`Existing::Refuse`].
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

    /// Writes what `record` holds, and says under which name: its own, or one that no record before it had.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn add(&mut self, mut record: Record) -> Result<String> {
        self.written.records += 1;
        let name = self.names.give(&record.id);
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
    /// Where histograms are asked for, which no publication has, and where a file cannot be written.
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
    /// Where a file cannot be written.
    pub fn finish(mut self) -> Result<Written> {
        if self.format == Format::Hdr {
            self.written.tables.push(("intervals".to_owned(), self.intervals));
        }
        self.written.tables.extend(self.records.map(Files::finish).transpose()?.unwrap_or_default());
        self.written.tables.extend(self.references.map(Files::finish).transpose()?.unwrap_or_default());
        Ok(self.written)
    }
}
