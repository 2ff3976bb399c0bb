//! Options of `dbdyno compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use model::Gate;

use super::value;

const EXAMPLES: &str = "\
Examples:
  dbdyno compare old.jsonl new.jsonl
  dbdyno compare old.jsonl new.jsonl --html comparison.html
  dbdyno compare mine.jsonl hp-dl980           beside a published system (`dbdyno list references`)
  dbdyno compare main.jsonl branch.jsonl --fail-if 'slower>2%' --format junit > result.xml
  dbdyno compare a.jsonl b.jsonl --prices a.toml,b.toml

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
