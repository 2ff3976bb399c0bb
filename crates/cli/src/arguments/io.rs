//! Options of `dbdyno io` and `dbdyno calibrate`.

use super::value;
use model::Bound;
use record::Nanos;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Arrival;

const IO_EXAMPLES: &str = "\
Examples:
  dbdyno io --rw randread --bs 8k --depth 32 --jobs 4 --seconds 30 --dir /mnt/nvme
  dbdyno io nvme-rand-read.fio                          a job file of fio, as it is
  dbdyno io *.fio --override runtime=5,filesize=1G      the same, smaller
  dbdyno io JOB.fio --dry-run                           what it would do, and what it would not
  dbdyno io --rw write --bs 8k --depth 1 --commit       commits: write and fdatasync as one
  dbdyno io --profile postgresql --size 8G              data reads, data writes, log and checkpoints at once
  dbdyno io --rw randread --bs 8k --until p99=1ms       the highest rate that keeps a service level
  dbdyno io --rw randread --device /dev/nvme1n1         a device itself; reads destroy nothing
  dbdyno io JOB.fio --format fio-json > result.json     for scripts that read fio's output";

/// Options of `dbdyno io`. Those that describe a job change every job of a file or profile.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = IO_EXAMPLES)]
pub struct IoArguments {
    /// Job files of fio; one after the other
    #[arg(value_name = "JOB.fio")]
    pub files: Vec<PathBuf>,
    /// A database's I/O: see `dbdyno list profiles`
    #[arg(long, value_name = "NAME", conflicts_with = "files", help_heading = "What")]
    pub profile: Option<String>,
    /// read, write, randread, randwrite, rw, randrw, trim, ...
    #[arg(long, value_name = "RW", visible_alias = "readwrite", help_heading = "What")]
    pub rw: Option<String>,
    /// Block size, as in a job file: k and M are powers of 1024 [default: 8k]
    #[arg(long, value_name = "SIZE", visible_alias = "block-size", help_heading = "What")]
    pub bs: Option<String>,
    /// I/Os in flight per job [default: 32]
    #[arg(long, value_name = "N", visible_alias = "iodepth", allow_hyphen_values = true, help_heading = "What")]
    pub depth: Option<String>,
    /// Jobs that do the same, a thread each [default: 1]
    #[arg(long, short, value_name = "N", visible_alias = "numjobs", allow_hyphen_values = true, help_heading = "What")]
    pub jobs: Option<String>,
    /// Share of reads in a mix, percent [default: 50]
    #[arg(long, value_name = "PERCENT", visible_alias = "rwmixread", help_heading = "What")]
    pub read_share: Option<String>,
    /// Where random I/O goes: random, zipf:1.2, pareto:0.2, normal:10, zoned:90/10:10/90
    #[arg(long, value_name = "LAW", help_heading = "What")]
    pub distribution: Option<String>,
    /// Sync after every N writes, with metadata
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", help_heading = "What")]
    pub fsync: Option<String>,
    /// Sync after every N writes
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", help_heading = "What")]
    pub fdatasync: Option<String>,
    /// A write and its sync are one operation with one latency
    #[arg(long, help_heading = "What")]
    pub commit: bool,
    /// Read what was written again and check it
    #[arg(long, help_heading = "What")]
    pub verify: bool,
    /// Any key of a job file (`dbdyno list keys`), such as runtime=5,filesize=1G; may be repeated
    #[arg(long = "override", value_name = "KEY=VALUE,...", help_heading = "What")]
    pub overrides: Vec<String>,
    /// Length of the measured window, seconds [default: 10]
    #[arg(
        long,
        short,
        value_name = "S",
        visible_alias = "runtime",
        allow_hyphen_values = true,
        help_heading = "How long and how large", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// I/O before the window that is not counted, seconds [default: a tenth of the window, or what the file says]
    #[arg(
        long,
        value_name = "S",
        visible_alias = "ramp-time",
        allow_hyphen_values = true,
        help_heading = "How long and how large", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// Size of the file [default: 4G, at most a tenth of the free space]
    #[arg(long, value_name = "SIZE", help_heading = "How long and how large")]
    pub size: Option<String>,
    /// Bring the device into a steady state first: fill it twice, then rounds until five in a row agree (SNIA)
    #[arg(long, conflicts_with = "until", help_heading = "How long and how large")]
    pub precondition: bool,
    /// Length of a round of --precondition, seconds
    #[arg(
        long,
        value_name = "S",
        default_value = "60",
        requires = "precondition",
        help_heading = "How long and how large", value_parser = value::window("round"))]
    pub round: Nanos,
    /// What all addresses and data are drawn from [default: new each time]
    #[arg(long, value_name = "N", help_heading = "How long and how large")]
    pub seed: Option<u64>,
    /// I/Os per second of all jobs together, instead of as fast as possible
    #[arg(
        long,
        value_name = "R",
        allow_hyphen_values = true,
        conflicts_with = "until",
        help_heading = "When I/O is due", value_parser = value::rate)]
    pub rate: Option<f64>,
    /// How the I/Os of --rate or --until arrive
    #[arg(long, value_enum, default_value_t = Arrival::Poisson, help_heading = "When I/O is due")]
    pub arrival: Arrival,
    /// Search the highest rate that keeps a level: p99=1ms, p99.9=5ms, mean=500us
    #[arg(long, value_name = "LEVEL", help_heading = "When I/O is due", value_parser = value::bound)]
    pub until: Option<Bound>,
    /// How I/O is handed to the kernel
    #[arg(long, value_enum, visible_alias = "ioengine", help_heading = "How")]
    pub engine: Option<IoEngine>,
    /// Through the page cache
    #[arg(long, help_heading = "How")]
    pub buffered: bool,
    /// Poll for completions (needs a device with poll queues)
    #[arg(long, help_heading = "How")]
    pub polled: bool,
    /// Let a kernel thread pick up submissions
    #[arg(long, visible_alias = "sqpoll", help_heading = "How")]
    pub submission_polled: bool,
    /// Where everything lies
    #[command(flatten)]
    pub location: LocationArguments,
    /// Write every I/O with its times to this file (CSV)
    #[arg(long, value_name = "FILE", help_heading = "Where")]
    pub log: Option<PathBuf>,
    /// How to print the result
    #[arg(long, short, value_enum, default_value_t = IoFormat::Text, visible_alias = "output-format")]
    pub format: IoFormat,
    /// Print the result and nothing else
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the plan and stop
    #[arg(long)]
    pub dry_run: bool,
}

