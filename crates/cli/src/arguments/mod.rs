//! What may stand on the command line.

pub mod blocks;
pub mod compare;
pub mod export;
pub mod generate;
pub mod history;
pub mod io;
pub mod load;
pub mod model;
pub mod pace;
pub mod pair;
pub mod report;
pub mod streams;
pub mod value;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use record::Nanos;

use self::blocks::BlocksArguments;
use self::compare::CompareArguments;
use self::export::ExportArguments;
use self::generate::GenerateArguments;
use self::history::HistoryArguments;
use self::io::{CalibrateArguments, IoArguments};
use self::load::LoadArguments;
use self::model::ModelArguments;
use self::pace::PaceArguments;
use self::pair::PairArguments;
use self::report::ReportArguments;
use self::streams::StreamsArguments;

/// How quantities are written, for all options and for settings of SQLite and DuckDB.
const QUANTITIES: &str = "\
Sizes: k, M, G, T (kB, MB, ...) are powers of 1000, Ki, Mi, Gi, Ti (KiB, MiB, ...) of 1024: 500MB, 1.5G, 8MiB.
Counts: 100_000, 10k, 1.5M. Times: 5ms, 30s, 2m, 1h 30min; a number alone is seconds. Rates: 500, 100/s, 6000/min, 50%.
Sizes of io and calibrate are those of fio, where k, M and G are powers of 1024, and so are M, G and T of slob.conf.";

/// A dynamometer for database platforms: measures a machine layer by layer (CPU, memory, storage, database)
/// through the database itself, and prints one spec sheet.
///
/// Begin with `dbdyno run`: it needs nothing but this program (it brings SQLite along) and takes a few minutes.
#[derive(Debug, Parser)]
#[command(name = "dbdyno", version, max_term_width = 100, arg_required_else_help = true, after_help = QUANTITIES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure the platform and print its spec sheet
    Run(Box<RunArguments>),
    /// Measure two targets in turns on this machine, and say which is faster
    Pair(Box<PairArguments>),
    /// Read and update random blocks through the engine (the method of SLOB, on every engine with blocks)
    Blocks(Box<BlocksArguments>),
    /// Load flat files, or generated rows, in bulk: terabytes an hour, and at what price
    Load(Box<LoadArguments>),
    /// Write and read files kept in the database, and the same files on the file system beside it
    Streams(Box<StreamsArguments>),
    /// Measure storage alone: a job file of fio, or one job by options
    Io(Box<IoArguments>),
    /// Find the most I/Os and megabytes per second that storage gives under a latency bound
    Calibrate(Box<CalibrateArguments>),
    /// Generate data to load: card transactions as flat files, compressed or as Parquet
    Generate(GenerateArguments),
    /// Show the platform: machine, storage, kernel, engine and settings
    Inventory(InventoryArguments),
    /// List what there is: tests, engines, records, published systems, profiles of I/O, keys of job files
    List(ListArguments),
    /// Show a record again
    Report(ReportArguments),
    /// Hold records and published systems against each other
    Compare(CompareArguments),
    /// Ask the models: scalability, and whether a claim is supported
    Model(ModelArguments),
    /// Follow one figure from record to record, and say where it changed
    History(HistoryArguments),
    /// Write everything of many records as tables or histogram logs, for other programs
    Export(ExportArguments),
    /// Remove the databases that were kept, or left behind, in a directory
    Clean(CleanArguments),
    /// Print the completion script of a shell
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a directory
    Man {
        /// Directory for the pages
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print the JSON Schema of the lines of a record
    Schema,
}

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno run                                  this machine through SQLite, a few minutes
  dbdyno run --target local:postgres          the same through a temporary PostgreSQL server
  dbdyno run --target 'local:postgres?shared_buffers=2GB&synchronous_commit=off'
  dbdyno run --target postgres://me@db1/shop  in a schema `dbdyno` of its own; asks PGPASSWORD or ~/.pgpass
  dbdyno run --target 'local:postgres?replicas=2&synchronous=on'
  dbdyno run --target mariadb://me@db1,db2,db3/shop  jobs spread over the nodes of a cluster
  dbdyno run --dir /mnt/nvme --preset standard --jobs 1,8,64
  dbdyno run --tests T611,T616 --seconds 10   two tests of the catalogue (`dbdyno list tests`)
  dbdyno run --tests T616 --jobs 4 --rate 500 500 transactions per second, response time from the due time
  dbdyno run --tests T616 --rate 50%,70%,90%  latency over rate, from shares of what it reaches
  dbdyno run --tests T616 --until p99=5ms     the highest rate that keeps a service level
  dbdyno run --resume dbdyno-20260131-120000-db1.jsonl";

