//! `dbdyno prove`: what a property of the platform gives or costs, its parts beside the whole.

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use record::{Bytes, CacheDevice, ClusterFault, CrashFileSystem, CrashRung, Nanos, Preset};
use run::{
    ByHandRequest, DurabilityRequest, Error, Fault, Goal, IoRequest, Measured, NetworkPeer, NfsRequest, NumaRequest,
    Permission, ProofParts, Result, Setup, TiersRequest,
};

use crate::arguments::observe::ObserveStorageArguments;
use crate::arguments::output::OutputArguments;
use crate::arguments::setup::setup;
use crate::arguments::{choice, value};
use crate::command::run::{recorded_target, resume};
use crate::new_record::record_path;
use crate::output::{note, print};
use crate::sheet::show;
use crate::storage::request::{NO_ENGINE, block_and_size, default_size, fresh_seed, judge, measure, measure_on};

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
    /// Whether acknowledged commits survive a fault, beside controls that have to lose some
    #[command(visible_aliases = ["crashes", "power-cut"], after_help = DURABILITY_EXAMPLES)]
    Durability(DurabilityArguments),
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

const DURABILITY_EXAMPLES: &str = "\
Examples:
  dbdyno prove durability                        SQLite, 60 crashes in which what was not synced is lost
  dbdyno prove durability --target local:postgres --preset standard      300 crashes; needs root and /dev/fuse
  dbdyno prove durability --target local:postgres --states 5             also four earlier moments of the load of each crash
  dbdyno prove durability --target local:mariadb --rung D0               its processes are killed, needs no root
  dbdyno prove durability --target local:mariadb --rung D2 --file-system xfs     the disk below a file system loses power
  dbdyno prove durability --target 'local:postgres?replicas=1'           the primary is lost, a replica is promoted
  dbdyno prove durability --target 'local:mariadb?nodes=3'               all nodes of a Galera cluster are lost at once
  dbdyno prove durability --resume dbdyno-20260131-120000-db1.jsonl      the rest of a proof that was interrupted
  dbdyno prove durability --target postgres://HOST/DATABASE --witness FILE       you pull the plug of HOST

Rungs: D0 kills the processes of the engine. D1 also loses, reorders and tears what was not synced, file by file. D2 does so
with what a disk was not told to flush, below a real file system: a loop device over memory, made for it. The kernel, the
hypervisor and the drive are not tried. Only servers that dbdyno starts are killed, and only files of its own are damaged.
With --witness nothing is killed: clients commit until the connection is lost, because you cut the power (D3 by hand).
Where the primary is lost, replicas are synchronous unless the target says otherwise (synchronous=off).
Controls: lying-storage, settings such as fsync=off, and lying-storage-10 and -100, which ignore one sync of so many and need
not lose: they say how small a fault is still found. One that is not known lists all.";

