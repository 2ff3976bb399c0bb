//! `dbdyno fleet`: one load from several agents.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use fleet::{FoundParts, JoinedAgent, KeptParts, Manifest, ManifestFormat, RemoteHost, RemoteKeeper, Started};
use model::fleet::CheckedAgent;
use record::{Bytes, GivenPart, Outcome, PartKey, Permitted, PlanSubject, Record, Status, Sweep};
use run::{CollectedRun, CollectionOutcome, Error, Fault, Interrupt, Result};

use super::blocks::blocks_by;
use super::io::{IoFleet, io_by};
use super::load::load_by;
use super::run::{FleetOf, run_by};
use crate::agents::{Agents, hosts_of};
use crate::arguments::fleet::{
    FleetArguments, FleetCheckArguments, FleetCollectArguments, FleetCommand, FleetManifestArguments,
};
use crate::output::{note, print, style, width};
use crate::signal;

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
    let again = match record.plan.subject() {
        PlanSubject::Catalogue => "dbdyno fleet run --resume measures them again",
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
