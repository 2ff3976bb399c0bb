//! What takes long runs in turn: every fuzz target and every check in guests has one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names of the files in `directory` without `extension`.
fn names(directory: &Path, extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter_map(|name| Some(name.strip_suffix(extension)?.to_owned())).collect()
}

#[test]
fn every_long_check_has_a_turn_and_concerns_files_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let turns = fs::read_to_string(root.join(".ci/turns")).unwrap();
    let lines: Vec<Vec<&str>> =
        turns.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace().collect()).collect();
    let of = |kind: &str| -> BTreeSet<String> {
        lines.iter().filter(|words| words[0] == kind && words[1] != "*").map(|words| words[1].to_owned()).collect()
    };
    assert_eq!(of("fuzz"), names(&root.join("fuzz/fuzz_targets"), ".rs"));
    let mut checks = names(&root.join("lab/checks"), ".sh");
    assert!(checks.remove("expect"), "what all of them use");
    assert_eq!(of("lab"), checks);
    for words in &lines {
        for path in &words[2..] {
            let found = ["", ".rs"].iter().any(|extension| root.join(format!("{path}{extension}")).exists());
            assert!(found, "{} concerns {path}, which is not there", words[1]);
        }
    }
}