/// Options of `dbdyno prove durability`.
#[derive(Args, Debug)]
pub struct DurabilityArguments {
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, with settings and nodes after `?`; with --witness a server
    /// elsewhere
    /// [default: sqlite]
    #[arg(long, short, value_name = "TARGET")]
    pub target: Option<String>,
    /// Go on with an interrupted proof: its record says with what, crashes that are done count
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["rung", "fault", "file_system", "preset", "crashes", "control", "log_writes", "dir", "seed", "record"])]
    pub resume: Option<PathBuf>,
    /// What a fault takes away
    #[arg(long, value_name = "RUNG", default_value = "D1", ignore_case = true)]
    pub rung: RungArgument,
    /// Which nodes of a cluster a fault takes [default: the primary, and all nodes where each takes writes]
    #[arg(long, value_name = "NODES")]
    pub fault: Option<FaultArgument>,
    /// The file system on the disk of rung D2
    #[arg(long, value_name = "NAME", default_value = "ext4")]
    pub file_system: FileSystemArgument,
    /// Number of crashes, if not by --crashes: smoke 3, quick 60, standard 300
    #[arg(long, value_name = "PRESET", default_value = "quick", value_parser = choice::preset())]
    pub preset: Preset,
    /// Crashes of the engine as it is asked for
    #[arg(long, value_name = "N", value_parser = value::count_32("crashes", 1..=100_000))]
    pub crashes: Option<u32>,
    /// States of each crash on which the engine is started: that of the fault, and those of faults at other moments of the same
    /// load. They are not independent: what is excluded goes by crashes
    #[arg(long, value_name = "N", default_value = "1", value_parser = value::count_32("states", 1..=10_000))]
    pub states: u32,
    /// Controls by name, or none [default: all that have to lose on the rung]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub control: Option<Vec<String>>,
    /// Also write all that the disk of rung D2 was told in the first crash to this file, in the format of dm-log-writes: replay-log of
    /// xfstests makes each state of the disk from it
    #[arg(long, value_name = "FILE")]
    pub log_writes: Option<PathBuf>,
    /// The server is elsewhere, and you cut its power: what was acknowledged is written to this file, and held against the server when
    /// it is back. The same file is for several cuts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "rung", "fault", "file_system", "crashes", "states", "control", "log_writes"])]
    pub witness: Option<PathBuf>,
    /// How long a server is waited for that lost its power; after that, the same command goes on
    #[arg(long, value_name = "TIME", default_value = "10m", requires = "witness", value_parser = value::wait)]
    pub wait: Nanos,
    /// Leave the tables in the server when they were looked at
    #[arg(long, requires = "witness")]
    pub keep: bool,
    /// Directory of the data
    #[arg(long, short, value_name = "DIR", default_value = ".", visible_alias = "directory")]
    pub dir: PathBuf,
    /// Seed of moments, delays and losses [default: new each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Path of the record [default: ./dbdyno-TIME-HOST.jsonl]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The engine of a proof of durability that names none.
const DURABILITY_TARGET: &str = "sqlite";

/// What a fault takes away.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "UPPER")]
pub enum RungArgument {
    /// The processes of the engine
    D0,
    /// Also what was not synced, file by file
    D1,
    /// Also what a disk was not told to flush, below a file system that recovers by itself
    D2,
    /// A machine that loses its power: by hand, with --witness
    D3,
    /// The highest of them that this machine has; which are out is said, and why
    #[value(name = "auto")]
    Auto,
}

impl RungArgument {
    /// The rung; of an engine that is in this process, or not.
    fn chosen(self, is_in_process: bool, file_system: CrashFileSystem) -> Result<CrashRung> {
        Ok(match self {
            RungArgument::D0 => CrashRung::D0,
            RungArgument::D1 => CrashRung::D1,
            RungArgument::D2 => CrashRung::D2,
            RungArgument::D3 => {
                return Err(Error::user(format!("rung D3 is not had by an option: {NO_D3}"))
                    .hint("give --witness FILE and the target of a server whose plug you can pull, or --rung D2"));
            }
            RungArgument::Auto => {
                let is_there = |rung: &CrashRung| match run::why_out(*rung, is_in_process, file_system) {
                    Some(reason) => {
                        note(&format!("rung {} is out on this machine: {reason}", rung.word()));
                        false
                    }
                    None => true,
                };
                note(&format!("rung D3 is out: {NO_D3}"));
                [CrashRung::D2, CrashRung::D1].into_iter().find(is_there).unwrap_or(CrashRung::D0)
            }
        })
    }
}

/// Which nodes of a cluster a fault takes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FaultArgument {
    /// The primary alone; a replica is promoted
    Primary,
    /// All of them at once; they start again on what is left
    AllNodes,
}

impl From<FaultArgument> for ClusterFault {
    fn from(argument: FaultArgument) -> ClusterFault {
        match argument {
            FaultArgument::Primary => ClusterFault::Primary,
            FaultArgument::AllNodes => ClusterFault::AllNodes,
        }
    }
}

/// Why no rung is beyond D2 but by hand.
const NO_D3: &str = "it needs a machine that loses its power, or a guest with the engine in it below which dbdyno would be the \
                     disk; this version has the first, by hand, and starts no guests";

/// The file system on a disk that loses what was not flushed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FileSystemArgument {
    /// ext4 in its default mode
    Ext4,
    /// XFS
    Xfs,
    /// btrfs
    Btrfs,
}

