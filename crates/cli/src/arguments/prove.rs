//! Options of `dbdyno prove`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use record::{Bytes, Nanos};
use run::NetworkPeer;

use super::observe::ObserveStorageArguments;
use super::output::OutputArguments;
use super::value;

const NOTE: &str = "\
A proof measures the parts of a platform beside the whole, in rounds and in random order, and ends in a verdict.
Devices are only read; what is written is a file of dbdyno's own.
Whether one resource limits a test of an engine is another question: dbdyno run --prove.";

/// Options of `dbdyno prove`.
#[derive(Args, Debug)]
#[command(after_help = NOTE)]
pub struct ProveArguments {
    /// What is proved.
    #[command(subcommand)]
    pub subject: ProveCommand,
}

/// The proofs.
#[derive(Debug, Subcommand)]
pub enum ProveCommand {
    /// Whether a volume of several devices gives the sum of its members, evenly, and what its redundancy writes
    #[command(visible_aliases = ["striping", "mirroring", "raid"], after_help = VOLUME_EXAMPLES)]
    Volume(VolumeArguments),
    /// What memory, the device and an engine cost from processors of another NUMA node
    #[command(after_help = NUMA_EXAMPLES)]
    Numa(NumaArguments),
    /// What a fabric adds to the times of a device and to processor time
    #[command(after_help = FABRIC_EXAMPLES)]
    Fabric(FabricArguments),
    /// What a block costs from the buffer cache of an engine, the page cache below it, and the device
    #[command(visible_aliases = ["cache", "tiering"], after_help = TIERS_EXAMPLES)]
    Tiers(TiersArguments),
    /// Whether more connections to the server (nconnect) make a network file system faster
    #[command(visible_alias = "nconnect", after_help = NFS_EXAMPLES)]
    Nfs(NfsArguments),
}

const VOLUME_EXAMPLES: &str = "\
Examples:
  dbdyno prove volume --dir /data                the volume below /data; reading its members needs root
  dbdyno prove volume --dir /data --rounds 6 --seconds 5

A volume that is a cache device (bcache, dm-cache, dm-writecache) is held against the times of its cache and its origin, by
the share of reads that each serves.";

const NUMA_EXAMPLES: &str = "\
Examples:
  dbdyno prove numa                              memory, and the device of the working directory
  dbdyno prove numa --dir /data --target local:postgres      also the engine, with its memory on each node";

const FABRIC_EXAMPLES: &str = "\
Examples:
  dbdyno prove fabric --local /dev/nvme1n1 --remote /dev/nvme5n1      the same drive, locally and through a target
  dbdyno prove fabric --local /dev/nvme1n1 --remote /dev/nvme5n1 --observe-storage target1
                                                 with the processor time of the target's host";

const TIERS_EXAMPLES: &str = "\
Examples:
  dbdyno prove tiers                             SQLite on the file system of the working directory
  dbdyno prove tiers --target local:postgres --dir /data --cache 256MiB

A table of four times the buffer cache is visited at random, by one session. Its files stay in the page cache, are
dropped from it, or half of them are. What a block costs from each tier is found from three such points; a fourth is
predicted from them, and measured.";

/// Limits of `--cache` of a proof.
const CACHE_BYTES: std::ops::RangeInclusive<u64> = 4_194_304..=1_000_000_000_000;

/// Options of `dbdyno prove tiers`.
#[derive(Args, Debug)]
pub struct TiersArguments {
    /// The engine: `sqlite` or `local:postgres`, which read through the page cache
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite")]
    pub target: String,
    /// Size of its buffer cache; the table is four times as large
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = value::bytes("cache", CACHE_BYTES))]
    pub cache: Bytes,
    /// Directory of the table, on the device that is measured
    #[arg(long, short, value_name = "DIR", default_value = ".", visible_alias = "directory")]
    pub dir: PathBuf,
    /// Rounds and record
    #[command(flatten)]
    pub rounds: RoundsArguments,
}

const NFS_EXAMPLES: &str = "\
Examples:
  dbdyno prove nfs filer:/export                 1, 2, 4 and 8 connections, version 4.2
  dbdyno prove nfs filer:/export --nconnect 1,16 --nfs-version 3 --rounds 3

The export is mounted by dbdyno for itself alone, which needs root; the mounts end with it. On the export it makes a
directory of its own, and removes it. What is mounted already is measured by dbdyno io --dir.";