/// What a record has decided: with --resume it cannot be asked for again.
const RESUME_FIXES: [&str; 20] = [
    "tests",
    "jobs",
    "nodes",
    "record",
    "preset",
    "seconds",
    "warm_up",
    "steps",
    "repeats",
    "small_rows",
    "large_rows",
    "rate",
    "until",
    "think_time",
    "smt",
    "placement",
    "seed",
    "dir",
    "trace",
    "dry_run",
];

/// Options of `dbdyno run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArguments {
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, a URL, or `@FILE` with a node in
    /// each line
    #[arg(long, short, value_name = "TARGET", help_heading = "What")]
    pub target: Option<String>,
    /// Codes, layers (cpu, memory, server, storage, database), `probes`, or test files of your own
    #[arg(long, value_name = "T611,cpu,...", value_delimiter = ',', help_heading = "What")]
    pub tests: Vec<String>,
    /// Degrees of parallelism [default: 1, 2, 4, ... to twice the processors]
    #[arg(long, short, value_name = "1,2,4", value_delimiter = ',', allow_hyphen_values = true, help_heading = "What", value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// On how many nodes jobs are spread, where the target has several
    /// [default: as many as have a job; the most jobs also on 1, 2, 4, ...]
    #[arg(long, value_name = "1,2,3", value_delimiter = ',', allow_hyphen_values = true, help_heading = "What", value_parser = value::degree("nodes"))]
    pub nodes: Option<Vec<u32>>,
    /// How long and how large
    #[arg(long, short, value_enum, default_value_t = PresetArgument::Quick, help_heading = "How long and how large")]
    pub preset: PresetArgument,
    /// Length of each measured window, seconds
    #[arg(long, short, value_name = "S", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// Length of each warm-up, seconds
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// End each run after so many steps of each job, if its window is not over before
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::count("steps", 1..=u64::MAX))]
    pub steps: Option<u64>,
    /// Measure each test so often at each degree of parallelism, in rounds of random order
    /// [default: 6 with --preset publish, 1 otherwise]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::repeats("repeats"))]
    pub repeats: Option<u32>,
    /// Rows of the table that fits the engine's cache
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::rows("small-rows"))]
    pub small_rows: Option<u64>,
    /// Rows of the table that should not fit it
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::rows("large-rows"))]
    pub large_rows: Option<u64>,
    /// When steps are due
    #[command(flatten)]
    pub load: PaceArguments,
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it
    #[arg(long, short, value_name = "DIR", default_value = ".", help_heading = "Where")]
    pub dir: PathBuf,
    /// Which processors the jobs and a local server run on
    #[arg(long, value_enum, default_value_t = PlacementArgument::Kernel, help_heading = "Where")]
    pub placement: PlacementArgument,
    /// Where the record goes [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Where")]
    pub record: Option<PathBuf>,
    /// Go on with a record that was broken off
    #[arg(long, value_name = "RECORD", conflicts_with_all = RESUME_FIXES, help_heading = "Where")]
    pub resume: Option<PathBuf>,
    /// Keep the database; a later run with the same seed and sizes uses its tables again
    #[arg(long, help_heading = "Where")]
    pub keep: bool,
    /// What all data and keys are drawn from
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "How long and how large")]
    pub seed: u64,
    /// Repeat tests with I/O or commits while the kernel is traced: once each, or at every degree of parallelism
    /// [default: none with --preset smoke, one otherwise]
    #[arg(long, value_enum, value_name = "TESTS", help_heading = "What")]
    pub trace: Option<TraceArgument>,
    /// By which means the kernel is traced [default: the first of these that is to be had]
    #[arg(long, value_enum, value_name = "RUNG", help_heading = "What")]
    pub trace_rung: Option<RungArgument>,
    /// Do not look at what the sessions of the engine are doing meanwhile, ten times a second
    #[arg(long, help_heading = "What")]
    pub no_activity: bool,
    /// Run each test again with a fifth less of what limits it, and say whether that is the cause
    #[arg(long, conflicts_with = "until", help_heading = "What")]
    pub prove: bool,
    /// Print the spec sheet and nothing else
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the plan and stop
    #[arg(long)]
    pub dry_run: bool,
}

