//! Options of `dbdyno compare`.

use super::value;
use model::Gate;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  dbdyno compare old.jsonl new.jsonl
  dbdyno compare old.jsonl new.jsonl --html comparison.html
  dbdyno compare mine.jsonl hp-dl980           beside a published system (`dbdyno list references`)
  dbdyno compare main.jsonl branch.jsonl --fail-if 'slower>2%' --format junit > result.xml
  dbdyno compare a.jsonl b.jsonl --prices a.toml,b.toml

The first one is the base. A verdict needs repetitions; only the two records of `dbdyno pair` are free of what drifts on
the machine meanwhile. Where the two did not measure the same there is no verdict, and why is said.

Exit code: 0, also where every test is INCOMPARABLE; with --fail-if 1 where it is met, and where nothing was compared: no
test has a verdict; 2 where the systems have no test in common.";

/// Options of `dbdyno compare`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CompareArguments {
    /// Two or more: records, or names of published systems
    #[arg(value_name = "RECORD|REFERENCE", required = true)]
    pub systems: Vec<String>,
    /// How to print it
    #[arg(long, short, value_enum, default_value_t = CompareFormat::Text)]
    pub format: CompareFormat,
    /// Write a page instead of printing it
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Fail (exit code 1) where it is met: `slower>2%`, `T611:slower>5%`, `inconclusive`, `incomparable`, with commas
    /// between several
    #[arg(long, value_name = "CONDITIONS", value_parser = value::gate)]
    pub fail_if: Option<Gate>,
    /// Percent by which two rates may differ that are called equivalent
    #[arg(long, value_name = "PERCENT", default_value = "2", allow_hyphen_values = true, value_parser = value::margin)]
    pub margin: f64,
    /// Price books, one for each system in their order; `-` for one without
    #[arg(long, value_name = "FILE,...", value_delimiter = ',')]
    pub prices: Vec<PathBuf>,
}

/// Formats of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people
    Text,
    /// Tables for the text of a pull request
    Markdown,
    /// Results of tests, in the XML of JUnit
    Junit,
    /// One line per test, system and degree of parallelism
    Csv,
}
