//! Options of `dbdyno load`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use flat::Compression;
use record::{Bytes, IndexTime, LoadForm, LoadModel, Preset};

use super::choice;
use super::output::OutputArguments;
use super::setup::PlaceArguments;
use super::value;

/// Limits of `--batch`: smaller batches measure commits only, larger ones need too much memory.
const BATCH_BYTES: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 30;

const LOAD_EXAMPLES: &str = "\
Examples:
  dbdyno load --target local:postgres                generated card transactions, 1, 2, 4, ... jobs
  dbdyno load --size 5GB --jobs 1,2,4 --target local:postgres
  dbdyno load --size 5GB --models all --target local:mariadb   also partitioned and compressed tables
  dbdyno load --form both --target local:postgres    parsed by the client, and sent unparsed
  dbdyno load --size 5GB --read --target local:postgres   then scans of the loaded table, cold and warm
  dbdyno load cards-*.tbl.gz --target postgres://me@db1/shop --jobs 4 --keep
  zstdcat cards.zst | dbdyno load - --target local:mariadb
  dbdyno load mine.tbl --layout mine.toml --max-errors 50 --indexes after --target sqlite
  dbdyno load cards.tbl --target postgres://me@db1/shop --jobs 4 --resume --record second.jsonl

Lines are loaded in batches, each in one transaction together with its progress mark, so that --resume
continues an aborted load exactly. Rejected lines go to --rejects unchanged, the reasons to the file of
the same name with .log appended; each line once, also after --resume with the same --rejects. Terms of
other loaders: workers are --jobs, rows per commit --batch, a bad file --rejects, errors allowed
--max-errors, delimiters and a header line --layout. A layout is TOML:

  name = \"mine\"
  separator = \";\"
  header = true      # the first line has the names of the fields; default false
  quote = \"\\\"\"       # fields may be quoted; \"none\" loads quotes as content
  [[fields]]
  name = \"id\"
  kind = \"int\"       # or decimal with precision and scale, date, text with size
  digits = 9         # of an int, at most; default 19";

