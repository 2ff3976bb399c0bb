//! Files of the engine put out of the page cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use record::{Bytes, Ratio};

/// What could not be put out of the page cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cached {
    /// Of the bytes of all files.
    pub share: Ratio,
    /// The bytes themselves.
    pub bytes: Bytes,
}

/// Puts every file below `directory` out of the page cache; the share of their bytes that lies there afterwards. None
/// where there is nothing to look at. A file that goes away meanwhile, or may not be read, is left out.
pub(crate) fn drop_page_cache(directory: &Path) -> Option<Ratio> {
    left_after(directory).map(|left| left.share)
}

/// The same with the bytes that lie there afterwards.
pub(crate) fn left_after(directory: &Path) -> Option<Cached> {
    let mut sizes = (0.0, 0.0);
    each_file(directory, &mut |file, length| {
        // What may not be put out is seen in the share.
        let _ = host::drop_cache(file, 0, length);
        if let Some(Ratio(share)) = host::cached_share(file, 0, length) {
            sizes = (sizes.0 + share * length as f64, sizes.1 + length as f64);
        }
    });
    (sizes.1 > 0.0)
        .then(|| Cached { share: Ratio((sizes.0 / sizes.1).clamp(0.0, 1.0)), bytes: Bytes(sizes.0.ceil() as u64) })
}

/// The files below `directory` that hold data: logs, which an engine writes in pieces of pages, are none.
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

fn each_file(directory: &Path, look: &mut dyn FnMut(&File, u64)) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            each_file(&entry.path(), look);
        } else if kind.is_file()
            && let Ok(file) = File::open(entry.path())
            && let Ok(metadata) = file.metadata()
            && metadata.len() > 0
        {
            look(&file, metadata.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_hold_no_data() {
        let place = tempfile::tempdir().expect("a place");
        fs::create_dir_all(place.path().join("base/5")).expect("a folder");
        fs::create_dir(place.path().join("pg_wal")).expect("a folder");
        for name in ["base/5/16384", "pg_wal/000000010000000000000001", "db.wal", "db-wal", "db"] {
            fs::write(place.path().join(name), "x").expect("a file");
        }
        let mut found = files_of_data(place.path());
        found.sort();
        assert_eq!(found, ["base/5/16384", "db"].map(|name| place.path().join(name)));
    }

    #[test]
    fn files_of_folders_are_found_and_an_empty_place_has_no_share() {
        let place = tempfile::tempdir().expect("a place");
        assert_eq!(drop_page_cache(place.path()), None);
        fs::create_dir(place.path().join("below")).expect("a folder");
        fs::write(place.path().join("below/file"), vec![1; 1 << 20]).expect("a file");
        let Some(Ratio(share)) = drop_page_cache(place.path()) else { panic!("it is there") };
        // In memory nothing can be put out.
        assert!((0.0..=1.0).contains(&share));
        let mut found = 0;
        each_file(place.path(), &mut |_, length| found += length);
        assert_eq!(found, 1 << 20);
    }
}
