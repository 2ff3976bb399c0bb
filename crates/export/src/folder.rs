//! The directory of the export, and the interface of its table files.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use tables::{Kind, Value};

use crate::error::{Error, Result};

/// What to do with existing files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// A directory that is not empty is refused.
    Refuse,
    /// Files of the same names are replaced, others are kept.
    Replace,
}

/// Key and kind of a column.
pub(crate) type Head = (&'static str, Kind);

/// A file that rows are written into.
pub(crate) trait Sink {
    /// Appends a row, with a value for each column.
    fn write(&mut self, row: &[Value<'_>]) -> Result<()>;

    /// Ends the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// The directory of an export.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens the directory at `path`, which is created if it does not exist.
    pub(crate) fn open(path: &Path, existing: Existing) -> Result<Folder> {
        fs::create_dir_all(path).map_err(|cause| Error::write(path, cause))?;
        let mut entries = fs::read_dir(path).map_err(|cause| Error::write(path, cause))?;
        if existing == Existing::Refuse && entries.next().is_some() {
            return Err(Error::NotEmpty { path: path.to_owned() });
        }
        Ok(Folder { path: path.to_owned() })
    }

    /// Creates the file `name` in it; the path and the file.
    pub(crate) fn create(&self, name: &str) -> Result<(PathBuf, BufWriter<File>)> {
        let path = self.path.join(name);
        let file = File::create(&path).map_err(|cause| Error::write(&path, cause))?;
        Ok((path, BufWriter::new(file)))
    }
}