/// Options of `dbdyno load`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload", after_help = LOAD_EXAMPLES)]
pub struct LoadArguments {
    /// Flat files, plain or compressed by gzip, zstd or lz4; `-` for standard input
    /// [default: generated card transactions]
    #[arg(value_name = "FILE", help_heading = None)]
    pub files: Vec<PathBuf>,
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite")]
    pub target: String,
    /// Parallel load sessions, one run per number [default: 1, 2, 4, ... to the processors for generated rows; one per
    /// processor for files]
    #[arg(long, short, visible_short_alias = 'c', visible_alias = "clients", aliases = ["workers", "parallel", "use-threads"], value_name = "1,2,4", value_delimiter = ',', value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// Storage of the table, one run each: plain, partitioned (by month, subpartitioned by hash), compressed,
    /// partitioned+compressed, or all
    #[arg(long, value_name = "MODELS", value_delimiter = ',', default_value = "plain", value_parser = value::models)]
    pub models: Vec<Vec<LoadModel>>,
    /// How rows reach the engine
    #[arg(long, default_value = "typed", value_parser = forms())]
    pub form: &'static [LoadForm],
    /// Number of generated rows
    #[arg(long, value_name = "N", conflicts_with_all = ["size", "files"], value_parser = value::count("rows", 1..=value::ROWS_MAX))]
    pub rows: Option<u64>,
    /// Size of the generated flat file, such as 5GB [default: 2MB with --preset smoke, 200MB quick, 5GB standard, 50GB
    /// publish]
    #[arg(long, value_name = "SIZE", conflicts_with = "files", value_parser = value::bytes("size", 1..=value::SIZE_BYTES_MAX))]
    pub size: Option<Bytes>,
    /// Seed of generated rows
    #[arg(long, value_name = "N", default_value_t = 42, conflicts_with = "files")]
    pub seed: u64,
    /// Format of the lines: `cards`, `cards-csv`, or a layout file
    #[arg(long, value_name = "LAYOUT", default_value = "cards")]
    pub layout: String,
    /// First line of each file, where the layout has a header
    #[arg(long, default_value = "check", value_parser = header())]
    pub header: FirstLine,
    /// Compression of the files
    #[arg(long, default_value = "auto", value_parser = compressed_with())]
    pub compressed_with: CompressedWith,
    /// Table name; models other than plain add a suffix [default: name of the layout]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// First of the twelve monthly partitions of a partitioned table, which has a partition for other dates too
    /// [default: first month of generated rows]
    #[arg(long, value_name = "YYYY-MM")]
    pub first_month: Option<String>,
    /// Build indexes on the first column and the date, before or after the load
    #[arg(long, default_value = "none", value_parser = indexes())]
    pub indexes: IndexTime,
    /// Scan each table after its last load, with 1, 2, 4, ... threads per statement: sums over all rows, and a report
    /// by category and state; each with cold caches first, where caches can be dropped
    #[arg(long)]
    pub read: bool,
    /// Threads per scan statement, one run per number [default: 1, 2, 4, ... to twice the processors]
    #[arg(long, value_name = "1,2,4", value_delimiter = ',', requires = "read", value_parser = value::degree("threads"))]
    pub threads: Option<Vec<u32>>,
    /// Skip the probe of sequential reads before the scans
    #[arg(long, requires = "read")]
    pub no_probe: bool,
    /// smoke, quick, standard or publish: amount of generated data, duration of warm scans, and cache size of a
    /// temporary server
    #[arg(long, short, hide_possible_values = true, default_value = "quick", help_heading = "Duration and size", value_parser = choice::preset())]
    pub preset: Preset,
    /// Bytes of flat file per commit [default: 8MiB, less for a small source]
    #[arg(long, alias = "piece", value_name = "SIZE", help_heading = "Duration and size", value_parser = value::bytes("batch", BATCH_BYTES))]
    pub batch: Option<Bytes>,
    /// Rejected lines before the load stops
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Errors", value_parser = value::count("max-errors", 0..=u64::MAX))]
    pub max_errors: u64,
    /// File for rejected lines; reasons go to FILE.log [default: RECORD with the ending .rejects]
    #[arg(long, value_name = "FILE", help_heading = "Errors")]
    pub rejects: Option<PathBuf>,
    /// Continue an aborted load of the same source into the same table
    #[arg(long, help_heading = "Errors")]
    pub resume: bool,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Keep the tables
    #[arg(long, help_heading = "Location")]
    pub keep: bool,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
    /// Print what would be loaded, and exit
    #[arg(long, help_heading = None)]
    pub dry_run: bool,
}

/// How rows reach the engine: a run for each form, typed first, with which the other is compared.
fn forms() -> impl TypedValueParser<Value = &'static [LoadForm]> {
    const TYPED: &str = "Parsed by dbdyno and sent through the engine's bulk load interface";
    choice::of::<&'static [LoadForm], _>([
        ("typed", TYPED, &[LoadForm::Typed]),
        ("as-is", "Sent unparsed; the engine parses them", &[LoadForm::AsIs]),
        ("both", "One run of each", &[LoadForm::Typed, LoadForm::AsIs]),
    ])
}

/// When indexes are built.
fn indexes() -> impl TypedValueParser<Value = IndexTime> {
    choice::of([
        ("none", "Never", IndexTime::None),
        ("before", "Before the load, which maintains them", IndexTime::Before),
        ("after", "After the load", IndexTime::After),
    ])
}

/// What is done with a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLine {
    /// Its names must be those of the layout.
    Checked,
    /// It is skipped.
    Unread,
}

fn header() -> impl TypedValueParser<Value = FirstLine> {
    choice::of([
        ("check", "Its names must be those of the layout, in their order", FirstLine::Checked),
        ("ignore", "Skipped unread", FirstLine::Unread),
    ])
}

/// The compression of files; absent where it is detected.
pub type CompressedWith = Option<Compression>;

fn compressed_with() -> impl TypedValueParser<Value = CompressedWith> {
    choice::of([
        ("auto", "Detected by the first bytes", None),
        ("plain", "None", Some(Compression::Plain)),
        ("gzip", "gzip", Some(Compression::Gzip)),
        ("zstd", "zstd", Some(Compression::Zstd)),
        ("lz4", "lz4", Some(Compression::Lz4)),
    ])
}