/// Options of `dbdyno inventory`.
#[derive(Args, Debug)]
pub struct InventoryArguments {
    /// The engine to ask as well: `sqlite`, `local:postgres`, or a URL
    #[arg(long, short, value_name = "TARGET")]
    pub target: Option<String>,
    /// The directory whose file system and devices are shown
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t = InventoryFormat::Text)]
    pub format: InventoryFormat,
}

/// Options of `dbdyno list`.
#[derive(Args, Debug)]
pub struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
    /// Where to look for records
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// Options of `dbdyno clean`.
#[derive(Args, Debug)]
pub struct CleanArguments {
    /// The directory that was measured
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// Named sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PresetArgument {
    /// Proves that everything works, within a minute; its figures mean nothing
    Smoke,
    /// A first look: 2 seconds a run, tables of megabytes
    Quick,
    /// Figures to work with: 30 seconds a run, the large table twice the engine's cache
    Standard,
    /// Figures to publish: 5 minutes a run, each test six times, then its latency at 50 to 90 % of what it reaches
    Publish,
}

impl From<PresetArgument> for record::Preset {
    fn from(preset: PresetArgument) -> record::Preset {
        match preset {
            PresetArgument::Smoke => record::Preset::Smoke,
            PresetArgument::Quick => record::Preset::Quick,
            PresetArgument::Standard => record::Preset::Standard,
            PresetArgument::Publish => record::Preset::Publish,
        }
    }
}

/// Placement on processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlacementArgument {
    /// The kernel decides
    Kernel,
    /// Each job on a processor of its own, its server process on the next one
    Spread,
    /// Each job on a processor of its own, its server process on the same one
    Paired,
}

impl From<Arrival> for record::Arrival {
    fn from(arrival: Arrival) -> record::Arrival {
        match arrival {
            Arrival::Poisson => record::Arrival::Poisson,
            Arrival::Fixed => record::Arrival::Fixed,
        }
    }
}

impl From<PlacementArgument> for record::Placement {
    fn from(placement: PlacementArgument) -> record::Placement {
        match placement {
            PlacementArgument::Kernel => record::Placement::Kernel,
            PlacementArgument::Spread => record::Placement::Spread,
            PlacementArgument::Paired => record::Placement::Paired,
        }
    }
}

/// Traced repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceArgument {
    /// None
    None,
    /// Each test at its lowest degree of parallelism
    One,
    /// Each test at every degree of parallelism
    All,
}

/// Rungs of the ladder of tracing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RungArgument {
    /// Programs in the kernel: system calls, block layer and device
    Bpf,
    /// Events of the block layer, handed over by an instance of the kernel's own tracer: block layer and device
    Tracefs,
    /// Nothing is traced: the kernel's own sums of the block layer, means only
    Counters,
}

impl From<RungArgument> for record::Rung {
    fn from(rung: RungArgument) -> record::Rung {
        match rung {
            RungArgument::Bpf => record::Rung::Bpf,
            RungArgument::Tracefs => record::Rung::Tracefs,
            RungArgument::Counters => record::Rung::Counters,
        }
    }
}

impl From<TraceArgument> for run::Tracing {
    fn from(trace: TraceArgument) -> run::Tracing {
        match trace {
            TraceArgument::None => run::Tracing::None,
            TraceArgument::One => run::Tracing::One,
            TraceArgument::All => run::Tracing::All,
        }
    }
}

/// Arrivals of an open loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Arrival {
    /// At random, as from many independent users
    #[default]
    Poisson,
    /// At equal distances
    Fixed,
}

/// Formats of the inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InventoryFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// The catalogue of tests and probes
    Tests,
    /// The engines
    Engines,
    /// The records in a directory
    Records,
    /// Published systems to stand beside
    References,
    /// The I/O of databases, for `dbdyno io --profile`
    Profiles,
    /// The keys of job files and what they mean here
    Keys,
}
