//! The verbs, a file each: its options, and what it does.

pub mod agent;
pub mod blocks;
pub mod calibrate;
pub mod clean;
pub mod compare;
pub mod export;
pub mod fabric;
pub mod fleet;
pub mod generate;
pub mod history;
pub mod inventory;
pub mod io;
pub mod list;
pub mod load;
pub mod manual;
pub mod model;
pub mod monitor;
pub mod network;
pub mod pair;
pub mod pgbench;
pub mod prove;
pub mod records;
pub mod report;
pub mod run;
pub mod serve;
pub mod size;
pub mod streams;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::arguments::io::{CalibrateArguments, IoArguments};
use crate::arguments::model::ModelArguments;
use crate::arguments::pair::PairArguments;
use crate::arguments::pgbench::PgbenchArguments;
use crate::arguments::run::RunArguments;
use crate::arguments::signed::signed;

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
          mut_subcommands(signed))]
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
    /// Run scripts by the options of pgbench, and print its closing lines beside the sheet
    Pgbench(Box<PgbenchArguments>),
    /// Measure two targets alternately on this machine, and tell which is faster
    Pair(Box<PairArguments>),
    /// Read and update random blocks through the engine (the method of SLOB, on every engine with blocks)
    Blocks(Box<blocks::BlocksArguments>),
    /// Bulk load flat files or generated rows: terabytes per hour, and the resource cost
    Load(Box<load::LoadArguments>),
    /// Write and read files in the database, and the same files on the file system for comparison
    Streams(Box<streams::StreamsArguments>),
    /// Measure storage alone: a fio job file, or one job given by options
    Io(Box<IoArguments>),
    /// Find the maximum IOPS and MB/s of storage under a latency bound
    Calibrate(Box<CalibrateArguments>),
    /// Measure the network to a peer: round trip and bandwidth, the ceiling of an engine on another host
    Network(network::NetworkArguments),
    /// Hold the parts of a platform against the whole: a volume and its members, a device and a fabric
    Prove(Box<prove::ProveArguments>),
    /// Generate data to load: card transactions as flat files, compressed or as Parquet
    Generate(generate::GenerateArguments),
    /// Show the platform: machine, storage, kernel, engine and settings
    Inventory(inventory::InventoryArguments),
    /// Offer a device over NVMe over fabrics, or connect to one, for measuring
    Fabric(fabric::FabricArguments),
    /// Generate one load from several agents: find out whether they can start together
    Fleet(fleet::FleetArguments),
    /// Take part in a fleet as an agent; `dbdyno fleet` starts it
    Agent(agent::AgentArguments),
    /// List tests, engines, records, published systems, I/O profiles, or keys of job files
    List(list::ListArguments),
    /// Print the report of a record
    Report(report::ReportArguments),
    /// Compare records and published systems
    Compare(compare::CompareArguments),
    /// Apply models: scalability, claims, and plans of bulk loads
    Model(ModelArguments),
    /// Follow one metric over many records, and tell where it changed
    History(history::HistoryArguments),
    /// Show the records of a directory in a browser, or write the same pages as files
    Serve(serve::ServeArguments),
    /// Hold the production load of today against platforms that were measured: what it needs, and what is full first
    Size(Box<size::SizeArguments>),
    /// Hold a database in production to its promise: bursts, alerts, metrics, a page each month
    Monitor(Box<monitor::MonitorArguments>),
    /// Export records as tables (CSV, Parquet) or histogram logs
    Export(export::ExportArguments),
    /// Remove kept and left-over databases from a directory
    Clean(clean::CleanArguments),
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

impl Command {
    /// Carries it out.
    ///
    /// # Errors
    /// The user's mistakes, and refusals of the environment.
    pub fn carry_out(&self) -> ::run::Result<()> {
        match self {
            Command::Run(arguments) => run::run(arguments),
            Command::Pgbench(arguments) => pgbench::pgbench(arguments),
            Command::Pair(arguments) => pair::pair(arguments),
            Command::Blocks(arguments) => blocks::blocks(arguments),
            Command::Load(arguments) => load::load(arguments),
            Command::Streams(arguments) => streams::streams(arguments),
            Command::Io(arguments) => io::io(arguments),
            Command::Calibrate(arguments) => calibrate::calibrate(arguments),
            Command::Network(arguments) => network::network(arguments),
            Command::Prove(arguments) => prove::prove(arguments),
            Command::Generate(arguments) => generate::generate(arguments),
            Command::Inventory(arguments) => inventory::inventory(arguments),
            Command::Fabric(arguments) => fabric::fabric(arguments),
            Command::Fleet(arguments) => fleet::fleet(arguments),
            Command::Agent(arguments) => agent::agent(arguments),
            Command::List(arguments) => list::list(arguments),
            Command::Report(arguments) => report::report(arguments),
            Command::Compare(arguments) => compare::compare(arguments),
            Command::Model(arguments) => model::model(arguments),
            Command::History(arguments) => history::history(arguments),
            Command::Serve(arguments) => serve::serve(arguments),
            Command::Size(arguments) => size::command(arguments),
            Command::Monitor(arguments) => monitor::monitor(arguments),
            Command::Export(arguments) => export::export(arguments),
            Command::Clean(arguments) => clean::clean(arguments),
            Command::Completions { shell } => manual::completions(*shell),
            Command::Man { out } => manual::man(out.as_deref()),
            Command::Schema => manual::schema(),
        }
    }
}
