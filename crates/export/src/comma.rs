//! A table as comma-separated values.

use std::borrow::Cow;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use csv::Writer;

use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::table::{Column, Sink, Value};

/// A CSV file.
pub(crate) struct CommaFile {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
}

impl CommaFile {
    /// A file with a line of heads.
    pub(crate) fn create(folder: &Folder, name: &str, columns: &[Column]) -> Result<CommaFile> {
        let (path, file) = folder.create(&format!("{name}.csv"))?;
        let mut writer = Writer::from_writer(file);
        writer.write_record(columns.iter().map(|(name, _)| name)).map_err(|cause| Error::write(&path, cause))?;
        Ok(CommaFile { path, writer })
    }
}

impl Sink for CommaFile {
    fn write(&mut self, row: &[Value<'_>]) -> Result<()> {
        let cells = row.iter().map(|cell| text(cell).into_owned());
        self.writer.write_record(cells).map_err(|cause| Error::write(&self.path, cause))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.writer.flush().map_err(|cause| Error::write(&self.path, cause))
    }
}

fn text<'a>(value: &'a Value<'_>) -> Cow<'a, str> {
    match value {
        Value::Text(text) => Cow::Borrowed(text),
        Value::Count(count) => Cow::Owned(count.to_string()),
        Value::Number(number) => Cow::Owned(number.to_string()),
        Value::Truth(truth) => Cow::Borrowed(if *truth { "true" } else { "false" }),
        Value::Empty => Cow::Borrowed(""),
    }
}
