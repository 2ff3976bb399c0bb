//! `dbdyno list`: tests, engines, records.

use std::path::Path;

use run::Result;

use crate::arguments::{ListArguments, Listed};
use crate::engines::ENGINES;
use crate::output::print;

/// Carries out `dbdyno list`.
///
/// # Errors
/// Where a directory cannot be read.
pub fn list(arguments: &ListArguments) -> Result<()> {
    match arguments.what {
        Listed::Tests => print(&tests()),
        Listed::Engines => print(&engines()),
        Listed::Records => print(&records(&arguments.dir)?),
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
        false => Ok(entries.iter().map(|entry| format!("{entry}\n")).collect()),
    }
}
