//! A table as comma-separated values.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use csv::Writer;
use tables::Value;

use crate::error::{Error, Result};
use crate::files::{Head, Sink};
use crate::folder::Folder;

/// A CSV file.
pub(crate) struct CommaFile {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
}

impl CommaFile {
    /// A file with a line of heads.
    pub(crate) fn create(folder: &Folder, name: &str, heads: &[Head]) -> Result<CommaFile> {
        let (path, file) = folder.create(&format!("{name}.csv"))?;
        let mut writer = Writer::from_writer(file);
        writer.write_record(heads.iter().map(|(key, _)| key)).map_err(|cause| Error::write(&path, cause))?;
        Ok(CommaFile { path, writer })
    }
}

impl Sink for CommaFile {
    fn write(&mut self, row: &[Value<'_>]) -> Result<()> {
        self.writer
            .write_record(row.iter().map(|value| value.exact().into_owned()))
            .map_err(|cause| Error::write(&self.path, cause))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.writer.flush().map_err(|cause| Error::write(&self.path, cause))
    }
}
