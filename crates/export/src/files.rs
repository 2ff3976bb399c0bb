//! The files of the tables about one kind of subject, as CSV or Parquet.

use std::fs::File;
use std::io::BufWriter;
use std::ops::ControlFlow;
use std::path::PathBuf;

use csv::Writer;
use tables::{Table, Value, field_text};

use crate::error::{Error, Result};
use crate::folder::{Folder, Head, Sink};
use crate::parquet_file::ParquetFile;

/// The format of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One `TABLE.csv` for each table (RFC 4180, UTF-8, one line of heads).
    Csv,
    /// One `TABLE.parquet` for each table.
    Parquet,
    /// One `RECORD.NUMBER.TEST.hlog` for each run that is not invalid.
    Hdr,
}

/// One file for each table about an `S`.
pub(crate) struct Files<S: 'static> {
    tables: &'static [Table<S>],
    /// In the order of the tables, with the rows that they have.
    sinks: Vec<(Box<dyn Sink>, usize)>,
}

impl<S> Files<S> {
    /// Empty files; none for histogram logs.
    pub(crate) fn create(folder: &Folder, format: Format, tables: &'static [Table<S>]) -> Result<Files<S>> {
        let mut sinks: Vec<(Box<dyn Sink>, usize)> = Vec::new();
        for table in tables {
            let sink: Box<dyn Sink> = match format {
                Format::Csv => Box::new(CsvFile::create(folder, table.name, &(table.heads)())?),
                Format::Parquet => Box::new(ParquetFile::create(folder, table.name, &(table.heads)())?),
                Format::Hdr => break,
            };
            sinks.push((sink, 0));
        }
        Ok(Files { tables, sinks })
    }

    /// Appends the rows of `subject` to each.
    pub(crate) fn add(&mut self, subject: &S) -> Result<()> {
        for (table, (sink, rows)) in self.tables.iter().zip(&mut self.sinks) {
            let mut written = Ok(());
            let _ = (table.rows)(subject, &mut |row| {
                *rows += 1;
                written = sink.write(row);
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            written?;
        }
        Ok(())
    }

    /// Ends the files; name and rows of each.
    pub(crate) fn finish(self) -> Result<Vec<(String, usize)>> {
        let end = |(table, (sink, rows)): (&Table<S>, (Box<dyn Sink>, usize))| {
            sink.finish().map(|()| (table.name.to_owned(), rows))
        };
        self.tables.iter().zip(self.sinks).map(end).collect()
    }
}

/// A CSV file.
struct CsvFile {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
}

impl CsvFile {
    /// A file with a header line.
    fn create(folder: &Folder, name: &str, heads: &[Head]) -> Result<CsvFile> {
        let (path, file) = folder.create(&format!("{name}.csv"))?;
        let mut writer = Writer::from_writer(file);
        writer.write_record(heads.iter().map(|(key, _)| key)).map_err(|cause| Error::write(&path, cause))?;
        Ok(CsvFile { path, writer })
    }
}

impl Sink for CsvFile {
    fn write(&mut self, row: &[Value<'_>]) -> Result<()> {
        self.writer
            .write_record(row.iter().map(|value| field_text(&value.exact()).into_owned()))
            .map_err(|cause| Error::write(&self.path, cause))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.writer.flush().map_err(|cause| Error::write(&self.path, cause))
    }
}
