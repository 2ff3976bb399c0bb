//! A folder of our own inside the measured directory, gone when it is dropped.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A folder; removed with all that is in it.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes `data/name`. What an invocation that was killed left there, in a directory that is kept, is removed.
    ///
    /// # Errors
    /// Where it cannot be made.
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
        // What cannot be removed goes with the measured directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}
