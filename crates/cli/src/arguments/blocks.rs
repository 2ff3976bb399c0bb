//! What may stand behind `dbdyno blocks`.

use super::value::{self, Setting, setting};
use record::{Bytes, Nanos};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::PlacementArgument;

/// The smallest cache that is asked for, and the largest.
const CACHE_BYTES: std::ops::RangeInclusive<u64> = 1_000_000..=1_000_000_000_000_000;

const BLOCKS_EXAMPLES: &str = "\
Examples:
  dbdyno blocks --target local:postgres --run-time 30     80M of blocks, 10 % updates, one session
  dbdyno blocks slob.conf --target local:mariadb          the settings of a file of SLOB, as it is
  dbdyno blocks slob.conf --run-time 60 --scale 2G --schemas 4 --threads 8
  dbdyno blocks --target local:postgres --cold            nothing cached: each block is read from the device
  dbdyno blocks --target local:postgres --cache 16MiB,64MiB   the same with each size of the engine's cache
  dbdyno blocks --target local:postgres --mode engine     the loop in a procedure: least processor time

Each operation visits as many scattered blocks as --work-unit says, exactly, reads or updates a row in each, and commits.
The method is that of SLOB by Kevin Closson, on every engine whose rows lie in blocks. Options stand above the file. Values that a
slob.conf has too are written as there: 80M, 2G and 1T of --scale are MiB, GiB and TiB. Sizes of --cache are as everywhere:
MB and GB are powers of 1000, MiB and GiB of 1024.";

