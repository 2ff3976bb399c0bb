//! Options of `dbdyno run`.

use std::path::PathBuf;

use base::Wrong;
use clap::builder::TypedValueParser;
use clap::{Arg, Args};
use record::{Nanos, Preset, TracerKind};
use run::{LoadBesideRequest, NetworkPeer, Tracing};

use super::choice;
use super::like::LikeArguments;
use super::load_beside;
use super::output::OutputArguments;
use super::pace::PaceArguments;
use super::script::ScriptArguments;
use super::setup::PlaceArguments;
use super::value;

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno run                                  this machine through SQLite, a few minutes
  dbdyno run --target local:postgres          the same through a temporary PostgreSQL server
  dbdyno run --target 'local:postgres?shared_buffers=2GB&synchronous_commit=off'
  dbdyno run --target postgres://me@db1/shop  in a separate schema `dbdyno`; reads PGPASSWORD or ~/.pgpass
  dbdyno run --target 'local:postgres?replicas=2&synchronous=on'
  dbdyno run --target mariadb://me@db1,db2,db3/shop  jobs spread over the nodes of a cluster
  dbdyno run --target postgres://me@db1/shop --network db1   the network as a ceiling
  dbdyno run --dir /mnt/nvme --preset standard --jobs 1,8,64
  dbdyno run --tests T611,T616 --seconds 10   two tests of the catalogue (`dbdyno list tests`)
  dbdyno run --tests T616 --jobs 4 --rate 500 500 transactions per second, response time from the intended start
  dbdyno run --tests T616 --rate 50%,70%,90%  latency over rate, at shares of the capacity
  dbdyno run --target postgres://me@db1/shop --script read.sql@9 --script write.sql@1 -D size=100   scripts of pgbench
  dbdyno run --tests C100 --jobs 4 --load-beside H100:jobs=1   the order mix with the decision queries beside it
  dbdyno run --like load.json                 the mixture of a production load at the rates of its peak
  dbdyno run --tests T616 --until p99=5ms     the highest rate that meets a service level
  dbdyno run --resume dbdyno-20260131-120000-db1.jsonl";

/// Options that hold beside --resume: those of what is not in the plan, and those that are held against it, among them the
/// options of a fleet. Every other one is decided by the record, and refused.
const HELD_BESIDE_RESUME: [&str; 34] = [
    "beside",
    "load_beside",
    "target",
    "tests",
    "network",
    // These need --rate or --until.
    "arrival",
    "poisson",
    "no_activity",
    "observe",
    "observe_storage",
    "resume",
    "keep",
    "tracer",
    "prove",
    "html",
    "no_html",
    "details",
    "quiet",
    "agents",
    "hosts",
    "jobs_per_agent",
    "database_per_agent",
    "go_on",
    "script",
    "builtin",
    "schema",
    "define",
    "initialize",
    "scale",
    "max_tries",
    "query_mode",
    "connect",
    "role",
    "gauge",
];

fn resumable(option: Arg) -> Arg {
    let is_held = HELD_BESIDE_RESUME.contains(&option.get_id().as_str());
    if is_held { option } else { option.conflicts_with("resume") }
}

