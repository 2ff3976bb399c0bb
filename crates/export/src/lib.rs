//! Records as other programs want them: flat tables as CSV or Parquet, and histogram logs.
//!
//! A crate of its own because Parquet pulls weight that nobody else must pay. It writes files and prints nothing; which
//! rows and columns there are is said in one place for both formats of tables. A figure that has no source is empty, and
//! so are the results of a void run.

mod column;
mod comma;
mod error;
mod folder;
mod interval_log;
mod naming;
mod parquet_file;
mod table;
mod tables;
#[cfg(test)]
mod tests;

use std::path::Path;

use record::Record;

pub use error::{Error, Result};

use comma::CommaFile;
use folder::Folder;
use interval_log::write_logs;
use naming::Names;
use parquet_file::ParquetFile;
use table::Sink;
use tables::TABLES;

/// What files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One `TABLE.csv` for each table (RFC 4180, UTF-8, one line of heads).
    Csv,
    /// One `TABLE.parquet` for each table.
    Parquet,
    /// One `RECORD.NUMBER.TEST.hlog` for each run that is not void.
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
    names: Names,
    /// One for each of [`TABLES`], in their order; none where histograms are written.
    sinks: Vec<Box<dyn Sink>>,
    written: Written,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Records.
    pub records: usize,
    /// Name and rows of each table; name and intervals in all where histograms were written.
    pub tables: Vec<(String, usize)>,
    /// Void runs that have no log; none of tables, where they are rows without a result.
    pub left_out: usize,
}

impl Export {
    /// Begins to write files of `format` into the directory `out`, which is made if it is not there.
    ///
    /// # Errors
    /// Where `out` cannot be made, or holds something and `existing` is [`Existing::Refuse`].
    pub fn begin(out: &Path, format: Format, existing: Existing) -> Result<Export> {
        let folder = Folder::open(out, existing)?;
        let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
        for table in TABLES {
            sinks.push(match format {
                Format::Csv => Box::new(CommaFile::create(&folder, table.name, &(table.columns)())?),
                Format::Parquet => Box::new(ParquetFile::create(&folder, table.name, &(table.columns)())?),
                Format::Hdr => break,
            });
        }
        let names = if sinks.is_empty() { vec!["intervals"] } else { TABLES.iter().map(|table| table.name).collect() };
        let tables = names.into_iter().map(|name| (name.to_owned(), 0)).collect();
        Ok(Export { folder, names: Names::default(), sinks, written: Written { tables, ..Written::default() } })
    }

    /// Writes what `record` holds, and says under which name: its own, or one that no record before it had.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn add(&mut self, mut record: Record) -> Result<String> {
        self.written.records += 1;
        let name = self.names.give(&record.id);
        record.id.clone_from(&name.id);
        if self.sinks.is_empty() {
            let logs = write_logs(&self.folder, &name.stem, &record)?;
            self.written.tables[0].1 += logs.intervals;
            self.written.left_out += logs.left_out;
            return Ok(name.id);
        }
        for ((table, sink), (_, rows)) in TABLES.iter().zip(&mut self.sinks).zip(&mut self.written.tables) {
            (table.rows)(&record, &mut |row| {
                *rows += 1;
                sink.write(row)
            })?;
        }
        Ok(name.id)
    }

    /// Ends all files.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn finish(self) -> Result<Written> {
        self.sinks.into_iter().try_for_each(|sink| sink.finish())?;
        Ok(self.written)
    }
}
