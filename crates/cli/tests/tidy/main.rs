//! Rules of the code base: allowed imports between crates, sizes of files, names.

mod circles;
mod fuzz;
mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of ours that each crate may import. A new entry is a separate commit with the reason.
const EDGES: &[(&str, &[&str])] = &[
    ("record", &[]),
    // Quantities as text, processes and control groups.
    ("base", &[]),
    // What survives a fault knows neither engines nor records.
    ("crash", &[]),
    ("clock", &["record"]),
    // Several jobs on one thread.
    ("multiplex", &["clock", "record"]),
    ("measure", &["clock", "multiplex", "record"]),
    // Service levels are parsed with the grammar of times.
    ("model", &["base", "record"]),
    // Processes, control groups, and the paths of /proc and /sys.
    ("host", &["base", "record"]),
    // Temporary servers are sized by control groups.
    ("engine", &["base", "record"]),
    // The conformance kit: only a development dependency.
    ("engine-kit", &["engine", "multiplex", "record"]),
    // Temporary servers, which are processes.
    ("server", &["base", "engine"]),
    // Definitions of figures, for report and export.
    ("tables", &["record", "model"]),
    ("export", &["record", "model", "tables"]),
    // Its table of units uses the common number parser.
    ("fio", &["base", "record"]),
    ("flat", &["record"]),
    // It fills a load profile.
    ("history", &["record"]),
    // Messages between hosts are types of records; all hosts read one kind of clock; its message server ends with it.
    ("fleet", &["base", "host", "measure", "record", "run"]),
    ("store", &["record"]),
    // Settings of these two are sizes and times.
    ("engines/sqlite", &["base", "engine", "record"]),
    ("engines/duckdb", &["base", "engine", "record"]),
    // Sockets, TCP and TLS for all servers.
    ("transport", &["engine", "multiplex", "record"]),
    // These two find the process of an existing server.
    ("engines/mysql", &["base", "engine", "record", "server", "transport"]),
    // The driver opens its connections itself.
    ("engines/oracle", &["engine", "record"]),
    ("engines/postgres", &["base", "engine", "record", "server", "transport"]),
    ("probe", &["measure", "record"]),
    // Histograms are stored in the common form; child processes are traced; kernel objects are named after their
    // creator.
    ("trace", &["base", "measure", "record"]),
    // Settings of random blocks are sizes and times.
    ("workload", &["base", "measure", "engine", "flat", "record"]),
    // A proof of durability has engines work on files that a fault takes away.
    (
        "run",
        &[
            "base", "crash", "record", "measure", "model", "host", "engine", "store", "probe", "trace", "workload",
            "flat",
        ],
    ),
    // It asks engines for small bursts, as long as nobody interrupts it, and keeps histograms in the common form.
    ("monitor", &["base", "engine", "host", "measure", "model", "record", "run"]),
    ("report", &["record", "model", "tables"]),
    ("reference", &["base", "record", "model"]),
    // It indexes records, and is handed what makes pages.
    ("serve", &["model", "record", "store"]),
    (
        "cli",
        &[
            "base",
            "record",
            "measure",
            "model",
            "host",
            "engine",
            "export",
            "fio",
            "flat",
            "fleet",
            "history",
            "store",
            "monitor",
            "probe",
            "workload",
            "run",
            "report",
            "reference",
            "serve",
            "sqlite",
            "duckdb",
            "mysql",
            "oracle",
            "postgres",
        ],
    ),
];

/// Maximum number of lines of a file without its tests: a file is one topic.
const LINES_MAX: usize = 800;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn manifest(directory: &Path) -> toml::Table {
    fs::read_to_string(directory.join("Cargo.toml")).unwrap().parse().unwrap()
}

/// All crates, by their path below `crates/`.
fn crates() -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for (folder, prefix) in [("crates", ""), ("crates/engines", "engines/")] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.join("Cargo.toml").exists() {
                found.insert(format!("{prefix}{}", path.file_name().unwrap().to_string_lossy()), path);
            }
        }
    }
    found
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, files),
            false => files.push(path),
        }
    }
}

/// A module of tests beside the code.
fn is_test(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        if directory.join(folder).exists() {
            sources(&directory.join(folder), &mut files);
        }
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rs"));
    files
}

#[test]
fn every_crate_imports_only_what_the_table_allows() {
    let ours: BTreeSet<String> = manifest(&root())["workspace"]["dependencies"]
        .as_table()
        .unwrap()
        .iter()
        .filter(|(_, value)| value.get("path").is_some())
        .map(|(name, _)| name.clone())
        .collect();
    let known: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    for (name, path) in crates() {
        let allowed = known.get(name.as_str()).unwrap_or_else(|| panic!("crate {name} is not in the table of edges"));
        let manifest = manifest(&path);
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        for dependency in dependencies.keys().filter(|dependency| ours.contains(*dependency)) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "crate {name} may not import {dependency}: see the table in ARCHITECTURE.md"
            );
        }
    }
    assert_eq!(known.len(), crates().len(), "the table names a crate that is not there");
}

