//! Trees of `/proc`, `/sys` and `/dev` for tests.

use std::fs;
use std::os::unix::fs::symlink;

use base::root::Root;
use tempfile::TempDir;

/// A tree of files with their texts; a text `-> TARGET` makes a link. Removed when the directory is dropped.
pub(super) fn tree(files: &[(&str, &str)]) -> (TempDir, Root) {
    let scratch = tempfile::tempdir().expect("temporary directory");
    for (path, text) in files {
        let path = scratch.path().join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        match text.strip_prefix("-> ") {
            Some(target) => symlink(target, &path).expect("link"),
            None => fs::write(&path, text).expect("file"),
        }
    }
    let root = Root::below(scratch.path());
    (scratch, root)
}
