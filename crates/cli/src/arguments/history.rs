//! Options of `dbdyno history`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use model::history::Metric;

use super::choice;
use super::value::{self, AtJobs};

const EXAMPLES: &str = "\
Examples:
  dbdyno history --test T611                      throughput of T611 in the records of this directory
  dbdyno history records --test T616 --jobs 8 --metric p99
  dbdyno history records --test T311 --format csv
  dbdyno history records --test T311 --html t311.html";

/// Options of `dbdyno history`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct HistoryArguments {
    /// Records, or directories of records
    #[arg(value_name = "RECORD|DIR", default_value = ".")]
    pub inputs: Vec<PathBuf>,
    /// The test or probe
    #[arg(long, value_name = "CODE")]
    pub test: String,
    /// At how many jobs: a number, or `best` for the degree of parallelism with the highest throughput
    #[arg(long, short, value_name = "N", default_value = "best", value_parser = value::at_jobs)]
    pub jobs: AtJobs,
    /// Metric to follow
    #[arg(long, short, default_value = "throughput", value_parser = metric())]
    pub metric: Metric,
    /// Write a self-contained HTML page instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = HistoryFormat::Text)]
    pub format: HistoryFormat,
}

/// Formats of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryFormat {
    /// Human-readable
    Text,
    /// One line per record
    Csv,
}

/// Metrics of a history.
fn metric() -> impl TypedValueParser<Value = Metric> {
    choice::of([
        ("throughput", "Operations per second, in the unit of the test", Metric::Throughput),
        ("p99", "The 0.99 quantile of the service time", Metric::P99),
        ("efficiency", "Share of the ceiling in the same record", Metric::Efficiency),
    ])
}
