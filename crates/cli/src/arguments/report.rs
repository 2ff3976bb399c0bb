//! Options of `dbdyno report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  dbdyno report dbdyno-20260131-120000-db1.jsonl                      the spec sheet again
  dbdyno report dbdyno-20260131-120000-db1.jsonl --html db1.html      one page for a browser, or for a mail
  dbdyno report dbdyno-20260131-120000-db1.jsonl --prices db1.toml    with cost per throughput
  dbdyno report dbdyno-20260131-120000-db1.jsonl --layers T311        where the time goes, from the client to the device
  dbdyno report dbdyno-20260131-120000-db1.jsonl --activity           load, active sessions, waits, I/O, log, histograms
  dbdyno report hp-dl980 --html dl980.html                           a published system (`dbdyno list references`)";

/// Options of `dbdyno report`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// The record, or the name of a published system
    #[arg(value_name = "RECORD")]
    pub record: PathBuf,
    /// How to print it
    #[arg(long, short, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Write a page that needs no network, with charts, into this file instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// The latency table, from the client down to the device: of each test, of a run (its number), or of a test (its code)
    #[arg(long, value_name = "RUN|TEST", num_args = 0..=1, conflicts_with_all = ["html", "prices"])]
    pub layers: Option<Option<String>>,
    /// What the database did, as workload reports have it: of the best run of each test, of a run (its number), or of a
    /// test (its code)
    #[arg(long, value_name = "RUN|TEST", num_args = 0..=1, conflicts_with_all = ["html", "prices", "layers"])]
    pub activity: Option<Option<String>>,
    /// What the platform costs (TOML), for cost beside throughput
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}

/// Formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// The spec sheet
    Text,
    /// The record as it is stored
    Json,
    /// One line per run
    Csv,
    /// One line per stream of I/O
    IoCsv,
    /// Storage runs with fio's keys, for scripts that read its output
    FioJson,
    /// The same with all histogram bins
    #[value(name = "fio-json+")]
    FioJsonPlus,
}
