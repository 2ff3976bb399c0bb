//! What may stand behind `dbdyno load`.

use super::value;
use record::{Bytes, LoadModel};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{PlacementArgument, PresetArgument};

/// Smaller batches are all commit, larger ones all memory.
const BATCH_BYTES: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 30;

const LOAD_EXAMPLES: &str = "\
Examples:
  dbdyno load --target local:postgres                generated card transactions, 1, 2, 4, ... jobs
  dbdyno load --size 5GB --jobs 1,2,4 --target local:postgres
  dbdyno load --size 5GB --models all --target local:mariadb   also partitioned and compressed
  dbdyno load --form both --target local:postgres    parsed here, and sent as they are
  dbdyno load --size 5GB --read --target local:postgres   and scans of what was loaded, cold and warm
  dbdyno load cards-*.tbl.gz --target postgres://me@db1/shop --jobs 4 --keep
  zstdcat cards.zst | dbdyno load - --target local:mariadb
  dbdyno load mine.tbl --layout mine.toml --max-errors 50 --indexes after --target sqlite
  dbdyno load cards.tbl --target postgres://me@db1/shop --jobs 4 --resume --record second.jsonl

Lines go in in batches, each in a transaction of its own, together with a note that it is loaded:
a load that was broken off is gone on with by --resume, exactly. Lines that cannot be loaded go to
--rejects as they are, and why to the file beside it that ends with .log; each of them once, where
the load is gone on with and the same --rejects. In the words of other loaders: workers are --jobs,
rows per commit --batch, a bad file --rejects, errors allowed --max-errors, delimiters and a line
of names --layout. A layout is TOML:

  name = \"mine\"
  separator = \";\"
  [[fields]]
  name = \"id\"
  kind = \"int\"       # or decimal with precision and scale, date, text with size
  digits = 9         # of an int, at most; 18 where nothing is said";

