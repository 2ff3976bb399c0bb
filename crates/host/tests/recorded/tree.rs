//! Builds a recorded tree of `/proc` and `/sys` in a temporary directory.
//!
//! A recording is a text: `--- PATH` starts a file, `--- PATH -> TARGET` is a link, `{a,b}` in a path stands for
//! several paths with the same contents, `#` at the start of the text is a comment.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use dbdyno_host::Root;

/// A tree that is removed on drop.
pub struct Tree {
    pub root: Root,
    _directory: tempfile::TempDir,
}

pub fn build(recording: &str) -> Tree {
    let directory = tempfile::tempdir().expect("temporary directory");
    let text = format!("\n{recording}");
    for part in text.split("\n--- ").skip(1) {
        let (head, body) = part.split_once('\n').unwrap_or((part, ""));
        match head.split_once(" -> ") {
            Some((path, target)) => {
                let path = prepare(directory.path(), path);
                symlink(target, &path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            }
            None => {
                for path in expand(head) {
                    fs::write(prepare(directory.path(), &path), format!("{}\n", body.trim_end())).expect("file");
                }
            }
        }
    }
    Tree { root: Root::below(directory.path()), _directory: directory }
}

/// The absolute path, with its parent directory created.
fn prepare(directory: &Path, path: &str) -> std::path::PathBuf {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().expect("parent")).expect("directory");
    path
}

fn expand(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (list, after) = rest.split_once('}').expect("a closing brace");
    list.split(',').flat_map(|one| expand(&format!("{before}{one}{after}"))).collect()
}
