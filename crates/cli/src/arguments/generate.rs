//! Options of `dbdyno generate`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use flat::{FilesFormat, Packing};
use record::Bytes;

use super::{choice, value};

/// Upper limit of `--files`: file numbers have four digits.
const FILES_MAX: u32 = 9_999;
/// Upper limit of `--threads`.
const THREADS_MAX: u32 = 1_024;

const EXAMPLES: &str = "\
Examples:
  dbdyno generate cards --size 5GB -o flat            flat/cards-0001.tbl
  dbdyno generate cards --rows 10M --files 8 --compress gzip:3 -o flat
  dbdyno generate cards --size 1GB -o cards.csv.zst   one file; format and compression by its name
  dbdyno generate cards --rows 1M -o - | psql -c \"copy cards from stdin (delimiter '|')\"
  dbdyno generate cards --size 1TB --files 64 --compress zstd --dry-run

A row: card_no|card_type|mcc|purchase_amt|purchase_dt|merchant_code|merchant_city|merchant_state|merchant_zip|
The same seed gives the same rows on any number of threads; the checksum is that of all lines in order.";

/// Options of `dbdyno generate`.
#[derive(Args, Debug)]
pub struct GenerateArguments {
    /// Kind of data.
    #[command(subcommand)]
    pub what: Generated,
}

/// Kinds of generated data.
#[derive(Debug, Subcommand)]
pub enum Generated {
    /// Card transactions of a year, as flat files
    Cards(CardsArguments),
}

/// Options of `dbdyno generate cards`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CardsArguments {
    /// Rows of all files together (`100000`, `10M`)
    #[arg(long, value_name = "N", conflicts_with = "size", help_heading = "Size", value_parser = value::count("rows", 1..=value::ROWS_MAX))]
    pub rows: Option<u64>,
    /// Approximate size of all files together, uncompressed (`5GB`, `500MiB`) [default: 1GB]
    #[arg(long, value_name = "BYTES", help_heading = "Size", value_parser = value::bytes("size", 1..=value::SIZE_BYTES_MAX))]
    pub size: Option<Bytes>,
    /// Number of equal files
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Size", value_parser = value::count_32("files", 1..=FILES_MAX))]
    pub files: u32,
    /// Seed of all random rows
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "Size")]
    pub seed: u64,
    /// `gzip[:1-9]`, `zstd[:1-19]`, `lz4`, `plain` [default: by the file name, else plain]
    #[arg(long, value_name = "HOW", help_heading = "Format", value_parser = value::packing)]
    pub compress: Option<Packing>,
    /// File format [default: by the file name, else tbl]
    #[arg(long, short, help_heading = "Format", value_parser = format())]
    pub format: Option<FilesFormat>,
    /// Directory or file; `-` is the standard output
    #[arg(long = "out", short, value_name = "DIR|FILE|-", default_value = ".", help_heading = "Location")]
    pub out: PathBuf,
    /// Overwrite existing files
    #[arg(long, help_heading = "Location")]
    pub force: bool,
    /// Threads that generate and compress rows [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value::count_32("threads", 1..=THREADS_MAX))]
    pub threads: Option<u32>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the files and their sizes, and exit
    #[arg(long)]
    pub dry_run: bool,
}

/// Formats of flat files.
fn format() -> impl TypedValueParser<Value = FilesFormat> {
    choice::of([
        ("tbl", "Each field ends with a bar, the last one too; no header line", FilesFormat::Bars),
        ("csv", "Comma-separated, with a header line", FilesFormat::Commas),
        ("parquet", "Typed columns, compressed internally: Snappy without --compress", FilesFormat::Parquet),
    ])
}