impl From<FileSystemArgument> for CrashFileSystem {
    fn from(argument: FileSystemArgument) -> CrashFileSystem {
        match argument {
            FileSystemArgument::Ext4 => CrashFileSystem::Ext4,
            FileSystemArgument::Xfs => CrashFileSystem::Xfs,
            FileSystemArgument::Btrfs => CrashFileSystem::Btrfs,
        }
    }
}

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

/// Options of the proofs of storage that another host serves.
#[derive(Args, Debug)]
pub struct ServedArguments {
    /// The host that serves it
    #[command(flatten)]
    pub observe: ObserveStorageArguments,
    /// Directory in which dbdyno works; nothing of it is measured
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Loads and rounds
    #[command(flatten)]
    pub load: ProofLoadArguments,
}

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
    /// The host of the server, and how it is proved
    #[command(flatten)]
    pub served: ServedArguments,
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
    /// The host of the target, and how it is proved
    #[command(flatten)]
    pub served: ServedArguments,
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

/// Carries out `dbdyno prove`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that are invalid.
pub fn prove(arguments: &ProveArguments) -> Result<()> {
    match &arguments.subject {
        ProveCommand::Volume(arguments) => volume(arguments),
        ProveCommand::Fabric(arguments) => fabric(arguments),
        ProveCommand::Numa(arguments) => numa(arguments),
        ProveCommand::Tiers(arguments) => tiers(arguments),
        ProveCommand::Nfs(arguments) => nfs(arguments),
        ProveCommand::Durability(arguments) => durability(arguments),
    }
}

fn volume(arguments: &VolumeArguments) -> Result<()> {
    let directory = &arguments.dir;
    if !directory.is_dir() {
        return Err(Error::user(format!("{} is not a directory", directory.display())).hint("give another --dir"));
    }
    let devices = host::place(directory).map(|place| place.devices).unwrap_or_default();
    if let Some((_, cache)) = model::cache_device(&devices) {
        return cached_volume(arguments, cache);
    }
    if let Some(device) = devices.iter().find(|device| device.is_opaque) {
        note(&format!(
            "what {} does with its parts is shown to root alone: if it is a cache device (dm-cache), the sum of its parts is \
             nothing that it could give",
            device.name
        ));
    }
    let members = host::members(directory);
    if members.is_empty() {
        let place = host::place(directory).ok().and_then(|place| Some(place.top()?.name.clone()));
        let device = place.map_or_else(|| "no block device".to_owned(), |name| format!("the device {name}"));
        return Err(Error::user(format!(
            "there is nothing to prove: below {} is {device}, and no volume of several devices",
            directory.display()
        ))
        .hint("give a --dir on a software array, a logical volume or a file system of several devices"));
    }
    let size = arguments.size.as_deref().unwrap_or_else(|| default_size(Some(directory), 1));
    let (block, file) = block_and_size(&arguments.load.bs, size)?;
    let nodes: Vec<PathBuf> = members.iter().map(|name| node(name)).collect();
    let whole = host::place(directory).ok().and_then(|place| Some(node(&place.top()?.name)));
    let whole = whole.filter(|path| !nodes.contains(path) && is_readable(path));
    let readable: Vec<PathBuf> = nodes.into_iter().filter(|path| is_readable(path)).collect();
    let is_whole = readable.len() == members.len() && whole.is_some();
    if !is_whole {
        note(
            "members and volume cannot all be read as devices, which needs root, and a volume that is one: only what the \
             members do for the volume is measured",
        );
    }
    let (readable, whole) = if is_whole { (readable, whole) } else { (Vec::new(), None) };
    let count = members.len() as u32;
    let parts = ProofParts::volume(whole.as_deref(), &readable, count, arguments.load.sizes(block, file));
    let devices = readable.into_iter().chain(whole).collect();
    measure_parts(directory, parts, devices, &arguments.load)
}

/// A block is read from the cache or from the origin, so that their sum is nothing that a cache device could give: it is
/// held against what each of them takes, by the share of reads that each serves.
fn cached_volume(arguments: &VolumeArguments, cache: &CacheDevice) -> Result<()> {
    let directory = &arguments.dir;
    let size = arguments.size.as_deref().unwrap_or_else(|| default_size(Some(directory), 1));
    let (block, file) = block_and_size(&arguments.load.bs, size)?;
    let mut devices: Vec<PathBuf> = cache.caches.iter().chain(&cache.origin).map(|name| node(name)).collect();
    if !devices.iter().all(|path| is_readable(path)) {
        note(
            "cache and origin cannot be read as devices, which needs root: only what they do for the volume is measured",
        );
        devices.clear();
    }
    let parts = ProofParts::cache_device(&devices, arguments.load.sizes(block, file));
    measure_parts(directory, parts, devices, &arguments.load)
}