/// Options of `dbdyno run`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Duration and size", after_help = RUN_EXAMPLES, mut_args(resumable))]
pub struct RunArguments {
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, a URL, or `@FILE` with one node per
    /// line
    #[arg(long, short, value_name = "TARGET", help_heading = "Workload")]
    pub target: Option<String>,
    /// Codes, layers (cpu, memory, server, storage, network, database), `probes`, `all`, or your own test files
    /// [default: with preset quick 16 that stand for the others, otherwise all]
    #[arg(long, value_name = "T611,cpu,...", value_delimiter = ',', help_heading = "Workload")]
    pub tests: Vec<String>,
    /// Scripts of pgbench
    #[command(flatten)]
    pub scripts: ScriptArguments,
    /// Replay in kind
    #[command(flatten)]
    pub like: LikeArguments,
    /// Have another test at work beside each run of a test, with jobs of its own, and a rate in steps per second of all of them
    /// together; may be repeated
    #[arg(long, value_name = "TEST:jobs=N[,rate=R]", help_heading = "Workload", value_parser = load_beside::load)]
    pub load_beside: Vec<LoadBesideRequest>,
    /// Also measure the network to this peer, where `dbdyno network serve` runs: the ceiling of an engine on that host
    #[arg(long, value_name = "HOST[:PORT]", help_heading = "Workload", value_parser = value::peer)]
    pub network: Option<NetworkPeer>,
    /// Proof of durability (a record of `dbdyno prove durability`) of this engine with these settings, for the first line of the
    /// sheet; refused where it was made with others
    #[arg(long, value_name = "FILE", help_heading = "Workload")]
    pub durability: Option<PathBuf>,
    /// Degrees of parallelism [default: 1, 2, 4, ... to twice the processors]
    #[arg(long, short, visible_short_alias = 'c', visible_aliases = ["clients", "threads"], value_name = "1,2,4", value_delimiter = ',', help_heading = "Workload", value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// Threads of dbdyno that the jobs of a run share, where they are more (PostgreSQL, MariaDB, MySQL)
    /// [default: with a server on another host one for each processor, otherwise one for each job]
    #[arg(long, value_name = "N", help_heading = "Workload", value_parser = value::client_threads())]
    pub client_threads: Option<u32>,
    /// Numbers of nodes over which jobs are spread, where the target has several
    /// [default: all that get a job; the most jobs also on 1, 2, 4, ...]
    #[arg(long, value_name = "1,2,3", value_delimiter = ',', help_heading = "Workload", value_parser = value::degree("nodes"))]
    pub nodes: Option<Vec<u32>>,
    /// Duration and size of the measurement
    #[arg(long, short, default_value = "quick", value_parser = choice::preset())]
    pub preset: Preset,
    /// Length of each measured window, seconds
    #[arg(long, short, visible_short_alias = 'T', visible_aliases = ["time", "duration"], value_name = "S", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// Length of each warm-up, seconds
    #[arg(long, value_name = "S", value_parser = value::warm_up)]
    pub warm_up: Option<Nanos>,
    /// End each run after N steps of each job, if its window is not over before
    #[arg(long, value_name = "N", value_parser = value::count("steps", 1..=u64::MAX))]
    pub steps: Option<u64>,
    /// Repeats of each test at each degree of parallelism, in rounds of random order
    /// [default: 6 with --preset publish, 1 otherwise]
    #[arg(long, value_name = "N", value_parser = value::repeats("repeats"))]
    pub repeats: Option<u32>,
    /// Rows of the table that fits the engine's cache
    #[arg(long, value_name = "ROWS", value_parser = value::rows("small-rows"))]
    pub small_rows: Option<u64>,
    /// Rows of the table that does not fit it
    #[arg(long, value_name = "ROWS", value_parser = value::rows("large-rows"))]
    pub large_rows: Option<u64>,
    /// Warehouses of the order mixes (C100, C110) [default: as the preset says]
    #[arg(long, value_name = "N", value_parser = value::warehouses)]
    pub warehouses: Option<u64>,
    /// Arrival rate
    #[command(flatten)]
    pub load: PaceArguments,
    /// Run each test of single statements also with so many of them sent before the first answer is read (PostgreSQL, MariaDB,
    /// MySQL); several are a sweep
    #[arg(long, value_name = "N,...", value_delimiter = ',', conflicts_with_all = ["arrivals", "think_time"], help_heading = "Workload", value_parser = value::count_32("pipeline", 2..=value::PIPELINE_MAX))]
    pub pipeline: Vec<u32>,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Continue an aborted record. A server as target, test files (--tests), scripts and a peer
    /// (--network) are named again
    #[arg(long, value_name = "RECORD", help_heading = "Location")]
    pub resume: Option<PathBuf>,
    /// Keep the database; a later run with the same seed and sizes uses its tables again
    #[arg(long, help_heading = "Location")]
    pub keep: bool,
    /// Seed of all random data and keys
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "Duration and size")]
    pub seed: u64,
    /// Repeat tests with I/O or commits with kernel tracing: once each, or at every degree of parallelism
    /// [default: none with --preset smoke, one otherwise]
    #[arg(long, value_name = "TESTS", help_heading = "Workload", value_parser = traced())]
    pub trace: Option<Tracing>,
    /// Tracer [default: the first of these that is available]
    #[arg(long, value_name = "TRACER", help_heading = "Workload", value_parser = tracer())]
    pub tracer: Option<TracerKind>,
    /// Run each test again with 20 % less of its limiting resource, and tell whether that is the cause
    #[arg(long, conflicts_with = "until", help_heading = "Workload")]
    pub prove: bool,
    /// Write a line for each execution of a script to this new file, in the format of pgbench; of several runs each has its number behind
    /// the name
    #[arg(long, value_name = "FILE", help_heading = "Scripts of pgbench")]
    pub script_log: Option<PathBuf>,
    /// Share of the executions that have a line, each chosen at random
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, requires = "script_log", help_heading = "Scripts of pgbench", value_parser = share_of_log)]
    pub sampling_rate: f64,
    /// Show the rates of the workloads beside those of another record, or of a published system
    #[arg(long, value_name = "RECORD|SYSTEM", help_heading = "Output")]
    pub beside: Option<String>,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
    /// Print the plan and exit
    #[arg(long, help_heading = None)]
    pub dry_run: bool,
}

/// The share of the executions that have a line in a log.
fn share_of_log(text: &str) -> Result<f64, Wrong> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| {
        Wrong::new("sampling rate", text, "is no share of the executions", "use a number above 0, 1 at most")
    })
}

/// Traced repeats.
fn traced() -> impl TypedValueParser<Value = Tracing> {
    choice::of([
        ("none", "None", Tracing::None),
        ("one", "Each test at its lowest degree of parallelism", Tracing::One),
        ("all", "Each test at every degree of parallelism", Tracing::All),
    ])
}

/// Tracers.
fn tracer() -> impl TypedValueParser<Value = TracerKind> {
    choice::of([
        ("bpf", "BPF programs: system calls, block layer and device", TracerKind::Bpf),
        ("tracefs", "Events of the block layer from a tracefs instance: block layer and device", TracerKind::Tracefs),
        ("counters", "No tracing: the kernel's counters of the block layer, means only", TracerKind::Counters),
    ])
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::*;
    use crate::command::fleet::FleetRunArguments;

    #[test]
    fn what_holds_beside_a_record_is_an_option() {
        let command = FleetRunArguments::augment_args(Command::new("run"));
        let options: Vec<&str> = command.get_arguments().map(|option| option.get_id().as_str()).collect();
        for held in HELD_BESIDE_RESUME {
            assert!(options.contains(&held), "{held}");
        }
    }
}