/// Options of `dbdyno load`.
#[derive(Args, Debug)]
#[command(after_help = LOAD_EXAMPLES)]
pub struct LoadArguments {
    /// Flat files, plain or compressed by gzip, zstd or lz4; `-` for the standard input
    /// [default: generated card transactions]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite", help_heading = "What")]
    pub target: String,
    /// Sessions that load, a run for each number [default: generated rows 1, 2, 4, ... to the processors; files as many
    /// as processors]
    #[arg(
        long,
        short,
        aliases = ["workers", "parallel", "use-threads"],
        value_name = "1,2,4",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "What", value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// How the table is stored, a run for each: plain, partitioned (by month, and by hash below it), compressed,
    /// partitioned+compressed, or all
    #[arg(long, value_name = "MODELS", value_delimiter = ',', default_value = "plain", help_heading = "What", value_parser = value::models)]
    pub models: Vec<Vec<LoadModel>>,
    /// How rows reach the engine
    #[arg(long, value_enum, default_value_t = FormArgument::Typed, help_heading = "What")]
    pub form: FormArgument,
    /// Rows to generate
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with_all = ["size", "files"], help_heading = "What", value_parser = value::count("rows", 1..=value::ROWS_MAX))]
    pub rows: Option<u64>,
    /// Flat file to generate: 5GB [default: 2MB with --preset smoke, 200MB quick, 5GB standard, 50GB publish]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, conflicts_with = "files", help_heading = "What", value_parser = value::bytes("size", 1..=value::SIZE_BYTES_MAX))]
    pub size: Option<Bytes>,
    /// What generated rows are drawn from
    #[arg(long, value_name = "N", default_value_t = 42, conflicts_with = "files", help_heading = "What")]
    pub seed: u64,
    /// What the lines are: `cards`, `cards-csv`, or a file that says so
    #[arg(long, value_name = "LAYOUT", default_value = "cards", help_heading = "What")]
    pub layout: String,
    /// How files are compressed
    #[arg(long, value_enum, default_value_t = CompressionArgument::Auto, help_heading = "What")]
    pub compressed_with: CompressionArgument,
    /// The table; of other models the name has an ending [default: the name of the layout]
    #[arg(long, value_name = "NAME", help_heading = "What")]
    pub table: Option<String>,
    /// The first of the twelve months that a partitioned table has a part for each; what lies outside has one too
    /// [default: that of generated rows]
    #[arg(long, value_name = "YYYY-MM", help_heading = "What")]
    pub first_month: Option<String>,
    /// Make indexes on the first column and the date, before the load or after it
    #[arg(long, value_enum, default_value_t = IndexArgument::None, help_heading = "What")]
    pub indexes: IndexArgument,
    /// Read each table after its last load, with 1, 2, 4, ... threads inside a statement: sums over all rows, and a report
    /// by category and state; each with empty caches first, where they can be emptied
    #[arg(long, help_heading = "What")]
    pub read: bool,
    /// Threads inside the statements that read, a run for each number [default: 1, 2, 4, ... to twice the processors]
    #[arg(
        long,
        value_name = "1,2,4",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "read",
        help_heading = "What", value_parser = value::degree("threads"))]
    pub threads: Option<Vec<u32>>,
    /// Do not measure first what the device gives to sequential reads
    #[arg(long, requires = "read", help_heading = "What")]
    pub no_probe: bool,
    /// smoke, quick, standard or publish: how much is generated, how long a warm table is read, and how large the cache of
    /// a server of dbdyno's own is
    #[arg(
        long,
        short,
        value_enum,
        hide_possible_values = true,
        default_value_t = PresetArgument::Quick,
        help_heading = "How long and how large"
    )]
    pub preset: PresetArgument,
    /// Flat file that is committed at once [default: 8MiB, less of a small source]
    #[arg(long, alias = "piece", value_name = "SIZE", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::bytes("batch", BATCH_BYTES))]
    pub batch: Option<Bytes>,
    /// Lines that may be rejected before the load stops
    #[arg(long, value_name = "N", default_value = "0", allow_hyphen_values = true, help_heading = "What goes wrong", value_parser = value::count("max-errors", 0..=u64::MAX))]
    pub max_errors: u64,
    /// Where rejected lines go, as they are; why, beside it [default: RECORD with the ending .rejects]
    #[arg(long, value_name = "FILE", help_heading = "What goes wrong")]
    pub rejects: Option<PathBuf>,
    /// Go on with the load of the same source into the same table that was broken off
    #[arg(long, help_heading = "What goes wrong")]
    pub resume: bool,
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it
    #[arg(long, short, value_name = "DIR", default_value = ".", help_heading = "Where")]
    pub dir: PathBuf,
    /// Which processors the sessions and a local server run on
    #[arg(long, value_enum, default_value_t = PlacementArgument::Kernel, help_heading = "Where")]
    pub placement: PlacementArgument,
    /// Where the record goes [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Where")]
    pub record: Option<PathBuf>,
    /// Keep the tables
    #[arg(long, help_heading = "Where")]
    pub keep: bool,
    /// Do not look at what sessions of the engine are doing meanwhile
    #[arg(long)]
    pub no_activity: bool,
    /// Print the result and nothing else
    #[arg(long, short)]
    pub quiet: bool,
    /// Print what would be loaded, and stop
    #[arg(long)]
    pub dry_run: bool,
}

/// How rows reach the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormArgument {
    /// Parsed here, and handed over by the engine's own path for bulk loads
    Typed,
    /// Sent as they are, for the engine to parse
    AsIs,
    /// A run of each
    Both,
}

/// When indexes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IndexArgument {
    /// Never
    None,
    /// Before the load, which keeps them up
    Before,
    /// After the load
    After,
}

/// How files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompressionArgument {
    /// As their first bytes say
    Auto,
    /// Not at all
    Plain,
    /// By gzip
    Gzip,
    /// By zstd
    Zstd,
    /// By lz4
    Lz4,
}
