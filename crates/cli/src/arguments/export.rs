//! Options of `dbdyno export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  dbdyno export . --format csv --out tables           all records of this directory
  dbdyno export a.jsonl b.jsonl --format parquet --out tables
  dbdyno export a.jsonl --format hdr --out histograms  one HdrHistogram log per run
  dbdyno export hp-dl980 --format csv --out tables    a published system (`dbdyno list references`)

Published figures go to separate tables (reference_points, ...): dbdyno did not measure them.";

/// Options of `dbdyno export`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ExportArguments {
    /// Records, directories of records, or names of published systems
    #[arg(value_name = "RECORD|DIR|REFERENCE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Output format
    #[arg(long, short, value_enum)]
    pub format: ExportFormat,
    /// Output directory; created if missing
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// Overwrite files in a directory that is not empty
    #[arg(long)]
    pub force: bool,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Tables: runs, seconds, findings, settings, readings, I/O streams, file streams, random blocks and their
    /// operations, loads and their stages, scans, nodes, events, traces, activity, latency by layer, parameters, data
    /// sets; of a published system points, facts, figures, claims, prices, remarks
    Csv,
    /// The same tables as Parquet
    Parquet,
    /// An HdrHistogram log per valid run, over time where slices were kept
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
