//! The directory that files are written into.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::Existing;
use crate::error::{Error, Result};

/// A directory of ours.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the directory at `path` where it is not there.
    pub(crate) fn open(path: &Path, existing: Existing) -> Result<Folder> {
        fs::create_dir_all(path).map_err(|cause| Error::write(path, cause))?;
        let mut entries = fs::read_dir(path).map_err(|cause| Error::write(path, cause))?;
        if existing == Existing::Refuse && entries.next().is_some() {
            return Err(Error::NotEmpty { path: path.to_owned() });
        }
        Ok(Folder { path: path.to_owned() })
    }

    /// An empty file `name` in it, and its path.
    pub(crate) fn create(&self, name: &str) -> Result<(PathBuf, BufWriter<File>)> {
        let path = self.path.join(name);
        let file = File::create(&path).map_err(|cause| Error::write(&path, cause))?;
        Ok((path, BufWriter::new(file)))
    }
}
