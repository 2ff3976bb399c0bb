//! Options of `dbdyno generate`.

use super::value;
use flat::Packing;
use record::Bytes;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// More files than these are a slip of the finger; their numbers have four digits.
const FILES_MAX: u32 = 9_999;
/// More threads than these, too.
const THREADS_MAX: u32 = 1_024;

const EXAMPLES: &str = "\
Examples:
  dbdyno generate cards --size 5GB -o flat            flat/cards-0001.tbl
  dbdyno generate cards --rows 10M --files 8 --compress gzip:3 -o flat
  dbdyno generate cards --size 1GB -o cards.csv.zst   one file; its name says format and compression
  dbdyno generate cards --rows 1M -o - | psql -c \"copy cards from stdin (delimiter '|')\"
  dbdyno generate cards --size 1TB --files 64 --compress zstd --dry-run

A row: card_no|card_type|mcc|purchase_amt|purchase_dt|merchant_code|merchant_city|merchant_state|merchant_zip|
Equal seeds give equal rows, on any number of threads; the checksum at the end is that of the lines in their order.";

/// Options of `dbdyno generate`.
#[derive(Args, Debug)]
pub struct GenerateArguments {
    /// What is generated.
    #[command(subcommand)]
    pub what: Generated,
}

/// Data that can be generated.
#[derive(Debug, Subcommand)]
pub enum Generated {
    /// Card transactions of a year, as flat files
    Cards(CardsArguments),
}

/// Options of `dbdyno generate cards`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CardsArguments {
    /// How many rows, all files together (`100000`, `10M`)
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "size", help_heading = "How much", value_parser = value::count("rows", 1..=value::ROWS_MAX))]
    pub rows: Option<u64>,
    /// How large, all files together and before compression, about (`5GB`, `500MiB`) [default: 1GB]
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true, help_heading = "How much", value_parser = value::bytes("size", 1..=value::SIZE_BYTES_MAX))]
    pub size: Option<Bytes>,
    /// On how many equal files it is spread
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value = "1", help_heading = "How much", value_parser = value::count_32("files", 1..=FILES_MAX))]
    pub files: u32,
    /// What all rows are drawn from
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "How much")]
    pub seed: u64,
    /// `gzip[:1-9]`, `zstd[:1-19]`, `lz4`, `plain` [default: as the name of the file says, or plain]
    #[arg(long, short, value_name = "HOW", help_heading = "As what", value_parser = value::packing)]
    pub compress: Option<Packing>,
    /// As what [default: as the name of the file says, or tbl]
    #[arg(long, short, value_enum, help_heading = "As what")]
    pub format: Option<CardsFormat>,
    /// Directory or file; `-` is the standard output
    #[arg(long = "out", short, value_name = "DIR|FILE|-", default_value = ".", help_heading = "Where")]
    pub out: PathBuf,
    /// Replace files that are there
    #[arg(long, help_heading = "Where")]
    pub force: bool,
    /// Threads that make and compress rows [default: one for each processor]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = value::count_32("threads", 1..=THREADS_MAX))]
    pub threads: Option<u32>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the files and their sizes, and stop
    #[arg(long)]
    pub dry_run: bool,
}

/// Formats of flat files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CardsFormat {
    /// A bar behind each field, the last one too; no line of names
    Tbl,
    /// Commas between the fields; the first line names them
    Csv,
    /// Columns with types, compressed within: Snappy where --compress says nothing
    Parquet,
}

impl From<CardsFormat> for flat::FilesFormat {
    fn from(format: CardsFormat) -> flat::FilesFormat {
        match format {
            CardsFormat::Tbl => flat::FilesFormat::Bars,
            CardsFormat::Csv => flat::FilesFormat::Commas,
            CardsFormat::Parquet => flat::FilesFormat::Parquet,
        }
    }
}
