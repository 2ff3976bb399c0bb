//! The arguments of the command line.

pub mod blocks;
pub mod choice;
pub mod compare;
#[cfg(test)]
mod documented;
pub mod export;
pub mod fabric;
pub mod fleet;
pub mod generate;
pub mod history;
pub mod io;
pub mod load;
pub mod model;
pub mod network;
pub mod observe;
pub mod output;
pub mod pace;
pub mod pair;
pub mod prove;
#[cfg(test)]
mod reference_pages;
pub mod report;
pub mod run;
pub mod setup;
mod signed;
pub mod streams;
pub mod value;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use self::blocks::BlocksArguments;
use self::compare::CompareArguments;
use self::export::ExportArguments;
use self::fabric::FabricArguments;
use self::fleet::{AgentArguments, FleetArguments};
use self::generate::GenerateArguments;
use self::history::HistoryArguments;
use self::io::{CalibrateArguments, IoArguments};
use self::load::LoadArguments;
use self::model::ModelArguments;
use self::network::NetworkArguments;
use self::pair::PairArguments;
use self::prove::ProveArguments;
use self::report::ReportArguments;
use self::run::RunArguments;
use self::streams::StreamsArguments;

/// Format of quantities, for all options and for settings of SQLite and DuckDB.
const QUANTITIES: &str = "\
Sizes: k, M, G, T (kB, MB, ...) are powers of 1000, Ki, Mi, Gi, Ti (KiB, MiB, ...) of 1024: 500MB, 1.5G, 8MiB.
Counts: 100_000, 10k, 1.5M. Times: 5ms, 30s, 2m, 1h 30min; a number alone is seconds. Rates: 500, 100/s, 6000/min, 50%.
Sizes of io and calibrate are those of fio, where k, M and G are powers of 1024, and so are M, G and T of slob.conf.";

/// A dynamometer for database platforms: measures a machine layer by layer (CPU, memory, storage, database)
/// through the database itself, and prints one spec sheet.
///
/// Start with `dbdyno run`: it needs nothing but this program (SQLite is built in) and takes a few minutes.
#[derive(Debug, Parser)]
#[command(name = "dbdyno", version, max_term_width = 100, arg_required_else_help = true, after_help = QUANTITIES,
          mut_subcommands(signed::signed))]
pub struct Arguments {
    /// The verb.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure the platform and print its spec sheet
    Run(Box<RunArguments>),
    /// Measure two targets alternately on this machine, and tell which is faster
    Pair(Box<PairArguments>),
    /// Read and update random blocks through the engine (the method of SLOB, on every engine with blocks)
    Blocks(Box<BlocksArguments>),
    /// Bulk load flat files or generated rows: terabytes per hour, and the resource cost
    Load(Box<LoadArguments>),
    /// Write and read files in the database, and the same files on the file system for comparison
    Streams(Box<StreamsArguments>),
    /// Measure storage alone: a fio job file, or one job given by options
    Io(Box<IoArguments>),
    /// Find the maximum IOPS and MB/s of storage under a latency bound
    Calibrate(Box<CalibrateArguments>),
    /// Measure the network to a peer: round trip and bandwidth, the ceiling of an engine on another host
    Network(NetworkArguments),
    /// Hold the parts of a platform against the whole: a volume and its members, a device and a fabric
    Prove(Box<ProveArguments>),
    /// Generate data to load: card transactions as flat files, compressed or as Parquet
    Generate(GenerateArguments),
    /// Show the platform: machine, storage, kernel, engine and settings
    Inventory(InventoryArguments),
    /// Offer a device over NVMe over fabrics, or connect to one, for measuring
    Fabric(FabricArguments),
    /// Generate one load from several agents: find out whether they can start together
    Fleet(FleetArguments),
    /// Take part in a fleet as an agent; `dbdyno fleet` starts it
    Agent(AgentArguments),
    /// List tests, engines, records, published systems, I/O profiles, or keys of job files
    List(ListArguments),
    /// Print the report of a record
    Report(ReportArguments),
    /// Compare records and published systems
    Compare(CompareArguments),
    /// Apply models: scalability, claims, and plans of bulk loads
    Model(ModelArguments),
    /// Follow one metric over many records, and tell where it changed
    History(HistoryArguments),
    /// Export records as tables (CSV, Parquet) or histogram logs
    Export(ExportArguments),
    /// Remove kept and left-over databases from a directory
    Clean(CleanArguments),
    /// Print the completion script of a shell
    Completions {
        /// Shell
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

/// Options of `dbdyno inventory`.
#[derive(Args, Debug)]
pub struct InventoryArguments {
    /// Also query this engine: `sqlite`, `local:postgres`, or a URL
    #[arg(long, short, value_name = "TARGET")]
    pub target: Option<String>,
    /// Directory whose file system and devices are shown
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Hold each shared link against what is below it, and tell which is saturated first
    #[arg(long)]
    pub bandwidth: bool,
    /// Show the platform of this record in place of this machine; --bandwidth then uses what it measured
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["target", "dir"])]
    pub record: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = InventoryFormat::Text)]
    pub format: InventoryFormat,
}

/// Options of `dbdyno list`.
#[derive(Args, Debug)]
pub struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
    /// Directory of the records
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// Options of `dbdyno clean`.
#[derive(Args, Debug)]
pub struct CleanArguments {
    /// The directory that was measured
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
}

/// Formats of the inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InventoryFormat {
    /// Human-readable
    Text,
    /// JSON
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
    /// Published systems
    References,
    /// I/O profiles of databases, for `dbdyno io --profile`
    Profiles,
    /// Keys of job files and their meaning here
    Keys,
}