/// Where I/O goes.
#[derive(Args, Clone, Debug, Default)]
pub struct LocationArguments {
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it [default: . or that of the job file]
    #[arg(long, short, value_name = "DIR", visible_alias = "directory", help_heading = "Where")]
    pub dir: Option<PathBuf>,
    /// A block device, or a file that is there already, instead of a file of dbdyno's own; may be repeated
    #[arg(long, value_name = "PATH", visible_alias = "filename", help_heading = "Where")]
    pub device: Vec<PathBuf>,
    /// Where the record goes [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Where")]
    pub record: Option<PathBuf>,
    /// Write to the --device and destroy what is on it; its name again, or asked for (--precondition writes, too)
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "-", help_heading = "Where")]
    pub destroy_data: Vec<PathBuf>,
    /// Do not ask
    #[arg(long, short, help_heading = "Where")]
    pub yes: bool,
}

/// More disks than these are a slip of the finger.
const DISKS_MAX: u32 = 1_024;

const CALIBRATE_EXAMPLES: &str = "\
Examples:
  dbdyno calibrate --dir /mnt/nvme                        bound: 10 ms on average, as CALIBRATE_IO has it
  dbdyno calibrate --dir /mnt/nvme --disks 8 --max-latency 1
  dbdyno calibrate --dir /mnt/nvme --max-latency p99=500us
  dbdyno calibrate --device /dev/nvme1n1";

/// Options of `dbdyno calibrate`.
#[derive(Args, Debug)]
#[command(after_help = CALIBRATE_EXAMPLES)]
pub struct CalibrateArguments {
    /// Physical disks: the search begins with one I/O in flight on each
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = value::count_32("disks", 1..=DISKS_MAX))]
    pub disks: u32,
    /// The highest tolerable latency of small reads: milliseconds on average, or a level such as p99=500us
    #[arg(long, value_name = "MS", default_value = "10", allow_hyphen_values = true, value_parser = value::latency)]
    pub max_latency: Bound,
    /// Size of the small reads, as in a job file of fio: the block size of the database
    #[arg(long, value_name = "SIZE", default_value = "8k")]
    pub bs: String,
    /// Size of the large reads
    #[arg(long, value_name = "SIZE", default_value = "1M")]
    pub large_bs: String,
    /// Length of each measurement, seconds
    #[arg(long, short, value_name = "S", default_value = "2", allow_hyphen_values = true, value_parser = value::window("seconds"))]
    pub seconds: Nanos,
    /// Size of the file [default: 4G, at most a tenth of the free space]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// What all addresses are drawn from [default: new each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where everything lies
    #[command(flatten)]
    pub location: LocationArguments,
    /// How to print the result
    #[arg(long, short, value_enum, default_value_t = IoFormat::Text)]
    pub format: IoFormat,
    /// Print the result and nothing else
    #[arg(long, short)]
    pub quiet: bool,
}

/// How I/O is handed to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IoEngine {
    /// An io_uring per job
    #[value(alias = "io_uring", alias = "libaio")]
    Ring,
    /// pread and pwrite, one at a time
    #[value(alias = "psync")]
    Sync,
    /// Not at all: measures dbdyno
    Null,
}

/// Formats of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IoFormat {
    /// For people
    #[default]
    #[value(alias = "normal")]
    Text,
    /// With fio's keys, for scripts that read its output
    FioJson,
    /// The same with all histogram bins
    #[value(name = "fio-json+", alias = "json+")]
    FioJsonPlus,
    /// One line per stream
    Csv,
    /// The record as it is stored
    Json,
}