/// Options of `dbdyno prove nfs`.
#[derive(Args, Debug)]
pub struct NfsArguments {
    /// The export, as mount takes it
    #[arg(value_name = "SERVER:/PATH")]
    pub export: String,
    /// Numbers of connections
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', default_value = "1,2,4,8", value_parser = value::count_32("nconnect", 1..=16))]
    pub nconnect: Vec<u32>,
    /// Version of the protocol
    #[arg(long, value_name = "VERSION", default_value = "4.2", value_parser = ["3", "4.0", "4.1", "4.2"])]
    pub nfs_version: String,
    /// Size of the file that is read and written
    #[arg(long, value_name = "SIZE", default_value = "256M")]
    pub size: String,
    /// The host of the server
    #[command(flatten)]
    pub observe: ObserveStorageArguments,
    /// Directory in which dbdyno works; nothing of it is measured
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Loads and rounds
    #[command(flatten)]
    pub load: ProofLoadArguments,
}

/// Options of `dbdyno prove volume`.
#[derive(Args, Debug)]
pub struct VolumeArguments {
    /// A directory on the volume
    #[arg(long, short, value_name = "DIR", default_value = ".", visible_alias = "directory")]
    pub dir: PathBuf,
    /// Size of the file that is written [default: 4G, at most a tenth of the free space]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Loads and rounds
    #[command(flatten)]
    pub load: ProofLoadArguments,
}

/// Options of `dbdyno prove fabric`.
#[derive(Args, Debug)]
pub struct FabricArguments {
    /// The device without the fabric
    #[arg(long, value_name = "DEVICE")]
    pub local: PathBuf,
    /// The same device, or one like it, through the fabric
    #[arg(long, value_name = "DEVICE")]
    pub remote: PathBuf,
    /// Also measure the network to the target, where `dbdyno network serve` runs: the least that the fabric adds to a
    /// read, and the most that it can carry
    #[arg(long, value_name = "HOST[:PORT]", value_parser = value::peer)]
    pub network: Option<NetworkPeer>,
    /// The host of the target
    #[command(flatten)]
    pub observe: ObserveStorageArguments,
    /// Directory in which dbdyno works; nothing of it is measured
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Loads and rounds
    #[command(flatten)]
    pub load: ProofLoadArguments,
}

/// Options of `dbdyno prove numa`.
#[derive(Args, Debug)]
pub struct NumaArguments {
    /// A directory on the device that is measured from each node
    #[arg(long, short, value_name = "DIR", default_value = ".", visible_alias = "directory")]
    pub dir: PathBuf,
    /// Also an engine, started on each node with memory of each: `sqlite`, `local:postgres`, `local:mariadb`, ...
    #[arg(long, short, value_name = "TARGET")]
    pub target: Option<String>,
    /// Rounds and record
    #[command(flatten)]
    pub rounds: RoundsArguments,
}

/// How often the parts are measured, and what becomes of it.
#[derive(Args, Debug)]
pub struct RoundsArguments {
    /// Measurements of each part: three and more give intervals
    #[arg(long, value_name = "N", default_value = "5", value_parser = value::count_32("rounds", 1..=1000))]
    pub rounds: u32,
    /// Length of each measurement, seconds
    #[arg(long, short, visible_short_alias = 'T', visible_aliases = ["time", "duration"], value_name = "S", default_value = "2", value_parser = value::window("seconds"))]
    pub seconds: Nanos,
    /// Seed of the order, and of all random addresses [default: new each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Path of the record [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
}

/// How the parts are loaded.
#[derive(Args, Debug)]
pub struct ProofLoadArguments {
    /// Size of small blocks, as in a fio job file: the block size of the database
    #[arg(long, value_name = "SIZE", default_value = "8k")]
    pub bs: String,
    /// Small blocks in flight per device
    #[arg(long, value_name = "N", default_value = "16", visible_alias = "iodepth", value_parser = value::count_32("depth", 1..=4096))]
    pub depth: u32,
    /// Rounds and record
    #[command(flatten)]
    pub rounds: RoundsArguments,
}

impl ProofLoadArguments {
    /// How the parts are loaded, with small blocks of `block` and a file of `file`.
    pub fn sizes(&self, block: Bytes, file: Bytes) -> run::ProofSizes {
        run::ProofSizes { block, depth: self.depth, window: self.rounds.seconds, file }
    }
}