fn fabric(arguments: &FabricArguments) -> Result<()> {
    let (block, file) = block_and_size(&arguments.served.load.bs, "16M")?;
    for device in [&arguments.local, &arguments.remote] {
        if !device.exists() {
            return Err(Error::user(format!("device {} is not there", device.display()))
                .hint("give block devices such as /dev/nvme1n1; dbdyno inventory lists those below a directory"));
        }
    }
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (local, remote) = (absolute(&arguments.local), absolute(&arguments.remote));
    if local == remote {
        note("both are the same device: the verdict should be EQUIVALENT or INCONCLUSIVE");
    }
    let parts = ProofParts::fabric(&local, &remote, arguments.served.load.sizes(block, file));
    let request = parts_request(&arguments.served.dir, parts, vec![local, remote], &arguments.served.load)?;
    prove_parts(
        &IoRequest { network: arguments.network.clone(), ..request },
        &arguments.served.observe,
        &arguments.served.load,
    )
}

fn numa(arguments: &NumaArguments) -> Result<()> {
    if !run::has_several_nodes() {
        return print("there is nothing to prove: this machine has one NUMA node\n");
    }
    let rounds = &arguments.rounds;
    let request = NumaRequest {
        setup: proof_setup(&arguments.dir, rounds)?,
        window: rounds.seconds,
        rounds: rounds.rounds,
        engine: arguments.target.is_some(),
    };
    let target = arguments.target.as_deref().unwrap_or(NO_ENGINE);
    let none_observed = ObserveStorageArguments::default();
    proved(
        measure_on(target, &none_observed, &rounds.output, |context| run::measure_numa(&request, context))?,
        &rounds.output,
    )
}

fn tiers(arguments: &TiersArguments) -> Result<()> {
    let rounds = &arguments.rounds;
    let request = TiersRequest {
        setup: proof_setup(&arguments.dir, rounds)?,
        cache: arguments.cache,
        window: rounds.seconds,
        rounds: rounds.rounds,
    };
    let measured = measure_on(&arguments.target, &ObserveStorageArguments::default(), &rounds.output, |context| {
        run::measure_tiers(&request, context)
    })?;
    proved(measured, &rounds.output)
}

fn nfs(arguments: &NfsArguments) -> Result<()> {
    if !arguments.export.contains(":/") {
        return Err(Error::user(format!("{} is not an export", arguments.export)).hint("give it as SERVER:/PATH"));
    }
    let (block, file) = block_and_size(&arguments.served.load.bs, &arguments.size)?;
    let rounds = &arguments.served.load.rounds;
    let mut connections = arguments.nconnect.clone();
    connections.sort_unstable();
    connections.dedup();
    let request = NfsRequest {
        setup: proof_setup(&arguments.served.dir, rounds)?,
        export: arguments.export.clone(),
        version: arguments.nfs_version.clone(),
        connections,
        sizes: arguments.served.load.sizes(block, file),
        rounds: rounds.rounds,
    };
    proved(
        measure(&arguments.served.observe, &rounds.output, |context| run::measure_nfs(&request, context))?,
        &rounds.output,
    )
}

