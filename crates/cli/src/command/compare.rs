//! `dbdyno compare`: records and published systems side by side.

use std::fs;
use std::path::PathBuf;

use model::{CompareOptions, Origin, System};
use report::ComparisonView;
use run::{Error, Result};

use super::gate::violated;
use super::report::write_page;
use super::subject;
use crate::arguments::compare::{CompareArguments, CompareFormat};
use crate::output::{note, print, style, width};

/// Systems that have a letter.
const SYSTEMS_MAX: usize = 26;

/// Tests that are named in an error, at most.
const NAMED_MAX: usize = 20;

/// Carries out `dbdyno compare`.
///
/// # Errors
/// The user's mistakes; systems without a test in common; what --fail-if asks for.
pub fn compare(arguments: &CompareArguments) -> Result<()> {
    let count = arguments.systems.len();
    if !(2..=SYSTEMS_MAX).contains(&count) {
        let message = format!("a comparison takes 2 to {SYSTEMS_MAX} systems, {count} given");
        return Err(Error::user(message)
            .hint("give two records, or a record and the name of a published system (dbdyno list references)"));
    }
    let options = CompareOptions { margin: arguments.margin };
    let mut systems: Vec<System> =
        arguments.systems.iter().map(|words| Ok(subject::system(words)?.into_owned())).collect::<Result<_>>()?;
    warn_of_twins(&arguments.systems, &systems);
    tell_apart(&arguments.systems, &mut systems);
    let prices = subject::prices(&arguments.prices, &systems)?;
    let comparison = model::compare(&systems, options);
    if comparison.tests.is_empty() {
        return Err(nothing_shared(&systems));
    }
    let view = ComparisonView {
        systems: &systems,
        comparison: &comparison,
        prices: &prices,
        gate: arguments.fail_if.as_ref(),
    };
    match &arguments.html {
        Some(file) => write_page(file, &report::comparison_html(&view))?,
        None => print(&match arguments.format {
            CompareFormat::Text => report::comparison_text(&view, style(), width()),
            CompareFormat::Markdown => report::comparison_markdown(&view),
            CompareFormat::Junit => report::comparison_junit(&view),
            CompareFormat::Csv => report::comparison_csv(&view),
        })?,
    }
    violated(&view, &comparison)
}

/// The same system against itself says nothing but how much chance there is, and that not rightly.
fn warn_of_twins(words: &[String], systems: &[System]) {
    let file = |words: &str| fs::canonicalize(words).unwrap_or_else(|_| PathBuf::from(words));
    let same = |one: usize, other: usize| {
        let (a, b) = (&systems[one], &systems[other]);
        // A copy has the name and the begin of what it is a copy of.
        file(&words[one]) == file(&words[other]) || (a.name == b.name && a.origin == b.origin)
    };
    for index in 0..systems.len() {
        if let Some(other) = (0..index).find(|other| same(*other, index)) {
            note(&format!("warning: {} and {} are the same system: differences are none", words[other], words[index]));
        }
    }
}

/// Records of one name in several directories are called by their paths. The first side of a pair keeps its name: the
/// other side knows it by that.
fn tell_apart(words: &[String], systems: &mut [System]) {
    let names: Vec<String> = systems.iter().map(|system| system.name.clone()).collect();
    for (index, (system, words)) in systems.iter_mut().zip(words).enumerate() {
        let Origin::Measured { paired, .. } = &system.origin else { continue };
        let is_shared = |from: usize, to: usize| names[from..to].contains(&names[index]);
        let later = is_shared(index + 1, names.len()) && paired.is_none();
        if later || is_shared(0, index) {
            system.name.clone_from(words);
        }
    }
}

fn nothing_shared(systems: &[System]) -> Error {
    let codes = |system: &System| {
        let mut codes: Vec<&str> = system.tests.iter().map(|test| test.code.as_str()).take(NAMED_MAX).collect();
        if system.tests.len() > NAMED_MAX {
            codes.push("...");
        }
        let codes = if codes.is_empty() { "no test".to_owned() } else { codes.join(", ") };
        format!("{} has {codes}", system.name)
    };
    let what: Vec<String> = systems.iter().map(codes).collect();
    Error::user(format!("no test in common: {}", what.join("; ")))
        .hint("run the same tests on both (dbdyno run --tests ...); the first system is the base and has to have them")
}
