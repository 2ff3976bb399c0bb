//! Options of `dbdyno model load`.

use std::path::PathBuf;

use base::data_rate::{Speed, Volume};
use clap::Args;
use clap::builder::TypedValueParser;
use record::{LoadForm, LoadModel, Nanos};

use super::super::choice;
use super::figure::{self, CoreRate, Named, Sent};

const EXAMPLES: &str = "\
Examples:
  dbdyno model load --goal 1TB/h --compression gzip:2.1 --network 2x1GbE --inflate 80MB/s
  dbdyno model load --data 10TB --within 4h --compression zstd:4 --network 10GbE --cores 32 --starting-rates
  dbdyno model load --goal 1TB/h --from load.jsonl --cores 16 --disks 8@200MB/s   with rates measured on this machine
  dbdyno model load --from load.jsonl --jobs 8,16                prediction for more sessions
  dbdyno model load --from plain.jsonl,gzip.jsonl --jobs 4       from loads of two records of one machine
  dbdyno model load --from load.jsonl --check other.jsonl        predicted against measured, in percent
  dbdyno model load --from closson --html plan.html              a published plan, recalculated, as an HTML page

Rates of stages are bytes of uncompressed flat file per second of one core; RATE@CORES is that of a worker with a
fraction of a core, such as 20MB/s@0.25; `none` skips a stage. What is not given is shown as unknown. KB, MB, GB, TB are
powers of 1000, KiB, MiB, GiB, TiB powers of 1024; the plan uses the units of the goal.";

/// Options of `dbdyno model load`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Resources", after_help = EXAMPLES)]
pub struct LoadPlanArguments {
    /// Target load rate, in flat file
    #[arg(long, value_name = "1TB/h", conflicts_with_all = ["data", "check"], help_heading = "Goal", value_parser = figure::goal)]
    pub goal: Option<Speed>,
    /// Flat file to load, uncompressed
    #[arg(long, value_name = "10TB", requires = "within", conflicts_with = "check", help_heading = "Goal", value_parser = figure::data)]
    pub data: Option<Volume>,
    /// Time limit, indexes and checks included
    #[arg(long, value_name = "4h", requires = "data", help_heading = "Goal", value_parser = figure::within)]
    pub within: Option<Nanos>,
    /// Take rates from the loads of a record, or of several of one machine; or a plan from a published system
    #[arg(long, value_name = "RECORD|REFERENCE", value_delimiter = ',', help_heading = "Measured loads")]
    pub from: Vec<String>,
    /// Compare the loads of another record with the predictions of the first one
    #[arg(long, value_name = "RECORD", requires = "from", conflicts_with_all = ["goal", "data"], help_heading = "Measured loads")]
    pub check: Option<String>,
    /// Storage of the table: plain, partitioned, compressed, or partitioned,compressed
    #[arg(long, value_name = "KIND", default_value = "plain", help_heading = "Measured loads", value_parser = figure::kind)]
    pub model: LoadModel,
    /// How rows reach the engine
    #[arg(long, default_value = "typed", help_heading = "Measured loads", value_parser = form())]
    pub form: LoadForm,
    /// Sessions to predict for [default: those of the record, and twice the maximum]
    #[arg(long, short, value_name = "1,2,4", value_delimiter = ',', conflicts_with_all = ["goal", "data", "check"], help_heading = "Measured loads", value_parser = figure::count("--jobs", 1))]
    pub jobs: Option<Vec<u32>>,
    /// Compression of the flat file and its ratio [default: none; in a prediction those of the record]
    #[arg(long, value_name = "gzip:2.1|none", value_parser = figure::compression)]
    pub compression: Option<Sent>,
    /// Network links
    #[arg(long, value_name = "2x1GbE|230MB/s", value_parser = figure::network)]
    pub network: Option<Named>,
    /// Ethernet MTU, bytes
    #[arg(long, value_name = "BYTES", default_value = "1500", value_parser = figure::mtu)]
    pub mtu: f64,
    /// Processors that client and server share
    #[arg(long, value_name = "N", conflicts_with_all = ["client_cores", "server_cores"], value_parser = figure::count("--cores", 1))]
    pub cores: Option<u32>,
    /// Processors of the client, if separate
    #[arg(long, value_name = "N", value_parser = figure::count("--client-cores", 1))]
    pub client_cores: Option<u32>,
    /// Processors of the server, if separate
    #[arg(long, value_name = "N", value_parser = figure::count("--server-cores", 1))]
    pub server_cores: Option<u32>,
    /// Maximum utilisation of the processors, above 0 and up to 1
    #[arg(long, alias = "target-utilization", value_name = "0.7", default_value = "1", value_parser = figure::factor("--target-utilisation", 1.0))]
    pub target_utilisation: f64,
    /// Disks of all copies together, and the write rate of each
    #[arg(long, value_name = "8@200MB/s", value_parser = figure::disks)]
    pub disks: Option<Named>,
    /// Bytes written per byte of flat file: table, indexes and log, of one copy
    #[arg(long, value_name = "2.5", value_parser = figure::factor("--write-amplification", figure::AMPLIFICATION_MAX))]
    pub write_amplification: Option<f64>,
    /// Bytes of log per byte of flat file, sent to each replica
    #[arg(long, value_name = "1.2", value_parser = figure::factor("--log-per-byte", figure::AMPLIFICATION_MAX))]
    pub log_per_byte: Option<f64>,
    /// Replicas
    #[arg(long, value_name = "N", default_value = "0", value_parser = figure::count("--replicas", 0))]
    pub replicas: u32,
    /// Rates of the stages.
    #[command(flatten)]
    pub rates: RateArguments,
    /// Write an HTML page instead of printing
    #[arg(long, value_name = "FILE", help_heading = None)]
    pub html: Option<PathBuf>,
}

