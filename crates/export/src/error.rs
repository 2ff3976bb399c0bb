//! Errors of an export.

use std::io;
use std::path::{Path, PathBuf};

/// The result of writing.
pub type Result<T> = std::result::Result<T, Error>;

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory is not empty.
    #[error("directory {} is not empty", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// Histograms of a published system are requested.
    #[error("{name} is published and has no histograms")]
    NoHistograms {
        /// The published system.
        name: String,
    },
    /// A file or directory cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
}

impl Error {
    /// The error of writing `path`.
    pub(crate) fn write(path: &Path, cause: impl Into<io::Error>) -> Error {
        Error::Write { path: path.to_owned(), cause: cause.into() }
    }

    /// A hint for the user, if any.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::NotEmpty { .. } => {
                Some("give another one with --out, or replace files of the same names with --force")
            }
            Error::NoHistograms { .. } => Some("write its figures with --format csv or parquet"),
            Error::Write { .. } => None,
        }
    }
}
