//! Options of `dbdyno io` and `dbdyno calibrate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use model::Bound;
use record::{Arrival, Nanos};

use super::choice;
use super::observe::ObserveStorageArguments;
use super::output::OutputArguments;
use super::value;

const IO_EXAMPLES: &str = "\
Examples:
  dbdyno io --rw randread --bs 8k --depth 32 --jobs 4 --seconds 30 --dir /mnt/nvme
  dbdyno io nvme-rand-read.fio                          a fio job file, unchanged
  dbdyno io *.fio --override runtime=5,filesize=1G      the same, smaller
  dbdyno io JOB.fio --dry-run                           the plan, with what has no effect here
  dbdyno io --rw write --bs 8k --depth 1 --commit       commits: write and fdatasync as one operation
  dbdyno io --profile postgresql --size 8G              data reads, data writes, log and checkpoints at the same time
  dbdyno io --rw randread --bs 8k --until p99=1ms       the highest rate that meets a service level
  dbdyno io --rw randread --device /dev/nvme1n1         a raw device; reads destroy nothing
  dbdyno io JOB.fio --format fio-json > result.json     for scripts that read fio's output";

/// Options of `dbdyno io`. Job options apply to every job of a file or profile.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Workload", after_help = IO_EXAMPLES)]
pub struct IoArguments {
    /// fio job files, run one after the other
    #[arg(value_name = "JOB.fio", help_heading = None)]
    pub files: Vec<PathBuf>,
    /// I/O profile of a database: see `dbdyno list profiles`
    #[arg(long, value_name = "NAME", conflicts_with = "files")]
    pub profile: Option<String>,
    /// read, write, randread, randwrite, rw, randrw, trim, ...
    #[arg(long, value_name = "RW", visible_alias = "readwrite")]
    pub rw: Option<String>,
    /// Block size, as in a job file: k and M are powers of 1024 [default: 8k]
    #[arg(long, value_name = "SIZE", visible_alias = "block-size")]
    pub bs: Option<String>,
    /// I/Os in flight per job [default: 32]
    #[arg(long, value_name = "N", visible_alias = "iodepth", allow_hyphen_values = true)]
    pub depth: Option<String>,
    /// Identical jobs, one thread each [default: 1]
    #[arg(long, short, value_name = "N", visible_aliases = ["numjobs", "threads"], allow_hyphen_values = true)]
    pub jobs: Option<String>,
    /// Name of the job in the report
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Share of reads in a mix, percent [default: 50]
    #[arg(long, value_name = "PERCENT", visible_alias = "rwmixread")]
    pub read_share: Option<String>,
    /// Distribution of random I/O: random, zipf:1.2, pareto:0.2, normal:10, zoned:90/10:10/90
    #[arg(long, value_name = "DISTRIBUTION")]
    pub distribution: Option<String>,
    /// fsync after every N writes
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    pub fsync: Option<String>,
    /// fdatasync after every N writes
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    pub fdatasync: Option<String>,
    /// A write and its sync are one operation with one latency
    #[arg(long)]
    pub commit: bool,
    /// Read back and verify what was written
    #[arg(long)]
    pub verify: bool,
    /// Any key of a job file (`dbdyno list keys`), such as runtime=5,filesize=1G; may be repeated
    #[arg(long = "override", value_name = "KEY=VALUE,...")]
    pub overrides: Vec<String>,
    /// Length of the measured window, seconds [default: 10]
    #[arg(long, short, value_name = "S", visible_short_alias = 'T', visible_aliases = ["runtime", "time", "duration"], help_heading = "Duration and size", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// Warm-up before the window, seconds [default: a tenth of the window, or ramp_time of the file]
    #[arg(long, value_name = "S", visible_alias = "ramp-time", help_heading = "Duration and size", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// Size of the file [default: 4G, at most a tenth of the free space]
    #[arg(long, value_name = "SIZE", help_heading = "Duration and size")]
    pub size: Option<String>,
    /// Bring the device into a steady state first: fill it twice, then rounds until five in a row agree (SNIA)
    #[arg(long, conflicts_with = "until", help_heading = "Duration and size")]
    pub precondition: bool,
    /// Length of a round of --precondition, seconds
    #[arg(long, value_name = "S", default_value = "60", requires = "precondition", help_heading = "Duration and size", value_parser = value::window("round"))]
    pub round: Nanos,
    /// Seed of all random addresses and data [default: new each time]
    #[arg(long, value_name = "N", help_heading = "Duration and size")]
    pub seed: Option<u64>,
    /// I/Os per second of all jobs together, instead of a closed loop
    #[arg(long, value_name = "R", conflicts_with = "until", help_heading = "Arrival rate", value_parser = value::rate)]
    pub rate: Option<f64>,
    /// Arrival process of --rate and --until
    #[arg(long, default_value = "poisson", value_parser = choice::arrival(), help_heading = "Arrival rate")]
    pub arrival: Arrival,
    /// Find the highest rate that meets a service level: p99=1ms, p99.9=5ms, mean=500us
    #[arg(long, value_name = "LEVEL", help_heading = "Arrival rate", value_parser = value::bound)]
    pub until: Option<Bound>,
    /// How I/O is submitted to the kernel
    #[arg(long, value_enum, visible_alias = "ioengine", help_heading = "I/O engine")]
    pub engine: Option<IoEngine>,
    /// Buffered I/O, through the page cache
    #[arg(long, help_heading = "I/O engine")]
    pub buffered: bool,
    /// Poll for completions (IOPOLL; needs a device with poll queues)
    #[arg(long, help_heading = "I/O engine")]
    pub polled: bool,
    /// Submission queue polling by a kernel thread (SQPOLL)
    #[arg(long, visible_alias = "sqpoll", help_heading = "I/O engine")]
    pub submission_polled: bool,
    /// Files and devices
    #[command(flatten)]
    pub location: LocationArguments,
    /// Log every I/O with its times to this file (CSV)
    #[arg(long, value_name = "FILE", help_heading = "Location")]
    pub log: Option<PathBuf>,
    /// Output format
    #[arg(long, short, value_enum, default_value_t = IoFormat::Text, visible_alias = "output-format", help_heading = None)]
    pub format: IoFormat,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
    /// Print the plan and exit
    #[arg(long, help_heading = None)]
    pub dry_run: bool,
}

