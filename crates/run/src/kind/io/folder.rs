//! A folder inside the measured directory, removed when it is dropped.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The file that tells who made a folder.
const MARK: &str = "mark";

/// Whether the file at `path` is `mark`.
fn bears(path: &Path, mark: &str) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == mark.len() as u64);
    is_file && fs::read_to_string(path).is_ok_and(|text| text == mark)
}

/// A folder; removed with its content.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates `data/name`, after removing what a killed invocation left there in a directory that is kept.
    pub(crate) fn make(data: &Path, name: &str) -> Result<Folder> {
        let path = data.join(name);
        let refused = |error: std::io::Error| Error::environment(format!("{}: {error}", path.display()));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(error)),
            _ => fs::create_dir_all(&path).map_err(refused)?,
        }
        Ok(Folder { path })
    }

    /// The same on storage that other hosts reach, too. A folder of this name is removed only if it bears `mark`, which tells the
    /// host that made it: another host may be at work in it, or it may be somebody's.
    pub(crate) fn make_marked(parent: &Path, name: &str, mark: &str) -> Result<Folder> {
        let path = parent.join(name);
        if let Ok(found) = fs::symlink_metadata(&path)
            && !(found.is_dir() && bears(&path.join(MARK), mark))
        {
            return Err(Error::environment(format!("{} was not made by dbdyno on this host", path.display()))
                .hint("remove it, if nobody needs it and no host is measuring in it"));
        }
        let folder = Folder::make(parent, name)?;
        let marked = fs::write(folder.path.join(MARK), mark);
        marked.map_err(|error| Error::environment(format!("{}: {error}", folder.path.display())))?;
        Ok(folder)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_another_host_made_stays() {
        let export = tempfile::tempdir().expect("a directory");
        let at = |name: &str| export.path().join(name);
        let make = |mark: &str| Folder::make_marked(export.path(), "proof", mark);
        fs::create_dir(at("proof")).expect("a directory");
        fs::write(at("proof/thesis"), "mine").expect("a file");
        assert!(make("of a").is_err_and(|error| error.message.contains("was not made by dbdyno on this host")));
        assert!(at("proof/thesis").exists());
        fs::remove_dir_all(at("proof")).expect("removed");
        let folder = make("of a").expect("new");
        assert!(make("of b").is_err(), "a host of the same name is at work in it");
        fs::write(at("proof/left"), "x").expect("a file");
        std::mem::forget(folder);
        drop(make("of a").expect("it was left"));
        assert!(!at("proof").exists());
        std::os::unix::fs::symlink(export.path(), at("proof")).expect("a link");
        assert!(make("of a").is_err());
    }
}
