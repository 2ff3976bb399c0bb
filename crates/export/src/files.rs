//! The files of some tables that are about the same kind of thing.

use std::ops::ControlFlow;

use tables::{Kind, Table, Value};

use crate::Format;
use crate::comma::CommaFile;
use crate::error::Result;
use crate::folder::Folder;
use crate::parquet_file::ParquetFile;

/// Key and kind of a column.
pub(crate) type Head = (&'static str, Kind);

/// A file that rows are written into.
pub(crate) trait Sink {
    /// Appends a row, with a value for each column.
    fn write(&mut self, row: &[Value<'_>]) -> Result<()>;

    /// Ends the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// One file for each table about an `S`.
pub(crate) struct Files<S: 'static> {
    tables: &'static [Table<S>],
    /// In the order of the tables, with the rows that they have.
    sinks: Vec<(Box<dyn Sink>, usize)>,
}

impl<S> Files<S> {
    /// Empty files; none where histograms are written.
    pub(crate) fn create(folder: &Folder, format: Format, tables: &'static [Table<S>]) -> Result<Files<S>> {
        let mut sinks: Vec<(Box<dyn Sink>, usize)> = Vec::new();
        for table in tables {
            let sink: Box<dyn Sink> = match format {
                Format::Csv => Box::new(CommaFile::create(folder, table.name, &(table.heads)())?),
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

    /// Ends them; says how many rows each has.
    pub(crate) fn finish(self) -> Result<Vec<(String, usize)>> {
        let end = |(table, (sink, rows)): (&Table<S>, (Box<dyn Sink>, usize))| {
            sink.finish().map(|()| (table.name.to_owned(), rows))
        };
        self.tables.iter().zip(self.sinks).map(end).collect()
    }
}