/// Files and devices of the I/O.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Location")]
pub struct LocationArguments {
    /// Directory to measure; dbdyno works in a directory `dbdyno-data` below it [default: . or that of the job file]
    #[arg(long, short, value_name = "DIR", visible_alias = "directory")]
    pub dir: Option<PathBuf>,
    /// A block device or an existing file, instead of a file that dbdyno creates; may be repeated
    #[arg(long, value_name = "PATH", visible_alias = "filename")]
    pub device: Vec<PathBuf>,
    /// Hosts of storage
    #[command(flatten)]
    pub observe: ObserveStorageArguments,
    /// Path of the record [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Allow writes that destroy the data on --device: repeat its path, or be asked (--precondition writes, too)
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "-")]
    pub destroy_data: Vec<PathBuf>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
}

/// Upper limit of `--disks`.
const DISKS_MAX: u32 = 1_024;

const CALIBRATE_EXAMPLES: &str = "\
Examples:
  dbdyno calibrate --dir /mnt/nvme                        bound: 10 ms on average, as in CALIBRATE_IO
  dbdyno calibrate --dir /mnt/nvme --disks 8 --max-latency 1
  dbdyno calibrate --dir /mnt/nvme --max-latency p99=500us
  dbdyno calibrate --device /dev/nvme1n1";

/// Options of `dbdyno calibrate`.
#[derive(Args, Debug)]
#[command(after_help = CALIBRATE_EXAMPLES)]
pub struct CalibrateArguments {
    /// Physical disks: the search starts with one I/O in flight per disk
    #[arg(long, value_name = "N", default_value = "1", value_parser = value::count_32("disks", 1..=DISKS_MAX))]
    pub disks: u32,
    /// Latency bound of small reads: a mean in milliseconds, or a service level such as p99=500us
    #[arg(long, value_name = "MS", default_value = "10", allow_hyphen_values = true, value_parser = value::latency)]
    pub max_latency: Bound,
    /// Size of small reads, as in a fio job file: the block size of the database
    #[arg(long, value_name = "SIZE", default_value = "8k")]
    pub bs: String,
    /// Size of large reads
    #[arg(long, value_name = "SIZE", default_value = "1M")]
    pub large_bs: String,
    /// Length of each measurement, seconds
    #[arg(long, short, visible_short_alias = 'T', visible_aliases = ["time", "duration"], value_name = "S", default_value = "2", value_parser = value::window("seconds"))]
    pub seconds: Nanos,
    /// Size of the file [default: 4G, at most a tenth of the free space]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Seed of all random addresses [default: new each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Files and devices
    #[command(flatten)]
    pub location: LocationArguments,
    /// Output format
    #[arg(long, short, value_enum, default_value_t = IoFormat::Text, help_heading = None)]
    pub format: IoFormat,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
}

/// I/O engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IoEngine {
    /// An io_uring per job
    #[value(alias = "io_uring", alias = "libaio")]
    Ring,
    /// pread and pwrite, one at a time
    #[value(alias = "psync")]
    Sync,
    /// No I/O: measures the overhead of dbdyno
    Null,
}

/// Output formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IoFormat {
    /// Human-readable
    #[default]
    #[value(alias = "normal")]
    Text,
    /// fio's JSON, for scripts that read it
    FioJson,
    /// fio's JSON with all histogram bins
    #[value(name = "fio-json+", alias = "json+")]
    FioJsonPlus,
    /// One line per job and kind of I/O
    Csv,
    /// The record as one JSON document
    Json,
}
