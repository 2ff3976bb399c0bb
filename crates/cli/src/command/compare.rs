//! `dbdyno compare`: records and published systems side by side.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use model::{CompareOptions, Comparison, Gate, Origin, System};
use report::{ComparisonView, Document};
use run::{Error, Result};

use crate::arguments::value;
use crate::output::{note, print, print_data, style, width};
use crate::page::write_page;
use crate::subject;

const EXAMPLES: &str = "\
Examples:
  dbdyno compare old.jsonl new.jsonl
  dbdyno compare old.jsonl new.jsonl --html comparison.html
  dbdyno compare mine.jsonl hp-dl980           beside a published system (`dbdyno list references`)
  dbdyno compare main.jsonl branch.jsonl --fail-if 'slower>2%' --format junit > result.xml
  dbdyno compare a.jsonl b.jsonl --prices a.toml,b.toml
  dbdyno compare a.jsonl b.jsonl --durability proof.jsonl,-     with what faults have shown of the commits of a

The first one is the base. A verdict needs repeats; only the two records of `dbdyno pair` are free of drift of the
machine. Where the two did not measure the same, there is no verdict, and the reason is printed.

Exit code: 0, also if every test is INCOMPARABLE; with --fail-if, 1 if a condition is met or no test has a verdict; 2 if
the systems have no test in common.";

/// Options of `dbdyno compare`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CompareArguments {
    /// Two or more: records, or names of published systems
    #[arg(value_name = "RECORD|REFERENCE", required = true)]
    pub systems: Vec<String>,
    /// Output format
    #[arg(long, short, value_enum, default_value_t = CompareFormat::Text)]
    pub format: CompareFormat,
    /// Write an HTML page instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Print everything: all differences, the evidence of each verdict, equal degrees of parallelism
    #[arg(long)]
    pub details: bool,
    /// Fail (exit code 1) if a condition is met: `slower>2%`, `T611:slower>5%`, `inconclusive`, `incomparable`,
    /// comma-separated
    #[arg(long, value_name = "CONDITIONS", value_parser = value::gate)]
    pub fail_if: Option<Gate>,
    /// Equivalence margin: rates that differ by less are equivalent, percent
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = value::margin)]
    pub margin: f64,
    /// Judge commits even if those of one system are durable and those of another are not: the verdicts are then not of the same
    /// work
    #[arg(long)]
    pub any_durability: bool,
    /// Proofs of durability (records of `dbdyno prove durability`), one per system in the same order; `-` for none
    #[arg(long, value_name = "FILE,...", value_delimiter = ',')]
    pub durability: Vec<PathBuf>,
    /// Price books, one per system in the same order; `-` for none
    #[arg(long, value_name = "FILE,...", value_delimiter = ',')]
    pub prices: Vec<PathBuf>,
}

/// Formats of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// Human-readable
    Text,
    /// Markdown tables
    Markdown,
    /// JUnit XML
    Junit,
    /// One line per test, system and degree of parallelism
    Csv,
}

/// Systems are named by letters.
const SYSTEMS_MAX: usize = 26;

/// Maximum number of tests listed in an error.
const NAMED_MAX: usize = 20;

/// Carries out `dbdyno compare`.
///
/// # Errors
/// The user's mistakes; systems without a common test; met conditions of --fail-if.
pub fn compare(arguments: &CompareArguments) -> Result<()> {
    let count = arguments.systems.len();
    if !(2..=SYSTEMS_MAX).contains(&count) {
        let message = format!("a comparison takes 2 to {SYSTEMS_MAX} systems, {count} given");
        return Err(Error::user(message)
            .hint("give two records, or a record and the name of a published system (dbdyno list references)"));
    }
    let mut systems = subject::proved(&arguments.systems, &arguments.durability)?;
    warn_about_equal_systems(&arguments.systems, &systems);
    name_by_path(&arguments.systems, &mut systems);
    let prices = subject::prices(&arguments.prices, &systems)?;
    let options = CompareOptions { margin: arguments.margin, ranks_any_durability: arguments.any_durability };
    let comparison = common(&systems, options)?;
    let view = ComparisonView {
        systems: &systems,
        comparison: &comparison,
        prices: &prices,
        gate: arguments.fail_if.as_ref(),
    };
    let document = report::comparison(&view);
    match &arguments.html {
        Some(file) => write_page(file, &document.html())?,
        None => match arguments.format {
            CompareFormat::Text if arguments.details => print(&document.text(style(), width())),
            CompareFormat::Text => print(&document.screen(style(), width())),
            CompareFormat::Markdown => print_data(&document.comment()),
            CompareFormat::Junit => print_data(&report::comparison_junit(&view)),
            CompareFormat::Csv => print_data(&report::comparison_csv(&view)),
        }?,
    }
    violated(&view, &comparison)
}

/// The comparison of the systems that `words` name, as it is without options.
///
/// # Errors
/// Where one cannot be read, and where they have no test in common.
pub fn document(words: &[String]) -> Result<Document> {
    let systems = systems(words)?;
    let prices = subject::prices(&[], &systems)?;
    let comparison = common(&systems, CompareOptions::default())?;
    let view = ComparisonView { systems: &systems, comparison: &comparison, prices: &prices, gate: None };
    Ok(report::comparison(&view))
}

/// The systems that `words` name, each under a name of its own.
///
/// # Errors
/// Where one cannot be read.
pub fn systems(words: &[String]) -> Result<Vec<System>> {
    let mut systems = subject::proved(words, &[])?;
    name_by_path(words, &mut systems);
    Ok(systems)
}

/// The comparison of `systems`.
///
/// # Errors
/// Where they have no test in common.
fn common(systems: &[System], options: CompareOptions) -> Result<Comparison> {
    let comparison = model::compare(systems, options);
    if comparison.tests.is_empty() { Err(no_common_test(systems)) } else { Ok(comparison) }
}

/// The conditions of `--fail-if` that are met, as an error with exit code 1.
///
/// # Errors
/// Where a condition is met.
pub fn violated(view: &ComparisonView<'_>, comparison: &Comparison) -> Result<()> {
    let violations = view.violations();
    if violations.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = violations
        .iter()
        .map(|violation| {
            let name = violation.system.and_then(|index| comparison.systems.get(index));
            let on = name.map(|name| format!(" on {name}")).unwrap_or_default();
            match &violation.test {
                Some(test) => {
                    format!("test {test}{on} meets {}: {}", violation.rule, report::violation_text(&violation.found))
                }
                None => report::violation_text(&violation.found),
            }
        })
        .collect();
    Err(Error::environment(lines.join("\n")).hint("a condition of --fail-if is met"))
}

/// Warns about a system that is compared with itself.
fn warn_about_equal_systems(words: &[String], systems: &[System]) {
    let file = |words: &str| fs::canonicalize(words).unwrap_or_else(|_| PathBuf::from(words));
    let same = |one: usize, other: usize| {
        let (a, b) = (&systems[one], &systems[other]);
        // A copy of a record has the same name and start.
        file(&words[one]) == file(&words[other]) || (a.name == b.name && a.origin == b.origin)
    };
    for index in 0..systems.len() {
        if let Some(other) = (0..index).find(|other| same(*other, index)) {
            note(&format!("warning: {} and {} are the same system", words[other], words[index]));
        }
    }
}

/// Names records of the same name by their paths. The first side of a pair keeps its name, because the other side
/// refers to it.
fn name_by_path(words: &[String], systems: &mut [System]) {
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

fn no_common_test(systems: &[System]) -> Error {
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
        .hint("run the same tests on both (dbdyno run --tests ...); the base, the first system, must have them")
}
