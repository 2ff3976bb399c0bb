//! `dbdyno fleet`: one load from several agents.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use fleet::{FoundParts, JoinedAgent, KeptParts, Manifest, ManifestFormat, RemoteHost, RemoteKeeper, Started};
use model::fleet::CheckedAgent;
use record::{Bytes, GivenPart, Outcome, PartKey, Permitted, Record, Resumption, Status, Sweep};
use run::{CollectedRun, CollectionOutcome, Error, Fault, Interrupt, Result};

use super::blocks::{BlocksArguments, blocks_by};
use super::io::{IoFleet, io_by};
use super::load::{LoadArguments, load_by};
use super::run::{FleetOf, run_by};
use crate::agents::{Agents, hosts_of};
use crate::arguments::agents::{AGENTS_MAX, AgentsArguments};
use crate::arguments::io::IoArguments;
use crate::arguments::run::RunArguments;
use crate::arguments::{choice, value};
use crate::output::{note, print, style, width};
use crate::signal;

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
    /// Complete a record with the results that agents hold, where the coordinator or the way to it was lost
    Collect(FleetCollectArguments),
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

/// Programs that a manifest is for.
fn format() -> impl TypedValueParser<Value = ManifestFormat> {
    const COMPOSE: &str = "Docker Compose: a service for each agent, all on one machine";
    choice::of([
        ("kubernetes", "A stateful set: a pod for each agent, no two on one node", ManifestFormat::Kubernetes),
        ("compose", COMPOSE, ManifestFormat::Compose),
    ])
}

/// Carries out `dbdyno fleet`.
///
/// # Errors
/// Where agents cannot be started, do not join, or do not start together.
pub fn fleet(arguments: &FleetArguments) -> Result<()> {
    match &arguments.command {
        FleetCommand::Check(arguments) => check(arguments),
        FleetCommand::Run(arguments) => {
            let agents = Agents::of(&arguments.agents)?;
            let fleet = FleetOf {
                agents: &agents,
                jobs_per_agent: arguments.jobs_per_agent,
                database_per_agent: arguments.database_per_agent,
                goes_on: arguments.go_on,
            };
            run_by(&arguments.run, Some(fleet))
        }
        FleetCommand::Io(arguments) => {
            let agents = Agents::of(&arguments.agents)?;
            io_by(&arguments.io, Some(IoFleet { agents, sweeps: arguments.sweep, repeats: arguments.repeats }))
        }
        FleetCommand::Blocks(arguments) => blocks_by(&arguments.blocks, Some(&Agents::of(&arguments.agents)?)),
        FleetCommand::Load(arguments) => load_by(&arguments.load, Some(&Agents::of(&arguments.agents)?)),
        FleetCommand::Manifest(arguments) => manifest(arguments),
        FleetCommand::Collect(arguments) => collect(arguments),
    }
}

fn manifest(arguments: &FleetManifestArguments) -> Result<()> {
    let format = arguments.format;
    let refused = |message: &str, hint: &str| Err(Error::user(message).hint(hint));
    match (format, arguments.volume, &arguments.storage_class) {
        (ManifestFormat::Compose, None, None)
        | (ManifestFormat::Kubernetes, _, None)
        | (ManifestFormat::Kubernetes, Some(_), Some(_)) => {}
        (ManifestFormat::Compose, _, _) => {
            return refused(
                "volumes of Compose have no size and no storage class",
                "leave --volume and --storage-class out: each service has a volume",
            );
        }
        (ManifestFormat::Kubernetes, None, Some(_)) => {
            return refused("a storage class is that of volumes, and there are none", "give --volume SIZE, too");
        }
    }
    let whole = |bytes: Option<Bytes>, unit: Bytes| bytes.map(|bytes| bytes.0.div_ceil(unit.0));
    let manifest = Manifest {
        name: arguments.name.clone(),
        agents: arguments.agents,
        image: arguments.image.clone(),
        processors: arguments.cpus,
        memory_mib: whole(arguments.memory, Bytes::MIB),
        volume_gib: whole(arguments.volume, Bytes::GIB),
        storage_class: arguments.storage_class.clone(),
    };
    manifest.check().map_err(|error| Error { fault: Fault::User, ..Error::from(error) })?;
    print(&if arguments.hosts { manifest.hosts(format) } else { manifest.text(format) })
}

fn check(arguments: &FleetCheckArguments) -> Result<()> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let is_interrupted = || interrupt.is_raised();
    let (agents, here) = (Agents::of(&arguments.agents)?, Path::new("."));
    let deployment = agents.deploy(here, here, &Permitted::default(), &is_interrupted)?;
    let started = deployment.start_together(&is_interrupted);
    if interrupt.is_raised() {
        return Err(Error::interrupted());
    }
    let text = report::fleet_check(&started?.iter().map(checked).collect::<Vec<_>>(), style(), width());
    drop(deployment);
    print(&text)
}

