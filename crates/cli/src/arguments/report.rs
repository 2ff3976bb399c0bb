//! Options of `dbdyno report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  dbdyno report dbdyno-20260131-120000-db1.jsonl                      the spec sheet
  dbdyno report dbdyno-20260131-120000-db1.jsonl --html db1.html      a self-contained HTML page
  dbdyno report dbdyno-20260131-120000-db1.jsonl --prices db1.toml    with cost per throughput
  dbdyno report dbdyno-20260131-120000-db1.jsonl --beside old.jsonl   how much faster or slower each workload is
  dbdyno report dbdyno-20260131-120000-db1.jsonl --layers T311        latency by layer, from the client to the device
  dbdyno report dbdyno-20260131-120000-db1.jsonl --activity           load, active sessions, waits, I/O, log, histograms
  dbdyno report hp-dl980 --html dl980.html                           a published system (`dbdyno list references`)";

/// Options of `dbdyno report`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// The record, or the name of a published system
    #[arg(value_name = "RECORD")]
    pub record: PathBuf,
    /// Output format
    #[arg(long, short, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Print everything: settings, limits with their evidence, every run, I/O
    #[arg(long)]
    pub details: bool,
    /// Print the summary and the sheet, and nothing else: no warnings
    #[arg(long, short, conflicts_with = "details")]
    pub quiet: bool,
    /// Show the rates of the workloads beside those of another record, or of a published system
    #[arg(long, value_name = "RECORD|SYSTEM", conflicts_with_all = ["layers", "activity"])]
    pub beside: Option<String>,
    /// Write a self-contained HTML page with charts instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Latency by layer, from the client to the device: of each test, of a run (its number), or of a test (its code)
    #[arg(long, value_name = "RUN|TEST", num_args = 0..=1, conflicts_with_all = ["html", "prices"])]
    pub layers: Option<Option<String>>,
    /// Database activity, as in workload reports: of the best run of each test, of a run (its number), or of a test
    /// (its code)
    #[arg(long, value_name = "RUN|TEST", num_args = 0..=1, conflicts_with_all = ["html", "prices", "layers"])]
    pub activity: Option<Option<String>>,
    /// Price book of the platform (TOML), for price/performance
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}

/// Formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// The spec sheet
    Text,
    /// The whole record as Markdown, as much as a page has
    Markdown,
    /// The record as one JSON document
    Json,
    /// One line per run
    Csv,
    /// One line per job and kind of I/O
    IoCsv,
    /// Storage runs as fio's JSON, for scripts that read it
    FioJson,
    /// fio's JSON with all histogram bins
    #[value(name = "fio-json+")]
    FioJsonPlus,
}

impl ReportFormat {
    /// As it is written on the command line.
    pub fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
