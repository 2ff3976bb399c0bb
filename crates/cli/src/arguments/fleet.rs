//! Options of `dbdyno fleet` and `dbdyno agent`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use fleet::ManifestFormat;
use record::Bytes;

use super::blocks::BlocksArguments;
use super::choice;
use super::io::IoArguments;
use super::load::LoadArguments;
use super::run::RunArguments;
use super::value;

/// Upper limit of `--agents`.
const AGENTS_MAX: u32 = 300;

/// Upper limit of `--jobs-per-agent`.
const JOBS_PER_AGENT_MAX: u32 = 10_000;

/// Upper limit of `--cpus`.
const CPUS_MAX: u32 = 1_024;

/// Limits of `--memory`.
const MEMORY: RangeInclusive<u64> = 64 << 20..=1 << 44;

/// Limits of `--volume`.
const VOLUME: RangeInclusive<u64> = 1_000_000_000..=1 << 50;

const CHECK_EXAMPLES: &str = "\
Examples:
  dbdyno fleet check --agents 3      three agents on this machine
  dbdyno fleet check --hosts FILE    one on each host of the file

The program is copied to ~/.cache/dbdyno of a host that does not have it. The messages go through a program
nats-server on this machine (Debian: package nats-server), which is started and ended with the check. Nothing is
measured, and no other file is written.";

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno fleet run --agents 3 --target local:postgres --tests T311 --jobs 6
                                     six sessions, two from each of three agents
  dbdyno fleet run --hosts FILE --target postgres://bench@db1/bench --tests T611 --jobs 64
                                     64 sessions from the hosts of the file
  dbdyno fleet run --hosts FILE --target postgres://bench@db1/bench --tests T611 --jobs-per-agent 16
                                     16 sessions from one host, 32 from two, 64 from four, ...

Tests and probes of processors and memory are measured. Agents on one machine show what several clients do to a
server, and have no more processors than it has. Hosts are reached by ssh, which must ask no question: keys, known
hosts, users and ports are those of its own settings.";

const IO_EXAMPLES: &str = "\
Examples:
  dbdyno fleet io --hosts FILE --rw randread --bs 8k --jobs 4 --dir /mnt/nvme
                                     four jobs on each host of the file, in files of its own below /mnt/nvme
  dbdyno fleet io --hosts FILE nvme-rand-read.fio --sweep
                                     the job file on one host, on two, on four, ... and on all
  dbdyno fleet io --hosts FILE --rw randread --device /dev/nvme1n1 --observe-storage san1
                                     a device that all hosts share, and what its server needs for it

Each agent carries out all jobs, with the depths, sizes and rates of a job file, as with fio --client. The rate of --rate
and that of a search (--until) are those of all agents together. Jobs of two agents read different addresses. A device is
named and permitted as without a fleet, and is then that of each host.";

const BLOCKS_EXAMPLES: &str = "\
Examples:
  dbdyno fleet blocks slob.conf --hosts FILE --target postgres://bench@db1/bench --schemas 8 --threads 8
                                     64 sessions from the hosts of the file

The coordinator loads the tables and fills the caches; the sessions are numbered over all agents.";

const LOAD_EXAMPLES: &str = "\
Examples:
  dbdyno fleet load --hosts FILE --target postgres://bench@db1/bench --size 50G --jobs 16
                                     generated rows, four sessions from each of four hosts
  dbdyno fleet load --hosts FILE --target postgres://bench@db1/bench --jobs 8 /mnt/shared/cards-*.tbl
                                     eight files, at the same paths on all hosts

The coordinator makes the table and checks its content. Batches of generated rows, and whole files, are dealt to the
sessions in turn. Files must be the same on all hosts. Rejected lines are counted, and not written.";

const MANIFEST_EXAMPLES: &str = "\
Examples:
  dbdyno fleet manifest kubernetes --agents 8 --cpus 4 --memory 8G | kubectl apply -f -
  dbdyno fleet manifest kubernetes --agents 8 --hosts > hosts.txt
  dbdyno fleet check --hosts hosts.txt

