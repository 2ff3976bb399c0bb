//! `dbdyno list`: tests, engines, records, published systems, profiles, keys.

use std::path::Path;

use fio::{Form, Key, Meaning};
use run::Result;

use crate::arguments::{ListArguments, Listed};
use crate::engines::ENGINES;
use crate::output::{print, width};

/// Carries out `dbdyno list`.
///
/// # Errors
/// Where a directory cannot be read.
pub fn list(arguments: &ListArguments) -> Result<()> {
    match arguments.what {
        Listed::Tests => print(&tests()),
        Listed::Engines => print(&engines()),
        Listed::Records => print(&records(&arguments.dir)?),
        Listed::References => print(&report::references(reference::published(), width())),
        Listed::Profiles => print(&profiles()),
        Listed::Keys => print(&keys()),
    }
}

fn tests() -> String {
    let probes = probe::probes().iter().map(|probe| (probe.code, probe.layer, probe.title));
    let tests = workload::catalogue().iter().map(|test| (test.code.as_str(), test.layer, test.summary.as_str()));
    let line = |(code, layer, title): (&str, record::Layer, &str)| format!("{code}  {:<8}  {title}\n", layer.word());
    let mut text = String::from("code  layer     what it measures\n");
    text.extend(probes.chain(tests).map(line));
    text.push_str("\nprobes (P...) need no database: they are the ceilings that the tests are held against\n");
    text
}

fn engines() -> String {
    let mut text = String::new();
    for engine in ENGINES {
        text.push_str(&format!("{:<10}{}\n", engine.name(), engine.title()));
        text.push_str(&format!("{:<10}{}\n", "", engine.summary()));
    }
    text
}

fn records(directory: &Path) -> Result<String> {
    let entries = store::list(directory)?;
    match entries.is_empty() {
        true => Ok(format!("no records in {}\n", directory.display())),
        false => Ok(entries.iter().map(|entry| format!("{}\n", harmless(&entry.to_string()))).collect()),
    }
}

/// A line that a terminal can be given: names of files and what stands in them may be anybody's. Columns stay apart.
fn harmless(line: &str) -> String {
    line.split("  ").map(report::clean).collect::<Vec<_>>().join("  ")
}

/// Name and first comment line of each.
fn profiles() -> String {
    let first_line = |name| fio::profile(name).and_then(|text| text.lines().next()).unwrap_or_default();
    let line = |name| format!("{name:<12}{}\n", first_line(name).trim_start_matches(['#', ' ']));
    let mut text: String = fio::profiles().map(line).collect();
    text.push_str("\ndbdyno io --profile NAME runs one; --override changes its settings\n");
    text
}

/// A line per key, so that it can be searched.
fn keys() -> String {
    let names = |key: &Key| {
        let all: Vec<&str> = std::iter::once(key.name).chain(key.aliases.iter().copied()).collect();
        all.join(", ")
    };
    let mut text = format!("{:<40}  what it means here\n", "key of a job file");
    text.extend(fio::keys().map(|key| format!("{:<40}  {}\n", names(key), meaning(key))));
    text
}

fn meaning(key: &Key) -> String {
    match key.meaning {
        Meaning::Effect => form(key.form).map_or("has an effect".to_owned(), |form| format!("has an effect: {form}")),
        Meaning::NoEffect(why) => format!("accepted, no effect: {why}"),
        Meaning::NotFollowed(why) => format!("accepted with a note, not followed: {why}"),
        Meaning::Refused(why) => format!("refused: {why}"),
    }
}

/// The form of a value in words, where it has no form of its own.
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
