//! Dropping files of the engine from the page cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use record::{Bytes, Ratio};

/// What is still in the page cache after a drop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cached {
    /// Share of the bytes of all files.
    pub share: Ratio,
    /// Number of bytes.
    pub bytes: Bytes,
}

/// Drops every file below `directory` from the page cache; the share of their bytes that is still cached. None where
/// there are no bytes. Files that disappear or cannot be read are skipped.
pub(crate) fn drop_page_cache(directory: &Path) -> Option<Ratio> {
    cached_after_drop(directory).map(|left| left.share)
}

/// The same, with the number of cached bytes.
pub(crate) fn cached_after_drop(directory: &Path) -> Option<Cached> {
    let mut sizes = (0.0, 0.0);
    each_file(directory, &mut |file, length| {
        // A failed drop shows in the share.
        let _ = host::drop_cache(file, 0, length);
        if let Some(Ratio(share)) = host::cached_share(file, 0, length) {
            sizes = (sizes.0 + share * length as f64, sizes.1 + length as f64);
        }
    });
    (sizes.1 > 0.0)
        .then(|| Cached { share: Ratio((sizes.0 / sizes.1).clamp(0.0, 1.0)), bytes: Bytes(sizes.0.ceil() as u64) })
}

/// Bytes of the data files below `directory` that are in the page cache; None where that is not known.
pub(crate) fn page_cached(directory: &Path) -> Option<Bytes> {
    let share_of = |path: PathBuf| {
        let file = File::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        let Ratio(share) = host::cached_share(&file, 0, length)?;
        Some(share * length as f64)
    };
    let known = files_of_data(directory).into_iter().filter_map(share_of);
    known.reduce(|sum, more| sum + more).map(|bytes| Bytes(bytes as u64))
}

/// The data files below `directory`: without logs, which an engine writes in parts of pages.
pub(crate) fn files_of_data(directory: &Path) -> Vec<PathBuf> {
    let is_log = |path: &Path| {
        let names = path.components().map(|part| part.as_os_str().to_string_lossy());
        names.into_iter().any(|name| name == "pg_wal" || name.ends_with(".wal") || name.ends_with("-wal"))
    };
    let mut found = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            match kind {
                Ok(_) if is_log(Path::new(&entry.file_name())) => {}
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found
}

fn each_file(directory: &Path, visit: &mut dyn FnMut(&File, u64)) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            each_file(&entry.path(), visit);
        } else if kind.is_file()
            && let Ok(file) = File::open(entry.path())
            && let Ok(metadata) = file.metadata()
            && metadata.len() > 0
        {
            visit(&file, metadata.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_hold_no_data() {
        let directory = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(directory.path().join("base/5")).expect("a folder");
        fs::create_dir(directory.path().join("pg_wal")).expect("a folder");
        for name in ["base/5/16384", "pg_wal/000000010000000000000001", "db.wal", "db-wal", "db"] {
            fs::write(directory.path().join(name), "x").expect("a file");
        }
        let mut found = files_of_data(directory.path());
        found.sort();
        assert_eq!(found, ["base/5/16384", "db"].map(|name| directory.path().join(name)));
    }

    #[test]
    fn files_in_subdirectories_are_found_and_an_empty_directory_has_no_share() {
        let directory = tempfile::tempdir().expect("a directory");
        assert_eq!(drop_page_cache(directory.path()), None);
        fs::create_dir(directory.path().join("below")).expect("a folder");
        fs::write(directory.path().join("below/file"), vec![1; 1 << 20]).expect("a file");
        let Some(Ratio(share)) = drop_page_cache(directory.path()) else { panic!("it is there") };
        // Files of a file system in memory cannot be dropped.
        assert!((0.0..=1.0).contains(&share));
        let mut found = 0;
        each_file(directory.path(), &mut |_, length| found += length);
        assert_eq!(found, 1 << 20);
    }
}
