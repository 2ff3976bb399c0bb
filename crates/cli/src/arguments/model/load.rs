//! Options of `dbdyno model load`.

use std::path::PathBuf;

use base::data_rate::{Speed, Volume};
use clap::{Args, ValueEnum};
use record::{LoadModel, Nanos};

use super::figure::{self, CoreRate, Named, Sent};

const EXAMPLES: &str = "\
Examples:
  dbdyno model load --goal 1TB/h --compression gzip:2.1 --network 2x1GbE --inflate 80MB/s
  dbdyno model load --data 10TB --within 4h --compression zstd:4 --network 10GbE --cores 32 --starting-rates
  dbdyno model load --goal 1TB/h --from load.jsonl --cores 16 --disks 8@200MB/s   by what this machine measured
  dbdyno model load --from load.jsonl --jobs 8,16                what the record says of more sessions
  dbdyno model load --from plain.jsonl,gzip.jsonl --jobs 4       by loads of two records of one machine
  dbdyno model load --from load.jsonl --check other.jsonl        predicted and measured, in percent
  dbdyno model load --from closson --html plan.html              a published plan, reckoned again, as a page

Rates of stages are bytes of flat file, uncompressed, per second of one core; RATE@CORES is that of a worker with so much of
a core, such as 20MB/s@0.25; `none` says that a stage is not gone through. What is not given is not known, and the plan says
so. KB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB powers of 1024; the plan speaks in those of the goal.";

/// Options of `dbdyno model load`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct LoadPlanArguments {
    /// The rate of flat file that has to be reached
    #[arg(long, value_name = "1TB/h", conflicts_with_all = ["data", "check"], help_heading = "Goal", allow_hyphen_values = true, value_parser = figure::goal)]
    pub goal: Option<Speed>,
    /// The flat file that has to be loaded, uncompressed
    #[arg(
        long,
        value_name = "10TB",
        requires = "within",
        conflicts_with = "check",
        help_heading = "Goal",
        allow_hyphen_values = true, value_parser = figure::data)]
    pub data: Option<Volume>,
    /// The time for it, indexes and checks included
    #[arg(long, value_name = "4h", requires = "data", help_heading = "Goal", allow_hyphen_values = true, value_parser = figure::within)]
    pub within: Option<Nanos>,
    /// Take rates from the loads of a record, or of several of one machine; or a plan from a published system
    #[arg(long, value_name = "RECORD|REFERENCE", value_delimiter = ',', help_heading = "What was measured")]
    pub from: Vec<String>,
    /// Hold the loads of another record against what the first one predicts of them
    #[arg(long, value_name = "RECORD", requires = "from", conflicts_with_all = ["goal", "data"], help_heading = "What was measured")]
    pub check: Option<String>,
    /// How the table is stored: plain, partitioned, compressed, or partitioned,compressed
    #[arg(long, value_name = "KIND", default_value = "plain", help_heading = "What was measured", value_parser = figure::kind)]
    pub model: LoadModel,
    /// How rows reach the engine
    #[arg(long, value_enum, default_value_t = FormArgument::Typed, help_heading = "What was measured")]
    pub form: FormArgument,
    /// Sessions whose rate is predicted [default: those of the record, and twice the most]
    #[arg(
        long,
        short,
        value_name = "1,2,4",
        value_delimiter = ',',
        conflicts_with_all = ["goal", "data", "check"],
        help_heading = "What was measured",
        allow_hyphen_values = true, value_parser = figure::count("--jobs", 1))]
    pub jobs: Option<Vec<u32>>,
    /// What the flat file is sent with, and how much smaller that makes it [default: none; of a prediction
    /// those of the record]
    #[arg(long, value_name = "gzip:2.1|none", help_heading = "What there is", value_parser = figure::compression)]
    pub compression: Option<Sent>,
    /// Links over which it comes
    #[arg(long, value_name = "2x1GbE|230MB/s", help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::network)]
    pub network: Option<Named>,
    /// Bytes of a frame of Ethernet, where links are named by it
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "1500",
        help_heading = "What there is",
        allow_hyphen_values = true, value_parser = figure::mtu)]
    pub mtu: f64,
    /// Processors that client and server share
    #[arg(long, value_name = "N", conflicts_with_all = ["client_cores", "server_cores"], help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::count("--cores", 1))]
    pub cores: Option<u32>,
    /// Processors of the client, where it has its own
    #[arg(long, value_name = "N", help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::count("--client-cores", 1))]
    pub client_cores: Option<u32>,
    /// Processors of the server, where the client has its own
    #[arg(long, value_name = "N", help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::count("--server-cores", 1))]
    pub server_cores: Option<u32>,
    /// How busy processors may be, above 0 and up to 1
    #[arg(
        long,
        alias = "target-utilization",
        value_name = "0.7",
        default_value = "1",
        help_heading = "What there is",
        allow_hyphen_values = true, value_parser = figure::factor("--target-utilisation", 1.0))]
    pub target_utilisation: f64,
    /// Disks, of all copies together, and what each of them writes
    #[arg(long, value_name = "8@200MB/s", help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::disks)]
    pub disks: Option<Named>,
    /// Bytes written for a byte of flat file: table, indexes and log, of one copy
    #[arg(long, value_name = "2.5", help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::factor("--write-amplification", figure::AMPLIFICATION_MAX))]
    pub write_amplification: Option<f64>,
    /// Bytes of log for a byte of flat file, which go to each replica
    #[arg(long, value_name = "1.2", help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::factor("--log-per-byte", figure::AMPLIFICATION_MAX))]
    pub log_per_byte: Option<f64>,
    /// Copies beside the first one
    #[arg(long, value_name = "N", default_value = "0", help_heading = "What there is", allow_hyphen_values = true, value_parser = figure::count("--replicas", 0))]
    pub replicas: u32,
    /// Rates of the stages.
    #[command(flatten)]
    pub rates: RateArguments,
    /// Write a page instead of printing it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// What a core does in each stage.
