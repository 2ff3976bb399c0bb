//! Options of `dbdyno streams`.

use clap::Args;
use record::{Bytes, Nanos, Preset};

use super::choice;
use super::output::OutputArguments;
use super::setup::PlaceArguments;
use super::value;

/// Upper limit of `--request`: each stream keeps two of them in memory.
const REQUEST_BYTES_MAX: u64 = 256 << 20;
/// Upper limit of `--file`.
const FILE_BYTES_MAX: u64 = 16 << 40;

const STREAMS_EXAMPLES: &str = "\
Examples:
  dbdyno streams --target local:postgres                  1, 4 and 16 files in each form, and on the file system
  dbdyno streams --target local:mariadb --streams 16 --file 1GiB --request 1MiB
  dbdyno streams --target sqlite --form blob,file-system --commit-every 16
  dbdyno streams --target local:postgres --file 10GiB --seconds 60   limit each run to a minute

Each stream writes its own file in requests, one statement each, and reads it back. The same streams are measured on the
file system for comparison. MB and GB are powers of 1000, MiB and GiB of 1024. A request is a multiple of 4 KiB, a file
a multiple of the request.";

/// Options of `dbdyno streams`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload", after_help = STREAMS_EXAMPLES)]
pub struct StreamsArguments {
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite")]
    pub target: String,
    /// Numbers of concurrent streams, one file each [default: 1,4,16; smoke: 1,2]
    #[arg(long, value_name = "1,4,16", value_delimiter = ',', value_parser = value::degree("streams"))]
    pub streams: Vec<u32>,
    /// Storage forms of the engine, and `file-system`
    #[arg(long, value_name = "FORM,...|all", value_delimiter = ',', default_value = "all")]
    pub form: Vec<String>,
    /// Request size
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = value::bytes("request", 0..=REQUEST_BYTES_MAX))]
    pub request: Bytes,
    /// Commit after N requests [default: one transaction per file]
    #[arg(long, value_name = "N", value_parser = value::count("commit-every", 1..=u64::MAX))]
    pub commit_every: Option<u64>,
    /// On the file system, use direct I/O, and fail if it is not supported [default: direct I/O if supported]
    #[arg(long, conflicts_with = "buffered")]
    pub direct: bool,
    /// On the file system, use buffered I/O
    #[arg(long)]
    pub buffered: bool,
    /// File size per stream [default: 64MiB; smoke: 4MiB, standard: 512MiB, publish: 10GiB]
    #[arg(long, value_name = "SIZE", help_heading = "Duration and size", value_parser = value::bytes("file", 0..=FILE_BYTES_MAX))]
    pub file: Option<Bytes>,
    /// Time limit of each run, seconds
    #[arg(long, short, visible_short_alias = 'T', visible_aliases = ["time", "duration"], value_name = "S", help_heading = "Duration and size", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// File size, and cache size of a temporary server
    #[arg(long, short, default_value = "quick", help_heading = "Duration and size", value_parser = choice::preset())]
    pub preset: Preset,
    /// Seed of all random data
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "Duration and size")]
    pub seed: u64,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
}