/// Options of `dbdyno blocks`.
#[derive(Args, Debug)]
#[command(after_help = BLOCKS_EXAMPLES)]
pub struct BlocksArguments {
    /// Settings, in the format of a slob.conf
    #[arg(value_name = "slob.conf")]
    pub file: Option<PathBuf>,
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite", help_heading = "What")]
    pub target: String,
    /// Tables that sessions have for themselves [default: 1]
    #[arg(long, short, value_name = "N", allow_hyphen_values = true, help_heading = "What", value_parser = setting("SCHEMAS", "schemas"))]
    pub schemas: Option<Setting>,
    /// Sessions in each schema (THREADS_PER_SCHEMA) [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "What", value_parser = setting("THREADS_PER_SCHEMA", "threads"))]
    pub threads: Option<Setting>,
    /// Updates in a hundred operations (UPDATE_PCT) [default: 10]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, help_heading = "What", value_parser = setting("UPDATE_PCT", "update-pct"))]
    pub update_pct: Option<Setting>,
    /// Scans in a hundred reads (SCAN_PCT) [default: 0]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, help_heading = "What", value_parser = setting("SCAN_PCT", "scan-pct"))]
    pub scan_pct: Option<Setting>,
    /// Blocks that each operation visits (WORK_UNIT) [default: 64]
    #[arg(long, value_name = "BLOCKS", allow_hyphen_values = true, help_heading = "What", value_parser = setting("WORK_UNIT", "work-unit"))]
    pub work_unit: Option<Setting>,
    /// How much of a row an update changes, 2 columns or all 19 (REDO_STRESS) [default: lite]
    #[arg(long, value_name = "lite|heavy", help_heading = "What", value_parser = setting("REDO_STRESS", "redo-stress"))]
    pub redo_stress: Option<Setting>,
    /// Where the loop runs
    #[arg(long, value_enum, default_value_t = BlocksMode::Client, help_heading = "What")]
    pub mode: BlocksMode,
    /// Blocks of each schema, or a size in blocks of 8 KiB (SCALE) [default: 80M]
    #[arg(long, value_name = "BLOCKS|SIZE", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = setting("SCALE", "scale"))]
    pub scale: Option<Setting>,
    /// The same of the table that is scanned; 0 for none (SCAN_TABLE_SZ) [default: 1M]
    #[arg(long, value_name = "BLOCKS|SIZE", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = setting("SCAN_TABLE_SZ", "scan-table-size"))]
    pub scan_table_size: Option<Setting>,
    /// Length of the window, seconds (RUN_TIME) [default: 300]
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = setting("RUN_TIME", "run-time"))]
    pub run_time: Option<Setting>,
    /// Operations of each session, instead of a length of time (WORK_LOOP)
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = setting("WORK_LOOP", "work-loop"))]
    pub work_loop: Option<Setting>,
    /// Length of the warm-up, seconds [default: a quarter of the window, at most 5]
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// Sessions that load (LOAD_PARALLEL_DEGREE) [default: 2]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "How long and how large", value_parser = setting("LOAD_PARALLEL_DEGREE", "load-parallel-degree"))]
    pub load_parallel_degree: Option<Setting>,
    /// Sizes of the engine's cache, a run with each; only a server of dbdyno's own, which is started anew
    #[arg(long, value_name = "SIZE,SIZE,...", value_delimiter = ',', help_heading = "Caches", value_parser = value::bytes("cache", CACHE_BYTES))]
    pub cache: Vec<Bytes>,
    /// Begin with nothing cached, neither by the engine nor by the kernel, and visit no block twice
    #[arg(long, help_heading = "Caches")]
    pub cold: bool,
    /// Let one operation in --hotspot-frequency go to the same part of each schema (DO_HOTSPOT)
    #[arg(long, help_heading = "Hot spots and pauses")]
    pub hotspot: bool,
    /// Its size, MiB (HOTSPOT_MB) [default: 8]
    #[arg(long, value_name = "MIB", allow_hyphen_values = true, help_heading = "Hot spots and pauses", value_parser = setting("HOTSPOT_MB", "hotspot-mb"))]
    pub hotspot_mb: Option<Setting>,
    /// Where it begins, MiB (HOTSPOT_OFFSET_MB) [default: 16]
    #[arg(long, value_name = "MIB", allow_hyphen_values = true, help_heading = "Hot spots and pauses", value_parser = setting("HOTSPOT_OFFSET_MB", "hotspot-offset-mb"))]
    pub hotspot_offset_mb: Option<Setting>,
    /// One operation in so many goes there (HOTSPOT_FREQUENCY) [default: 3]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "Hot spots and pauses", value_parser = setting("HOTSPOT_FREQUENCY", "hotspot-frequency"))]
    pub hotspot_frequency: Option<Setting>,
    /// One operation in so many goes to the first schema (HOT_SCHEMA_FREQUENCY) [default: none]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "Hot spots and pauses", value_parser = setting("HOT_SCHEMA_FREQUENCY", "hot-schema-frequency"))]
    pub hot_schema_frequency: Option<Setting>,
    /// Pause before one operation in so many (THINK_TM_FREQUENCY) [default: never]
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "Hot spots and pauses", value_parser = setting("THINK_TM_FREQUENCY", "think-frequency"))]
    pub think_frequency: Option<Setting>,
    /// The shortest pause, seconds (THINK_TM_MIN) [default: 0.1]
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "Hot spots and pauses", value_parser = setting("THINK_TM_MIN", "think-min"))]
    pub think_min: Option<Setting>,
    /// The longest pause, seconds (THINK_TM_MAX) [default: 0.5]
    #[arg(long, value_name = "S", allow_hyphen_values = true, help_heading = "Hot spots and pauses", value_parser = setting("THINK_TM_MAX", "think-max"))]
    pub think_max: Option<Setting>,
    /// Random texts, which storage can neither compress nor find equal (OBFUSCATE_COLUMNS)
    #[arg(long, help_heading = "What")]
    pub obfuscate: bool,
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it
    #[arg(long, short, value_name = "DIR", default_value = ".", help_heading = "Where")]
    pub dir: PathBuf,
    /// Which processors the jobs and a local server run on
    #[arg(long, value_enum, default_value_t = PlacementArgument::Kernel, help_heading = "Where")]
    pub placement: PlacementArgument,
    /// Where the record goes [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Where")]
    pub record: Option<PathBuf>,
    /// Keep the database; a later run with the same seed and scale uses its tables again
    #[arg(long, help_heading = "Where")]
    pub keep: bool,
    /// What all data and keys are drawn from
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "How long and how large")]
    pub seed: u64,
    /// Do not look at what sessions of the engine are doing meanwhile
    #[arg(long)]
    pub no_activity: bool,
    /// Do not measure first what the device gives without an engine; runs shorter than 2 s have no probe either
    #[arg(long)]
    pub no_probe: bool,
    /// Print the result and nothing else
    #[arg(long, short)]
    pub quiet: bool,
}

/// Where the loop runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BlocksMode {
    /// In the client: a statement for each operation
    #[default]
    Client,
    /// In the engine: a procedure carries out batches of operations
    Engine,
}