fn durability(arguments: &DurabilityArguments) -> Result<()> {
    if let Some(path) = &arguments.resume {
        return resume_durability(path, arguments);
    }
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let record = record_path(arguments.record.as_deref())?;
    let target = arguments.target.as_deref().unwrap_or(DURABILITY_TARGET);
    let output = &arguments.output;
    if let Some(witness) = &arguments.witness {
        let setup = Setup { keep: arguments.keep, ..setup(arguments.dir.clone(), arguments.preset, seed, record) };
        let request = ByHandRequest { setup, witness: witness.clone(), wait: arguments.wait };
        let measured = measure_on(target, &ObserveStorageArguments::default(), output, |context| {
            run::measure_by_hand(&request, context)
        })?;
        return proved(measured, output);
    }
    let controls = arguments.control.clone();
    let file_system = arguments.file_system.into();
    let mut request = DurabilityRequest {
        setup: setup(arguments.dir.clone(), arguments.preset, seed, record),
        rung: CrashRung::D0,
        file_system,
        fault: arguments.fault.map(ClusterFault::from),
        crashes: arguments.crashes.unwrap_or_else(|| run::crashes_of(arguments.preset)),
        states: arguments.states,
        controls: controls.map(|names| names.into_iter().filter(|name| name != "none").collect()),
        log_writes: arguments.log_writes.clone(),
    };
    let measured = measure_on(target, &ObserveStorageArguments::default(), output, |context| {
        request.rung = arguments.rung.chosen(context.engine.about().is_in_process, file_system)?;
        run::measure_durability(&request, context)
    })?;
    proved_durability(measured, output)
}

/// Goes on with the proof in the record at `path`.
fn resume_durability(path: &Path, arguments: &DurabilityArguments) -> Result<()> {
    let (writer, record) = resume(path)?;
    let doubt = run::doubt(&writer.metadata()?);
    let target = match &arguments.target {
        Some(target) => target.clone(),
        None => recorded_target(&record, doubt.as_deref())?.to_string(),
    };
    let setup = setup(arguments.dir.clone(), arguments.preset, record.plan.seed, path.to_owned());
    let output = &arguments.output;
    let measured = measure_on(&target, &ObserveStorageArguments::default(), output, |context| {
        run::resume_durability((writer, record), setup, doubt.as_deref(), context)
    })?;
    proved_durability(measured, output)
}

/// As [`proved`]; an interrupted proof can be gone on with.
fn proved_durability(measured: Measured, output: &OutputArguments) -> Result<()> {
    let (command, path) = (report::resume_command(&measured.record.plan), measured.path.display().to_string());
    proved(measured, output).map_err(|error| match (error.fault, &error.hint) {
        (Fault::Interrupted, None) => {
            error.hint(format!("crashes that are done are in {path}; continue with {command} {path}"))
        }
        _ => error,
    })
}

/// Measures the parts; `devices` are read.
fn measure_parts(directory: &Path, parts: ProofParts, devices: Vec<PathBuf>, load: &ProofLoadArguments) -> Result<()> {
    prove_parts(&parts_request(directory, parts, devices, load)?, &ObserveStorageArguments::default(), load)
}

fn parts_request(
    directory: &Path,
    parts: ProofParts,
    devices: Vec<PathBuf>,
    load: &ProofLoadArguments,
) -> Result<IoRequest> {
    let rounds = &load.rounds;
    Ok(IoRequest {
        setup: proof_setup(directory, rounds)?,
        plan: parts.plan.clone(),
        goal: Goal::Prove { parts, rounds: rounds.rounds },
        permission: Permission { devices, destroy: Vec::new() },
        precondition: None,
        network: None,
        log: None,
        sweeps_agents: false,
        repeats: 1,
    })
}

fn prove_parts(request: &IoRequest, observe: &ObserveStorageArguments, load: &ProofLoadArguments) -> Result<()> {
    let output = &load.rounds.output;
    proved(measure(observe, output, |context| run::measure_io(request, context))?, output)
}

fn proof_setup(directory: &Path, rounds: &RoundsArguments) -> Result<Setup> {
    let seed = rounds.seed.unwrap_or_else(fresh_seed);
    Ok(setup(directory.to_owned(), Preset::Quick, seed, record_path(rounds.record.as_deref())?))
}

/// Shows what was measured. Runs that are invalid are an error only where nothing is left to be proved by.
fn proved(measured: Measured, output: &OutputArguments) -> Result<()> {
    show(&measured, output)?;
    let is_proved = measured.error.is_none() && model::platform_proof(&measured.record).is_some();
    if is_proved { Ok(()) } else { judge(measured) }
}

/// The node of the device with a kernel name.
fn node(name: &str) -> PathBuf {
    Path::new("/dev").join(name.replace('!', "/"))
}

fn is_readable(path: &Path) -> bool {
    File::open(path).is_ok()
}
