//! A folder inside the measured directory, removed when it is dropped.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A folder; removed with its content.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates `data/name`, after removing what a killed invocation left there in a directory that is kept.
    ///
    /// # Errors
    /// Where it cannot be created.
    pub(crate) fn make(data: &Path, name: &str) -> Result<Folder> {
        let path = data.join(name);
        let refused = |error: std::io::Error| Error::environment(format!("{}: {error}", path.display()));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(error)),
            _ => fs::create_dir_all(&path).map_err(refused)?,
        }
        Ok(Folder { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed here is removed with the measured directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}