/// Rates of the stages, per core.
#[derive(Args, Debug)]
#[command(next_help_heading = "Rates per core")]
pub struct RateArguments {
    /// Reading and receiving
    #[arg(long, value_name = "RATE", value_parser = figure::core_rate("--read"))]
    pub read: Option<CoreRate>,
    /// Decompressing
    #[arg(long, alias = "decompress", value_name = "RATE", value_parser = figure::core_rate("--inflate"))]
    pub inflate: Option<CoreRate>,
    /// Parsing lines into values
    #[arg(long, value_name = "RATE", value_parser = figure::core_rate("--parse"))]
    pub parse: Option<CoreRate>,
    /// Converting values for the server
    #[arg(long, value_name = "RATE", value_parser = figure::core_rate("--convert"))]
    pub convert: Option<CoreRate>,
    /// Sending
    #[arg(long, value_name = "RATE", value_parser = figure::core_rate("--send"))]
    pub send: Option<CoreRate>,
    /// Inserting in the server, log and commit included
    #[arg(long, value_name = "RATE", value_parser = figure::core_rate("--insert"))]
    pub insert: Option<CoreRate>,
    /// Building one index after the load; its time is added to that of the load
    #[arg(long, value_name = "RATE", value_parser = figure::core_rate("--index"))]
    pub index: Option<CoreRate>,
    /// Number of indexes
    #[arg(long, value_name = "N", requires = "index", value_parser = figure::count("--indexes", 1))]
    pub indexes: Option<u32>,
    /// Counting and checking after the load; its time is added too
    #[arg(long, value_name = "RATE", value_parser = figure::core_rate("--verify"))]
    pub verify: Option<CoreRate>,
    /// Use commonly published rates, not measured here, for stages without another rate
    #[arg(long)]
    pub starting_rates: bool,
}

/// How rows reach the engine.
fn form() -> impl TypedValueParser<Value = LoadForm> {
    const TYPED: &str = "Lines are parsed by dbdyno and sent through the engine's bulk load interface";
    choice::of([
        ("typed", TYPED, LoadForm::Typed),
        ("as-is", "Lines are sent unparsed; the engine parses them", LoadForm::AsIs),
    ])
}