The containers do nothing until an agent is started in them, by kubectl exec or docker compose exec; it brings its program
with it. Namespace and context are those of these commands. To remove them: kubectl delete statefulset dbdyno, or
docker compose down --volumes.

On a host with systemd an agent can have a unit with limits of its own, by a line of the file of hosts:
  db1 under=\"systemd-run --quiet --collect --pipe --property=CPUQuota=400% --\"";

const COLLECT_EXAMPLES: &str = "\
Examples:
  dbdyno fleet collect r.jsonl --hosts FILE      the agents were on the hosts of the file
  dbdyno fleet collect r.jsonl                   they were on this machine

An agent writes its result of a run to dbdyno-parts below its directory before it says that it has ended, and removes it
when the coordinator has the run in its record. Where the coordinator was killed, or an agent not heard of for 10 s, the
agents end their run and keep it. A run is complete with the parts of all its agents; what is missing is measured by
dbdyno fleet run --resume.";

/// Options of `dbdyno fleet`.
#[derive(Args, Debug)]
pub struct FleetArguments {
    /// What to do
    #[command(subcommand)]
    pub command: FleetCommand,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Ask agents for their versions, clocks and free space, and let them start together once, without work
    Check(FleetCheckArguments),
    /// Measure as `run` does, with the jobs of each run spread over agents that start together
    Run(Box<FleetRunArguments>),
    /// Measure storage as `io` does, from each agent: its own files or devices, or a device that all share
    Io(Box<FleetIoArguments>),
    /// Measure random blocks as `blocks` does, with the sessions spread over agents
    Blocks(Box<FleetBlocksArguments>),
    /// Load flat files as `load` does, with sessions and source spread over agents
    Load(Box<FleetLoadArguments>),
    /// Print a manifest of hosts in containers for agents, or the file of hosts for them
    Manifest(FleetManifestArguments),
    /// Complete a record with the results that agents saved, where the coordinator or the way to it was lost
    Collect(FleetCollectArguments),
}

/// Where the agents are.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
pub struct AgentsArguments {
    /// Number of agents on this machine
    #[arg(long, value_name = "N", value_parser = value::count_32("agents", 1..=AGENTS_MAX))]
    pub agents: Option<u32>,
    /// File with a host on each line, which gets an agent: a destination of ssh, then options name=NAME, dir=DIR,
    /// program=PATH (one that is there), via="COMMAND ..." (in place of ssh), under="COMMAND ..." (on the host)
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,
}

/// Options of `dbdyno fleet run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub struct FleetRunArguments {
    #[command(flatten)]
    pub agents: AgentsArguments,
    /// Jobs of each agent: measures 1, 2, 4, ... and all agents, in place of --jobs
    #[arg(long, value_name = "N", conflicts_with_all = ["jobs", "until"], value_parser = value::count_32("jobs", 1..=JOBS_PER_AGENT_MAX))]
    pub jobs_per_agent: Option<u32>,
    /// Each agent uses a database of its own: the first address of --target is that of the first agent, and so on
    #[arg(long, conflicts_with_all = ["nodes", "go_on"])]
    pub database_per_agent: bool,
    /// Go on with the other agents where one was lost
    #[arg(long)]
    pub go_on: bool,
    #[command(flatten)]
    pub run: RunArguments,
}

/// Options of `dbdyno fleet io`.
#[derive(Args, Debug)]
#[command(after_help = IO_EXAMPLES)]
pub struct FleetIoArguments {
    #[command(flatten)]
    pub agents: AgentsArguments,
    /// Measure each job file with 1, 2, 4, ... and all agents
    #[arg(long, conflicts_with_all = ["until", "rate"])]
    pub sweep: bool,
    /// Measure each job file so often, in rounds of random order; the limits of a claim need 3 (`dbdyno model scale`)
    #[arg(long, value_name = "N", default_value = "1", conflicts_with = "until", value_parser = value::repeats("repeats"))]
    pub repeats: u32,
    #[command(flatten)]
    pub io: IoArguments,
}