#[derive(Args, Debug)]
pub struct RateArguments {
    /// Reading and receiving
    #[arg(long, value_name = "RATE", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::core_rate("--read"))]
    pub read: Option<CoreRate>,
    /// Decompressing
    #[arg(
        long,
        alias = "decompress",
        value_name = "RATE",
        help_heading = "Rates of a core",
        allow_hyphen_values = true, value_parser = figure::core_rate("--inflate"))]
    pub inflate: Option<CoreRate>,
    /// Parsing lines into values
    #[arg(long, value_name = "RATE", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::core_rate("--parse"))]
    pub parse: Option<CoreRate>,
    /// Converting values into what goes to the server
    #[arg(long, value_name = "RATE", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::core_rate("--convert"))]
    pub convert: Option<CoreRate>,
    /// Sending
    #[arg(long, value_name = "RATE", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::core_rate("--send"))]
    pub send: Option<CoreRate>,
    /// Inserting, in the server, log and commit included
    #[arg(long, value_name = "RATE", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::core_rate("--insert"))]
    pub insert: Option<CoreRate>,
    /// Making one index when the load has ended; its time is added to that of the load
    #[arg(long, value_name = "RATE", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::core_rate("--index"))]
    pub index: Option<CoreRate>,
    /// Indexes
    #[arg(long, value_name = "N", requires = "index", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::count("--indexes", 1))]
    pub indexes: Option<u32>,
    /// Counting and checking when the load has ended; its time is added too
    #[arg(long, value_name = "RATE", help_heading = "Rates of a core", allow_hyphen_values = true, value_parser = figure::core_rate("--verify"))]
    pub verify: Option<CoreRate>,
    /// Where nothing else is known, plan with commonly published rates, which nobody measured here
    #[arg(long, help_heading = "Rates of a core")]
    pub starting_rates: bool,
}

/// How rows reach the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormArgument {
    /// Lines are parsed by dbdyno and go through the engine's own path for bulk loads
    Typed,
    /// Lines are sent as they are, and the engine parses them
    AsIs,
}

impl From<FormArgument> for record::LoadForm {
    fn from(form: FormArgument) -> record::LoadForm {
        match form {
            FormArgument::Typed => record::LoadForm::Typed,
            FormArgument::AsIs => record::LoadForm::AsIs,
        }
    }
}
