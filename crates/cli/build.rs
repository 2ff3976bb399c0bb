//! Passes commit, compiler and flags of the build to the program, for its records. What is not known (no git tree) is
//! absent.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sources of the program, below the root of the workspace.
const SOURCES: &[&str] = &["crates", "Cargo.toml", "Cargo.lock", ".cargo"];

/// Prints an instruction for cargo.
fn instruct(instruction: &str) {
    println!("cargo::{instruction}");
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
    let compiler = env::var_os("RUSTC").and_then(|compiler| output(Command::new(compiler).arg("--version")));
    note("COMPILER", compiler.as_deref().unwrap_or_default());
    note("PLATFORM", &variable("TARGET"));
    note("FLAGS", &flags());
}

/// Directories of a crate that are not part of the program.
const EXCLUDED: &[&str] = &["tests", "benches", "examples"];

/// Reruns when HEAD moves and when sources change: either may change whether the tree is clean.
fn watch(root: &Path) {
    let mut paths: Vec<PathBuf> = ["Cargo.toml", "Cargo.lock", ".cargo", ".git/HEAD", ".git/logs/HEAD"]
        .iter()
        .map(|path| root.join(path))
        .collect();
    let crates = ["crates", "crates/engines"].iter().flat_map(|folder| entries(&root.join(folder)));
    let parts = crates.filter(|path| path.join("Cargo.toml").exists()).flat_map(|path| entries(&path));
    paths.extend(parts.filter(|path| EXCLUDED.iter().all(|folder| !path.ends_with(folder))));
    for path in paths.iter().filter(|path| path.exists()) {
        instruct(&format!("rerun-if-changed={}", path.display()));
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// The output of git in `root`; none without git, or where `root` is not the top of a git tree.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    output(Command::new("git").arg("--no-optional-locks").args(arguments).current_dir(root))
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Profile, optimisation level, flags of the compiler, and the target processor.
fn flags() -> String {
    let given = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    let target_cpu = given.split_once("target-cpu=").and_then(|(_, rest)| rest.split_whitespace().next());
    let processor = target_cpu.map_or_else(|| "the baseline of its architecture".to_owned(), str::to_owned);
    let flags = if given.is_empty() { "no flags".to_owned() } else { format!("flags {given}") };
    format!("profile {}, opt-level {}, {flags}, for processor {processor}", variable("PROFILE"), variable("OPT_LEVEL"))
}

fn note(name: &str, value: &str) {
    instruct(&format!("rustc-env=DBDYNO_BUILD_{name}={}", value.replace('\n', " ")));
}