/// Options of `dbdyno fleet blocks`.
#[derive(Args, Debug)]
#[command(after_help = BLOCKS_EXAMPLES)]
pub struct FleetBlocksArguments {
    #[command(flatten)]
    pub agents: AgentsArguments,
    #[command(flatten)]
    pub blocks: BlocksArguments,
}

/// Options of `dbdyno fleet load`.
#[derive(Args, Debug)]
#[command(after_help = LOAD_EXAMPLES)]
pub struct FleetLoadArguments {
    #[command(flatten)]
    pub agents: AgentsArguments,
    #[command(flatten)]
    pub load: LoadArguments,
}

/// Options of `dbdyno fleet collect`.
#[derive(Args, Debug)]
#[command(after_help = COLLECT_EXAMPLES)]
pub struct FleetCollectArguments {
    /// The record that is completed
    #[arg(value_name = "RECORD")]
    pub record: PathBuf,
    /// The file of hosts of the fleet; without it, the agents were on this machine
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,
    /// Remove what cannot complete a run, too
    #[arg(long)]
    pub discard: bool,
}

/// Options of `dbdyno fleet manifest`.
#[derive(Args, Debug)]
#[command(after_help = MANIFEST_EXAMPLES)]
pub struct FleetManifestArguments {
    /// The program that it is for
    #[arg(value_name = "FORMAT", value_parser = format())]
    pub format: ManifestFormat,
    /// Number of hosts
    #[arg(long, value_name = "N", value_parser = value::count_32("agents", 1..=AGENTS_MAX))]
    pub agents: u32,
    /// Print the file of hosts, for --hosts of the other commands
    #[arg(long)]
    pub hosts: bool,
    /// Image of the containers: any with a shell and a C library as new as that of this program
    #[arg(long, value_name = "IMAGE", default_value = "debian:12")]
    pub image: String,
    /// The first part of the names of the hosts
    #[arg(long, value_name = "NAME", default_value = "dbdyno")]
    pub name: String,
    /// Processors of each host
    #[arg(long, value_name = "N", value_parser = value::count_32("cpus", 1..=CPUS_MAX))]
    pub cpus: Option<u32>,
    /// Memory of each host
    #[arg(long, value_name = "SIZE", value_parser = value::bytes("memory", MEMORY))]
    pub memory: Option<Bytes>,
    /// Size of a volume of each host that stays, to measure its storage (kubernetes)
    #[arg(long, value_name = "SIZE", value_parser = value::bytes("volume", VOLUME))]
    pub volume: Option<Bytes>,
    /// Storage class of these volumes (kubernetes)
    #[arg(long, value_name = "NAME")]
    pub storage_class: Option<String>,
}

/// Options of `dbdyno fleet check`.
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct FleetCheckArguments {
    #[command(flatten)]
    pub agents: AgentsArguments,
}

/// Options of `dbdyno agent`.
#[derive(Args, Debug)]
pub struct AgentArguments {
    /// Read the ticket from the standard input: `-`, because a file or an argument may be read by others
    #[arg(long, value_name = "-", allow_hyphen_values = true, required_unless_present_any = ["observe", "parts"])]
    pub join: Option<String>,
    /// Answer questions about this host on the standard output, and measure nothing
    #[arg(long, conflicts_with = "join")]
    pub observe: bool,
    /// Give the results that agents saved below --dir, as they are asked for on the standard input
    #[arg(long, conflicts_with_all = ["join", "observe"])]
    pub parts: bool,
    /// Directory below which it makes one of its own, and removes it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Directory below which it keeps its results until the coordinator has them [default: --dir]
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

/// Programs that a manifest is for.
fn format() -> impl TypedValueParser<Value = ManifestFormat> {
    const COMPOSE: &str = "Docker Compose: a service for each agent, all on one machine";
    choice::of([
        ("kubernetes", "A stateful set: a pod for each agent, no two on one node", ManifestFormat::Kubernetes),
        ("compose", COMPOSE, ManifestFormat::Compose),
    ])
}
