//! `dbdyno list`: tests, engines, records, published systems, profiles, keys.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fio::{Form, Key, Meaning};
use run::Result;

use crate::engines::ENGINES;
use crate::output::{columns, print, style, width};

/// Options of `dbdyno list`.
#[derive(Args, Debug)]
pub struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
    /// Directory of the records
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// The catalogue of tests and probes
    Tests,
    /// The engines
    Engines,
    /// The records in a directory
    Records,
    /// Published systems
    References,
    /// I/O profiles of databases, for `dbdyno io --profile`
    Profiles,
    /// Keys of job files and their meaning here
    Keys,
}

/// Carries out `dbdyno list`.
///
/// # Errors
/// Where a directory cannot be read.
pub fn list(arguments: &ListArguments) -> Result<()> {
    match arguments.what {
        Listed::Tests => print(&tests()),
        Listed::Engines => print(&engines()),
        Listed::Records => print(&records(&arguments.dir)?),
        Listed::References => print(&report::references(reference::published()).text(style(), width())),
        Listed::Profiles => print(&profiles()),
        Listed::Keys => print(&keys()),
    }
}

fn tests() -> String {
    let probes = probe::probes().iter().map(|probe| (probe.code, probe.layer, probe.title));
    let tests = workload::catalogue().iter().map(|test| (test.code.as_str(), test.layer, test.summary.as_str()));
    let entry =
        |(code, layer, title): (&str, record::Layer, &str)| (code_and_layer(code, layer.word()), title.to_owned());
    let head = (code_and_layer("code", "layer"), "what it measures".to_owned());
    let note = "probes (C, M and S: CPU, memory and storage) need no database: they are the ceilings of the tests";
    let listed = std::iter::once(head).chain(probes.chain(tests).map(entry));
    listing(listed, 16) + "\n" + &listing([(String::new(), note.to_owned())], 0)
}

fn engines() -> String {
    let entries = |engine: &&dyn engine::Engine| {
        let name = (engine.name().to_owned(), engine.title().to_owned());
        [name, (String::new(), engine.about().summary.to_owned())]
    };
    listing(ENGINES.iter().flat_map(entries), 10)
}

fn records(directory: &Path) -> Result<String> {
    let entries = store::list(directory)?;
    match entries.is_empty() {
        true => Ok(format!("no records in {}\n", directory.display())),
        false => Ok(entries.iter().map(|entry| record(&sanitized(&entry.to_string())) + &results(entry)).collect()),
    }
}

/// Larger records are listed without results: reading them takes seconds.
const READ_BYTES_MAX: u64 = 64 << 20;

/// The main results of a record, below its line.
fn results(entry: &store::Entry) -> String {
    let is_small = fs::metadata(&entry.path).is_ok_and(|file| file.len() <= READ_BYTES_MAX);
    let is_readable = entry.content.is_ok() && is_small;
    let record = is_readable.then(|| store::read_without_series(&entry.path, &model::thin).ok()).flatten();
    let lines = record.map(|record| report::results(&record)).unwrap_or_default();
    lines.into_iter().map(|line| listing([(String::new(), line)], 4)).collect()
}

/// The line of a record; where it is too long, the file first and the rest below.
fn record(line: &str) -> String {
    match line.split_once("  ").filter(|_| columns().is_some_and(|columns| columns < line.chars().count())) {
        Some((file, rest)) => listing(
            [(file.to_owned(), rest.split("  ").filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "))],
            0,
        ),
        None => format!("{line}\n"),
    }
}

/// The line without control characters, which file names and records may contain. Columns stay separate.
fn sanitized(line: &str) -> String {
    line.split("  ").map(report::clean).collect::<Vec<_>>().join("  ")
}

/// Name and first comment line of each.
fn profiles() -> String {
    let first_line = |name| fio::profile(name).and_then(|text| text.lines().next()).unwrap_or_default();
    let entry = |name: &'static str| (name.to_owned(), first_line(name).trim_start_matches(['#', ' ']).to_owned());
    let note = "dbdyno io --profile NAME runs one; --override changes its settings";
    listing(fio::profiles().map(entry), 12) + "\n" + &listing([(String::new(), note.to_owned())], 0)
}

/// One line per key where the output is not a terminal, so that it can be searched.
fn keys() -> String {
    let names = |key: &Key| {
        let all: Vec<&str> = std::iter::once(key.name).chain(key.aliases.iter().copied()).collect();
        all.join(", ")
    };
    let head = ("key of a job file".to_owned(), "meaning here".to_owned());
    listing(std::iter::once(head).chain(fio::keys().map(|key| (names(key), meaning(key)))), 42)
}

/// Names and meanings in two columns.
fn listing(entries: impl IntoIterator<Item = (String, String)>, indent: usize) -> String {
    report::listing(entries, indent, columns())
}

/// A code and its layer in the first two columns.
fn code_and_layer(code: &str, layer: &str) -> String {
    format!("{code} {layer}")
}

fn meaning(key: &Key) -> String {
    match key.meaning {
        Meaning::Effect => form(key.form).map_or("has an effect".to_owned(), |form| format!("has an effect: {form}")),
        Meaning::NoEffect(why) => format!("accepted, no effect: {why}"),
        Meaning::NotSupported(why) => format!("accepted with a note, ignored: {why}"),
        Meaning::Refused(why) => format!("refused: {why}"),
    }
}

/// The format of a value in words; none for free text.
fn form(form: Form) -> Option<String> {
    Some(match form {
        Form::Text | Form::Optional => return None,
        Form::Flag => "0, 1 or nothing".to_owned(),
        Form::Switch => "0 or 1".to_owned(),
        Form::Number => "a number".to_owned(),
        Form::Seconds => "a time, in seconds without a unit".to_owned(),
        Form::Microseconds => "a time, in microseconds without a unit".to_owned(),
        Form::Choice(choices) => format!("one of {}", choices.join(" ")),
    })
}
