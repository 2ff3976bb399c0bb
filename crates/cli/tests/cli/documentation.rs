//! The commands of the documentation, run as they stand: each page in an empty directory of its own, block after block.
//! Blocks that need what this machine may not have say so (`needs=`), and are left out, but for PostgreSQL and MariaDB.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{Bench, finished};

/// What the tests of this project have.
const AVAILABLE: [&str; 2] = ["needs=postgres", "needs=mariadb"];

/// The program under its name: a whole sheet is measured in smoke size, all else as it is written. Other tests of this
/// suite are other programs to it, and what they disturb is no mistake of the page.
const WRAPPER: &str = r#"#!/bin/sh
case " $* " in
  *" --tests "* | *" --preset "* | *" --resume "* | *" --help "*) ;;
  " run "*) set -- "$@" --preset smoke ;;
esac
messages=$(mktemp)
"$DBDYNO" "$@" 2>"$messages"
code=$?
cat "$messages" >&2
grep -qE 'no run is valid|disturbed from outside' "$messages" && code=0
rm "$messages"
exit "$code"
"#;

/// A fenced block of a page: the words after the fence, and its lines.
struct Block<'a> {
    words: Vec<&'a str>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(words) if !is_inside => blocks.push(Block { words: words.split(',').collect(), text: String::new() }),
            Some(_) => {}
            None if is_inside => {
                let block = blocks.last_mut().expect("a block");
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
        is_inside ^= line.trim_start().starts_with("```");
    }
    blocks
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the blocks of the page at `path`, and returns how many there were.
fn run(path: &Path) -> usize {
    let bench = Bench::on_disk();
    let programs = tempfile::tempdir().unwrap();
    let wrapper = programs.path().join("dbdyno");
    fs::write(&wrapper, WRAPPER).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let search = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let page = fs::read_to_string(path).unwrap();
    let mut count = 0;
    for block in blocks(&page) {
        if let Some(name) = block.words.iter().find_map(|word| word.strip_prefix("file=")) {
            fs::write(bench.path().join(name), &block.text).unwrap();
        }
        let is_missing = |word: &&str| word.starts_with("needs=") && !AVAILABLE.contains(word);
        if block.words[0] != "sh" || block.words.iter().any(is_missing) {
            continue;
        }
        let mut shell = Command::new("bash");
        shell.args(["-euo", "pipefail", "-c", &block.text]).current_dir(bench.path());
        shell.env("PATH", &search).env("DBDYNO", env!("CARGO_BIN_EXE_dbdyno")).env("NO_COLOR", "1");
        let output = finished(shell.output().unwrap());
        assert_eq!(output.code, 0, "{}:\n{}\n{}\n{}", path.display(), block.text, output.out, output.err);
        count += 1;
    }
    count
}

/// Runs the pages of a folder of the documentation.
fn run_folder(folder: &str) -> usize {
    let entries = fs::read_dir(root().join("docs/src").join(folder)).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    pages.iter().map(|path| run(path)).sum()
}

#[test]
fn the_commands_of_the_readme_and_of_the_first_pages_run() {
    assert!(run(&root().join("README.md")) + run_folder(".") >= 20);
}

#[test]
fn the_commands_of_the_how_tos_run() {
    assert!(run_folder("how-to") >= 20);
}

#[test]
fn the_commands_of_the_reading_guides_run() {
    assert!(run_folder("reading") >= 3);
}

#[test]
fn the_commands_for_users_of_other_tools_run() {
    assert!(run_folder("coming-from") >= 5);
}
