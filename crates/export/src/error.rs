//! What can be wrong with writing files, in words for the user.

use std::io;
use std::path::{Path, PathBuf};

/// The result of writing.
pub type Result<T> = std::result::Result<T, Error>;

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory holds something already.
    #[error("directory {} is not empty", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// Histograms are asked for of figures that somebody published.
    #[error("{name} is published and has no histograms")]
    NoHistograms {
        /// The published system.
        name: String,
    },
    /// The operating system refused.
    #[error("{} cannot be written: {cause}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What was said.
        cause: io::Error,
    },
}

impl Error {
    /// The refusal to write `path`.
    pub(crate) fn write(path: &Path, cause: impl Into<io::Error>) -> Error {
        Error::Write { path: path.to_owned(), cause: cause.into() }
    }

    /// What the user may do about it; none where there is nothing to advise.
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