#[test]
fn no_file_is_too_large() {
    let mut long = Vec::new();
    for file in crates().values().flat_map(|path| rust_files(path)).filter(|file| !is_test(file)) {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines().count();
        if lines > LINES_MAX {
            long.push(format!("{} has {lines} lines", file.display()));
        }
    }
    assert!(long.is_empty(), "split these: {long:#?}");
}

#[test]
fn modules_have_specific_names() {
    for file in crates().values().flat_map(|path| rust_files(path)) {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let empty = ["util", "utils", "common", "helper", "helpers", "manager", "misc"];
        assert!(!empty.contains(&stem.as_str()), "{}: what is it?", file.display());
    }
}

#[test]
fn engines_are_named_only_in_their_folders_and_on_the_command_line() {
    let engines = ["postgres", "sqlite", "duckdb", "mariadb", "mysql", "oracle"];
    for (name, path) in crates() {
        if name.starts_with("engines/") || name == "cli" {
            continue;
        }
        let mut files = Vec::new();
        sources(&path.join("src"), &mut files);
        for file in files.iter().filter(|file| !is_test(file) && !file.ends_with(ENGINES_OF_FORMS)) {
            let Ok(text) = fs::read_to_string(file) else { continue };
            let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_lowercase();
            // The library in whose files histories are kept, with the names in it: no engine that is measured.
            let text = HISTORY_WORDS.iter().fold(text, |text, word| text.replace(word, ""));
            for engine in engines {
                assert!(!text.contains(engine), "{} names {engine}", file.display());
            }
        }
    }
}

/// A statistics file says which engine wrote it, and a load profile names that as targets do: the one list of them.
const ENGINES_OF_FORMS: &str = "history/src/engine_name.rs";

/// Words of the library of histories.
const HISTORY_WORDS: [&str; 3] = ["rusqlite", "sqlite_schema", "sqlite_open_read_write"];

/// Where something is written to the standard streams. What is said for readers passes `output.rs`, which lets no escape sequence
/// of others through; the rest are bytes and lines of protocols, and data that was asked for.
const WRITERS: [&str; 5] = [
    "cli/src/output.rs",
    "cli/src/command/agent.rs",
    "flat/src/files/sink.rs",
    "fleet/src/bridge.rs",
    // Before the process is aborted.
    "multiplex/src/scheduler.rs",
];

#[test]
fn every_line_for_a_reader_goes_through_one_place() {
    let mut found = Vec::new();
    for path in crates().values() {
        let mut files = Vec::new();
        sources(&path.join("src"), &mut files);
        files.retain(|file| file.extension().is_some_and(|ending| ending == "rs") && !is_test(file));
        for file in files.iter().filter(|file| !WRITERS.iter().any(|writer| file.ends_with(writer))) {
            let text = fs::read_to_string(file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            // Whether it is a terminal may be asked everywhere, and a progress bar draws itself: its texts are made
            // printable.
            let asked = ["().is_terminal()", "DrawTarget::stderr()", "use_stderr()"];
            let plain = asked.iter().fold(code.to_owned(), |code, asked| code.replace(asked, ""));
            let writes = ["stdout()", "stderr()", "println!", "eprint!", "print!("];
            found.extend(writes.iter().filter(|write| plain.contains(*write)).map(|write| (file.clone(), *write)));
        }
    }
    assert!(found.is_empty(), "use crate::output, or say here why not: {found:#?}");
}

#[test]
fn every_engine_has_the_same_files() {
    let common = ["lib.rs", "dialect.rs", "counter.rs", "inventory.rs", "sql.rs"];
    for (name, path) in crates().iter().filter(|(name, _)| name.starts_with("engines/")) {
        for file in common {
            assert!(path.join("src").join(file).exists(), "{name} has no {file}");
        }
        for noun in ["connect", "session"] {
            let there =
                path.join(format!("src/{noun}.rs")).exists() || path.join(format!("src/{noun}/mod.rs")).exists();
            assert!(there, "{name} has no {noun}");
        }
    }
}

#[test]
fn documents_have_one_title_each() {
    for document in ["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let mut fenced = false;
        let titles = text
            .lines()
            .filter(|line| {
                fenced ^= line.starts_with("```");
                !fenced && line.starts_with("# ")
            })
            .count();
        assert_eq!(titles, 1, "{document}");
    }
}
