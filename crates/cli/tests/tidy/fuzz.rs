//! Fuzz targets are no part of the workspace, so no lint sees them: what files of the command line take that they include must be
//! among their dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The crates of ours, by the names under which they are imported, that `text` takes something of.
fn taken<'a>(text: &str, crates: &'a BTreeSet<String>) -> BTreeSet<&'a str> {
    let begins = |at: usize| !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || "_:".contains(letter));
    let is_taken = |name: &&String| text.match_indices(&format!("{name}::")).any(|(at, _)| begins(at));
    crates.iter().filter(is_taken).map(String::as_str).collect()
}

#[test]
fn fuzz_targets_depend_on_what_the_files_take_that_they_include() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let names = |manifest: &str| -> BTreeSet<String> {
        let named = read(&root.join(manifest));
        let lines = named.lines().filter(|line| line.contains("package = \"dbdyno-"));
        lines.map(|line| line.split_whitespace().next().unwrap().replace('-', "_")).collect()
    };
    let (known, ours) = (names("fuzz/Cargo.toml"), names("Cargo.toml"));
    let folder = root.join("fuzz/fuzz_targets");
    let mut included = 0;
    for target in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        let text = read(&target);
        let paths = text.lines().filter_map(|line| line.strip_prefix("#[path = \"")?.strip_suffix("\"]"));
        let files: Vec<_> = paths.map(|path| folder.join(path)).collect();
        included += files.len();
        for file in files.iter().chain([&target]) {
            for name in taken(&read(file), &ours) {
                assert!(known.contains(name), "{} takes {name}, which fuzz/Cargo.toml does not name", file.display());
            }
        }
    }
    assert!(included > 0 && ours.contains("base") && known.contains("base"), "{known:?}");
}
