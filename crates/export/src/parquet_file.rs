//! A table as a Parquet file: the only module that knows how such a file is written.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use tables::Value;

use crate::column::{Cells, schema};
use crate::error::{Error, Result};
use crate::folder::{Folder, Head, Sink};

/// Rows in memory before they are written as a group.
const GROUP_ROWS: usize = 200_000;

/// A Parquet file.
pub(crate) struct ParquetFile {
    path: PathBuf,
    writer: SerializedFileWriter<BufWriter<File>>,
    columns: Vec<Cells>,
    rows: usize,
}

impl ParquetFile {
    /// A file without rows.
    pub(crate) fn create(folder: &Folder, name: &str, heads: &[Head]) -> Result<ParquetFile> {
        let (path, file) = folder.create(&format!("{name}.parquet"))?;
        let cells = heads.iter().map(|(_, kind)| Cells::new(kind.of_file())).collect();
        match writer(file, name, heads) {
            Ok(writer) => Ok(ParquetFile { path, writer, columns: cells, rows: 0 }),
            Err(cause) => Err(Error::write(&path, in_words(cause))),
        }
    }

    fn write_group(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let written = write_group(&mut self.writer, &mut self.columns);
        written.map_err(|cause| Error::write(&self.path, in_words(cause)))
    }
}

impl Sink for ParquetFile {
    fn write(&mut self, row: &[Value<'_>]) -> Result<()> {
        self.columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
        self.rows += 1;
        if self.rows < GROUP_ROWS { Ok(()) } else { self.write_group() }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.write_group()?;
        let ParquetFile { path, writer, .. } = *self;
        let file = writer.into_inner().map_err(|cause| Error::write(&path, in_words(cause)))?;
        // Flushes the buffer.
        file.into_inner().map_err(|error| Error::write(&path, error.into_error()))?;
        Ok(())
    }
}

fn writer(file: BufWriter<File>, name: &str, heads: &[Head]) -> ParquetResult<SerializedFileWriter<BufWriter<File>>> {
    let fields: Vec<Arc<Type>> =
        heads.iter().map(|(key, kind)| schema(key, kind.of_file()).map(Arc::new)).collect::<ParquetResult<_>>()?;
    let root = Type::group_type_builder(name).with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    SerializedFileWriter::new(file, Arc::new(root), Arc::new(properties))
}

fn write_group(writer: &mut SerializedFileWriter<BufWriter<File>>, columns: &mut [Cells]) -> ParquetResult<()> {
    let mut group = writer.next_row_group()?;
    for cells in columns {
        let mut column = group.next_column()?.ok_or(ParquetError::General("a column is missing".to_owned()))?;
        cells.write(column.untyped())?;
        column.close()?;
    }
    group.close().map(|_| ())
}

fn in_words(cause: ParquetError) -> io::Error {
    io::Error::other(cause.to_string())
}