fn collect(arguments: &FleetCollectArguments) -> Result<()> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let is_interrupted = || interrupt.is_raised();
    let path = &arguments.record;
    let record = store::read_without_series(path, &|_| {})
        .map_err(|error| Error { fault: Fault::User, ..Error::from(error) })?;
    if record.plan.agents.is_none() {
        return Err(Error::user(format!("the runs of {} are of one process", path.display()))
            .hint("continue it with dbdyno run --resume"));
    }
    let hosts = match (&arguments.hosts, record.plan.agent_hosts.as_slice()) {
        (Some(path), _) => hosts_of(path)?,
        (None, []) => Vec::new(),
        (None, names) => {
            return Err(Error::user(format!("the agents were on other hosts: {}", names.join(", ")))
                .hint("give the file of hosts: --hosts FILE"));
        }
    };
    // Agents of this machine keep their parts beside the directory of dbdyno.
    let directory = Path::new(&record.plan.directory);
    let here = KeptParts::below(directory.parent().unwrap_or(directory));
    let mut parts = Vec::new();
    if hosts.is_empty() {
        let FoundParts { parts: found, passed_over } = here.of_record(&record.key());
        passed_over.iter().for_each(|what| note(what));
        parts.extend(found);
    }
    let (mut keepers, found) = parts_of_hosts(&hosts, &record.key(), &is_interrupted)?;
    parts.extend(found);
    let (record, collected) = run::complete(path, parts)?;
    let needless = |run: &&CollectedRun| run.is_in_record() || arguments.discard;
    let needless: Vec<PartKey> = collected.iter().filter(needless).flat_map(|run| run.parts.clone()).collect();
    print(&collected.iter().map(|run| line(run, &record)).collect::<String>())?;
    if !needless.is_empty() {
        here.remove_given(&needless);
        // What stays there is found again, and not needed then either.
        for error in keepers.iter_mut().filter_map(|keeper| keeper.remove(&needless).err()) {
            note(&format!("parts that are in the record are kept on: {}", Error::from(error).message));
        }
    }
    let is_done = |number: u32| record.runs.iter().any(|run| run.number == number && run.outcome == Outcome::Done);
    let planned: BTreeSet<u32> = collected.iter().filter_map(|run| Some(run.planned.as_ref()?.number)).collect();
    let left = planned.into_iter().filter(|number| !is_done(*number)).count();
    // A record with failed runs is finished, too.
    let is_whole = record.status == Status::Finished && record.plan.runs.iter().all(|planned| is_done(planned.number));
    match (collected.is_empty(), left) {
        (true, _) if is_whole => print(&format!("{} is complete\n", path.display())),
        (true, _) => Err(Error::environment(format!("no agent keeps a part of {}", path.display()))
            .hint("give the same directories as before: dir=DIR in the file of hosts, or the measured directory")),
        _ if arguments.discard => Ok(()),
        (_, 0) if collected.iter().any(|run| run.outcome == CollectionOutcome::Unplanned) => {
            Err(Error::environment("the plan has no run for a part of what agents keep")
                .hint("nothing of it is lost; --discard removes it"))
        }
        (_, 0) => Ok(()),
        _ => Err(incomplete(&record, left)),
    }
}

/// That `left` runs of `record` have no complete parts.
fn incomplete(record: &Record, left: usize) -> Error {
    let noun = if left == 1 { "run stays" } else { "runs stay" };
    // Only records of tests are gone on with.
    let again = match record.plan.subject().properties().resumption {
        Resumption::ByRecord => "dbdyno fleet run --resume measures them again",
        _ => "measure again with another --record",
    };
    Error::environment(format!("{left} {noun} incomplete"))
        .hint(format!("the others may answer later; {again}, --discard removes the parts"))
}

/// The keepers of parts on `hosts`, and what they have of `record`. A part of the agent of another host, which shares the
/// directory, comes last: where both hosts give one, that of its own host is taken.
fn parts_of_hosts<'h>(
    hosts: &'h [RemoteHost],
    record: &str,
    is_interrupted: &(dyn Fn() -> bool + Sync),
) -> Result<(Vec<RemoteKeeper<'h>>, Vec<GivenPart>)> {
    let (mut keepers, mut own, mut of_others) = (Vec::new(), Vec::new(), Vec::new());
    for host in hosts {
        let asked = RemoteKeeper::start(host, is_interrupted)
            .and_then(|mut keeper| keeper.parts(record).map(|found| (keeper, found)));
        match asked {
            _ if is_interrupted() => return Err(Error::interrupted()),
            Ok((keeper, FoundParts { parts, passed_over })) => {
                passed_over.iter().for_each(|what| note(&format!("host {}: {what}", host.name)));
                let (here, elsewhere): (Vec<GivenPart>, Vec<GivenPart>) =
                    parts.into_iter().partition(|given| given.part.agent == host.name);
                own.extend(here);
                of_others.extend(elsewhere);
                keepers.push(keeper);
            }
            // Runs without it can be completed.
            Err(error) => note(&error.to_string()),
        }
    }
    own.extend(of_others);
    Ok((keepers, own))
}

/// What became of one run.
fn line(found: &CollectedRun, record: &Record) -> String {
    let CollectedRun { number, planned, agents, outcome, .. } = found;
    let agents = agents.join(", ");
    let Some(planned) = planned else {
        return format!("run {number}: not in the plan; the parts of {agents} are of no run of it\n");
    };
    let sweep = record.runs.iter().find(|run| run.test == planned.test).map_or(Sweep::Jobs, |run| run.sweep);
    let run = format!("run {} ({} {})", planned.number, planned.test, report::dop(planned.dop, sweep));
    match outcome {
        CollectionOutcome::Unplanned => format!("{run}: not in the plan\n"),
        CollectionOutcome::Completed => format!("{run}: complete with the parts of {agents}\n"),
        CollectionOutcome::Superfluous => {
            format!("{run}: measured already; the parts of {agents} are not needed\n")
        }
        CollectionOutcome::Refused { message } => format!("{run}: {message}\n"),
        CollectionOutcome::Incomplete { jobs } => {
            format!("{run}: incomplete; parts of {agents} have {jobs} of {} jobs\n", planned.dop.jobs)
        }
    }
}

fn checked((agent, started): &(JoinedAgent, Started)) -> CheckedAgent<'_> {
    CheckedAgent {
        name: &agent.name,
        hello: &agent.hello,
        round_trip: started.clock.error + started.clock.error,
        clock: started.clock.offset,
        start: started.start,
    }
}
