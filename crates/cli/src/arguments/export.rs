//! Options of `dbdyno export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  dbdyno export . --format csv --out tables           all records of this directory as tables
  dbdyno export a.jsonl b.jsonl --format parquet --out tables
  dbdyno export a.jsonl --format hdr --out histograms  a log for each run, for viewers of HdrHistogram
  dbdyno export hp-dl980 --format csv --out tables    a published system (`dbdyno list references`)

Published figures are written into tables of their own (reference_points, ...): none of them was measured by dbdyno.";

/// Options of `dbdyno export`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ExportArguments {
    /// Records, directories of records, or names of published systems
    #[arg(value_name = "RECORD|DIR|REFERENCE", required = true)]
    pub places: Vec<PathBuf>,
    /// As what
    #[arg(long, short, value_enum)]
    pub format: ExportFormat,
    /// Directory for the files; made where it is not there
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// Replace files of the same names in a directory that is not empty
    #[arg(long)]
    pub force: bool,
}

/// What files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Tables: runs, seconds, findings, settings, readings, streams of I/O and of files, random blocks and their
    /// operations, loads and their stages, scans, nodes, events, traces, activity, latency by layer, parameters, data
    /// sets; of a published system points, facts, figures, claims, prices, remarks
    Csv,
    /// The same tables as Parquet
    Parquet,
    /// A log of histograms for each run that is not invalid, over time where slices were kept
    Hdr,
}

impl From<ExportFormat> for export::Format {
    fn from(format: ExportFormat) -> export::Format {
        match format {
            ExportFormat::Csv => export::Format::Csv,
            ExportFormat::Parquet => export::Format::Parquet,
            ExportFormat::Hdr => export::Format::Hdr,
        }
    }
}
