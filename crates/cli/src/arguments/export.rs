//! Options of `dbdyno export`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use export::Format;

use super::choice;

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
    #[arg(long, short, value_parser = format())]
    pub format: Format,
    /// Output directory; created if missing
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// Overwrite files in a directory that is not empty
    #[arg(long)]
    pub force: bool,
}

/// Output formats.
fn format() -> impl TypedValueParser<Value = Format> {
    const TABLES: &str = "Tables: runs, seconds, findings, settings, readings, I/O streams, file streams, random blocks and their \
                          operations, loads and their stages, scans, nodes, events, traces, activity, latency by layer, \
                          parameters, data sets; of a published system points, facts, figures, claims, prices, remarks";
    choice::of([
        ("csv", TABLES, Format::Csv),
        ("parquet", "The same tables as Parquet", Format::Parquet),
        ("hdr", "An HdrHistogram log per valid run, over time where slices were recorded", Format::Hdr),
    ])
}
