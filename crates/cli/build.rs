//! Notes what the program is built from and with, for the records that it writes. What cannot be found out (a tree
//! without git, as from a tarball) is left out and changes nothing else.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What decides about a program, below the root of the workspace.
const SOURCES: &[&str] = &["crates", "Cargo.toml", "Cargo.lock", ".cargo"];

/// Says something to cargo.
fn tell(what: &str) {
    println!("cargo::{what}");
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    watch(&root);
    if let Some(commit) = git(&root, &["rev-parse", "--verify", "HEAD"]) {
        note("COMMIT", &commit);
        let mut arguments = vec!["status", "--porcelain", "--"];
        arguments.extend(SOURCES);
        if let Some(changes) = git(&root, &arguments) {
            note("TREE", if changes.is_empty() { "clean" } else { "changed" });
        }
    }
    let compiler = env::var_os("RUSTC").and_then(|compiler| answer(Command::new(compiler).arg("--version")));
    note("COMPILER", compiler.as_deref().unwrap_or_default());
    note("PLATFORM", &variable("TARGET"));
    note("FLAGS", &flags());
}

/// Folders of a crate that are not in the program.
const NOT_IN_THE_PROGRAM: &[&str] = &["tests", "benches", "examples"];

/// Anew when HEAD moves, and when sources change: then the tree is no longer, or is again, that of a commit.
fn watch(root: &Path) {
    let mut paths: Vec<PathBuf> = ["Cargo.toml", "Cargo.lock", ".cargo", ".git/HEAD", ".git/logs/HEAD"]
        .iter()
        .map(|path| root.join(path))
        .collect();
    let crates = ["crates", "crates/engines"].iter().flat_map(|folder| entries(&root.join(folder)));
    let parts = crates.filter(|path| path.join("Cargo.toml").exists()).flat_map(|path| entries(&path));
    paths.extend(parts.filter(|path| NOT_IN_THE_PROGRAM.iter().all(|folder| !path.ends_with(folder))));
    for path in paths.iter().filter(|path| path.exists()) {
        tell(&format!("rerun-if-changed={}", path.display()));
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// What git says in `root`; nothing where it is not there, or does not take `root` for a tree of its own.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    answer(Command::new("git").arg("--no-optional-locks").args(arguments).current_dir(root))
}

fn answer(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Profile and level of optimisation, flags given to the compiler, and the processor that they choose.
fn flags() -> String {
    let given = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    let chosen = given.split_once("target-cpu=").and_then(|(_, rest)| rest.split_whitespace().next());
    let processor = chosen.map_or_else(|| "the least of its architecture".to_owned(), str::to_owned);
    let flags = if given.is_empty() { "no flags".to_owned() } else { format!("flags {given}") };
    format!("profile {}, opt-level {}, {flags}, for processor {processor}", variable("PROFILE"), variable("OPT_LEVEL"))
}

fn note(name: &str, value: &str) {
    tell(&format!("rustc-env=DBDYNO_BUILD_{name}={}", value.replace('\n', " ")));
}
