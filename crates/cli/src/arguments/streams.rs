//! What may stand behind `dbdyno streams`.

use super::value;
use record::{Bytes, Nanos};
use std::path::PathBuf;

use clap::Args;

use super::{PlacementArgument, PresetArgument};

/// The largest request: each stream holds two of them in memory.
const REQUEST_BYTES_MAX: u64 = 256 << 20;
/// The largest file.
const FILE_BYTES_MAX: u64 = 16 << 40;

const STREAMS_EXAMPLES: &str = "\
Examples:
  dbdyno streams --target local:postgres                  1, 4 and 16 files in each form, and on the file system
  dbdyno streams --target local:mariadb --streams 16 --file 1GiB --request 1MiB
  dbdyno streams --target sqlite --form blob,file-system --commit-every 16
  dbdyno streams --target local:postgres --file 10GiB --seconds 60   end each run after a minute

Each stream writes a file of its own request by request, each of them a statement, and reads it back. The same streams
on the file system stand beside it. MB and GB are powers of 1000,
MiB and GiB of 1024. A request is a multiple of 4 KiB, a file of a request.";

/// Options of `dbdyno streams`.
#[derive(Args, Debug)]
#[command(after_help = STREAMS_EXAMPLES)]
pub struct StreamsArguments {
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite", help_heading = "What")]
    pub target: String,
    /// Numbers of concurrent streams, a file each [default: 1,4,16; smoke: 1,2]
    #[arg(long, value_name = "1,4,16", value_delimiter = ',', allow_hyphen_values = true, help_heading = "What", value_parser = value::degree("streams"))]
    pub streams: Vec<u32>,
    /// Forms in which the engine keeps files, and `file-system`
    #[arg(long, value_name = "FORM,...|all", value_delimiter = ',', default_value = "all", help_heading = "What")]
    pub form: Vec<String>,
    /// Size of each request
    #[arg(long, value_name = "SIZE", default_value = "1MiB", allow_hyphen_values = true, help_heading = "What", value_parser = value::bytes("request", 0..=REQUEST_BYTES_MAX))]
    pub request: Bytes,
    /// Commit after so many requests [default: a whole file is one transaction]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "What", value_parser = value::count("commit-every", 1..=u64::MAX))]
    pub commit_every: Option<u64>,
    /// On the file system, pass the page cache by, and refuse where that cannot be [default: where it can be]
    #[arg(long, conflicts_with = "buffered", help_heading = "What")]
    pub direct: bool,
    /// On the file system, go through the page cache
    #[arg(long, help_heading = "What")]
    pub buffered: bool,
    /// Size of the file of each stream [default: 64MiB; smoke: 4MiB, standard: 512MiB, publish: 10GiB]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::bytes("file", 0..=FILE_BYTES_MAX))]
    pub file: Option<Bytes>,
    /// End each run after so many seconds, whole file or not
    #[arg(long, short, value_name = "S", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// How large, and how much cache a server of dbdyno's own has
    #[arg(long, short, value_enum, default_value_t = PresetArgument::Quick, help_heading = "How long and how large")]
    pub preset: PresetArgument,
    /// What all data are drawn from
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "How long and how large")]
    pub seed: u64,
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it
    #[arg(long, short, value_name = "DIR", default_value = ".", help_heading = "Where")]
    pub dir: PathBuf,
    /// Which processors the streams and a local server run on
    #[arg(long, value_enum, default_value_t = PlacementArgument::Kernel, help_heading = "Where")]
    pub placement: PlacementArgument,
    /// Where the record goes [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Where")]
    pub record: Option<PathBuf>,
    /// Do not look at what sessions of the engine are doing meanwhile
    #[arg(long)]
    pub no_activity: bool,
    /// Print the result and nothing else
    #[arg(long, short)]
    pub quiet: bool,
}
